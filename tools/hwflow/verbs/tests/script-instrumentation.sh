#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# script-instrumentation.sh BUILD - lines of script for Instrumentation elements: each is between the branches that the
# trace has it between. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# bytes HEX...: append these bytes to the trace
bytes() {
	printf '%b' "$(printf '\\x%s' "$@")" >>trace
}

# ite EL VALUE: an Instrumentation packet with a value of one byte
ite() {
	bytes 09 "0$1" "$2" 00 00 00 00 00 00 00
}

# 1000: cbz x0, 0x1000; 1004: trcit x1; 1008: b 0x1000
printf '\x00\x00\x00\xb4\xe1\x72\x0b\xd5\xfe\xff\xff\x17' >code
bytes 00 00 00 00 00 00 00 00 00 00 00 80 01 00 04
# Instrumentation before all branches; 0x1000 at EL0; cbz not taken, trcit, b taken
bytes 82 00 08 00 00 30
ite 0 11
bytes f6
ite 0 22
bytes f7
# twice before the destination of the branch is known; cbz taken; the last one is not followed by a branch
ite 0 33
ite 1 44
bytes f7
ite 0 ff
reading=(--protocol=ete --config=TRCCONFIGR=0x1,TRCIDR0=0x084002a1,TRCIDR2=0x40001088,TRCDEVARCH=0x47735a13
	--image=code@0x1000)

# script OPTION...: to out
script() {
	"$san" script "${reading[@]}" "$@" trace >out 2>err && [ ! -s err ]
}

script --fields=ip,addr
ok $? "a trace with Instrumentation packets" err
cat >want <<'END'
INSTRUMENTATION: el=0 value=0x11
0 => 1000
INSTRUMENTATION: el=0 value=0x22
1008 => 1000
INSTRUMENTATION: el=0 value=0x33
INSTRUMENTATION: el=1 value=0x44
1000 => 1000
INSTRUMENTATION: el=0 value=0xff
END
tr -s ' ' <out | sed 's/^ //' | cmp - want 2>>err
ok $? "between branches" out
script --fields=ip,addr --not-taken && tr -s ' ' <out | sed 's/^ //' | cmp - <(sed '2a1000 .. 1004' want) 2>>err
ok $? "between branches that were not taken" out
script --insn --fields=ip && sed 's/^ *//' out | cmp - <(
	sed '/=>/d; s/.*0x11/&\n1000/; s/.*0x22/&\n1004\n1008/; s/.*0x44/&\n1000/' want) 2>>err
ok $? "between ranges of instructions" out
"$san" flow "${reading[@]}" trace >out 2>err
[ "$(grep -c 'instrumentation at EL[01]' out)" = 5 ] && "$san" dump "${reading[@]:0:2}" trace >out 2>err &&
	[ "$(grep -c ' INSTRUMENTATION el=[01] value=0x' out)" = 5 ]
ok $? "in flow and dump" out
done_testing
