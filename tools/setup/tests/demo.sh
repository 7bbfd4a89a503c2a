#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh QEMU HWFLOW MODULE DIR - both demos come to their end, and fail where a recording is not equal
# to what was executed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
module=$(realpath "$3")
rm -rf "$4"
mkdir -p "$4"
dir=$(realpath "$4")
. "$here/tap.bash"
. "$here/wait.bash"

"$here/../demo.sh" "$qemu" "$hwflow" "$module" "$dir" >"$dir/machine" 2>&1 </dev/null
must_end $? "the machine's demo comes to its end" "$dir/machine"
grep -q 'every one equal to the ground truth$' "$dir/machine"
ok $? "what it recorded is equal to the ground truth"

"$here/../demo-user.sh" "$hwflow" "$dir" >"$dir/user" 2>&1 </dev/null
ok $? "the demo without a machine comes to its end" "$dir/user"
grep -q 'every one equal to the ground truth$' "$dir/user"
ok $? "what it traced is equal to the ground truth"

# held against the log of another program
cat >"$dir/broken" <<END
#!/bin/bash
if [ "\$1" = verify ]; then
	cp "$dir/demo-user/static.data.truth" "\$2.truth" 2>/dev/null
fi
exec "$hwflow" "\$@"
END
chmod +x "$dir/broken"
"$here/../demo-user.sh" "$dir/broken" "$dir" >"$dir/differs" 2>&1 </dev/null
[ $? -ne 0 ] && ! grep -q '^[0-9]* instructions executed, traced' "$dir/differs"
ok $? "a demo whose trace is not what was executed fails" "$dir/differs"
done_testing
