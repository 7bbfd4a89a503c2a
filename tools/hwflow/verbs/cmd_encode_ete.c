// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode --protocol=ete, and etmv4, which is the same trace unit with less in it. */
#include <inttypes.h>

#include "base/error.h"
#include "base/print.h"
#include "cmd_encode.h"

/*
 * The registers of an ETMv4.5 that traces the same, where there is one; false where not. TRCIDR0:
 * COMMTRANS and TSMARK are of ETE only.
 */
static bool make_etmv4(struct encode_command *command)
{
	struct hwf_ete_regs *regs = &command->encode.unit.regs;

	if (command->unit.markers || command->encode.unit.source_address_interval ||
	    command->encode.unit.q_interval)
		return false;
	regs->protocol = HWF_PROTOCOL_ETMV4;
	regs->trcidr0 &= ~(1u << 30 | 1u << 23);
	regs->trcidr1 = (regs->trcidr1 & ~0xff0u) | 0x450u;
	regs->trcdevarch = 0;
	return true;
}

static int check_ete(struct encode_command *command)
{
	const struct input_options *input = &command->input;

	if (input->dialect || input->config || input->framing || command->riscv.post_iss ||
	    command->words.traps || command->words.blocks || command->words.privilege) {
		encode_fail("--dialect, --config, --framing, --traps, --blocks, --privilege and "
			    "--quirk require --protocol=riscv");
		return EXIT_USAGE;
	}
	if (unit_parse_end(&command->unit))
		return EXIT_USAGE;
	if (command->instrumentation && command->unit.revision < 3) {
		encode_fail("--instrumentation requires --revision=3");
		return EXIT_USAGE;
	}
	if (command->instrumentation)
		command->encode.unit.regs.trcidr0 |= HWF_TU_IDR0_ITE;
	return 0;
}

static int check_etmv4(struct encode_command *command)
{
	int status = check_ete(command);

	if (!status && !make_etmv4(command)) {
		encode_fail("--protocol=etmv4: --source-addresses, --timestamp-markers and "
			    "--q-elements are not supported");
		status = EXIT_USAGE;
	}
	return status;
}

/* In the form that --config of the commands that decode takes */
static void print_config(const struct encode_command *command)
{
	const struct hwf_ete_regs *regs = &command->encode.unit.regs;

	print(stdout,
	      "--protocol=%s --config=TRCCONFIGR=%#" PRIx32 ",TRCTRACEIDR=%#" PRIx32
	      ",TRCIDR0=%#" PRIx32 ",TRCIDR1=%#" PRIx32 ",TRCIDR2=%#" PRIx32 ",TRCIDR8=%#" PRIx32
	      ",TRCDEVARCH=%#" PRIx32 ",TRCAUTHSTATUS=%#" PRIx32 "\n",
	      input_protocol_word(command->input.protocol), regs->trcconfigr, regs->trctraceidr,
	      regs->trcidr0, regs->trcidr1, regs->trcidr2, regs->trcidr8, regs->trcdevarch,
	      regs->trcauthstatus);
}

static int encode_of_lines(struct encode_job *job, const struct encode_text *text,
			   const struct encode_sink *sink, char message[TRUTH_MESSAGE])
{
	return encode_text(text, &job->command->encode, sink, &job->totals, message);
}

static int encode(struct encode_job *job, const struct encode_sink *sink)
{
	char message[TRUTH_MESSAGE];
	int status;

	if (job->text)
		return encode_lines(job, sink, encode_of_lines);
	status = encode_thread(job->truth, job->thread, &job->command->encode, sink, &job->totals,
			       message);
	return encode_status(job, status, message);
}

const struct encode_protocol encode_protocol_ete = {
	.check = check_ete,
	.print_config = print_config,
	.is_text = encode_is_lines,
	.encode = encode,
};

const struct encode_protocol encode_protocol_etmv4 = {
	.check = check_etmv4,
	.print_config = print_config,
	.is_text = encode_is_lines,
	.encode = encode,
};
