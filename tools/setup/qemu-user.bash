# SPDX-License-Identifier: GPL-2.0-only

# qemu_of HWFLOW PROGRAM: prints the path of the qemu-aarch64 or qemu-riscv64 (PROGRAM) that this `hwflow emulate`
# runs, the one next to the command or else an installed one; false if there is none
qemu_of() {
	local own

	own=$(dirname "$(realpath "$1")")/$2
	if [ -x "$own" ]; then
		echo "$own"
	else
		command -v "$2"
	fi
}
