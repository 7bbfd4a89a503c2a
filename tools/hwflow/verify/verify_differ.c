// SPDX-License-Identifier: GPL-2.0-only
/* hwflow verify: what is said of a difference, and where there is none. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/print.h"
#include "base/progress.h"
#include "verify_compare.h"
#include "verify_show.h"

static void show_log(struct verify_thread *thread)
{
	if (!verify_advance(thread))
		puts("  log:     end of log");
	else if (thread->log.run.count)
		print(stdout, "  log:     %" PRIx64 "%s\n", thread->log.run.pc,
		      verify_isa_text(thread->log.run.isa));
	else
		print(stdout, "  log:     exception %s, returns to %" PRIx64 "\n",
		      truth_exception_name(thread->log.event.u.exception.type),
		      thread->log.event.u.exception.ret);
}

static const char *kind_of(const struct verify_thread *thread)
{
	return thread->log.is_cpu ? "cpu" : "thread";
}

/* What was equal before a difference, and where it is */
static void show_before(const struct verify_thread *thread, uint64_t offset)
{
	struct verify_insn last[VERIFY_SHOWN];

	verify_last(thread, last);
	progress_hide();
	print(stdout,
	      "%s %" PRId32 ": difference after %" PRIu64
	      " equal instructions, piece %zu, trace offset %#" PRIx64 "\n",
	      kind_of(thread), thread->number, thread->counts.instructions, thread->piece, offset);
	for (unsigned int i = 0; i < VERIFY_SHOWN && thread->counts.instructions; i++) {
		if (i + thread->counts.instructions < VERIFY_SHOWN)
			continue;
		print(stdout, "  both:    %" PRIx64 "%s\n", last[i].pc,
		      verify_isa_text(last[i].isa));
		verify_show_image(&last[i], thread->code, thread->space);
	}
}

void verify_differ_thread(struct verify_thread *thread, uint64_t offset)
{
	thread->wrong = true;
	if (thread->quiet)
		return;
	show_before(thread, offset);
	print(stdout, "  log:     these are of thread %" PRId32 "\n", thread->log.tid);
	print(stdout, "  decoded: of thread %" PRId32 "\n", thread->tid);
}

void verify_differ(struct verify_thread *thread, uint64_t offset)
{
	thread->wrong = true;
	if (thread->quiet)
		return;
	show_before(thread, offset);
	show_log(thread);
	if (thread->log.run.count) {
		const struct verify_insn next = verify_insn(&thread->log.run, 0);

		verify_show_image(&next, thread->code, thread->space);
	}
}

void __attribute__((format(printf, 2, 3))) verify_say_decoded(const struct verify_thread *thread,
							      const char *format, ...)
{
	va_list values;

	if (thread->quiet)
		return;
	va_start(values, format);
	fputs("  decoded: ", stdout);
	print_list(stdout, format, values);
	va_end(values);
}

void verify_print_result(const struct verify_thread *thread)
{
	if (thread->wrong || thread->log.error)
		return;
	progress_hide();
	print(stdout, "%s %" PRId32 ": equal: %" PRIu64 " instructions, %" PRIu64 " exceptions",
	      kind_of(thread), thread->number, thread->counts.instructions,
	      thread->counts.exceptions);
	if (thread->counts.unknown)
		print(stdout, "; %" PRIu64 " more on paths that the trace does not give",
		      thread->counts.unknown);
	if (thread->counts.anywhere)
		print(stdout, "; %" PRIu64 " more not verified: they fit several places of the log",
		      thread->counts.anywhere);
	if (thread->counts.missing)
		print(stdout, "; %" PRIu64 " more lost or filtered out", thread->counts.missing);
	if (thread->counts.untold)
		print(stdout, "; %" PRIu64 " more traps that are not in the trace",
		      thread->counts.untold);
	if (thread->counts.unseen)
		print(stdout, "; %" PRIu64 " more after the last P0 element",
		      thread->counts.unseen);
	putchar('\n');
}
