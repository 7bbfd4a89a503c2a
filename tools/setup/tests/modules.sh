#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# modules.sh DIR [SERIES]... - the kernel module is built against both of Debian's stable kernels, or those of
# SERIES, with nothing said by the compiler under W=1, by sparse or by checkpatch; it says of itself what it must,
# and the kernels have what it imports.
#
# checkpatch is run only if no SERIES is given: it has nothing to do with the kernels.
set -u
setup=$(cd "$(dirname "$0")/.." && pwd)
cd "$setup/../.." || exit 1
dir=$1
shift
rm -rf "$dir"
mkdir -p "$dir"
. "$setup/tests/tap.bash"
log=$dir/log

# silent NAME COMMAND...: it succeeds, and says nothing
silent() {
	local name=$1 status

	shift
	"$@" >"$log" 2>&1
	status=$?
	[ $status -eq 0 ] && [ ! -s "$log" ]
	ok $? "$name" "$log"
}

says() { # MODULE FIELD: something
	[ -n "$(modinfo -F "$2" "$1")" ]
	ok $? "$series: $2 is said"
}

# imports KDIR MODULE: with checksums that the kernel itself, not another module, has, and nothing
# without one; a kernel without checksums has the names
imports() {
	if ! grep -q '^CONFIG_MODVERSIONS=y$' "$1/.config"; then
		awk '$3 == "vmlinux" { print $2 }' "$1/Module.symvers" | sort >"$dir/exports"
		aarch64-linux-gnu-nm -u "$2" | awk '{ print $2 }' | sort >"$dir/imports"
		[ -s "$dir/imports" ] || echo "nothing is imported"
		comm -23 "$dir/imports" "$dir/exports"
		return
	fi
	awk '$3 == "vmlinux" { print $1, $2 }' "$1/Module.symvers" | sort >"$dir/exports"
	modprobe --dump-modversions "$2" | awk '{ print $1, $2 }' | sort >"$dir/imports"
	[ -s "$dir/imports" ] || echo "nothing is imported"
	comm -23 "$dir/imports" "$dir/exports"
	aarch64-linux-gnu-nm -u "$2" | awk '{ print $2 }' | sort |
		comm -23 - <(awk '{ print $2 }' "$dir/imports" | sort)
}

# layout MODULE: the kernel's name and options, and size and entries of struct module
layout() {
	modinfo -F vermagic "$1"
	readelf -SW "$1" | awk '$2 ~ /this_module$/ || $3 ~ /this_module$/ { print $(NF - 5) }' | head -n 1
	readelf -rW "$1" | awk '/^Relocation section/ { on = /rela\.gnu\.linkonce\.this_module/ }
		on && / (init|cleanup)_module / { print $1, $5 }'
}

# like_its_own MODULE SERIES: the module has the layout of a module that comes with the kernel
like_its_own() {
	local own

	own=$(find "$("$setup/fetch-kernel" "$2")/usr/lib/modules" -name 'vhost_net.ko*')
	case $own in
	*.xz) xz -dc "$own" >"$dir/own.ko" ;;
	*.zst) zstd -dcq "$own" >"$dir/own.ko" ;;
	*) cp "$own" "$dir/own.ko" ;;
	esac
	diff <(layout "$dir/own.ko") <(layout "$1")
}

# sparse of this machine is too old for the newest kernel
checker_of() { # SERIES
	local program

	case $1 in
	latest*)
		program=$("$setup/fetch-program" --suite sid --arch "$(dpkg --print-architecture)" \
			sparse:usr/bin/sparse) || return
		echo "CHECK=$program/run"
		;;
	*) echo CHECK=sparse ;;
	esac
}

for series in ${*:-6.1 6.12}; do
	kdir=$("$setup/fetch-headers" $series) || exit 1
	module=$dir/$series/arm_ete_pmu.ko
	silent "$series: the module is built under W=1, with nothing said" \
		"$setup/build-module" "$kdir" "$dir/$series" W=1
	silent "$series: sparse finds nothing" \
		"$setup/build-module" "$kdir" "$dir/$series" C=2 CF=-D__CHECK_ENDIAN__ \
		"$(checker_of $series)"
	modinfo -F license "$module" | grep -qxE 'GPL( v2)?'
	ok $? "$series: the licence is the GPL, version 2"
	says "$module" description
	says "$module" author
	[ "$(modinfo -F depends "$module")" = "" ]
	ok $? "$series: it depends on no other module"
	# without a description there is but its type
	modinfo -F parm "$module" | grep '^[^:]*: (' >"$log"
	[ ! -s "$log" ]
	ok $? "$series: each parameter is described" "$log"
	silent "$series: it is for that kernel, and has the kernel's struct module" \
		like_its_own "$module" "$series"
	silent "$series: the kernel exports what it imports" imports "$kdir" "$module"
done

[ $# -eq 0 ] || {
	done_testing
	exit
}

# On an arm64 machine the tools have no prefix.
mkdir -p "$dir/native"
for tool in gcc-12 ld nm objcopy objdump ar as strip readelf; do
	ln -s "$(command -v aarch64-linux-gnu-$tool)" "$dir/native/$tool"
	ln -s /bin/false "$dir/native/aarch64-linux-gnu-$tool"
done
printf '#!/bin/sh\necho aarch64\n' >"$dir/native/uname"
chmod +x "$dir/native/uname"
silent "on an arm64 machine it is built without a cross compiler" \
	env PATH="$(cd "$dir/native" && pwd):$PATH" \
	"$setup/build-module" "$("$setup/fetch-headers" 6.1)" "$dir/6.1-native"

find Kbuild drivers include -name '*.o' -o -name '*.cmd' -o -name '*.ko' -o -name '*.mod*' \
	-o -name 'modules.order' >"$log"
[ ! -s "$log" ]
ok $? "nothing is written into the tree" "$log"

# check_patch: what checkpatch finds, FILE:LINE: LEVEL:TYPE: TEXT
check_patch() {
	local source

	source=$("$setup/fetch-kernel-source" scripts/checkpatch.pl scripts/spelling.txt \
		scripts/const_structs.checkpatch 2>"$dir/fetch") || cat "$dir/fetch"
	# It leaves a file where it is run, of the names that the kernel's headers have.
	mkdir "$dir/patch"
	ln -s "$PWD"/{Kbuild,drivers,include,selftests} "$dir/patch"
	cd "$dir/patch" || return
	# There is no folder of bindings with the headers. Of the selftests it is for modules and
	# kselftests; programs that are traced, and those that trace them, are no kernel code.
	{
		find -L Kbuild drivers include/uapi -name '*.[chS]' -o -name Kbuild | sort
		echo selftests/drivers/perf/arm_ete/pmu.h
		grep -lE 'kselftest_harness\.h|linux/module\.h' selftests/driver/*.c
	} | xargs "$source/scripts/checkpatch.pl" --no-tree --root="${kdir%-arm64}-common" \
			--no-summary --strict --terse --show-types --file 2>&1 |
		sed '/^grep: .*\/Documentation\/devicetree\/bindings/d'
}
(check_patch) >"$dir/patches" 2>&1
awk -v known="$setup/tests/checkpatch.known" '
	BEGIN {
		while ((getline row < known) > 0)
			if (row !~ /^#|^$/) {
				split(row, word, " ")
				wanted[word[1] " " word[2]] = row
			}
	}
	{
		file = $1; sub(/:.*/, "", file)
		type = $2; sub(/^[A-Z]*:/, "", type); sub(/:$/, "", type)
		folder = file; sub(/[^\/]*$/, "", folder)
		if (type " " folder in wanted)
			found[type " " folder] = 1
		else if (type " " file in wanted)
			found[type " " file] = 1
		else
			print
	}
	END {
		for (row in wanted)
			if (!(row in found))
				print "known, but not found: " wanted[row]
	}' "$dir/patches" >"$log"
[ ! -s "$log" ]
ok $? "checkpatch finds nothing but what is known" "$log"
done_testing
