#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# insert.sh - insert-lines puts lines where they are meant to be, or refuses; our files have
# QEMU's style; none of ours quotes QEMU's.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$here/tests/tap.bash"

mkdir -p "$tmp/source/dir"
cat >"$tmp/source/dir/file.c" <<'END'
static int one(void);

static int one(void)
{
    return same;
}

int two(void)
{
    return same;
}
END

insert() { # table on standard input
	rm -rf "$tmp/out"
	cat >"$tmp/table"
	awk -f "$here/insert-lines" -v "source=$tmp/source" -v "out=$tmp/out" "$tmp/table" \
		>"$tmp/log" 2>&1
}

insert <<'END'
# a comment
file dir/file.c
in one(void)
before same
|    first();
in two(void)
after same
|    second();
|
END
ok $? "a table is taken"
diff - "$tmp/out/dir/file.c" >"$tmp/log" <<'END'
static int one(void);

static int one(void)
{
    first();
    return same;
}

int two(void)
{
    return same;
    second();

}
END
ok $? "lines stand before or after the line named, in the definition named"

# refused NAME MESSAGE: the table on standard input, with this message and nothing written
refused() {
	insert
	[ $? -ne 0 ] && grep -qF "$2" "$tmp/log" && [ ! -e "$tmp/out" ]
	ok $? "$1"
	sed 's/^/# /' "$tmp/log"
}

refused "an anchor that is not there" 'table:2: dir/file.c: /nowhere/ matches 0 lines, not 1' <<'END'
file dir/file.c
after nowhere
|x
END
refused "an anchor that is there twice" 'table:2: dir/file.c: /same/ matches 2 lines, not 1' <<'END'
file dir/file.c
after same
|x
END
refused "a definition that is not there" "table:2: dir/file.c: 'three' begins 0 definitions" <<'END'
file dir/file.c
in three
after same
|x
END
refused "a file that is not there" 'table:1: dir/none.c: no such file' <<'END'
file dir/none.c
after x
|x
END
refused "lines that go nowhere" 'table:2: a line that goes nowhere' <<'END'
file dir/file.c
|x
END
refused "what is not understood" 'table:2: not understood: afterwards same' <<'END'
file dir/file.c
afterwards same
END

# QEMU's own checker; it takes lists made by macros for expressions
source=$("$here/../setup/fetch-source" qemu)
find "$here/src" -name '*.[ch]' -o -name '*.inc' | while read -r file; do
	(cd "$source" && perl scripts/checkpatch.pl --no-tree --terse -f "$file")
done | grep -vE '^total:|Macros with complex values' >"$tmp/style"
[ ! -s "$tmp/style" ]
ok $? "QEMU's checkpatch finds nothing"
sed 's/^/# /' "$tmp/style"

# An inserted line that QEMU has in the same file would be a context line.
while read -r word path; do
	case $word in
	file) file=$source/$path ;;
	"|"*)
		line=$(printf '%s %s' "${word#|}" "$path" | sed 's/^ *//; s/ *$//')
		[ ${#line} -gt 12 ] && grep -qF -- "$line" "$file" && echo "$file: $line"
		;;
	esac
done <"$here/insert.table" >"$tmp/context"
[ ! -s "$tmp/context" ]
ok $? "no line that is inserted is one of QEMU's"
sed 's/^/# /' "$tmp/context"
echo "1..$n"
[ "$failed" -eq 0 ]
