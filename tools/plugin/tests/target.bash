# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of programs under QEMU: the target arm64 or riscv64, in $target, and the command, in $hwflow. Sets qemu
# (empty if there is none), CC and sysroot.
. "$(dirname "${BASH_SOURCE[0]}")/../../setup/qemu-user.bash"
case $target in
arm64)
	qemu=$(qemu_of "$hwflow" qemu-aarch64) || qemu=
	CC=(${CROSS_CC:-aarch64-linux-gnu-gcc})
	sysroot=/usr/aarch64-linux-gnu
	;;
riscv64)
	qemu=$(qemu_of "$hwflow" qemu-riscv64) || qemu=
	CC=(riscv64-linux-gnu-gcc)
	sysroot=/usr/riscv64-linux-gnu
	;;
esac
