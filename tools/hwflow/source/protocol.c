// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the trace protocols. */
#include "protocol.h"

#include <string.h>

static const struct protocol *const protocols[INPUT_PROTOCOLS] = {
	[INPUT_ETE] = &protocol_ete,
	[INPUT_ETMV4] = &protocol_etmv4,
	[INPUT_ETMV3] = &protocol_etmv3,
	[INPUT_RISCV] = &protocol_riscv,
};

const struct protocol *protocol_number(enum input_protocol number)
{
	return protocols[number];
}

const struct protocol *protocol_of_word(const char *word)
{
	for (unsigned int i = INPUT_ETE; i < INPUT_PROTOCOLS; i++)
		if (!strcmp(word, protocols[i]->word))
			return protocols[i];
	return NULL;
}

const struct protocol *protocol_of_type(const char *type)
{
	for (unsigned int i = INPUT_ETE; i < INPUT_PROTOCOLS; i++)
		if (protocols[i]->is_type && protocols[i]->is_type(type))
			return protocols[i];
	return NULL;
}

const char *input_protocol_word(enum input_protocol protocol)
{
	return protocol ? protocol_number(protocol)->word : "";
}

const char *input_protocol_name(enum input_protocol protocol)
{
	return protocol ? protocol_number(protocol)->name : "trace";
}
