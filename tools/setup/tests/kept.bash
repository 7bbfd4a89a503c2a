# SPDX-License-Identifier: GPL-2.0-only
#
# Results that passed are kept, so that a long run that was stopped can be continued. To be sourced.
#
# They are kept by the contents of the tree, except its documentation: a commit, or a file that is changed, begins anew. FRESH=1
# removes what is kept for this tree.

# open_kept DIR: sets kept to the directory, below DIR, of what passed with this tree
open_kept() {
	local top key

	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
	key=$(cd "$top" && find Kbuild Makefile drivers include selftests tools -type f -print0 | LC_ALL=C sort -z |
		xargs -0 sha256sum | sha256sum | cut -c 1-16)
	kept=$1/kept/$key
	[ -z "${FRESH-}" ] || rm -rf "$kept"
	mkdir -p "$kept"
}

# kept_file NAME: prints the file in which the result of NAME is kept; it is there if NAME has passed
kept_file() {
	echo "$kept/$(sha256sum <<<"$1" | cut -c 1-32)"
}

# keep NAME: standard input is the result of NAME
keep() {
	local file

	file=$(kept_file "$1")
	cat >"$file.new"
	mv "$file.new" "$file"
}

# print_kept NAME: prints what is kept of NAME, marked, and with tap.bash its tests are numbered and counted; false
# if nothing is kept
print_kept() {
	local line file

	file=$(kept_file "$1")
	[ -e "$file" ] || return
	while IFS= read -r line; do
		case $line in
		"ok "*) ok 0 "${line#ok * - } # kept" ;;
		*) echo "$line # kept" ;;
		esac
	done <"$file"
}
