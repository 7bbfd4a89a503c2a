# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow record --profile for ten minutes. Its memory does not grow, and the counts are those of the recording.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# memory PID: KB of it in memory, without pages of files and of the parts
memory() {
	awk '$1 == "RssAnon:" { print $2; found = 1 } END { if (!found) print 0 }' "/proc/$1/status" 2>/dev/null
}

hwflow record -o /host/long --profile=long.hwprof --profile-memory=1M -m ,256K -- sh -c '
	read -r now rest </proc/uptime
	end=$((${now%.*} + 600))
	while [ "${now%.*}" -lt $end ]; do
		/work 2 2 | busybox sort | busybox tail -n 1
		busybox sleep 0.2
		read -r now rest </proc/uptime
	done' >out 2>log &
perf=$!
wait_for 30 $perf test -e "/proc/$perf/task/$perf/children"
sleep 60
read -r counter program <"/proc/$perf/task/$perf/children"
early="$(memory $perf) $(memory "$counter")"
sleep 480
late="$(memory $perf) $(memory "$counter")"
wait $perf
same "for ten minutes: exit status" 0 $?
sed 's/^/# /' log
echo "# memory of the recorder and of the process that counts: $early KB after a minute, $late KB after nine"
echo "$early $late" | awk '{ exit !($1 && $2 && $3 <= $1 + 512 && $4 <= $2 + 1024) }'
ok $? "for ten minutes: memory stays as it is"
hwflow profile --quiet -o whole.hwprof /host/long 2>missing
sed 's/^/# /' missing
if grep -q 'counting did not keep up' log; then
	ok 1 "for ten minutes: nothing is dropped"
else
	ok 0 "for ten minutes: nothing is dropped"
fi
cmp long.hwprof whole.hwprof
ok $? "for ten minutes: the counts are those of the recording"
hwflow report --limit=5 long.hwprof 2>&1 | sed 's/^/# /'
umount /proc/kallsyms
rm -f /host/long
done_testing
