#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debian.sh BUILD - hwflow on the Debian release that this machine does not run, 12 or 13: build, unit tests, plugin,
# emulate, examples, installation.
#
# `make test` runs these tests in a system that has nothing but its required packages and make, and installs the
# packages of the tests there. The system stays in the cache, and is made again when a package is taken from the lists,
# since it would still have that. The unit tests are built without sanitizers, which the tests of this machine's release
# have. The line in BUILD/tests/releases, which run-tests prints, names what ran on which release.
set -u
build=$1
top=$(cd "$(dirname "$0")/../../.." && pwd)
me=debian.sh
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/setup/tests/root.bash"
tests='test_* emulate-programs emulate-riscv64 corpus examples install'
case $(. /etc/os-release && echo "$VERSION_CODENAME") in
trixie) suite=bookworm release="Debian 12" ;;
*) suite=trixie release="Debian 13" ;;
esac
mkdir -p "$build/tests"

# ran WHAT: on the other release
ran() {
	(. /etc/os-release && echo "${NAME%% *} $VERSION_ID: ${T:-everything}; $release: $1") >"$build/tests/releases"
}

root_possible || {
	ran nothing
	echo "ok 1 - $release # SKIP root and the package debootstrap are required"
	exit 0
}
roots=$hwflow_cache/roots
lists=("$top"/tools/setup/{install-packages,tests/root.bash})
root=$roots/$suite-$(cat "${lists[@]}" | sha256sum | cut -c 1-16)
log=$build/tests/$suite.log
mkdir -p "$roots"
exec 9>"$roots/lock"
flock 9

words() { # FILE...: each word once
	cat "$@" | tr -s '[:space:]' '\n' | sort -u
}

# a system whose lists have no word that they do not have now
for old in "$roots/$suite"-*; do
	if [ ! -d "$root" ] && [ -f "$old/root/lists" ] &&
		[ -z "$(comm -23 <(words "$old/root/lists") <(words "${lists[@]}"))" ]; then
		mv "$old" "$root"
	fi
done
if [ ! -d "$root" ]; then
	# systems with other package lists, and one that was interrupted
	rm -rf --one-file-system "$roots/$suite"-*
	root_make "$suite" "$root.new" >"$log" 2>&1 && mv "$root.new" "$root"
	ok $? "$release: a system with the required packages and make" "$log"
	[ -d "$root" ] || {
		done_testing
		exit
	}
fi
captures=${HWFLOW_CAPTURES:-$top/../shared/data}
{
	cat "${lists[@]}" >"$root/root/lists" && root_copy "$root" && mkdir -p "$root/root/shared" && rm -rf "$root/root/shared/data" &&
		{ [ ! -d "$captures" ] || cp -r "$captures" "$root/root/shared/data"; }
} >"$log" 2>&1
ok $? "$release: the files under version control and the captures are copied" "$log"
start=$(date +%s)
root_run "$root" env CI="${CI-}" make test T="$tests" WERROR="${WERROR-}" SANITIZE=-O2 >"$log" 2>&1
status=$?
while read -r result name rest; do
	case $result in
	ok) ok 0 "$release: $name $rest" ;;
	FAILED) ok 1 "$release: $name $rest" ;;
	esac
done < <(grep -E '^(ok|FAILED) [^ ]+: [0-9]' "$log")
[ $status -eq 0 ] || tail -n 60 "$log" | sed 's/^/# /'
ok $status "$release: make test T='$tests': $(tail -n 1 "$log") in $(($(date +%s) - start)) s"
ran "build, unit tests, plugin, emulate, examples, installation"
done_testing
