#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# upstream.sh DIR [SERIES] - the patches of Documentation/upstream apply in order, with git am, to Debian's Linux source
# of SERIES, 7.3 if not given. After each patch coresight is compiled with W=1, with and without KUnit, and the compiler
# prints nothing; after the last one the modules are linked. checkpatch.pl --strict finds nothing in a patch. The cover
# letter names each patch.
#
# No test of CI runs it: the patches are for one kernel, and the suite that has its source moves.
set -u
[ $# -ge 1 ] || {
	echo "usage: upstream.sh DIR [SERIES]" >&2
	exit 2
}
top=$(cd "$(dirname "$0")/../../.." && pwd)
setup=$top/tools/setup
series=${2:-7.3}
rm -rf "$1"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
. "$setup/tests/tap.bash"
# git looks for no repository above the directory, and at no configuration of the user
export GIT_CEILING_DIRECTORIES=$dir GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
unset MAKEFLAGS MAKELEVEL MFLAGS

patches=("$top"/Documentation/upstream/*.patch)
cover=${patches[0]}
patches=("${patches[@]:1}")
kdir=$("$setup/fetch-headers" "$series") || exit 1
source=$("$setup/fetch-kernel-source" --series "$series" drivers/hwtracing/coresight/ include/linux/coresight.h \
	scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch) || exit 1
mkdir -p "$dir/tree/drivers/hwtracing" "$dir/tree/include/linux"
cp -r "$source/drivers/hwtracing/coresight" "$dir/tree/drivers/hwtracing"
cp "$source/include/linux/coresight.h" "$dir/tree/include/linux"
at=$dir/build/drivers/hwtracing/coresight
prefix=
[ "$(uname -m)" = aarch64 ] || prefix=aarch64-linux-gnu-

# compile TARGET...: in the kernel's build system, which finds the header of the tree before its own
compile() {
	nice -n 5 make --no-print-directory -s -C "$kdir" M="$at" ARCH=arm64 CROSS_COMPILE=$prefix W=1 \
		NOSTDINC_FLAGS="-nostdinc -I$dir/build/include" "$@" >>"$dir/log" 2>&1
}
# copied: files that a patch has changed, for the compiler. Kbuild writes a Makefile of its own into the directory.
copied() {
	mkdir -p "$dir/build"
	cp -ru "$dir/tree/drivers" "$dir/tree/include" "$dir/build"
	rm "$at/Makefile"
	cmp -s "$dir/tree/drivers/hwtracing/coresight/Makefile" "$at/Kbuild" ||
		cp "$dir/tree/drivers/hwtracing/coresight/Makefile" "$at/Kbuild"
}
# compiled: what the patches change, and the tests. Debian's kernels have no KUnit: the option is given to the compiler.
compiled() {
	: >"$dir/log"
	copied
	compile coresight-core.o coresight-etm-perf.o coresight-etm4x-core.o coresight-trbe.o || return 1
	if [ -e "$at/coresight-trbe-kunit-tests.c" ]; then
		cp "$at/coresight-trbe.o" "$dir/coresight-trbe.o"
		rm "$at/coresight-trbe.o"
		compile CONFIG_CORESIGHT_TRBE_KUNIT_TESTS=m KCFLAGS=-DCONFIG_KUNIT=1 coresight-trbe.o \
			coresight-trbe-kunit-tests.o || return 1
		mv "$dir/coresight-trbe.o" "$at/coresight-trbe.o"
	fi
	! grep -qE 'warning:|error:' "$dir/log"
}
# The new files belong to an entry of MAINTAINERS that covers the directory, and there is no history of commits.
checked() { # PATCH
	(cd "$dir" && "$source/scripts/checkpatch.pl" --no-tree --terse --strict --show-types \
		--ignore FILE_PATH_CHANGES,UNKNOWN_COMMIT_ID "$1") >"$dir/log" 2>&1
}

git init -q "$dir/tree"
cd "$dir/tree" || exit 1
git add -f . && git -c user.name=test -c user.email=test@example.org commit -q -m "Linux $series"
for patch in "${patches[@]}"; do
	name=$(basename "$patch" .patch)
	git am -q "$patch" >"$dir/log" 2>&1
	ok $? "$name applies" "$dir/log"
	compiled
	ok $? "coresight builds with W=1 and no warning" "$dir/log"
	checked "$patch"
	ok $? "checkpatch.pl --strict finds nothing in it" "$dir/log"
	grep -qxF "  $(git log -1 --format=%s)" "$cover"
	ok $? "the cover letter names it"
done
: >"$dir/log"
compile coresight.ko coresight-etm4x.ko coresight-trbe.ko
ok $? "the modules are linked" "$dir/log"
done_testing
