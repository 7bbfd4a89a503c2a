# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of hwflow emulate that run no program.

# arm64_program FILE: an ELF file for arm64 with one segment, of code
arm64_program() {
	{
		printf '\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\xb7\0\1\0\0\0'
		printf '\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
		printf '\0\0\0\0\x40\0\x38\0\1\0\0\0\0\0\0\0'
		printf '\1\0\0\0\5\0\0\0'
		head -c 48 /dev/zero
	} >"$1"
	chmod +x "$1"
}
