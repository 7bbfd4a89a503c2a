#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# driver-layers.sh [TREE] - files of drivers/perf use those below them: no file includes a header of a file above it or
# calls a function defined there, and only arm_ete_*.c see struct ete_cpu and struct ete_pmu. Only *_sysreg.h access
# System registers of the trace unit and the trace buffer. TREE: the directory to check, instead of this tree. Speaks TAP.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. "tools/setup/tests/tap.bash"
. "tools/setup/tests/code.bash"
cd "${1:-.}/drivers/perf" || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# from the lowest layer to the highest; files of one row do not use each other
layers='
ete_caps ete_notice trbe_event trbe_window
ete_config
ete trbe_buffer
trbe_start
trbe
arm_ete_sysfs
arm_ete_pmu
arm_ete_cpu
arm_ete_probe'

tr ' ' '\n' <<<"$layers" | sed '/^$/d' | LC_ALL=C sort | diff - <(ls -- *.c | sed 's/\.c$//' | LC_ALL=C sort) >"$log"
ok $? "each file has a layer" "$log"

# a definition begins in the first column and is not static; its body follows
code_of ./*.c | awk -v layers="$layers" '
	BEGIN {
		count = split(layers, row, "\n")
		for (i = 1; i <= count; i++) {
			files = split(row[i], file, " ")
			for (j = 1; j <= files; j++)
				level["./" file[j] ".c"] = i
		}
	}
	{ name = $1; sub(/^[^ ]* /, ""); text[++lines] = $0; of[lines] = name }
	/^[a-z].*\(/ && !/^static / {
		head = $0
		sub(/\(.*/, "", head)
		sub(/.*[ *]/, "", head)
		pending = head
	}
	/;$/ { pending = "" }
	/^\{/ && pending != "" { defined[pending] = name; pending = "" }
	END {
		for (i = 1; i <= lines; i++) {
			rest = text[i]
			while (match(rest, /[a-z_][a-z0-9_]*/)) {
				word = substr(rest, RSTART, RLENGTH)
				rest = substr(rest, RSTART + RLENGTH)
				if (word in defined && defined[word] != of[i] && level[defined[word]] >= level[of[i]])
					print of[i] ": " word "() of " defined[word]
				else if (word in defined)
					uses++
			}
		}
		if (!uses)
			print "no use of a function was found"
	}' >"$log"
[ ! -s "$log" ]
ok $? "no file uses a function of a file above it" "$log"

# compat, tracepoints and KVM are for all files
grep -nE '#include "arm_ete' -- *.[ch] | grep -vE '^arm_ete_[a-z]+\.c:|"arm_ete_(compat|trace)\.h"' >"$log"
grep -nE '#include "trbe' ete*.[ch] | grep -v '^ete_caps\.c:.*"trbe_regs\.h"' >>"$log"
grep -nE '#include "ete\.h"|#include "trbe\.h"' -- ete_*.[ch] trbe_event.* trbe_window.* >>"$log"
grep -nE '#include ".*_sysreg\.h"' -- *.h >>"$log"
[ ! -s "$log" ]
ok $? "no file includes a header of a layer above it" "$log"

code_of ./*.[ch] | grep -E 'struct ete_(cpu|pmu)\b' | grep -vE '^\./arm_ete(_[a-z]+\.c|\.h) ' >"$log"
[ ! -s "$log" ]
ok $? "only the upper layer sees struct ete_cpu and struct ete_pmu" "$log"

code_of ./*.[ch] | grep -E '\<(read|write)_sysreg_s\(|\<__tsb_csync\(|\<sys_reg\(' | grep -vE '^\./((ete|trbe)_sysreg|ete_hwcheck)\.h ' >"$log"
[ ! -s "$log" ]
ok $? "only *_sysreg.h access registers" "$log"

# masks are built and tested on any host
grep -nE '#include|asm' -- *_regs.h | grep -vE '#include <linux/(bits|types)\.h>' >"$log"
[ ! -s "$log" ]
ok $? "*_regs.h have fields of registers only" "$log"
done_testing
