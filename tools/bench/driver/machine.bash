# SPDX-License-Identifier: GPL-2.0-only
#
# The driver, or the kernel's own, under stock perf in the emulated machine, which stands still where
# its counts are to be read. To be sourced with [--kernel SERIES] [--patched PATCHED] QEMU MODULE DIR, and counts
# set: MODULE is built for SERIES, 6.1 if not said, and PATCHED has modules to be loaded instead of the
# kernel's own of the same name.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
series=6.1
patched=
image_options=() # of make-image
while [ $# -gt 3 ]; do
	case $1 in
	--kernel) series=$2 ;;
	--patched) patched=$(realpath "$2") ;;
	*)
		echo "$(basename "$0"): what is $1?" >&2
		exit 2
		;;
	esac
	shift 2
done
qemu=$(realpath "$1")
module=$(realpath "$2")
mkdir -p "$3"
dir=$(realpath "$3")
# what 9p needs that is not in the kernel
common="netfs 9pnet 9pnet_virtio 9p"
[ "$series" != 6.1 ] ||
	common="virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p"
intree="configfs coresight coresight-etm4x coresight-trbe"

# an answer is a number by itself
answers() { # AT
	tr -d '\r' <"$1/monitor" | grep -E '^[0-9]+$' || true
}

# ask AT NAME: for the machine's counts, in the order of $counts; then it may go on behind stop NAME
ask() {
	local property before

	before=$(answers "$1" | wc -l)
	for property in $counts; do
		printf 'qom-get /machine/unattached/device[0] %s\n' "$property"
	done >&7
	until [ "$(answers "$1" | wc -l)" -eq $((before + $(wc -w <<<"$counts"))) ]; do
		kill -0 "$boot"
		sleep 0.1
	done
	touch "$1/host/$2"
}

# measure NAME GUEST CPU-OPTIONS STOPS MODULE [FILE...] [-- OPTION...]: boots, and has in NAME/console
# what guest script GUEST says, and in NAME/monitor what was counted at each of STOPS. MODULE is
# the driver, or `coresight` for the kernel's own, or `patched` for those of PATCHED; FILEs are in the
# machine, OPTIONs are QEMU's.
measure() {
	local name=$1 at=$dir/$1 guest=$2 cpu=$3 stops=$4 module=$5 list=$common name_of boot stop
	local -a modules=() files=()

	shift 5
	case $module in
	coresight | patched) list="$intree $common" ;;
	*) files+=("$module") ;;
	esac
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		files+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	for name_of in $list; do
		if [ "$module" = patched ] && [ -f "$patched/$name_of.ko" ]; then
			name_of=$patched/$name_of.ko
		fi
		modules+=(--module "$name_of")
	done
	rm -rf "$at"
	mkdir -p "$at/host"
	cat "$here/guest.sh" "$here/$guest" >"$at/test"
	"$top/selftests/boot/make-image" -o "$at" --kernel "$series" "${modules[@]}" \
		--program linux-perf:usr/bin/perf "${image_options[@]}" "$at/test" "${files[@]}"
	mkfifo "$at/monitor.in" "$at/monitor.out"
	cat "$at/monitor.out" >"$at/monitor" &
	timeout 900 "$qemu" -M virt,gic-version=3 -cpu "max,pauth-impdef=on,ete=on,trbe=on$cpu" -m 1024 -nic none \
		-display none -serial "file:$at/console" -no-reboot \
		-virtfs "local,path=$at/host,mount_tag=host,security_model=none" \
		-chardev "pipe,id=monitor,path=$at/monitor" -mon monitor \
		-kernel "$at/kernel" -initrd "$at/initramfs" \
		-append "console=ttyAMA0 quiet panic=-1 oops=panic nokaslr" "$@" </dev/null &
	boot=$!
	exec 7>"$at/monitor.in"
	for stop in $stops; do
		until grep -qs "^stop $stop" "$at/console"; do
			kill -0 $boot
			sleep 0.2
		done
		ask "$at" "$stop"
	done
	wait $boot
	exec 7>&-
	wait
}
