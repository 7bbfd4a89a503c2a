#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh QEMU HWFLOW DIR [REGEXP] - do the machines of `cells` notice a fault in the driver?
#
# Each line of mutants.table is a fault. The driver is built with it, and the cell is run: it has to
# fail, though the module is loaded. With REGEXP, only lines that match. Not part of `make test`: some
# minutes each. CELL=NAME runs this cell in place of that of the table: CELL=ksft-6.1 tells which mutants the installed
# kselftests find without the log. A fault that was noticed is not tried again, see kept.bash.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
mkdir -p "$3"
dir=$(cd "$3" && pwd)
only=${4-}
setup=$here/../../tools/setup
. "$setup/tests/tap.bash"
. "$setup/tests/kept.bash"
open_kept "$dir"

# mutant FILE GOOD BAD: the driver with that fault, in DIR/tree
mutant() {
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree/tools"
	cp -r "$here/../../Kbuild" "$here/../../drivers" "$here/../../include" "$dir/tree"
	ln -s "$(cd "$setup" && pwd)" "$dir/tree/tools/setup"
	awk -v good="$2" -v bad="$3" '
		(at = index($0, good)) {
			$0 = substr($0, 1, at - 1) bad substr($0, at + length(good))
			found++
		}
		{ print }
		END { exit found != 1 }' "$here/../../drivers/perf/$1" >"$dir/tree/drivers/perf/$1"
}

# has_noticed CELL: the log of its run has that the module is loaded, and a test that failed
has_noticed() {
	grep -qE "^ok .* $1: .*the module is loaded|^# the module is loaded" "$dir/log" && grep -q "^not ok .* $1: " "$dir/log"
}

# noticed CELL: the module is loaded there, and a test fails. The first that fails is enough: to search a
# recording of a faulty driver takes minutes, and the rest of the run is stopped
noticed() {
	local run

	setsid "$here/run" "$qemu" "$hwflow" "$dir/modules" "$dir/run" full "$1" >"$dir/log" 2>&1 &
	run=$!
	while kill -0 "$run" 2>/dev/null && ! has_noticed "$1"; do
		sleep 1
	done
	pkill -s "$run" 2>/dev/null
	wait "$run"
	grep '^not ok' "$dir/log" | sed 's/^/# /'
	has_noticed "$1"
}

while IFS= read -r row; do
	case $row in "#"* | "") continue ;; esac
	[[ $row =~ $only ]] || continue
	# a tab more than once is a column that is empty
	mapfile -t -d $'\t' column < <(printf '%s' "$row")
	name="${column[0]}: ${column[1]} -> ${column[2]}"
	cell=${CELL:-${column[3]}}
	print_kept "$cell $name" && continue
	before=$failed
	at=$n
	mutant "${column[0]}" "${column[1]}" "${column[2]}"
	ok $? "$name: it stands in one line"
	kernel=$(sed -n "s/^$cell\t.*[\t ]kernel=\([^ ]*\).*/\1/p" "$here/cells")
	kernel=${kernel:-6.1}
	rm -rf "$dir/modules"
	"$dir/tree/tools/setup/build-module" "$("$setup/fetch-headers" "$kernel")" \
		"$dir/modules/$kernel" >"$dir/build.log" 2>&1
	ok $? "$name: is built" "$dir/build.log"
	noticed "$cell" </dev/null
	ok $? "$name: $cell notices"
	[ "$failed" -ne "$before" ] || printf 'ok %s - %s\n' $((at + 1)) "$name: it stands in one line" $((at + 2)) \
		"$name: is built" $n "$name: $cell notices" | keep "$cell $name"
done <"$here/mutants.table"
done_testing
