# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# make_lua DIR - Debian's lua 5.4 for arm64 with debug information, as DIR/lua, built by clang. For scripts that set $setup.

make_lua() {
	local source
	local -a files

	source=$("$setup/fetch-source" lua5.4)
	# Debian makes this header when it builds the package
	echo '#define DEB_HOST_MULTIARCH "aarch64-linux-gnu"' >"$1/lua5.4-deb-multiarch.h"
	mapfile -t files < <(find "$source/src" -name '*.c' ! -name luac.c)
	clang-22 --target=aarch64-linux-gnu -fuse-ld=lld -static -std=gnu99 -O2 -g -fdebug-info-for-profiling -Wl,-q \
		-DLUA_COMPAT_5_3 -I"$1" -o "$1/lua" "${files[@]}" -lm 2>"$1/said" || {
		cat "$1/said" >&2
		return 1
	}
}
