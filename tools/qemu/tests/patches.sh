#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# patches.sh - the series applies to QEMU, or is refused with the name of patch and file; its patches are in the form
# that QEMU's maintainers want, and have QEMU's style, as our files do.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$here/tests/tap.bash"
source=$("$here/../setup/fetch-source" --suite trixie qemu)

# patched [PATCHES]: the series, or that of PATCHES, is applied
patched() {
	HWFLOW_QEMU_PATCHES=${1:-$here/patches} "$here/build" --patched "$tmp/tree" >"$tmp/log" 2>&1
}

patched
ok $? "the series applies without fuzz" "$tmp/log"
grep -q virt_trace_connect "$tmp/tree/hw/arm/virt.c" && [ ! -e "$tmp/tree/VERSION" ]
ok $? "the tree has the files that the series changes, changed, and no others"

mkdir "$tmp/damaged"
cp "$here/patches"/*.patch "$tmp/damaged"
last=$(cd "$tmp/damaged" && echo *-acpi-*.patch)
# a line of context that QEMU does not have
sed -i '0,/^ .*aml/s/^ \(.*aml\)/ x\1/' "$tmp/damaged/$last"
patched "$tmp/damaged"
[ $? -ne 0 ] && grep -qF "$last does not fit QEMU" "$tmp/log" && grep -q 'virt-acpi-build.c' "$tmp/log"
ok $? "a patch that does not fit is refused, with its name and that of the file" "$tmp/log"

# QEMU's checker. It takes lists made by macros for expressions, and asks to explain GPL-2.0-only, which all of
# the model has because it uses what Linux and the library say.
checked() { # DIR OPTIONS FILE...
	(cd "$1" && perl "$source/scripts/checkpatch.pl" --terse "${@:2}") |
		grep -vE '^total:|Macros with complex values|Saw acceptable license'
}
checked "$source" "$here/patches"/*.patch >"$tmp/style"
[ ! -s "$tmp/style" ]
ok $? "QEMU's checkpatch finds nothing in the patches" "$tmp/style"
(cd "$here/src" && find * -name '*.[ch]' -o -name '*.inc' -o -name '*.py') | while read -r file; do
	checked "$here/src" --no-tree -f "$file"
done >"$tmp/style"
[ ! -s "$tmp/style" ]
ok $? "nor in our files" "$tmp/style"
sed '0,/^+[^+]/s/^+\([^+].*\)$/+\1 	/' "$here/patches/$last" >"$tmp/damaged/style.patch"
[ -n "$(checked "$source" "$tmp/damaged/style.patch")" ]
ok $? "it does find white space at the end of a line"

# formed PATCH: subject with the part of QEMU, a message, a sign-off, the files that it changes
formed() {
	sed '/^---$/q' "$1" >"$tmp/head"
	grep -qE '^Subject: \[PATCH\] [a-z0-9/-]+: [A-Z]' "$tmp/head" && grep -q '^Signed-off-by: .*<.*@.*>$' "$tmp/head" &&
		[ "$(sed -n '/^$/,/^Signed-off-by/p' "$tmp/head" | wc -l)" -gt 4 ] &&
		grep -qE '^ [0-9]+ files? changed' "$1"
}
bad=
for patch in "$here/patches"/*.patch; do
	formed "$patch" || bad+=" $(basename "$patch")"
done
[ -z "$bad" ]
ok $? "each patch has a subject, a message, a sign-off and a diffstat"
[ -z "$bad" ] || echo "#$bad"
done_testing
