/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command lines of the fuzz target `command`. A word that begins with @ is a file of the case:
 * "@" is its argument, "@NAME" the file NAME, and "--OPTION=@NAME" likewise.
 */
#ifndef HWFLOW_FUZZ_LINES_H
#define HWFLOW_FUZZ_LINES_H

#include <stdbool.h>

#include "commands.h"

#define LINE_WORDS 10

/**
 * struct line - a command line
 * @run: the verb
 * @words: its options and arguments
 * @jobs: the verb has -j
 * @refuses: whether the options are right depends on the input: the exit status may be 1
 */
struct line {
	int (*run)(int argc, char **argv);
	const char *words[LINE_WORDS];
	bool jobs;
	bool refuses;
};

#define FIELDS "--fields=comm,tid,cpu,time,insn,ip,sym,symoff,dso,srcline"
#define ETE    "--config=TRCCONFIGR=0x1811,TRCIDR0=0x28018ea1,TRCIDR2=0x40001088,TRCDEVARCH=0x47735a13"
#define ETMV3  "--config=ETMCR=0x100c1c8,ETMIDR=0x410cf301,ETMCCER=0x8000000"

/* The numbers of lines are in the corpus: a new line is added at the end. */
static const struct line lines[] = {
	{cmd_dump, {"dump", "@"}, true, false},
	{cmd_dump, {"dump", "--format=ref", "--gaps=all", "@"}, true, false},
	{cmd_flow, {"flow", "@"}, true, false},
	{cmd_flow,
	 {"flow", "--format=ref", "--taken-back", "--split-source", "--gaps=all", "@"},
	 true,
	 false},
	{cmd_flow, {"flow", "--format=pc", "--time=10%-90%", "@"}, true, true},
	{cmd_script, {"script", "--limit=20000", "@"}, true, false},
	{cmd_script, {"script", "--insn", FIELDS, "--limit=20000", "@"}, true, false},
	{cmd_script,
	 {"script", "--not-taken", "--full-paths", "--sort=time", "--limit=20000", "@"},
	 true,
	 true},
	{cmd_report, {"report", "@"}, true, false},
	{cmd_report, {"report", "--by=thread", "--width=0", "--limit=0", "@"}, true, false},
	{cmd_report, {"report", "--by=dso", "--offset=16,4096", "@"}, true, false},
	{cmd_annotate, {"annotate", "@"}, true, false},
	{cmd_annotate, {"annotate", "--all", "--limit=0", "--full-paths", "@"}, true, false},
	{cmd_diff, {"diff", "@", "@other"}, true, false},
	{cmd_archive, {"archive", "--truth", "-o", "@out", "@"}, false, false},
	{cmd_verify, {"verify", "@", "--truth=@truth"}, true, false},
	{cmd_verify,
	 {"verify", "--missing-code", "--changed-code", "--filtered", "@", "--truth=@truth"},
	 true,
	 false},
	{cmd_encode, {"encode", "-o", "@out", "@"}, false, true},
	{cmd_encode,
	 {"encode", "--protocol=etmv4", "--image=@root/program", "-o", "@out", "@"},
	 false,
	 true},
	{cmd_encode, {"encode", "--protocol=riscv", "-o", "@out", "@"}, false, true},
	{cmd_emulate, {"emulate", "--show-log=@truth"}, false, false},
	{cmd_flow, {"flow", "--protocol=ete", ETE, "--image=@root/program", "@"}, true, true},
	{cmd_flow,
	 {"flow", "--protocol=etmv3", ETMV3, "--framing=coresight", "--image=@root/program@0x8000",
	  "@"},
	 true,
	 true},
	{cmd_flow, {"flow", "--protocol=riscv", "--image=@root/program", "@"}, true, true},
	{cmd_dump, {"dump", "--protocol=riscv", "--framing=siemens", "@"}, true, true},
	{cmd_report, {"report", "--image=@root/program", "@"}, true, false},
	{cmd_report, {"report", "--inclusive", "@"}, true, true},
	{cmd_report, {"report", "--call-graph=callee", "--limit=0", "@"}, true, true},
	{cmd_report, {"report", "--by=line", "@"}, true, false},
	{cmd_calls, {"calls", "@"}, true, true},
	{cmd_calls, {"calls", "--over=1", "--measure=instructions", "@"}, true, true},
	{cmd_script, {"script", "--tail=10", "@"}, true, false},
	{cmd_crash, {"crash", "@", "@other"}, true, false},
};

#undef FIELDS
#undef ETE
#undef ETMV3

#define LINES (sizeof(lines) / sizeof(lines[0]))

#endif /* HWFLOW_FUZZ_LINES_H */
