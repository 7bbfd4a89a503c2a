# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests of the RISC-V captures share. To be sourced with HWFLOW; sets hwflow, top, captures
# and tmp, and ends the test where there are no captures.
#
# Captures are in HWFLOW_CAPTURES (default ../shared/data), below riscv, one folder a program; the
# parameters of each stream are those of FORMAT.md there.

hwflow=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
captures=${HWFLOW_CAPTURES:-$top/../shared/data}/riscv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$top/tools/setup/tests/tap.bash"

if [ ! -d "$captures" ]; then
	name=$(basename "$0" .sh)
	if [ "${CI-}" = true ]; then
		echo "not ok 1 - $name: $captures is missing"
		exit 1
	fi
	echo "ok 1 - $name # SKIP no captures in HWFLOW_CAPTURES"
	exit 0
fi

common=privilege_width_p=2,ecause_width_p=5
declare -A ratified=(
	[basic]=context_width_p=32,iaddress_lsb_p=1,itype_width_p=3
	[full]=context_width_p=32,iaddress_lsb_p=0,itype_width_p=4,full_address=1,call_counter_size_p=9
	[wide]=context_width_p=32,iaddress_lsb_p=1,itype_width_p=4,return_stack_size_p=7,time_width=1
)
declare -A draft=(
	[a]=iaddress_lsb_p=1,nocontext_p=1
	[b]=iaddress_lsb_p=0,full_address=1,context_width_p=32
	[c]=iaddress_lsb_p=1,nocontext_p=1,notval_p=1
)

# What is executed before the program's own code is in no file: five instructions at 0x1000
boot_code() {
	printf '\x97\x02\x00\x00\x93\x85\x02\x02\x73\x25\x40\xf1\x83\xb2\x82\x01\x82\x82'
}

# The number of the field in meta.json
field() { # FILE NAME
	sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1" | head -n 1
}
