// SPDX-License-Identifier: GPL-2.0-only
/* hwflow encode --protocol=riscv: of the text of a simulator, or of a ground-truth log. */
#include <string.h>

#include "base/error.h"
#include "cmd_encode.h"

static int take_quirk(struct encode_command *command, const char *name)
{
	command->riscv.post_iss = !strcmp(name, "post-iss");
	if (!command->riscv.post_iss)
		encode_fail("--quirk=%s: unknown value; use post-iss", name);
	return command->riscv.post_iss ? 0 : -1;
}

int encode_riscv_option(struct encode_command *command, int value, const char *argument)
{
	switch (value) {
	case ENCODE_OPT_QUIRK:
		return take_quirk(command, argument);
	case ENCODE_OPT_TRAPS:
		command->words.traps = argument;
		return 0;
	case ENCODE_OPT_BLOCKS:
		command->words.blocks = argument;
		return 0;
	case ENCODE_OPT_PRIVILEGE:
		command->words.privilege = argument;
		return 0;
	default:
		return 1;
	}
}

static int check(struct encode_command *command)
{
	const struct input_options *input = &command->input;
	struct encode_riscv *riscv = &command->riscv;
	const char *error;

	if (input->image_count || command->unit_only) {
		encode_fail("--%s: not supported with --protocol=riscv; try --help",
			    input->image_count ? "image" : command->unit_only);
		return EXIT_USAGE;
	}
	command->words.dialect = input->dialect;
	command->words.framing = input->framing;
	command->words.config = input->config;
	if (!riscv_options_init(&riscv->riscv, input->dialect, input->framing) ||
	    !riscv_options_config(&riscv->riscv, input->config))
		return EXIT_USAGE;
	error = riscv_choice_take(&command->words, &command->encode.unit, &riscv->choice);
	if (!error)
		error = encode_riscv_check(riscv);
	if (!error)
		return 0;
	encode_fail("%s", error);
	return EXIT_USAGE;
}

/* It begins with a name, or is empty: anything but the first byte of a binary log. */
static bool is_text(int first)
{
	return first != (int)(TRUTH_MAGIC & 0xff);
}

/* What only one of the two kinds of log has, and only that one may be asked for */
static int check_log(struct encode_job *job)
{
	const struct encode_command *command = job->command;
	const char *error = NULL;

	if (job->truth && (command->riscv.post_iss || command->words.privilege))
		error = "--quirk=post-iss and --privilege require the text of a simulator as LOG";
	else if (job->truth)
		error = emulate_riscv_take(&command->words, &command->encode.unit, &job->riscv);
	else if (command->input.tid != INPUT_ANY || command->words.traps)
		error = "--tid and --traps require a ground-truth log";
	if (error && *error)
		encode_fail("%s", error);
	return error ? EXIT_USAGE : 0;
}

static int encode(struct encode_job *job, const struct encode_sink *sink)
{
	struct encode_riscv riscv = job->command->riscv;
	char message[TRUTH_MESSAGE];
	int status;

	if (job->text) {
		riscv.name = job->name;
		riscv.in = job->text;
		status = encode_riscv(&riscv, sink, &job->totals, message);
	} else {
		status = encode_riscv_thread(job->truth, job->thread, &job->riscv, sink,
					     &job->totals, message);
	}
	return encode_status(job, status, message);
}

const struct encode_protocol encode_protocol_riscv = {
	.check = check,
	.print_config = encode_print_given,
	.is_text = is_text,
	.check_log = check_log,
	.encode = encode,
};
