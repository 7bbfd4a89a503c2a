# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: address filters.
. /record.sh
mount --bind /dev/null /proc/kallsyms
own="--per-thread -- /work 1 3"

record whole exact -e cs_etm//u $own
record range filtered,user,only=turn -e cs_etm//u --filter 'filter turn @/work' $own
record several filtered,user,only=odd+even+turn+play,perf -e cs_etm//u --filter 'filter odd / play @/work' $own
record ranges filtered,user,only=odd+even -e cs_etm//u --filter 'filter odd @/work,filter even @/work' $own
record start-stop filtered,user,from=turn+even -e cs_etm//u --filter 'start turn @/work,stop even @/work' $own
record elsewhere filtered,user,only=main -e cs_etm//u --filter 'filter main @/work' $own
# an address that is both is refused when perf tells of it
explain
for both in 'start turn @/work,stop turn @/work' 'stop 0x1000@/work,filter main @/work,start 0x1000@/work'; do
	! perf record -o both -e cs_etm//u --filter "$both" $own >log 2>&1
	ok $? "refused: $both"
done
[ "$(dmesg | grep -c 'a start point and a stop point have the same address')" -eq 2 ]
ok $? "the reason is said"
# what is mapped while it runs, in several places
record late filtered,user -e cs_etm//u --filter "filter $(/late)@/late" --per-thread -- /late /late
# the state of start and stop points ends with the program
before=$(stat bytes)
record exec-filtered filtered,user -e cs_etm//u --filter 'start before @/exec' --per-thread -- /exec /work 1 3
bytes=$(($(stat bytes) - before))
echo "# exec-filtered: $bytes bytes"
[ $bytes -lt 8192 ]
ok $? "exec-filtered: the program after it is not traced"
umount /proc/kallsyms
done_testing
