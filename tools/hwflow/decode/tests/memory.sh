#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# memory.sh BUILD - the maximum resident set of each verb grows by little from a trace of 24 MB to one of 96 MB in one
# AUX record, from 6 MB to 24 MB in AUX records of 80 KB and of 16 KB that four threads have in turns, and from 12 MB
# to 48 MB in CoreSight frames of two trace IDs. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
measure=$build/bench/measure
repeat=$build/tests/repeat_trace
frame=$build/tests/frame_trace
export HOME=$work TMPDIR=$work
cd "$work" || exit 1

# MB by which the resident set may grow: pages that are released at once and 400 bytes an AUX record. The sections of
# a ground-truth log that `verify` holds are 11 MB for 48 MB of trace, and no more for any longer one.
MORE=9

"$CC" -O1 -static -o program "$here/long_trace.c" || exit 1

# record FILE ROUNDS: 14 bytes a round
record() {
	"$hwflow" emulate --quiet --fixed-addresses --virtual-time --return-stack --timestamps=1000 --context-id \
		--branch-broadcast --cycle-counts=4 --commit-mode=1 -o "$1" -- ./program "$2" >/dev/null 2>err
	ok $? "a recording of $2 rounds" err
}

# cost OUTPUT VERB ARGUMENT...: KB of resident set; no text if the verb fails
cost() {
	"$measure" cost "$1" "$hwflow" "$2" --quiet "${@:3}" && awk '{ print $2 }' cost
}

# small WHAT SMALL LARGE VERB [OPTION]...: the verb needs no more for LARGE than for SMALL
small() {
	local what=$1 less more second=

	[ "$4" = diff ] && second=1
	less=$(cost /dev/null "$4" "${@:5}" "$2" ${second:+"$2"})
	more=$(cost /dev/null "$4" "${@:5}" "$3" ${second:+"$3"})
	echo "$less KB, then $more KB" >sizes
	[ -n "$less" ] && [ -n "$more" ] && [ $((more - less)) -lt $((MORE * 1024)) ]
	ok $? "$what: $4${5:+ ${5%%=ete*}}: $((${less:-0} / 1024)) MB, $((${more:-0} / 1024)) MB" sizes
}

record small 1700000
record large 6800000
sizes=$(stat -c %s small large | tr '\n' ' ')
[ "$(stat -c %s small)" -lt 25000000 ] && [ "$(stat -c %s large)" -gt 95000000 ]
ok $? "traces of 24 MB and 96 MB: $sizes"
for verb in report "report --by=dso" "report --by=thread" flow dump annotate "script" diff verify; do
	# shellcheck disable=SC2086 # a verb and its options
	small "one AUX record" small large $verb
done
"$hwflow" archive --quiet -o small.tar.zst small && "$hwflow" archive --quiet -o large.tar.zst large
small "an archive" small.tar.zst large.tar.zst report

# ---- CoreSight frames ----
"$hwflow" encode -o raw --timestamps=1000 small.truth
config=$("$hwflow" encode --timestamps=1000 --print-config)
cat raw raw raw raw >raws
"$frame" raw framed-small 0x10 0x12 && "$frame" raws framed-large 0x10 0x12
ok $? "frames of $(stat -c %s framed-small) and $(stat -c %s framed-large) bytes"
[ "$(stat -c %s framed-large)" -gt 40000000 ]
ok $? "the large trace is $(stat -c %s framed-large) bytes"
for verb in report flow dump; do
	# shellcheck disable=SC2086 # two options
	small "CoreSight frames" framed-small framed-large $verb $config --framing=coresight --image=program
done

# shellcheck disable=SC2086
TMPDIR=/nowhere "$hwflow" report --quiet $config --framing=coresight --image=program framed-small >/dev/null 2>err
[ $? = 2 ] && grep -q "framed-small: .*temporary file in /nowhere: No such file or directory; TMPDIR names" err
ok $? "CoreSight frames need a temporary file" err

# threads ROUNDS SMALL LARGE: recordings of AUX records of so many rounds
threads() {
	record unit "$1"
	"$repeat" unit threads-small 4 "$2" && "$repeat" unit threads-large 4 "$3"
	ok $? "four threads, $2 and $3 AUX records of $(($(stat -c %s threads-large) / $3)) bytes"
	[ "$(stat -c %s threads-large)" -gt 23000000 ]
	ok $? "a trace of $(stat -c %s threads-large) bytes"
}

threads 4600 80 320
for verb in report dump "script --sort=time" "archive -o archive.tar.zst" "report --inclusive" calls \
	"timeline --for=perfetto -o timeline" "html -o page"; do
	# shellcheck disable=SC2086
	small "AUX records of 80 KB" threads-small threads-large $verb
done
threads 1 400 1650
# Without --jobs one process decodes the small one, and two the large one. With two the logs of report are filled by a
# longer trace only: up to 45 MB.
for verb in "flow --jobs=1" "flow --jobs=2" "report --by=thread --jobs=1"; do
	# shellcheck disable=SC2086
	small "AUX records of 16 KB" threads-small threads-large $verb
done
done_testing
