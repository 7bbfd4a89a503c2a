// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode --protocol=etmv3 */
#include <string.h>

#include "base/error.h"
#include "cmd_encode.h"
#include "source/config.h"
#include "source/protocol.h"

static int take_p_headers(struct encode_command *command, const char *name)
{
	command->p_headers = true;
	command->etm3.one_a_cycle = !strcmp(name, "cycle");
	if (command->etm3.one_a_cycle || !strcmp(name, "packed"))
		return 0;
	encode_fail("--p-headers=%s: unknown value; use packed or cycle", name);
	return -1;
}

int encode_etm3_option(struct encode_command *command, int value, const char *argument)
{
	return value == ENCODE_OPT_P_HEADERS ? take_p_headers(command, argument) : 1;
}

static int check(struct encode_command *command)
{
	const struct input_options *input = &command->input;
	struct encode_etm3 *etm3 = &command->etm3;
	const char *other = input->dialect            ? "dialect"
			    : input->framing          ? "framing"
			    : command->riscv.post_iss ? "quirk"
						      : command->unit_option;
	struct hwf_config_fault fault;
	int status;

	if (other) {
		encode_fail("--%s: not supported with --protocol=etmv3; try --help", other);
		return EXIT_USAGE;
	}
	status = config_parse(input->config, INPUT_ETMV3, protocol_etmv3.names, &etm3->regs);
	if (status)
		return status;
	if (!hwf_etm3_config_init(&etm3->config, &etm3->regs) && !etm3->config.data_only)
		return 0;
	if (!hwf_etm3_config_fault(&etm3->regs, &fault))
		fault = (struct hwf_config_fault){
			.name = "ETMCR",
			.value = etm3->regs.etmcr,
			.text = "bit 20 must be 0, for instruction trace",
		};
	config_print_fault("--config", &fault);
	return EXIT_USAGE;
}

static int check_log(struct encode_job *job)
{
	if (!job->truth)
		return 0;
	return encode_fail("%s: --protocol=etmv3 requires the text form of a log; 'hwflow emulate "
			   "--show-log' prints it",
			   job->name);
}

static int encode_of_lines(struct encode_job *job, const struct encode_text *text,
			   const struct encode_sink *sink, char message[TRUTH_MESSAGE])
{
	struct encode_etm3 etm3 = job->command->etm3;

	etm3.text = *text;
	return encode_etm3(&etm3, sink, &job->totals, message);
}

static int encode(struct encode_job *job, const struct encode_sink *sink)
{
	return encode_lines(job, sink, encode_of_lines);
}

const struct encode_protocol encode_protocol_etm3 = {
	.check = check,
	.print_config = encode_print_given,
	.is_text = encode_is_lines,
	.check_log = check_log,
	.encode = encode,
};
