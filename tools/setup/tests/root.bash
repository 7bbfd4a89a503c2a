# SPDX-License-Identifier: GPL-2.0-only
#
# A Debian system of any release in a directory, in which commands run as root. Sourced by test scripts, which set top
# and me. The archives are those of this machine.
. "$top/tools/setup/apt-private.bash"

# root_possible: can this user make such a system?
root_possible() {
	[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null
}

# root_make SUITE DIR: makes DIR a system that has the required packages, make, and apt with the archives of SUITE
root_make() {
	local suite=$1 dir=$2 work archive

	work=$(mktemp -d)
	apt_prepare "$work" "$(dpkg --print-architecture)" deb "$suite"
	apt_quiet "$work" apt-get update || return
	# shellcheck disable=SC2016 # words of apt
	archive=$(apt_run "$work" apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' | awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }')
	if [ -z "$archive" ]; then
		echo "the machine's archives do not have $suite" >&2
		return 1
	fi
	mkdir -p "$dir"
	debootstrap --variant=minbase --include=make "$suite" "$dir" "$archive" || return
	rm -f "$dir/etc/apt/sources.list"
	cp "$work"/sources/* "$dir/etc/apt/sources.list.d/"
	apt-config dump | grep '^Acquire::' >"$dir/etc/apt/apt.conf.d/99acquire"
	rm -rf "$work"
}

# root_copy DIR: makes /root/hwflow of the system in DIR a copy of the files that are under version control here
root_copy() {
	rm -rf --one-file-system "$1/root/hwflow"
	mkdir "$1/root/hwflow" || return
	(cd "$top" && git -c safe.directory="$top" ls-files -z |
		xargs -0 cp --parents --no-dereference -t "$1/root/hwflow")
}

# root_run DIR COMMAND...: runs the command in /root/hwflow of the system in DIR. The mounts that it needs, and all that
# it starts, end with it.
root_run() {
	cp /etc/resolv.conf "$1/etc/resolv.conf" || return
	# shellcheck disable=SC2016 # for the shell of the system
	unshare --mount --pid --fork --kill-child bash -c '
		mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
			exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
				bash -c "cd /root/hwflow && exec \"\$@\"" - "$@"
	' "$@" </dev/null
}
