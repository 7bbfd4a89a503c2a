# SPDX-License-Identifier: GPL-2.0-only
#
# Stock perf in the machine, by the modules of Debian's kernel. To be sourced, with here, boot,
# qemu, hwflow and dir set, and tap.bash sourced.

. "$here/../../setup/tests/wait.bash"

# the thread of a recording
tid_of() {
	"$hwflow" dump "$1" 2>/dev/null | sed -n 's/^# aux record .* tid //p' | head -n 1
}

# run_machine NAME GUEST SECONDS MACHINE-OPTIONS CPU-OPTIONS CPUS [FILE... --] [OPTION]...: boots
# KERNEL, with APPEND in its command line, which runs guest/GUEST; FILEs are in its image, OPTIONs
# are QEMU's. Recordings and the log are in DIR/NAME/host then. The script ends if the machine did not come to its end.
run_machine() {
	local name=$1 at=$dir/$1 guest=$2 seconds=$3 machine=$4 cpu=$5 cpus=$6
	local kernel=${KERNEL-6.1} module
	local -a options=() files=()

	shift 6
	for module in configfs coresight coresight-etm4x coresight-trbe; do
		options+=(--module "$module")
	done
	case " $* " in
	*" -- "*)
		while [ "$1" != -- ]; do
			files+=("$1")
			shift
		done
		shift
		;;
	esac
	rm -rf "$at"
	mkdir -p "$at/host"
	cp "$here/guest/$guest" "$at/test"
	"$boot/make-image" -o "$at" --kernel "$kernel" --share "${options[@]}" \
		--program linux-perf:usr/bin/perf "$at/test" "${files[@]}" || exit 1
	"$boot/boot" "$at" "$seconds" "$qemu" -M "virt,gic-version=3$machine" \
		-cpu "max,pauth-impdef=on,ete=on,trbe=on,trace-log=$at/host/truth$cpu" -smp "$cpus" \
		-virtfs "local,path=$at/host,mount_tag=host,security_model=none" "$@" >"$at/output"
	must_end $? "$name: the machine came to its end" "$at/output"
	grep '^#' "$at/output"
	grep -q '^complaints 0$' "$at/output"
	ok $? "$name: the kernel complains of nothing"
}
