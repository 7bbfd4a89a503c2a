# SPDX-License-Identifier: GPL-2.0-only
#
# The newest arm64 kernels of Debian's suites that move: unstable, for the series latest and latest-16k, and
# trixie-backports, for a series such as 7.3. Sourced after apt-private.bash.
#
# The suite moves: a version that was fetched today is gone from the archive in some weeks. Therefore kernel,
# headers and source of one version are fetched together, and the file that names the version is written
# only when the cache has all three.

# latest_suite SERIES|VERSION: prints the suite that has kernels of the series, or this version of a package
latest_suite() {
	case $1 in
	7.*~bpo13+* | 7.[0-9] | 7.[0-9][0-9]) echo trixie-backports ;;
	*) echo sid ;;
	esac
}

# latest_release SERIES: prints an expression for the names of the series' kernels. They are neither -rt nor -cloud,
# which stand before the architecture: 7.2.13+deb14-arm64.
latest_release() {
	case $1 in
	latest) echo '[0-9][^-]*-arm64' ;;
	latest-16k) echo '[0-9][^-]*-arm64-16k' ;;
	7.[0-9] | 7.[0-9][0-9]) echo "${1/./\\.}\\.[0-9][^-]*-arm64" ;;
	*) fail "no moving suite has a kernel $1" ;;
	esac
}

# latest_newest SERIES: prints release and package version of the newest kernel that the suite has
latest_newest() {
	local name suite dir release version

	name=$(latest_release "$1")
	suite=$(latest_suite "$1")
	dir=$hwflow_cache/arm64-$suite/apt
	mkdir -p "$dir"
	exec 8>"$hwflow_cache/arm64-$suite/lock"
	flock 8
	apt_prepare "$dir" arm64 deb "$suite"
	apt_quiet "$dir" apt-get update || true
	release=$(apt_run "$dir" apt-cache pkgnames linux-image- |
		sed -nE "s/^linux-image-($name)$/\1/p" | sort -V | tail -n 1)
	[ -n "$release" ] || fail "the suite $suite has no kernel $1"
	version=$(apt_run "$dir" apt-cache show --no-all-versions "linux-image-$release" |
		sed -n 's/^Version: //p' | head -n 1)
	flock -u 8
	echo "$release $version"
}

# latest_fetch PART RELEASE VERSION: prints the directory of the unpacked packages of PART, which is
# kernel, headers or source
latest_fetch() {
	local part=$1 release=$2 version=$3 series
	local -a packages

	series=$(sed -E 's/^([0-9]+\.[0-9]+).*/\1/' <<<"$release")
	case $part in
	kernel) packages=("linux-binary-$release" "linux-modules-$release") ;;
	headers) packages=("linux-headers-$release") ;;
	source) packages=("linux-source-$series") ;;
	esac
	"$here/fetch-arm64" --suite "$(latest_suite "$version")" --only "${packages[@]/%/=$version}"
}

# latest_version [--refresh] SERIES: prints release and package version, of which the cache then has all parts
latest_version() {
	local refresh='' known found part

	if [ "$1" = --refresh ]; then
		refresh=yes
		shift
	fi
	known=$hwflow_cache/arm64-$(latest_suite "$1")/kernel-$1
	if [ "$refresh" ] || [ ! -f "$known" ]; then
		found=$(latest_newest "$1")
		for part in kernel headers source; do
			latest_fetch $part $found >/dev/null || exit 1
		done
		echo "$found" >"$known.new.$$"
		mv "$known.new.$$" "$known"
	fi
	cat "$known"
}
