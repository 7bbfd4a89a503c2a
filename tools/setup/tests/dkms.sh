#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.sh DIR - what `make install-module` installs is what DKMS builds from: it is added, built for both
# of Debian's arm64 kernels, installed and removed, all of it in DIR.
#
# The kernels are not this machine's: headers and architecture are said, as `dkms build -k` can.
set -u
[ "$(id -u)" -eq 0 ] || exec unshare -r "$0" "$@"
setup=$(cd "$(dirname "$0")/.." && pwd)
cd "$setup/../.." || exit 1
rm -rf "$1"
mkdir -p "$1"/{dkms,modules}
dir=$(cd "$1" && pwd)
. "$setup/tests/tap.bash"
log=$dir/log
unset MAKEFLAGS MAKELEVEL MFLAGS
export ARCH=arm64
[ "$(uname -m)" = aarch64 ] || export CROSS_COMPILE=aarch64-linux-gnu-

dkms() {
	command dkms "$@" --dkmstree "$dir/dkms" --sourcetree "$dir/root/usr/src" \
		--installtree "$dir/modules" >"$log" 2>&1
}

make -s install-module DESTDIR="$dir/root" >"$log" 2>&1
ok $? "make install-module" "$log"
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$dir"/root/usr/src/*/dkms.conf)
what=(-m arm-ete-pmu -v "$version")
[ -f "$dir/root/usr/src/arm-ete-pmu-$version/dkms.conf" ]
ok $? "its directory has the version's name"
dkms add "${what[@]}"
ok $? "dkms add" "$log"

for series in 6.1 6.12; do
	kdir=$("$setup/fetch-headers" $series) || exit 1
	release=${kdir#*/linux-headers-}
	# its configuration is looked for beside the headers
	kernel=(-k "$release" -a aarch64 --kernelsourcedir "$kdir" --config "$kdir/.config")
	mkdir -p "$dir/modules/$release"
	dkms build "${what[@]}" "${kernel[@]}"
	ok $? "$series: dkms build" "$log"
	dkms install "${what[@]}" "${kernel[@]}" --no-depmod
	ok $? "$series: dkms install" "$log"
	module=$(find "$dir/modules" -path "*/$release/updates/dkms/arm_ete_pmu.ko*")
	[ "$(modinfo -F vermagic "${module:-none}" 2>/dev/null | cut -d ' ' -f 1)" = "$release" ]
	ok $? "$series: the module is where depmod prefers it, and is of that kernel"
	# another architecture is none of its business
	dkms build "${what[@]}" -k "$release" -a x86_64 --kernelsourcedir "$kdir" \
		--config "$kdir/.config"
	[ $? -eq 77 ]
	ok $? "$series: it is not built for x86-64" "$log"
	# nor is a kernel before 6.1
	dkms build "${what[@]}" -k 5.10.0-1-arm64 -a aarch64 --kernelsourcedir "$kdir" \
		--config "$kdir/.config"
	[ $? -eq 77 ]
	ok $? "$series: it is not built for a kernel of the name 5.10" "$log"
done

dkms remove "${what[@]}" --all --no-depmod
ok $? "dkms remove" "$log"
[ -z "$(find "$dir/modules" "$dir/dkms" -name 'arm*')" ]
ok $? "nothing of it stays"
done_testing
