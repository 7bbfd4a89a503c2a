# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: PHP, whose JIT compiler writes for perf which code it makes.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# php NAME KIND JIT DEBUG [OPTION]...: OPTIONs of the recorder; JIT is what PHP compiles, functions or traces; with
# DEBUG 16 it writes perf-PID.map, with 32 jit-PID.dump.
php() {
	local name=$1 kind=$2 jit=$3 debug=$4

	shift 4
	record "$name" "$kind" "$@" -m ,16M -e cs_etm//u -- php8.2 -n -d zend_extension=/opcache.so \
		-d opcache.enable_cli=1 -d opcache.file_update_protection=0 -d opcache.jit_buffer_size=4M \
		-d "opcache.jit=$jit" -d "opcache.jit_debug=$debug" /work.php
}

# names, but no code
php map 'user,gaps=200000,reason=not.recorded,gapped=JIT$fib+JIT$sum+JIT$words' function 16 --per-thread
# code
php dump 'user,exact,named=JIT$fib+JIT$sum+JIT$words' function 32 --per-thread
php dump-cpus 'cpus,user,exact,named=JIT$fib+JIT$sum+JIT$words' function 32 -a
# PHP changes a branch in a trace when it has compiled where the branch leads to
php traces 'user,gaps=20000,reason=changed.this.code,named=TRACE-2$fib$[0-9]*+TRACE-8$words$[0-9]*' tracing 32 \
	--per-thread
[ "$(ls -d jit-*.dump | wc -l)" -eq 3 ] && [ "$(ls -d perf-*.map | wc -l)" -ge 1 ]
ok $? "PHP has written jitdump files and a perf map"
cp jit-*.dump perf-*.map /host
umount /proc/kallsyms
done_testing
