# SPDX-License-Identifier: GPL-2.0-only
#
# Checks of a recording that a machine of `cells` made. To be sourced, with hwflow set, and wait.bash.
#
# A machine prints `== recording NAME KIND`. KIND is a list of words, separated by commas:
#
#   partial    some trace is missing, and a record reports the loss; nothing else is checked
#   each       with `partial`: every record reports a loss
#   wrong      the recording differs from the log because of an erratum; nothing else is checked
#   exact      the recording has all instructions that were executed
#   lossy      a record reports each place where trace is missing
#   cut        the recorder was killed, or its disk was full: hwflow reports that once, reads what the file
#              has, and shows a gap at its end; with `perf` stock perf decodes a part of the same branches
#   snapshot   the recording has only the end of each snapshot
#   latest     as `snapshot`, and the recording may have all that was executed
#   filtered   a filter excluded some instructions, and included others
#   cpus       the recording is by CPU; without this word it is by thread
#   theirs     of the kernel's own driver: a record after a loss may begin within a packet
#   most       at most half of the instructions are missing
#   user       the recording has no address of the kernel
#   clean      the recording has no context identifier, and no byte of the pattern with which pattern.c
#              fills AUX areas
#   host       the recording has no trace of a virtual machine
#   uprobes    an instruction of an uprobe may be missing; nothing but `slow` is checked
#   guest      the recording has trace of a virtual machine; nothing else is checked
#   paused=N+M the trace of /pause calls outside() N times, runs its loop M times, and never calls inside()
#   perf       stock perf decodes the same branches
#   perfs      each version of stock perf in this machine decodes the recording, unless perfs.table has a
#              refusal; NAME is VERSION-HOW
#   cid        each context in the trace has the number of the thread
#   cycles=N   the trace has cycle counts, and none below N
#   nocode=X   code that was executed is not known, for a reason that the regular expression X matches; what
#              is before it is decoded; nothing else is checked
#   threads=N  branches of at least N threads are in the trace
#   only=A+B   of /work: the trace has the functions A and B as often as the recording `whole`, and no others
#   from=A+B   of /work: the trace goes from each start of A to the next start of B, as in `whole`
#   changes    the kernel changed its code: gaps where code is missing are allowed
#   gaps=N     code that a JIT compiler made is not known, or was changed: gaps for this reason are allowed, with
#              N instructions at most
#   reason=X   hwflow gives a reason for these gaps that the regular expression X matches
#   named=A+B  hwflow report has rows of the functions A and B
#   gapped=A+B hwflow script has gaps in the functions A and B
#   has=NAME   branches of a function whose name contains NAME are decoded
#   several=N  at most N gaps are where several programs were mapped
#   tracepoints=A+B   the recording has samples of the tracepoints A and B; stock perf 6.1 and 6.12 print all
#              samples, by name and with fields, and hwflow prints the same
#   packed     the records are compressed
#   inject     `perf inject` of stock perf 6.1 and 6.12 reads the recording, and hwflow reads what it writes
#   archive    the recording is an archive of a recording by CPU: exact with the files in it; nothing else is
#              checked
#   slow       the trace has the slow request of /request from its first instruction
#   ends=F     the last branch in the trace leads from the function F to code that is not traced
#   cgroups=A:B+...   what the program A has executed is what hwflow report has for the cgroup B
#   stacks=A+B the call stacks at the tracepoints A and B are those that the kernel found, see stacks.py
#   values=V+N the trace has what TRCIT wrote at EL0: N numbers from V on, in their order, and no others
#   NAME=N     the trace has at least N packets of this name; none if N is 0
#
# If the machine has given a recording `k` that perf made with --kcore, the copy of the kernel in `k` is
# used for the other recordings as well: it contains the vdso.

# Does each AUX record with trace begin with the packets that a decoder needs to synchronise?
alone() { # FILE
	"$hwflow" dump "$1" 2>/dev/null | awk '
		/^# aux record/ { if (at > 1 && at < 5) bad = 1; record = $4; at = 1; next }
		/^# source/ { if (at > 1 && at < 5) bad = 1; at = 0; next }
		at == 0 || at > 4 || $3 == "IGNORE" { next }
		at == 1 && $3 == "ALIGN_SYNC" { at = 2; next }
		# TRCIT may be the first instruction: R_HMDGL
		at > 1 && $3 == "INSTRUMENTATION" { next }
		at == 2 && $3 == "TRACE_INFO" { at = 3; next }
		at == 3 && $3 == "TRACE_ON" { at = 4; next }
		at == 4 && $3 ~ /^TARGET_ADDRESS_WITH_CONTEXT/ { at = 5; n++; next }
		at == 4 && $3 ~ /^(TIMESTAMP|CYCLE_COUNT|EVENT)/ { next }
		{ print "# record " record ": " $0; at = 5; bad = 1 }
		END { print "# " n " records"; exit bad || (at > 1 && at < 5) || !n }'
}

# with_kernel FILE: print FILE, or a directory with FILE and the copy of the kernel if there is a copy
with_kernel() {
	local from=${1%/*}/k/kcore_dir

	[ -d "$from" ] && [ -f "$1" ] || return
	mv "$1" "$1.data"
	mkdir "$1"
	mv "$1.data" "$1/data"
	# a symbolic link would leave the recording's directory
	cp -rl "$from" "$1/kcore_dir"
	# the files of JIT compilers are looked for beside the recording
	find "${1%/*}" -maxdepth 1 \( -name 'jit-*.dump' -o -name 'perf-*.map' \) -exec ln {} "$1" \;
}

# Branches, one a line, source and target: those that stock perf prints, and those that hwflow prints
perf_branches() { # FILE ROOT
	local perf=perf

	# what a newer kernel's trace needs with --per-thread, perf 6.1 does not read
	[ "${recorder-}" != hwflow ] || [ "$kernel" = 6.1 ] || perf=$("$setup/fetch-perf" 6.12)/run
	guarded 300 "$perf" script --symfs="$2" --itrace=bZ -F ip,addr -i "$1" 2>/dev/null |
		awk '{ sub(/=>/, ""); print $1, $2 }' | grep -v '^0 \| 0$' | LC_ALL=C sort
}

our_branches() { # FILE ROOT
	"$hwflow" script --quiet --no-lines --symfs="$2" "$1" 2>/dev/null | awk '
		/=>/ {
			from = $0; sub(/ *=>.*/, "", from)
			n = split(from, w, " ")
			for (i = n; i > 0 && w[i] !~ /^([0-9a-f]+|-)$/; i--) ;
			to = $0; sub(/.*=> */, "", to); sub(/ .*/, "", to)
			if (w[i] != "-" && to != "-")
				print w[i], to
		}' | LC_ALL=C sort
}

# refused RECORDED-BY HOW DECODED-BY: true if perfs.table has this refusal of stock perf
refused() {
	local on by how with

	while read -r on by how with; do
		[[ $on != '#'* && $kernel == $on && $1 == $by && $2 == $how && $3 == $with ]] && return
	done <"$here/perfs.table"
	return 1
}

# decodes VERSION FILE ROOT INSTRUCTIONS: perf script ends without an error for branches and for samples; it
# prints branches, and one sample for each thousand of INSTRUCTIONS if that number is known
decodes() {
	local perf branches found

	perf=$("$setup/fetch-perf" "$1")/run || return
	guarded 300 "$perf" script --symfs="$3" --itrace=b -F ip,addr -i "$2" >"$at/decoded" 2>"$at/said" ||
		return
	branches=$(wc -l <"$at/decoded")
	guarded 300 "$perf" report --symfs="$3" --itrace=i1000i --stdio --sort=comm,dso -i "$2" \
		>"$at/decoded" 2>>"$at/said" || return
	found=$(sed -n 's/^# Event count (approx.): //p' "$at/decoded" | tail -n 1)
	echo "# perf $1: $branches branches, some ${found:-0} of $4 instructions"
	[ "$branches" -gt 100 ] && [ "${found:-0}" -gt 0 ] &&
		{ [ "$4" -eq 0 ] || { [ "$found" -le "$4" ] && [ "$found" -gt $(($4 - $4 / 20)) ]; }; }
}

# each_perf NAME FILE ROOT KIND: check the recording with each version of stock perf in the machine
each_perf() {
	local instructions=0 version

	case $4 in
	*,exact,*) instructions=$(awk '/^(cpu|thread) / && / equal: / { n += $4 } END { print n + 0 }' \
		"$at/verify") ;;
	esac
	for version in ${perfs//,/ }; do
		if refused "${1%-*}" "${1##*-}" "$version"; then
			# some versions crash; without this redirection the shell would report that
			! (decodes "$version" "$2" "$3" "$instructions") >"$at/alone" 2>/dev/null
			ok $? "$cell: perf $version does not decode $1"
			continue
		fi
		decodes "$version" "$2" "$3" "$instructions" >"$at/alone"
		ok $? "$cell: perf $version decodes $1" "$at/said"
		cat "$at/alone"
	done
}

# The AUX records of a file, one a line: time, offset, size and flags
aux_records() { # FILE
	perf report -D -i "$1" 2>/dev/null | LC_ALL=C grep -a 'PERF_RECORD_AUX offset: 0x' |
		sed 's/0x[0-9a-f]* \[0x[0-9a-f]*\]: //'
}

# perf_agrees FILE ROOT KIND: stock perf prints the branches that hwflow prints. perf gives an exception the
# address of the instruction before it, and drops one branch at a context switch: one line in a hundred may
# differ. perf decodes twice the bytes that perf record wrote twice (Documentation/stages/perf-data.rst), and
# then prints more lines. perf skips a record of a snapshot whose beginning was overwritten if another record
# follows: of a snapshot perf may print fewer lines, and no others. With the return stack (kind "returns") perf
# stops at an exception that comes at the target of a return (Documentation/testing.rst, "Where stock perf
# differs"): then, too, perf may print fewer lines, and one at its end that hwflow does not print.
perf_agrees() {
	local ours theirs both repeated least=100

	our_branches "$1" "$2" >"$at/ours"
	perf_branches "$1" "$2" >"$at/theirs"
	ours=$(wc -l <"$at/ours")
	theirs=$(wc -l <"$at/theirs")
	both=$(LC_ALL=C comm -12 "$at/ours" "$at/theirs" | wc -l)
	echo "# branches: perf $theirs, hwflow $ours, in both $both"
	rm -f "$at/ours" "$at/theirs"
	case $3 in
	*,snapshot,* | *,latest,* | *,cut,*) ours=$both ;;
	*,returns,*)
		if "$hwflow" dump "$1" 2>/dev/null | grep -q ' EXCEPTION .* ee=2$'; then
			echo "# an exception came at the target of a branch: perf may have stopped there"
			ours=$both least=0
			[ "$theirs" -eq 0 ] || theirs=$((theirs - 1))
		fi
		;;
	esac
	if [ $((100 * both)) -le $((99 * theirs)) ]; then
		repeated=$(aux_records "$1" | LC_ALL=C sort | uniq -d | grep -vc 'size: 0 ')
		echo "# perf record wrote $repeated records twice"
		[ "$repeated" -eq 0 ] || theirs=$both
	fi
	[ "$both" -ge "$least" ] && [ $((100 * both)) -ge $((99 * ours)) ] &&
		[ $((100 * both)) -ge $((99 * theirs)) ]
}

# Do the offsets of AUX records increase, for each CPU or for the thread? In a snapshot an offset is the end of
# the record. Bytes that perf record wrote twice count once.
monotonic() { # FILE
	aux_records "$1" | LC_ALL=C awk '
		!seen[$0]++ {
			cpu = $3 == "PERF_RECORD_AUX" ? $1 : ""
			match($0, /offset: 0x[0-9a-f]+/)
			offset = substr($0, RSTART + 10, RLENGTH - 10)
			if (length(offset) < length(last[cpu]) ||
			    (length(offset) == length(last[cpu]) && offset "" < last[cpu] "")) {
				print "# " offset " comes after " last[cpu]
				bad = 1
			}
			last[cpu] = offset
			n++
		}
		# a single thread that is not interrupted has one record
		END { exit bad || !n }'
}

# no_address FILE ROOT PATTERN: no address in packets or in executed ranges matches PATTERN
no_address() {
	{
		"$hwflow" dump "$1"
		"$hwflow" flow --quiet --symfs="$2" "$1"
	} 2>/dev/null | LC_ALL=C grep -m 1 -iE "(0x|[^0-9a-f])$3"
	[ "${PIPESTATUS[1]}" -eq 1 ]
}

no_kernel() { # FILE ROOT
	no_address "$1" "$2" 'ffff[0-9a-f]{12}'
}

no_guest() { # FILE ROOT: VM_BASE of vm.c
	no_address "$1" "$2" '5a5a00[0-9a-f]{4}([^0-9a-f]|$)'
}

# The smallest cycle count. The first count of a record is not known.
least_cycles() { # FILE
	"$hwflow" dump "$1" 2>/dev/null | sed -n 's/.* CYCLE_COUNT_.* count=\(0x[0-9a-f]*\).*/\1/p' |
		while read -r count; do echo $((count)); done | sort -n | head -n 1
}

# The instructions that were executed, one address a line
addresses() { # FILE ROOT
	"$hwflow" flow --quiet --format=pc --symfs="$2" "$1" 2>/dev/null
}

# The first address of a function of /work, or of PROGRAM, and the address after its end
bounds() { # FUNCTION ROOT [PROGRAM]
	aarch64-linux-gnu-nm -S "$2/${3-work}" | while read -r start size _ name; do
		[ "$name" != "$1" ] || printf '%x %x\n' $((16#$start)) $((16#$start + 16#$size))
	done
}

# only FILE ROOT FUNCTIONS: the trace has these functions as often as `whole`, and no other function of /work.
# Addresses of a library or the kernel have more digits than those of /work; text of equal length sorts as
# numbers do.
only() {
	local function words=""

	for function in ${3//+/ }; do
		words="$words $(bounds "$function" "$2")"
	done
	addresses "$1" "$2" | LC_ALL=C sort >"$at/found"
	addresses "$at/host/whole" "$2" | LC_ALL=C awk -v words="$words" '
		BEGIN { n = split(words, w, " ") }
		{
			for (i = 1; i < n; i += 2)
				if (length($1) == length(w[i]) && $1 "" >= w[i] "" && $1 "" < w[i + 1] "")
					print
		}' | LC_ALL=C sort >"$at/wanted"
	diff "$at/wanted" "$at/found" | head -n 5 | sed 's/^/# /'
	[ -s "$at/wanted" ] && cmp -s "$at/wanted" "$at/found"
}

# from FILE ROOT A+B: the trace goes from A to B; it may have B up to its first branch
from() {
	local start stop end _

	read -r start _ < <(bounds "${3%+*}" "$2")
	read -r stop end < <(bounds "${3#*+}" "$2")
	addresses "$at/host/whole" "$2" | awk -v start="$start" -v stop="$stop" '
		$1 "" == start "" { on = 1 }
		on { print }
		$1 "" == stop "" { on = 0 }' >"$at/wanted"
	addresses "$1" "$2" | LC_ALL=C awk -v stop="$stop" -v end="$end" -v wanted="$at/wanted" '
		BEGIN { more = getline want <wanted; empty = more <= 0 }
		more > 0 && $1 "" == want "" { more = getline want <wanted; next }
		!(length($1) == length(stop) && $1 "" > stop "" && $1 "" < end "") {
			print "# " $1 " is in it"
			bad = 1
			exit
		}
		END { exit bad || empty || more > 0 }'
}

# in_order FILE ROOT: the branches in the order of time; those of a thread's trace without times are in order
in_order() {
	local how

	for how in time thread; do
		"$hwflow" script --quiet "--sort=$how" --no-lines --symfs="$2" "$1" 2>/dev/null && return
	done
}

# has_slow FILE ROOT: each call of slow() is in a request() whose first instruction is in the trace too
has_slow() {
	in_order "$1" "$2" | awk '
		{
			to = $0; sub(/.*=> *[-0-9a-f]+ /, "", to); sub(/ .*/, "", to)
			thread = $1 " " $2
		}
		!/ (call|jump)$/ { next }
		to == "request" { open[thread]++ }
		to == "request_done" && open[thread] { open[thread]-- }
		to == "slow" && open[thread] { good++ }
		to == "slow" && !open[thread] { bad++ }
		END {
			print "# slow requests: " good + 0 " whole, " bad + 0 " without beginning"
			exit !good || bad
		}'
}

# ends FILE ROOT FUNCTION
ends() {
	in_order "$1" "$2" | awk -v name="$3" '
		/=>/ { last = $0 }
		END {
			print "# " last
			from = last; sub(/ *=>.*/, "", from); sub(/ \([^ ]*\)$/, "", from)
			sub(/.* /, "", from); sub(/\+0x.*/, "", from)
			exit last !~ /=> *- \[outside\]/ || from != name
		}'
}

# values FILE ROOT FIRST+COUNT: what TRCIT wrote
values() {
	local first=${3%+*} i

	"$hwflow" script --quiet --no-lines --symfs="$2" "$1" 2>/dev/null |
		sed -n 's/.*INSTRUMENTATION: //p' >"$at/values"
	for ((i = 0; i < ${3#*+}; i++)); do
		printf 'el=0 value=0x%x\n' $((first + i))
	done | diff - "$at/values"
}

# clean FILE: FILE, or every file of the directory FILE, is free of the pattern
clean() {
	LC_ALL=C grep -rqaP '\xd1\x7e\xa3\x99\x4b\xc6\x58\xe7' "$1"
	[ $? -eq 1 ] && ! "$hwflow" dump "$1" 2>/dev/null | grep -m 1 -E ' (cid|vmid)='
}

# counts FILE ROOT FUNCTION: print how often the function of /pause was entered, and how often its most
# frequent instruction was executed
counts() {
	local start end

	read -r start end < <(bounds "$3" "$2" pause)
	"$hwflow" flow --quiet --format=pc --protocol=ete --config="$(cat "$1.config")" \
		--image="$2/pause" "$1" 2>/dev/null | awk -v start="$start" -v end="$end" '
		length($1) == length(start) && $1 "" >= start "" && $1 "" < end "" { n[$1]++ }
		END {
			for (pc in n)
				if (n[pc] > most)
					most = n[pc]
			print n[start] + 0 "+" most + 0
		}'
}

# in_cgroups FILE ROOT PROGRAM:CGROUP+...: what the program has executed is what the cgroup has
in_cgroups() {
	local pair

	"$hwflow" report --quiet --limit=0 --width=0 --by=thread --symfs="$2" "$1" >"$at/threads" || return
	"$hwflow" report --quiet --limit=0 --width=0 --by=cgroup --symfs="$2" "$1" >"$at/cgroups" || return
	for pair in ${3//+/ }; do
		awk -v "program=${pair%%:*}" -v "cgroup=${pair#*:}" '
			NR == FNR && $6 == program { executed += $2 }
			NR > FNR && $6 == cgroup { counted += $2 }
			END {
				print program ": " executed + 0 ", " cgroup ": " counted + 0
				exit !executed || executed != counted
			}' "$at/threads" "$at/cgroups" || return
	done
	grep -cE ' /$' "$at/cgroups"
}

# kernel_stacks FILE A+B: the stacks at the calls of the tracepoints A and B are those that the kernel found
kernel_stacks() {
	perf script --no-itrace -F tid,cpu,time,event,ip -i "$1/data" >"$at/samples" 2>"$at/said" &&
		"$hwflow" timeline --quiet --for=fxt --min-duration=0ns --budget=4G -o "$at/timeline" "$1" &&
		"$here/../../tools/hwflow/timeline/tests/timeline_read.py" fxt "$at/timeline" >"$at/slices" &&
		# shellcheck disable=SC2086 # words
		python3 "$here/stacks.py" "$1/kcore_dir/kallsyms" "$at/samples" "$at/slices" ${2//+/ }
}

# equal FILE ROOT [OPTION]...: hwflow verify finds the recording equal to the log. A recording of threads needs
# options that select them, because the log has the threads of all recordings.
equal() {
	local file=$1 root=$2 tid status one

	shift 2
	if [ -z "$tids" ]; then
		guarded 300 "$hwflow" verify --quiet --symfs="$root" --truth="$at/host/truth" "$@" \
			"$file" >"$at/verify" 2>&1
		return
	fi
	status=0
	for tid in $tids; do
		guarded 300 "$hwflow" verify --quiet --symfs="$root" --truth="$at/host/truth" \
			--tid="$tid" "$@" "$file"
		one=$?
		[ $one -eq 0 ] || status=$one
		[ $one -eq 0 ] || [ $one -eq 3 ] || break
	done >"$at/verify" 2>&1
	return $status
}

# equal_but_begins FILE ROOT [OPTION]...: equal, and if hwflow reports that trace is missing, it is that of records that
# end before the trace unit synchronises. A buffer that was full or written over leaves such records.
equal_but_begins() {
	local status

	equal "$@"
	status=$?
	[ $status -eq 0 ] && return
	[ $status -eq 3 ] && ! grep -q DIFFERENT "$at/verify" &&
		! grep '^hwflow: ' "$at/verify" | grep -qvE ': no alignment synchronisation found(;.*)?$'
}

# ends_early FILE ROOT: equal as far as the file goes; hwflow reports that it was not completed, once each time it reads
# the file, and at the end of each source
ends_early() {
	local times reported gaps

	equal "$@"
	[ $? -eq 3 ] || return
	times=$(grep -c '^equal: ' "$at/verify")
	reported=$(grep -c 'the recording was not completed (' "$at/verify")
	gaps=$("$hwflow" script --quiet --no-lines --gaps=all --symfs="$2" "$1" 2>&1 >/dev/null |
		grep -c 'not completed: the trace after this point is not in the file')
	echo "# read $times times, reported $reported times; $gaps gaps at the end"
	[ "$times" -ge 1 ] && [ "$reported" -eq "$times" ] && [ "$gaps" -ge 1 ] &&
		! grep -q DIFFERENT "$at/verify"
}

# In a snapshot only the first record of each part that perf saved may lack its beginning.
begun() { # FILE
	local saved broken

	saved=$(perf report -D -i "$1" 2>/dev/null | grep -c 'PERF_RECORD_AUXTRACE size')
	broken=$("$hwflow" dump "$1" 2>/dev/null |
		awk '/^# aux record/ { begins = 1; next } begins && /UNSYNC/ { n++ } { begins = 0 }
			END { print n + 0 }')
	echo "# $broken records without their beginning, of $saved pieces"
	[ "$saved" -gt 0 ] && [ "$broken" -le "$saved" ]
}

# The versions of stock perf that read a recording of hwflow; $tids are its threads if it is by thread. perf 6.12
# needs trace IDs with CPUs for these, which kernels before 6.4 do not record; perf 6.1 does not read records of
# threads with a CPU, which newer kernels record.
perf_versions() {
	if [ -z "$tids" ]; then
		echo 6.1 6.12
	elif [ "$kernel" = 6.1 ]; then
		echo 6.1
	else
		echo 6.12
	fi
}

# samples FILE ROOT: samples of tracepoints, as words: time in microseconds, name, and the values of fields that
# perf prints under the names they have
perf_samples() { # PERF FILE ROOT
	"$1" script --no-itrace --symfs="$3" -i "$2" 2>/dev/null | awk '
		match($0, / [a-z_]+:[a-z_]+: /) {
			line = substr($0, RSTART + 1, length($0))
			n = split(line, w, " ")
			sub(/:$/, "", w[1])
			for (i = 2; i <= n; i++)
				if (w[i] ~ /^(filename|old_pid|next_comm|prev_pid|next_pid|next_prio|child_pid)=/)
					w[1] = w[1] " " w[i]
			print w[1]
		}'
}

our_samples() { # FILE ROOT
	"$hwflow" script --quiet --no-lines --symfs="$2" "$1" 2>/dev/null | awk '
		sub(/.* EVENT: /, "") {
			name = $1
			for (i = 2; i <= NF; i++)
				if ($i ~ /^(filename|old_pid|next_comm|prev_pid|next_pid|next_prio|child_pid)=/)
					name = name " " $i
			print name
		}'
}

# tracepoints FILE ROOT NAMES
tracepoints() {
	local name version perf

	our_samples "$1" "$2" >"$at/samples"
	for name in ${3//+/ }; do
		grep -q "^$name .*=" "$at/samples" || return
	done
	for version in $(perf_versions); do
		perf=$("$setup/fetch-perf" "$version")/run || return
		perf_samples "$perf" "$1" "$2" >"$at/theirs"
		echo "# perf $version: $(wc -l <"$at/theirs") samples"
		diff <(LC_ALL=C sort "$at/samples") <(LC_ALL=C sort "$at/theirs") | head -n 5 | sed 's/^/# /'
		[ "${PIPESTATUS[0]}" -eq 0 ] || return
	done
}

# injected PERF FILE ROOT: perf inject finds programs in its cache only
injected() {
	local cache=$at/cache file ours theirs

	rm -rf "$cache"
	for file in "$3"/bin/busybox "$3"/lib/*.so* "$3"/work; do
		[ -L "$file" ] || "$1" --buildid-dir "$cache" buildid-cache -a "$file" || return
	done
	"$1" --buildid-dir "$cache" inject -b -i "$2" -o "$at/injected" || return
	our_branches "$2" "$3" >"$at/ours"
	our_branches "$at/injected" "$3" >"$at/theirs"
	[ "$(wc -l <"$at/ours")" -gt 100 ] && cmp "$at/ours" "$at/theirs" || return
	# perf inject does not read compressed records: their mappings are not known to it
	case $kind in *,packed,*) return ;; esac
	"$1" --buildid-dir "$cache" inject --itrace=b -i "$2" -o "$at/injected" || return
	theirs=$("$1" script -i "$at/injected" -F event 2>/dev/null | grep -c branches)
	ours=$("$1" script -i "$2" --symfs="$3" --itrace=b -F event 2>/dev/null | grep -c branches)
	echo "perf script: $ours branches, after perf inject $theirs"
	[ "$theirs" -gt 100 ] && [ $((100 * theirs)) -gt $((99 * ours)) ]
}

inject() { # FILE ROOT
	local version perf status

	for version in $(perf_versions); do
		perf=$("$setup/fetch-perf" "$version")/run || return
		injected "$perf" "$1" "$2" >"$at/said" 2>&1
		status=$?
		rm -rf "$at/cache" "$at/injected" "$at/ours" "$at/theirs"
		grep '^perf script: ' "$at/said" | sed "s/^/# perf $version: /"
		[ $status -eq 0 ] || return
	done
}

# all_match FILE PREFIX NAMES SUFFIX: FILE has a line with PREFIX, name and SUFFIX for each of the names
all_match() {
	local name

	for name in ${3//+/ }; do
		grep -q -- "$2$name$4" "$1" || return
	done
}

# recording NAME KIND ROOT: check the recording NAME of the machine of $cell, in $at/host
recording() {
	local name=$1 file=$at/host/$1 root=$3 kind=,$2, tids="" word missing found
	local -a options=()

	case $kind in
	*,partial,*)
		perf script -D -i "$file" 2>/dev/null | grep -a 'PERF_RECORD_AUX offset: ' >"$at/records"
		grep -aE '\[T?O?P' "$at/records" >"$at/partial"
		[ -s "$at/partial" ]
		ok $? "$cell: a record of $name says that trace is missing"
		sed 's/^/# /' "$at/records"
		case $kind in
		*,each,*)
			cmp -s "$at/records" "$at/partial"
			ok $? "$cell: each record of $name says so"
			;;
		esac
		return
		;;
	esac
	case $kind in
	*,paused=*)
		word=${kind#*,paused=}
		found="$(counts "$file" "$root" outside), $(counts "$file" "$root" inside)"
		[ "$found" = "${word%,}, 0+0" ]
		ok $? "$cell: $name has outside() and inside() $found times"
		return
		;;
	*,archive,*)
		guarded 300 "$hwflow" verify --quiet --truth="$at/host/truth" "$file" >"$at/verify" 2>&1
		ok $? "$cell: $name is equal to what was executed, with its own files" "$at/verify"
		grep ' equal: [1-9]' "$at/verify" | sed 's/^/# /'
		! grep -q 'more lost' "$at/verify" && tar --zstd -tf "$file" | grep -q '/vdso$'
		ok $? "$cell: of $name nothing is missing, and it has the vdso" "$at/verify"
		return
		;;
	*,guest,*)
		! no_guest "$file" "$root" >"$at/verify"
		ok $? "$cell: a virtual machine is in $name"
		return
		;;
	esac
	with_kernel "$file"
	case $kind in
	*,uprobes,*)
		has_slow "$file" "$root" >"$at/slow"
		ok $? "$cell: $name has the slow request from its first instruction" "$at/slow"
		cat "$at/slow"
		return
		;;
	esac
	case $kind in
	*,cpus,*) ;;
	*)
		tids=$("$hwflow" dump "$file" 2>/dev/null |
			sed -n 's/^# aux record .* tid //p' | sort -un)
		tids=${tids:-0}
		;;
	esac
	case $kind in
	*,nocode=*)
		word=${kind#*,nocode=}
		"$hwflow" script --quiet --no-lines --symfs="$root" "$file" >"$at/ours" 2>"$at/alone"
		[ $? -eq 3 ] && grep -q "${word%%,*}" "$at/alone" && [ "$(grep -c '=>' "$at/ours")" -gt 100 ]
		ok $? "$cell: of $name some code is not known, and the reason is given" "$at/alone"
		return
		;;
	*,wrong,*)
		! { equal "$file" "$root" && grep -q ' equal: [1-9]' "$at/verify" && alone "$file"; } \
			>/dev/null
		ok $? "$cell: $name is not what was executed" "$at/verify"
		return
		;;
	esac
	case $kind in *,filtered,*) options+=(--filtered) ;; esac
	case $kind in *,changes,*) options+=(--missing-code) ;; esac
	case $kind in *,gaps=*) options+=(--missing-code --changed-code) ;; esac
	case $kind in
	*,cut,*)
		ends_early "$file" "$root" >"$at/alone"
		ok $? "$cell: $name is equal to what was executed up to its end, which is marked" "$at/verify"
		cat "$at/alone"
		;;
	*)
		case $kind in
		*,exact,*) equal "$file" "$root" "${options[@]}" ;;
		*) equal_but_begins "$file" "$root" "${options[@]}" ;;
		esac
		ok $? "$cell: $name is equal to what was executed" "$at/verify"
		;;
	esac
	grep ' equal: ' "$at/verify" | sed 's/^/# /'
	grep -q ' equal: [1-9]' "$at/verify"
	ok $? "$cell: $name has something"
	missing=$(grep -c 'more lost' "$at/verify")
	for word in ${kind//,/ }; do
		case $word in
		exact)
			[ "$missing" -eq 0 ]
			ok $? "$cell: of $name nothing is missing" "$at/verify"
			;;
		snapshot | filtered)
			[ "$missing" -ne 0 ]
			ok $? "$cell: of $name something is missing" "$at/verify"
			;;
		clean)
			clean "$file"
			ok $? "$cell: no context identifier and no stale byte is in $name"
			;;
		host)
			no_guest "$file" "$root"
			ok $? "$cell: nothing of a virtual machine is in $name"
			;;
		most)
			awk '/^(cpu|thread) / && / equal: / { equal += $4; if (/more lost/) lost += $8 }
				END { exit !equal || lost > equal }' "$at/verify"
			ok $? "$cell: of $name most is there" "$at/verify"
			;;
		user)
			no_kernel "$file" "$root"
			ok $? "$cell: no address of the kernel is in $name"
			;;
		perf)
			perf_agrees "$file" "$root" "$kind"
			ok $? "$cell: $name has the same branches for stock perf"
			;;
		perfs) each_perf "$name" "$file" "$root" "$kind" ;;
		cid)
			[ "$("$hwflow" dump "$file" 2>/dev/null | sed -nE 's/.* (cid|vmid)=//p' | sort -u)" = \
				"$(printf '0x%x' "$tids")" ]
			ok $? "$cell: $name has the thread's number"
			;;
		gaps=*)
			found=$(awk '/more lost/ { n += $8 } END { print n + 0 }' "$at/verify")
			[ "$found" -gt 0 ] && [ "$found" -le "${word#*=}" ]
			ok $? "$cell: $name has $found instructions in gaps, expected ${word#*=} at most"
			;;
		reason=*)
			"$hwflow" report --quiet --symfs="$root" "$file" 2>"$at/alone" >/dev/null
			[ $? -eq 3 ] && grep -q -- "${word#*=}" "$at/alone"
			ok $? "$cell: a reason of the gaps of $name is ${word#*=}" "$at/alone"
			;;
		named=*)
			"$hwflow" report --quiet --limit=0 --symfs="$root" "$file" 2>/dev/null >"$at/alone"
			all_match "$at/alone" '[0-9]  ' "${word#*=}" '  ('
			ok $? "$cell: the report of $name has ${word#*=}"
			;;
		gapped=*)
			"$hwflow" script --quiet --no-lines --symfs="$root" "$file" 2>/dev/null |
				grep ' GAP: ' >"$at/alone"
			all_match "$at/alone" ' ' "${word#*=}" '\(+0x[0-9a-f]*\)\? ('
			ok $? "$cell: $name has gaps in ${word#*=}"
			;;
		has=*)
			"$hwflow" script --quiet --no-lines --symfs="$root" "$file" 2>/dev/null |
				grep -c -- "${word#*=}" >"$at/alone"
			[ "$(cat "$at/alone")" -gt 0 ]
			ok $? "$cell: $name has branches of ${word#*=}"
			;;
		cycles=*)
			found=$(least_cycles "$file")
			[ "${found:-0}" -ge $((${word#*=})) ]
			ok $? "$cell: $name has counts of $found cycles and up, expected ${word#*=}"
			;;
		threads=*)
			# the number of the thread is the second column, at a fixed place
			found=$("$hwflow" script --quiet --no-lines --symfs="$root" "$file" 2>/dev/null |
				cut -c 17-23 | sort -u | grep -c '[0-9]')
			[ "$found" -ge "${word#*=}" ]
			ok $? "$cell: $name has $found threads, expected ${word#*=}"
			;;
		only=*)
			only "$file" "$root" "${word#*=}"
			ok $? "$cell: $name has ${word#*=}, and nothing else"
			;;
		from=*)
			from "$file" "$root" "${word#*=}"
			ok $? "$cell: $name has what is from ${word#*=}"
			;;
		several=*)
			found=$("$hwflow" script --quiet --no-lines --gaps=all --symfs="$root" "$file" 2>&1 >/dev/null |
				grep -c 'several programs')
			[ "$found" -le "${word#*=}" ]
			ok $? "$cell: $name has $found gaps of several programs, expected ${word#*=} at most"
			;;
		tracepoints=*)
			tracepoints "$file" "$root" "${word#*=}" >"$at/alone"
			ok $? "$cell: $name has samples of ${word#*=}, for stock perf and for hwflow" "$at/alone"
			grep '^# perf' "$at/alone"
			;;
		cgroups=*)
			in_cgroups "$file" "$root" "${word#*=}" >"$at/alone" 2>&1
			ok $? "$cell: of $name each program is in its cgroup" "$at/alone"
			;;
		stacks=*)
			kernel_stacks "$file" "${word#*=}" >"$at/alone" 2>&1
			ok $? "$cell: the stacks of $name are those that the kernel found" "$at/alone"
			tail -n 1 "$at/alone" | sed 's/^/# /'
			rm -f "$at/timeline" "$at/slices" "$at/samples"
			;;
		values=*)
			values "$file" "$root" "${word#*=}" >"$at/alone"
			ok $? "$cell: $name has the numbers ${word#*=} from TRCIT" "$at/alone"
			;;
		packed)
			perf report --header-only -i "$file" 2>/dev/null | grep -q '^# compressed : Zstd'
			ok $? "$cell: the records of $name are compressed"
			;;
		inject)
			inject "$file" "$root" >"$at/alone"
			ok $? "$cell: perf inject reads $name, and hwflow reads what it writes" "$at/said"
			cat "$at/alone"
			;;
		slow)
			has_slow "$file" "$root" >"$at/slow"
			ok $? "$cell: $name has the slow request from its first instruction" "$at/slow"
			cat "$at/slow"
			;;
		ends=*)
			ends "$file" "$root" "${word#*=}" >"$at/last"
			ok $? "$cell: the trace of $name ends in ${word#*=}" "$at/last"
			;;
		*=*)
			found=$("$hwflow" dump "$file" 2>/dev/null | grep -cE " ${word%=*}( |$)")
			if [ "${word#*=}" -eq 0 ]; then
				[ "$found" -eq 0 ]
			else
				[ "$found" -ge "${word#*=}" ]
			fi
			ok $? "$cell: $name has $found packets ${word%=*}, expected ${word#*=}"
			;;
		esac
	done
	case $kind in
	# the offsets of the records are checked with a version that can read the file
	*,snapshot,*,perfs,*) return ;;
	*,snapshot,* | *,latest,*)
		monotonic "$file"
		ok $? "$cell: the head of $name only grows"
		begun "$file" >"$at/alone"
		ok $? "$cell: each record of $name that was saved whole has its beginning" "$at/alone"
		return
		;;
	esac
	case $kind in *,theirs,*) return ;; esac
	alone "$file" >"$at/alone"
	ok $? "$cell: each record of $name can be decoded alone" "$at/alone"
	tail -n 1 "$at/alone"
}
