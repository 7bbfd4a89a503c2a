#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# aux-samples.sh BUILD - trace in samples (perf record --aux-sample). Recordings are made from one of a program: the
# same bytes of trace in samples and in AUX records are decoded alike by each verb. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# run STATUS VERB...: ends with this status; its output is in out and err
run() {
	local want=$1

	shift
	"$san" "$@" >out 2>err
	[ $? = "$want" ]
}

"$CC" -O1 -g -static -o program "$top/Documentation/hello.c" &&
	"$hwflow" emulate --quiet --timestamps=100 --context-id --sync-period=256 -o data -- ./program text >out 2>err
ok $? "a recording" err
"$hwflow" dump data | awk '$1 != "#" && NF > 2 { print $1 }' >offsets
# packet N: offset of this packet
packet() {
	echo $((16#$(sed -n "$1p" offsets)))
}
first=0-$(packet 1500)
overlap=$(packet 1000)-$(packet 2500)
later=$(packet 4000)-$(packet 6001)
# the kernel makes words of the trace: at least one of them has zeros at its end
(( (${first#*-} - ${first%-*}) % 8 || (${later#*-} - ${later%-*}) % 8 ))
ok $? "sizes that are no multiples of 8"
for mode in thread cpu packed record; do
	"$build/tests/sample_trace" $mode data $mode "$first" "$overlap" "$later" 2>err
	ok $? "a recording: $mode" err
done

# alike VERB...: samples of threads and AUX records give the same; of CPUs and of compressed ones likewise, with other
# names of sources
alike() {
	local mode

	run 0 "$@" record && [ ! -s err ] && [ -s out ]
	ok $? "AUX records: $*" err
	sed 's/^record: //; s/ cpu -1 / /' out >want
	for mode in thread cpu packed; do
		run 0 "$@" $mode && [ ! -s err ] &&
			sed "s/^$mode: //; s/ cpu [-0-9]* / /; s/^The trace is in samples: .*/Nothing is missing./" out |
			grep -v '  GAP: a sample begins: \|  EVENT: ' >found
		cmp -s want found
		ok $? "$mode: $*" err
	done
}

alike dump
alike flow
alike flow --format=pc
alike script
alike script --jobs=2
alike report
alike annotate
for mode in thread cpu packed; do
	run 0 script $mode
	[ "$(grep -c '  GAP: a sample begins: the execution before its trace is not recorded$' out)" = 3 ] &&
		[ "$(grep -c '  EVENT: cycles:u ' out)" = 3 ]
	ok $? "$mode: script shows each gap, and the samples" out
	run 0 report $mode
	grep -q '^The trace is in samples: ' out && ! grep -q '^Nothing is missing' out
	ok $? "$mode: report says that the trace has gaps" out
done
run 0 flow --source=cpu0 cpu
ok $? "by CPU: the source is the CPU" err
run 0 archive --output=archive cpu && run 0 flow archive && [ -s out ]
ok $? "an archive" err

# with gaps, and without overlaps, all that was decoded was executed
"$build/tests/sample_trace" thread data gaps "$first" "$later" && run 0 verify --truth=data.truth gaps &&
	grep -q '^equal: 1 thread' out
ok $? "verify" out

# what is missing in a sample is reported as in an AUX record
"$build/tests/sample_trace" thread data short "$first" "$(packet 4000)-$(packet 4010)" && run 3 flow short &&
	grep -q 'AUX record 1: .*synchronisation' err
ok $? "a sample without synchronisation" err
# to the first byte of the address that follows Alignment Synchronisation, Trace Info and Trace On
"$build/tests/sample_trace" thread data cut 0-16 && run 3 flow cut && grep -q 'ends inside a packet' err
ok $? "a sample that ends in a packet" err
# 8 zeros, of the fourth Alignment Synchronisation; the piece is a multiple of 8, so that none is added
at=$(("16#$("$hwflow" dump data | awk '$3 == "ALIGN_SYNC" { print $1 }' | sed -n 4p)" + 8))
"$build/tests/sample_trace" thread data zeros $((at - 640))-$at && run 3 flow zeros &&
	grep -q 'ends inside a packet' err
ok $? "more zeros than the kernel adds" err
done_testing
