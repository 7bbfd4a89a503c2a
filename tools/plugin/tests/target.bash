# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of programs under QEMU: the target arm64 or riscv64, in $target. Sets qemu, CC and sysroot.
case $target in
arm64)
	qemu=qemu-aarch64
	CC=(${CROSS_CC:-aarch64-linux-gnu-gcc})
	sysroot=/usr/aarch64-linux-gnu
	;;
riscv64)
	qemu=qemu-riscv64
	CC=(riscv64-linux-gnu-gcc)
	sysroot=/usr/riscv64-linux-gnu
	;;
esac
