#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# readme-fresh.sh [DIR] - the commands of README on a new system: Debian 12 with nothing but its required packages
# and make, without a cache. debootstrap makes the system in DIR (a temporary directory by default) from the
# archives that this machine uses; root only. Speaks TAP.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/setup/tests/recording.bash"
tmp=$(mktemp -d)
root=${1:-$tmp/root}
trap 'rm -rf --one-file-system "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null || {
	echo "ok 1 - README on a new system # SKIP root and the package debootstrap are required"
	exit 0
}

# archives SUITE: prints the addresses of the archives that have it
archives() {
	# shellcheck disable=SC2016 # words of apt
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v suite="$1" '$2 == suite && $3 == "main" { print $1 }' | sort -u
}

debootstrap --variant=minbase --include=make bookworm "$root" "$(archives bookworm | head -n 1)" >"$tmp/log" 2>&1
ok $? "a new system" "$tmp/log"
for suite in bookworm bookworm-updates bookworm-security; do
	for archive in $(archives $suite); do
		echo "deb $archive $suite main"
	done
done >"$root/etc/apt/sources.list"
apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/99acquire"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/root/hwflow"
cd "$top" || exit 1
git -c safe.directory="$top" ls-files -z | xargs -0 cp --parents --no-dereference -t "$root/root/hwflow" >"$tmp/log" 2>&1
ok $? "the files under version control are copied" "$tmp/log"
mkdir "$tmp/recording" && make_recording build "$tmp/recording" >"$tmp/log" 2>&1 &&
	cp -r "$tmp"/recording/{perf.data*,server} "$root/root/hwflow" &&
	mkdir -p "$root$tmp/recording" && cp "$tmp/recording/hello" "$root$tmp/recording"
ok $? "a recording is made" "$tmp/log"

# shellcheck disable=SC2016 # for the shell of the new system
unshare --mount --pid --fork --kill-child bash -c '
	mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
		exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			bash /root/hwflow/tools/setup/tests/readme.sh --here
' "$root" >"$tmp/log" 2>&1 </dev/null
status=$?
sed 's/^/# /' "$tmp/log"
ok $status "all commands of README succeed and print what README shows"
done_testing
