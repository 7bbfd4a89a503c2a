# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: programs that make code at run time. What they write for perf is what hwflow needs to decode it, or
# is not.
. /record.sh
mount --bind /dev/null /proc/kallsyms
# names, but no code
record map gaps=10100,reason=not.recorded,gapped=first.in.map.js:1+second,user --per-thread -e cs_etm//u -- /jit map
# code
record load exact,named=before+second,user --per-thread -e cs_etm//u -- /jit load
record load-cpus cpus,exact,named=before+second,user -a -e cs_etm//u -- /jit load
# code in the place of other code, at times of another clock
record replaced nocode=replaced.code,user --per-thread -e cs_etm//u -- /jit dump
ls jit-*.dump | grep -q .
ok $? "the programs have written jitdump files"
cp jit-*.dump perf-*.map /host
umount /proc/kallsyms
done_testing
