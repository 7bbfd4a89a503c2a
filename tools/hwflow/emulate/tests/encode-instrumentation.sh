#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# encode-instrumentation.sh BUILD - TRCIT lines of a text as Instrumentation packets. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
. "$(dirname "$0")/encode.bash"
cd "$work" || exit 1

# 1000: trcit x1; 1004: cbz x0, 0x1000; 1008: nop; 100c: trcit xzr; 1010: b 0x1000; and movs r0, r0 at 2000
printf '\xe1\x72\x0b\xd5\xe0\xff\xff\xb4\x1f\x20\x03\xd5\xff\x72\x0b\xd5\xfc\xff\xff\x17' >code
printf '\x00\x00\xb0\xe1\x00\x00\xb0\xe1' >arm
cat >log <<'END'
0 -1 7 0 A64 1000
1 -1 7 TRCIT 0 2a
2 -1 7 0 A64 1004
3 -1 7 0 A64 1008
4 -1 7 0 A64 100c
5 -1 7 TRCIT 0 fedcba9876543210
6 -1 7 EXC IRQ 1010
7 -1 7 0 A64 1010
8 -1 7 0 A64 1000
9 -1 7 0 A64 1004
10 -1 7 0 A64 1000
11 -1 7 TRCIT 0 0
END
unit=(--revision=3 --instrumentation)
# shellcheck disable=SC2034 # of encode.bash
encode_with=("$san" encode --image=code@0x1000)

"$san" encode "${unit[@]}" --image=code@0x1000 -o trace log 2>err
ok $? "a text with TRCIT" err
read -ra reading <<<"$("$san" encode "${unit[@]}" --print-config)"
"$san" dump "${reading[@]}" trace >out 2>err
grep INSTRUMENTATION out | sed 's/.* el=/el=/' | cmp - <(printf 'el=0 value=0x%s\n' 2a fedcba9876543210 0) 2>>err
ok $? "packets" err
"$san" flow "${reading[@]}" --image=code@0x1000 --format=pc trace >out 2>>err
# no branch follows the last one
awk '$5 == "A64" { print $6 }' log | sed '$d' | cmp - out 2>>err
ok $? "the instructions are those of the text" err
"$san" script "${reading[@]}" --image=code@0x1000 --fields=addr trace >out 2>>err
[ "$(grep -c '^INSTRUMENTATION: ' out)" = 3 ]
ok $? "script" out

grep -v TRCIT log | awk '{ $1 = NR - 1; print }' >plain
"$san" encode "${unit[@]}" --image=code@0x1000 -o with plain && "$san" encode --revision=3 --image=code@0x1000 -o without plain &&
	cmp with without
ok $? "without TRCIT lines the bytes are those of a trace unit without FEAT_ITE"
bad "no --instrumentation" 2 "line 2: the trace unit has no FEAT_ITE" --revision=3 log
bad "ETE 1.2" 1 "--instrumentation requires --revision=3" --revision=2 --instrumentation log
bad "ETMv4" 1 "--instrumentation requires --protocol=ete" "${unit[@]}" --protocol=etmv4 log
for line in "TRCIT 4 2a" "TRCIT x 2a" "TRCIT 0 0x2a" "TRCIT 0 10000000000000000" "TRCIT 0"; do
	printf '0 -1 7 0 A64 1000\n1 -1 7 %s\n' "$line" >wrong
	bad "line: $line" 2 "line 2: " "${unit[@]}" wrong
done
printf '0 -1 7 0 A64 1000\n1 -1 7 TRCIT 1 2a\n' >level
bad "another exception level" 2 "line 2: the line before it is no TRCIT instruction at EL1" "${unit[@]}" level
printf '0 -1 7 0 A64 1000\n1 -1 7 TRCIT 0 2a\n2 -1 7 TRCIT 0 2a\n' >twice
bad "one instruction, two lines" 2 "line 3: the line before it is no TRCIT" "${unit[@]}" twice
printf '0 -1 7 0 A64 1008\n1 -1 7 TRCIT 0 2a\n' >other
bad "another instruction" 2 "line 2: the line before it is no TRCIT" "${unit[@]}" other
printf '0 -1 7 0 A64 1000\n1 -1 7 EXC IRQ 1004\n2 -1 7 TRCIT 0 2a\n' >exception
bad "an exception before it" 2 "line 3: the line before it is no TRCIT" "${unit[@]}" exception
printf '0 -1 7 TRCIT 0 2a\n' >first
bad "no instruction before it" 2 "line 1: the line before it is no TRCIT" "${unit[@]}" first
printf '0 -1 7 0 A32 2000\n1 -1 7 TRCIT 0 2a\n' >etm3
bad "ETMv3" 2 "line 2: ETMv3 has no Instrumentation" --protocol=etmv3 --config=ETMCR=0,ETMIDR=0x410cf250 \
	--image=arm@0x2000 etm3
done_testing
