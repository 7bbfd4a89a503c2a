// SPDX-License-Identifier: GPL-2.0-only
/*
 * spinner STEPS [MILLISECONDS] - executes spin() so long, and sleeps first if it is told to: a
 * program to be traced.
 */
#include <stdlib.h>
#include <unistd.h>

#include "trace.h"

int main(int argc, char **argv)
{
	if (argc > 2)
		usleep((useconds_t)atoi(argv[2]) * 1000);
	spin(argc > 1 ? (unsigned int)atoi(argv[1]) : 1000);
	return 0;
}
