# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: programs that make code at run time. What they write for perf is what hwflow needs to decode it, or
# is not.
. /record.sh
mount --bind /dev/null /proc/kallsyms
# names, but no code
record map nocode=not.recorded,user --per-thread -e cs_etm//u -- /jit map
# code
record load exact,user --per-thread -e cs_etm//u -- /jit load
record load-cpus cpus,exact,user -a -e cs_etm//u -- /jit load
# code in the place of other code, at times of another clock
record replaced nocode=replaced.code,user --per-thread -e cs_etm//u -- /jit dump
ls jit-*.dump | grep -q .
ok $? "the programs have written jitdump files"
cp jit-*.dump /host
umount /proc/kallsyms
done_testing
