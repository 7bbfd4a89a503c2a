# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: stock perf records user code of threads, to /host. `== recording NAME KIND` tells
# the host to hold it against what was executed. hwflow.records=NAME,... of the kernel's command line:
# only these.
. /tap.sh
wanted=$(sed -n 's/.*hwflow\.records=\([^ ]*\).*/\1/p' /proc/cmdline)

record() { # NAME KIND OPTION...
	case ,${wanted:-$1}, in *,"$1",*) ;; *) return ;; esac
	name=$1
	kind=$2
	shift 2
	/recorder -o "/tmp/$name" "$@" >"/tmp/$name.log" 2>&1
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "/tmp/$name.log"
	ok $status "perf record: $name"
	dd if="/tmp/$name" of="/host/$name" bs=512k 2>/dev/null
	rm -f "/tmp/$name"
	echo "== recording $name $kind"
}

# user code only: the names of the kernel's functions take perf seconds to read
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=64 2>/dev/null
record plain exact -e cs_etm//u --per-thread -- busybox md5sum in
record cycles exact -e cs_etm/cycacc=1/u --per-thread -- busybox md5sum in
record time exact -e cs_etm/timestamp=1/u --per-thread -- busybox md5sum in
record context exact -e cs_etm/contextid=1/u --per-thread -- busybox md5sum in
record returns exact -e cs_etm/retstack=1/u --per-thread -- busybox md5sum in
# several records, and a reader that is too slow at times
record small lossy -m ,32K -e cs_etm//u --per-thread -- busybox sha256sum in
# other programs in the place of the first: at other addresses, and at the same
record exec exact -e cs_etm//u --per-thread -- busybox env /work 1 2
record exec-same exact -e cs_etm//u --per-thread -- /exec /work 1 2
record exec-chain exact -e cs_etm/contextid=1/u --per-thread -- /exec /exec /bin/busybox env /exec /work 1 2
umount /proc/kallsyms
done_testing
