#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# api.sh - the functions that the plugins declare are those of the header in the source of QEMU. Speaks TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../setup/tests/tap.bash"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

source=$("$here/../../setup/fetch-source" --suite trixie qemu)
printf '#include <qemu-plugin.h>\n#include "qemu_api.h"\n#include "tests/stack/stack_api.h"\n' >"$tmp/api.c"

# compile HEADER: qemu_api.h and stack_api.h after this qemu-plugin.h
compile() {
	# shellcheck disable=SC2046 # words
	gcc -fsyntax-only -Wall -Wextra -Werror -Wno-strict-prototypes -I"$(dirname "$1")" -I"$here/.." \
		$(pkg-config --cflags glib-2.0) "$tmp/api.c"
}

compile "$source/include/qemu/qemu-plugin.h" >"$tmp/log" 2>&1
ok $? "the declarations are those of QEMU $(cat "$source/.complete")" "$tmp/log"
mkdir "$tmp/changed"
sed 's/^uint64_t qemu_plugin_tb_vaddr/uint32_t qemu_plugin_tb_vaddr/' "$source/include/qemu/qemu-plugin.h" \
	>"$tmp/changed/qemu-plugin.h"
! compile "$tmp/changed/qemu-plugin.h" >"$tmp/log" 2>&1 && grep -q "conflicting types for .qemu_plugin_tb_vaddr" "$tmp/log"
ok $? "another declaration is found" "$tmp/log"
sed 's/^int qemu_plugin_read_register/long qemu_plugin_read_register/' "$source/include/qemu/qemu-plugin.h" \
	>"$tmp/changed/qemu-plugin.h"
! compile "$tmp/changed/qemu-plugin.h" >"$tmp/log" 2>&1 && grep -q "conflicting types for .qemu_plugin_read_register" "$tmp/log"
ok $? "another declaration is found for the plugin for call stacks" "$tmp/log"
done_testing
