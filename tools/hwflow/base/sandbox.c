// SPDX-License-Identifier: GPL-2.0-only
/* The sandbox: Landlock restricts files and TCP connections, seccomp restricts system calls. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "print.h"
#include "temporary.h"

/* Of linux/landlock.h since Linux 6.2, 6.7 and 6.12: versions 3, 4 and 6 of the interface */
#define ACCESS_FS_TRUNCATE     (UINT64_C(1) << 14)
#define ACCESS_NET_BIND_TCP    (UINT64_C(1) << 0)
#define ACCESS_NET_CONNECT_TCP (UINT64_C(1) << 1)
#define SCOPE_ABSTRACT_SOCKETS (UINT64_C(1) << 0)
#define SCOPE_SIGNALS          (UINT64_C(1) << 1)

/* All that changes files, in version 1 */
#define ACCESS_CHANGES                                                   \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |     \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* Changes below the cache of debuginfod, or in TMPDIR if files there must have names */
#define ACCESS_FILES                                                     \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |  \
	 LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_FS_TRUNCATE)

/* struct landlock_ruleset_attr of version 6: a kernel takes as much of it as it knows */
struct ruleset {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

bool sandbox_take(const char *text, enum sandbox_mode *mode)
{
	static const struct {
		const char *word;
		enum sandbox_mode mode;
	} words[] = {{"auto", SANDBOX_AUTO}, {"require", SANDBOX_REQUIRE}, {"off", SANDBOX_OFF}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text ? text : "require", words[i].word) != 0)
			continue;
		*mode = words[i].mode;
		return true;
	}
	print(stderr, "hwflow: --sandbox=%s: unknown; use auto, require or off\n", text);
	return false;
}

/* Whether files without a name can be made in TMPDIR */
static bool has_nameless_files(void)
{
	const int fd = open(temporary_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == ENOENT || errno == EACCES;
	close(fd);
	return true;
}

/* The directory that debuginfod keeps files in, see debuginfod_find_debuginfo(3); it is made. */
static bool make_cache(char path[PATH_MAX])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char parent[PATH_MAX];
	struct stat status;

	if (own && *own) {
		snprintf(path, PATH_MAX, "%s", own);
	} else {
		snprintf(path, PATH_MAX, "%s/.debuginfod_client_cache", home ? home : "");
		if (!stat(path, &status))
			return true;
		if (cache && *cache)
			snprintf(parent, sizeof(parent), "%s", cache);
		else
			snprintf(parent, sizeof(parent), "%s/.cache", home ? home : "");
		mkdir(parent, 0700);
		if (snprintf(path, PATH_MAX, "%s/debuginfod_client", parent) >= PATH_MAX)
			return false;
	}
	mkdir(path, 0700);
	return !stat(path, &status);
}

static void allow_below(int rules, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = access};
	const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	/* what cannot be opened, or is no directory, is not changed either */
	if (fd < 0)
		return;
	rule.parent_fd = fd;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
}

/* Restricts files and TCP. Returns the version of the interface, or 0 if there is none. */
static int restrict_files(const struct sandbox_state *state)
{
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct ruleset all = {.fs = ACCESS_CHANGES | LANDLOCK_ACCESS_FS_EXECUTE};
	size_t size = sizeof(all.fs);
	char cache[PATH_MAX];
	uint64_t known;
	int rules, error;

	if (version < 1)
		return 0;
	if (version >= 2)
		all.fs |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		all.fs |= ACCESS_FS_TRUNCATE;
	if (version >= 4)
		size = offsetof(struct ruleset, scoped);
	if (version >= 4 && !state->network)
		all.net = ACCESS_NET_BIND_TCP | ACCESS_NET_CONNECT_TCP;
	if (version >= 6)
		size = sizeof(all);
	if (version >= 6)
		all.scoped = SCOPE_SIGNALS | (state->network ? 0 : SCOPE_ABSTRACT_SOCKETS);
	rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
	if (rules < 0)
		return 0;
	known = all.fs;
	/* of files without a name the size is set */
	allow_below(rules, temporary_directory(),
		    known & (has_nameless_files()
				     ? LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_FS_TRUNCATE
				     : ACCESS_FILES));
	if (state->network && make_cache(cache))
		allow_below(rules, cache, known & ACCESS_FILES);
	error = (int)syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
	return error ? 0 : (int)version;
}

/* What is not restricted that should be; NULL if all of it is */
static const char *missing(const struct sandbox_state *state, int error)
{
	if (!state->filter)
		return error == -ENOSYS || error == -EINVAL
			       ? "the kernel has no filter of system calls (seccomp)"
			       : "the kernel refuses a filter of system calls (seccomp)";
	if (state->writes && !state->landlock)
		return "without Landlock in the kernel, files can be written that TMPDIR or "
		       "debuginfod need";
	return NULL;
}

bool sandbox_enter(enum sandbox_mode mode)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *reason;
	struct sandbox_state state = {.network = urls && *urls};
	int error = -EPERM;

	if (mode == SANDBOX_OFF)
		return true;
	state.writes = state.network || !has_nameless_files();
	/* Landlock and seccomp both require it, so that no program gets more rights by execve(2) */
	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		state.landlock = restrict_files(&state);
		error = sandbox_filter(&state);
		state.filter = !error;
	}
	reason = missing(&state, error);
	if (!reason || mode == SANDBOX_DEFAULT)
		return true;
	print(stderr, "hwflow: --sandbox: %s%s%s\n", reason, error ? ": " : "",
	      error ? strerror(-error) : "");
	if (mode == SANDBOX_REQUIRE)
		fputs("hwflow: --sandbox=auto goes on without it\n", stderr);
	return mode != SANDBOX_REQUIRE;
}
