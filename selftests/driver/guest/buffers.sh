# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: AUX areas of all sizes.
. /record.sh
mount --bind /dev/null /proc/kallsyms
for size in 1 2 8K 16K 64K; do
	record size-$size lossy,user -m ,$size -e cs_etm//u --per-thread -- /work 1 40
done
for size in 256K 1M 16M 64M; do
	record size-$size exact,user -m ,$size -e cs_etm//u --per-thread -- /work 1 10
done
# since 6.12 an AUX area is of single pages: larger ones are of no use where addresses are translated
case $(uname -r) in
6.1.*) ;;
*)
	large_pages on
	record single exact,user -m ,16M -e cs_etm//u --per-thread -- /work 1 10
	same "single: allocations of large pages" 0 "$(large_pages off)"
	;;
esac
umount /proc/kallsyms
done_testing
