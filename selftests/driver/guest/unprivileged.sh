# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: `hwflow record` of a user without privileges, at each setting that restricts it.
. /record.sh
mkdir -p /etc
echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd
chmod 1777 /tmp
mount --bind /dev/null /proc/kallsyms

# as_nobody COMMAND: without privileges
as_nobody() {
	start-stop-daemon -S -c nobody -n nothing -x /bin/sh -- -c "$1"
}

# own NAME KIND OPTION...: record a program of the user
own() {
	local name=$1 kind=$2

	shift 2
	as_nobody "exec hwflow record -o /tmp/$name $*" 2>"/tmp/$name.log" >/dev/null
	status=$?
	sed 's/^/# /' "/tmp/$name.log"
	give "$name" "$kind" $status
}

# refused TEXT COMMAND: the recording is refused with this text, and with the remedy of hwflow doctor
refused_as_doctor() {
	local text=$1 status

	as_nobody "$2 exec hwflow record -o /tmp/none --per-thread -- busybox true" >/tmp/said 2>&1
	status=$?
	sed 's/^/# /' /tmp/said
	same "exit status" 125 $status
	[ ! -e /tmp/none ]
	ok $? "no file is made"
	grep -q "^hwflow record: .*$text" /tmp/said
	ok $? "the cause is named: $text"
	as_nobody "$2 exec hwflow doctor" >/tmp/report 2>&1
	sed 's/^/# /' /tmp/report
	grep -q "^FAULT .*$text" /tmp/report
	ok $? "doctor names it, too"
	# the sentences from the command on
	sed -n 's/.*\(sudo sysctl\)/\1/p' /tmp/said >/tmp/remedy
	[ -s /tmp/remedy ] && tr -s ' \n' '  ' </tmp/report | grep -qFf /tmp/remedy
	ok $? "the remedy is that of doctor"
}

echo 2 >/proc/sys/kernel/perf_event_paranoid
# with the kernel's default, without options: user code, buffers that may be locked
own own lossy,user --per-thread -- /work 1 30
own own-cpus cpus,lossy,user -- /work 3 10
as_nobody "exec hwflow record -o /tmp/none --kernel -- busybox true" >/tmp/said 2>&1
same "kernel code: exit status" 125 $?
sed 's/^/# /' /tmp/said
grep -q 'recording of kernel code is not permitted: omit --kernel .*perf_event_paranoid to 1' /tmp/said
ok $? "kernel code: the remedy is named"
as_nobody "exec hwflow record -o /tmp/none -a -- busybox true" >/tmp/said 2>&1
same "CPUs: exit status" 125 $?
sed 's/^/# /' /tmp/said
grep -q 'recording of CPUs is not permitted: .*perf_event_paranoid to 0' /tmp/said
ok $? "CPUs: the remedy is named"

# -1: no limit, though the user has no privileges
echo -1 >/proc/sys/kernel/perf_event_paranoid
own free cpus,exact,user -- /work 3 10

echo 2 >/proc/sys/kernel/perf_event_paranoid
echo 0 >/proc/sys/kernel/perf_event_mlock_kb
refused_as_doctor '0 KB may be locked (perf_event_mlock_kb 0' 'ulimit -l 0;'
echo 516 >/proc/sys/kernel/perf_event_mlock_kb

# Debian's addition
echo 3 >/proc/sys/kernel/perf_event_paranoid
refused_as_doctor 'perf_event_paranoid is 3' ''
umount /proc/kallsyms
done_testing
