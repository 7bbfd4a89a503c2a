/* SPDX-License-Identifier: GPL-2.0-only */
/* For the programs that are traced: what must hold in them. */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                                             \
	do {                                                                                 \
		if (!(x)) {                                                                  \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__, #x, strerror(errno)); \
			exit(1);                                                             \
		}                                                                            \
	} while (0)

#endif /* CHECK_H */
