#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# acpi.sh QEMU HWFLOW DIR - Debian's kernel 6.12 is booted by UEFI firmware and told by ACPI alone: its
# coresight modules find the trace units and buffers, and stock perf records with them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$1
hwflow=$2
dir=$3
firmware=/usr/share/qemu-efi-aarch64/QEMU_EFI.fd
mkdir -p "$dir/host"
. "$here/tap.bash"
. "$here/recording.bash"
options=()
for module in configfs coresight coresight-etm4x coresight-trbe; do
	options+=(--module "$module")
done
cp "$here/guest/acpi.sh" "$dir/test"
cp "$here/guest/probe.sh" "$dir/probe.sh"
cat >"$dir/expect" <<-END
	ete0/trcidr/trcidr0 0x68000ea1
	ete1/trcidr/trcidr4 0x11170004
	trbe1/align 1
	log VHE mode initialized successfully
END
rm -f "$dir/host"/*
"$boot/make-image" -o "$dir" --kernel 6.12 --share "${options[@]}" --program linux-perf:usr/bin/perf \
	"$dir/test" "$dir/probe.sh" "$dir/expect" || exit 1
APPEND=acpi=force "$boot/boot" "$dir" 240 "$qemu" -M virt,gic-version=3,virtualization=on \
	-cpu "max,pauth-impdef=on,ete=on,trbe=on,trace-log=$dir/host/truth" -smp 2 -bios "$firmware" \
	-virtfs "local,path=$dir/host,mount_tag=host,security_model=none" >"$dir/output"
must_end $? "the machine came to its end" "$dir/output"
for line in "by acpi 0" "devices 0" "madt 6" "recorded 0"; do
	grep -qx "$line" "$dir/output"
	ok $? "in the machine: $line"
done
# what probe.sh has found
probed=0
while read -r line; do
	case $line in
	"ok "*) ok 0 "${line#* - }" ;;
	"not ok "*) ok 1 "${line#* - }" ;;
	*) continue ;;
	esac
	probed=$((probed + 1))
done <"$dir/output"
[ "$probed" -eq 10 ]
ok $? "all of the probe's checks were made"
grep '^#' "$dir/output"
tid=$(tid_of "$dir/host/recording")
"$hwflow" verify --symfs="$dir/root" --truth="$dir/host/truth" --tid="${tid:-0}" \
	"$dir/host/recording" >"$dir/verify" 2>&1
ok $? "the recording is equal to what was executed"
sed 's/^/# /' "$dir/verify" | head -n 20
done_testing
