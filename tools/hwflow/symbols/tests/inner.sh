#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# inner.sh BUILD - code of an ELF file that is inside another file has its names: QEMU's vdso in the file of code
# that no other file has, and a program in an archive of programs. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

cat >program.c <<'END'
#include <time.h>
#include <stdint.h>
#include <sys/mman.h>
int main(void)
{
	struct timespec now;
	/* the file of code begins with a page of something else */
	uint32_t *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	code[0] = 0xd65f03c0;
	__builtin___clear_cache((char *)code, (char *)(code + 1));
	((void (*)(void))code)();
	for (int i = 0; i < 100; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return 0;
}
END
"$CC" -O1 -static -o program program.c && "$hwflow" emulate --quiet -o data -- ./program 2>err
ok $? "a recording of a program that calls the vdso" err
"$san" report --limit=0 data >out 2>err
grep -q ' __kernel_clock_gettime  (data.code)' out && ! [ -s err ]
ok $? "report has names of the vdso" out
grep -q ' \[data.code\]  (data.code)' out
ok $? "other code of the same file has no name" out
"$san" script data >out 2>err
grep -q '=> .* __kernel_clock_gettime (data.code)  indirect call' out
ok $? "script has them" out
"$san" annotate --symbol=__kernel_clock_gettime data >out 2>err
grep -q '^__kernel_clock_gettime  (data.code): 400 instructions' out
ok $? "annotate has its instructions" out

# A library at a page of an archive, from which its code is mapped: the mapping does not have the ELF header
cat >sum.c <<'END'
int sum(int count)
{
	int result = 0;

	for (int i = 0; i < count; i++)
		result += i;
	return result;
}
END
cat >loader.c <<'END'
#include <fcntl.h>
#include <sys/mman.h>
int main(void)
{
	int fd = open("base.apk", O_RDONLY);
	char *code = mmap(0, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x3000 + (SUM & ~0xfff));

	return ((int (*)(int))(code + (SUM & 0xfff)))(10) != 45;
}
END
"$CC" -g -O1 -shared -nostdlib -Wl,-z,separate-code,-z,max-page-size=4096 -o libsum.so sum.c
at=$("${CC%gcc}nm" libsum.so | sed -n 's/ T sum$//p')
printf 'PK\3\4' >base.apk
dd if=libsum.so of=base.apk bs=4096 seek=3 conv=notrunc status=none
"$CC" -O1 -static -DSUM="0x$at" -o loader loader.c && "$hwflow" emulate --quiet -o data -- ./loader 2>err
ok $? "a recording of code in an archive" err
[ $((16#$at)) -ge 4096 ] && "$san" report --limit=0 data >out 2>err
grep -q ' sum  (base.apk)' out && ! grep -q ' \[base.apk\]' out && ! [ -s err ]
ok $? "report has the name of the function" out
"$san" script data >out 2>err
grep -q 'sum (base.apk) sum.c:2  indirect call' out
ok $? "script has its line" out
"$san" annotate --symbol=sum data >out 2>err
grep -q "^sum  (base.apk): " out && grep -q " $(printf %x $((16#$at)))  " out
ok $? "annotate has the addresses of the library" out
done_testing
