# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow stat, which runs a program with a recording and without one.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# row NAME NUMBERS: the table has the row, with so many numbers; "-" stands for the overhead of a
# time that was 0.000 s without the recording, as a kernel that samples times at ticks counts it
row() {
	awk -v name="$1" -v numbers="$2" '
		index($0, name "  ") == 1 {
			$0 = substr($0, length(name) + 1)
			gsub(/%|,|s( |$)|MB(\/s)?|full at most|in [0-9]+ runs?/, " ")
			n = split($0, word, " ")
			if (n == 3 && word[1] ~ /^0\.0+$/ && word[3] == "-")
				word[3] = 0
			for (i = 1; i <= n; i++)
				bad += word[i] !~ /^-?[0-9]+(\.[0-9]+)?$/
			found = n == numbers && !bad
		}
		END { exit !found }' err
	ok $? "$1: $2 numbers"
}

hwflow stat -r 3 --per-thread -o /host/stat -- /work 1 40 >out 2>err
same "hwflow stat" 0 $?
sed 's/^/# /' err
for name in elapsed user system; do
	row "$name time" 3
done
row trace 2
row "trace buffers" 1
row "losses of trace" 1
row "lost records" 1
same "the program ran six times" "$(($(/work 1 40 | wc -l) * 6))" "$(wc -l <out)"
echo "== recording stat user,perf"

# without a program: what another one does meanwhile
rm -f stop
/work >/dev/null &
work=$!
{ sleep 2 && touch stop; } &
hwflow stat -p $work >out 2>err
status=$?
sed 's/^/# /' err
wait
same "hwflow stat -p" 0 $status
row time 1
row trace 2

# buffers of a page lose trace, which is a failure on request
for option in '' --fail-on-loss; do
	hwflow stat -m ,1 --kernel --user $option -- busybox sha256sum /bin/busybox >out 2>err
	status=$?
	sed 's/^/# /' err
	lost=$(sed -n 's/^losses of trace *\([0-9]*\) .*/\1/p' err)
	[ -n "$option" ] && [ "$lost" -gt 0 ] && want=124 || want=0
	same "status with $lost losses${option:+, $option}" $want $status
done
hwflow stat -r 2 -- sh -c 'exit 7' 2>err
same "the status of a program that fails" 7 $?
same "a program that fails is reported once" 1 "$(grep -c '^hwflow stat: sh exited with status 7$' err)"
hwflow stat -- sh -c 'kill -USR1 $$' 2>err
same "the status of a program that a signal ends" 138 $?
grep -q '^hwflow stat: sh was ended by signal 10 (User defined signal 1)$' err
ok $? "the signal is named"
hwflow stat -- /no/program 2>err
same "a program that does not exist" 127 $?
[ -c /dev/null ]
ok $? "/dev/null stays"
umount /proc/kallsyms
done_testing
