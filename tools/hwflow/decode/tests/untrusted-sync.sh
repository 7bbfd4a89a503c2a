#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-sync.sh BUILD - a trace that never synchronises is an error in every verb: exit status 2 with the reason,
# and 3 where other pieces of it are synchronised; the same with several processes and with a selection. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"
. "$top/tools/setup/qemu-user.bash"

times=()
reason="no alignment synchronisation found; is it a trace of"

# reports STATUS TEXT VERB [ARG...]: ends with this status, says TEXT, and does not say that nothing is missing
reports() {
	local want=$1 text=$2 status

	shift 2
	"$san" "$@" >out 2>err </dev/null
	status=$?
	{
		echo "exit status $status, not $want"
		cat err out
	} >why
	[ $status = "$want" ] && { [ -z "$text" ] || grep -qF -- "$text" err; } &&
		{ [ "$1" = diff ] || ! grep -q "Nothing is missing" out; }
	ok $? "$*: status $want" why
}

# --- raw bytes
yes 'this never synchronises' | head -c 5000 >text
head -c 5000 /dev/zero | tr '\0' q >noise
{ head -c 11 /dev/zero && printf '\200\367'; } >alignment
{ head -c 5 /dev/zero && printf '\200\204'; } >alignment3
etm3=(--protocol=etmv3 --config=ETMCR=0x1000,ETMIDR=0x4114f250,ETMTRACEIDR=0x10)
for verb in report script flow dump annotate; do
	for file in text noise /etc/passwd; do
		reports 2 "$reason ETE?" $verb --protocol=ete $file
		reports 2 "$reason ETMv4?" $verb --protocol=etmv4 $file
		reports 2 "$reason ETMv3?" $verb "${etm3[@]}" $file
	done
	reports 2 "" $verb --protocol=riscv text
	reports 2 "$reason ETE?" $verb --protocol=ete --offset=100,200 noise
done
for verb in report script flow annotate; do
	reports 2 "no Trace Info packet found" $verb --protocol=ete alignment
	reports 2 "no I-sync packet found" $verb "${etm3[@]}" alignment3
done
reports 0 "" dump --protocol=ete alignment
# events need no Trace Info packet, timestamps no I-sync packet
{ head -c 11 /dev/zero && printf '\200\161'; } >event
{ head -c 5 /dev/zero && printf '\200\102\017'; } >timestamp3
"$san" flow --protocol=ete event >out 2>err && [ ! -s err ]
ok $? "flow: an event alone is decoded" err
"$san" flow "${etm3[@]}" timestamp3 >out 2>err && [ ! -s err ]
ok $? "flow: a timestamp alone is decoded" err
reports 2 "$reason ETE?" report --protocol=ete --jobs=4 noise
reports 2 "$reason ETE?" flow --protocol=ete --limit=3 noise

# --- growth: the search for a synchronisation is linear
for verb in report script flow dump annotate; do
	for size in 200000 2000000; do
		head -c $size /dev/zero | tr '\0' q >large
		within $size 2 "noise of $size bytes" $verb --protocol=ete large
		times[$size]=$milliseconds
	done
	grows 200000 "${times[200000]}" 2000000 "${times[2000000]}" "$verb of noise"
done

# --- pieces of a recording
qemu_of "$hwflow" qemu-aarch64 >/dev/null || {
	echo "ok $((n + 1)) - recordings # SKIP there is no QEMU for arm64: make qemu-user"
	n=$((n + 1))
	done_testing
	exit
}
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}
cat >program.S <<'END'
	.globl	_start
_start:	mov	x19, #3
1:	bl	f
	subs	x19, x19, #1
	b.ne	1b
	mov	x0, #0
	mov	x8, #93
	svc	#0
f:	ret
END
"$CC" -nostdlib -static -o program program.S && "$hwflow" emulate -o good -- ./program 2>err
ok $? "a program is recorded" err
for pieces in g n t a e gn nge gt tg ga nta gp; do
	"$made/make_unsynced" good pieces-$pieces $pieces 5000 || echo "not ok $((++n)) - make_unsynced $pieces"
done
for verb in report script flow dump annotate; do
	for jobs in 1 3; do
		reports 2 "AUX record 0: offset 0: $reason ETE?" $verb -j $jobs pieces-n
		reports 2 "AUX record 0: offset 0: $reason ETE?" $verb -j $jobs pieces-t
		reports 2 "AUX record 0: offset 0: $reason ETE?" $verb -j $jobs --offset=3,5 pieces-n
		for pieces in gn gt; do
			reports 3 "AUX record 1: offset 0: no alignment synchronisation found" $verb -j $jobs pieces-$pieces
		done
		for pieces in nge tg; do
			reports 3 "AUX record 0: offset 0: no alignment synchronisation found" $verb -j $jobs pieces-$pieces
		done
	done
done
for verb in report script flow annotate; do
	reports 2 "AUX record 0: offset 0: no Trace Info packet found" $verb pieces-a
	reports 3 "AUX record 1: offset 0: no Trace Info packet found" $verb pieces-ga
	reports 2 "AUX record 2: offset 0: no Trace Info packet found" $verb pieces-nta
	reports 2 "AUX record 1: offset 0: no alignment" $verb --offset=1:0,100 pieces-gn
	"$san" $verb pieces-e >out 2>err
	ok $? "$verb: nothing is missing of a recording without trace" err
	"$san" $verb pieces-g >out 2>err && [ ! -s err ]
	ok $? "$verb: nothing is missing of a recording that is synchronised" err
done
reports 2 "$reason ETE?" diff good pieces-n
reports 2 "$reason ETE?" diff pieces-n good
reports 3 "no alignment" diff good pieces-gn
reports 2 "$reason ETE?" verify --truth=good.truth pieces-n
reports 2 "$reason ETE?" verify --truth=good.truth -j 3 pieces-nta
# the log agrees, as the pieces have no instruction of it: they are missing all the same
for jobs in 1 3; do
	reports 3 "AUX record 1: offset 0: no alignment synchronisation found" verify --truth=good.truth -j $jobs pieces-gn
	reports 3 "AUX record 1: offset 0: no alignment synchronisation found" verify --truth=good.truth -j $jobs pieces-gt
	reports 3 "AUX record 1: offset 0: no Trace Info packet found" verify --truth=good.truth -j $jobs pieces-ga
done
for pieces in g gp; do
	"$san" verify --truth=good.truth pieces-$pieces >out 2>err && grep -q ^equal out && [ ! -s err ]
	ok $? "verify: $pieces: a recording that is synchronised, and padding behind it" err
done
reports 3 "$reason ETE?; packed" archive -o packed.tar.zst pieces-n
reports 2 "$reason ETE?" report packed.tar.zst
"$san" archive -o packed.tar.zst pieces-tg >out 2>err
ok $? "archive: a recording with a record that is too short" err
done_testing
