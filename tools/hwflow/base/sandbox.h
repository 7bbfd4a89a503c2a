/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sandbox: a verb that decodes gives up what decoding does not need. After that, code in the place
 * of the decoder cannot write files, use the network or start programs. Files are still opened for
 * reading, since the files of programs are opened when their code is needed.
 */
#ifndef HWFLOW_SANDBOX_H
#define HWFLOW_SANDBOX_H

#include <stdbool.h>

/** enum sandbox_mode - the argument of --sandbox */
enum sandbox_mode {
	SANDBOX_DEFAULT, /* not given: as SANDBOX_AUTO, without a message */
	SANDBOX_AUTO,
	SANDBOX_REQUIRE,
	SANDBOX_OFF,
};

/**
 * struct sandbox_state - what a sandbox restricts
 * @filter: system calls, by seccomp
 * @landlock: version of Landlock's interface, which restricts files and TCP; 0: Landlock is not
 * used
 * @network: debuginfod may use the network
 * @writes: names of files may be changed: in the directories of Landlock, or if it is not used,
 *          everywhere
 */
struct sandbox_state {
	bool filter;
	int landlock;
	bool network;
	bool writes;
};

/**
 * sandbox_take() - take the value of --sandbox
 * @text: auto, require or off; NULL: require
 *
 * Return: false if it is none of these: the reason was printed on stderr.
 */
bool sandbox_take(const char *text, enum sandbox_mode *mode);

/**
 * sandbox_enter() - restrict this process and those that it makes; nothing undoes it
 * @mode: see enum sandbox_mode
 *
 * If DEBUGINFOD_URLS is set, the network and the cache of debuginfod stay usable. Temporary files
 * can be made in TMPDIR.
 *
 * Return: false if @mode is SANDBOX_REQUIRE and the kernel does not restrict what it should: the
 * reason was printed on stderr.
 */
bool sandbox_enter(enum sandbox_mode mode);

/**
 * sandbox_filter() - restrict the system calls of this process, by seccomp
 * @state: what else is restricted
 *
 * Return: 0 or a negative errno.
 */
int sandbox_filter(const struct sandbox_state *state);

#endif /* HWFLOW_SANDBOX_H */
