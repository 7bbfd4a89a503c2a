#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh HWFLOW DIR [REGEXP] - do the tests of registers and of the log, or Linux with stock perf, notice a fault in
# the model?
# mutants.sh --check - does each line of mutants.table name one line of the model?
#
# Each line of mutants.table is a fault, and so is each row of the register table, in several ways:
# those are built into one copy of the model, and switched on by an environment variable; the
# others are built one after the other. A fault that no test notices is a failure here. With REGEXP,
# only those whose name matches. A fault that was noticed is not tried again, see kept.bash.
set -u
here=$(cd "$(dirname "$0")" && pwd)
check=
if [ "${1-}" = --check ]; then
	check=check
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
else
	hwflow=$(realpath "$1")
	dir=$(realpath -m "$2")
fi
only=${3-}
. "$here/../../setup/tests/kept.bash"
open_kept "$dir"
copy=$dir/mutants
rm -rf "$copy"
mkdir -p "$copy/tools"
cp -r "$here/.." "$copy/tools/qemu"
ln -s "$here/../../setup" "$copy/tools/setup"
ln -s "$here/../../lib" "$copy/tools/lib"
ln -s "$here/../../../selftests" "$copy/selftests"
# a tree of its own, and that of no other checkout: whoever shares one compiles everything anew
export HWFLOW_QEMU_TREE=${HWFLOW_QEMU_TREE:-$dir/mutants-tree}
src=$copy/tools/qemu/src/target/arm
cp -r "$src" "$copy/whole"
# what the tests are now, whoever works on them meanwhile
now=$copy/tools/qemu/tests
faults=$copy/faults
: >"$faults"

number=0
misnamed=0
while IFS=$'\t' read -r file good bad; do
	case $file in
	"#"* | "") continue ;;
	esac
	number=$((number + 1))
	awk -v good="$good" -v bad="$bad" -v number="$number" '
		function swap(line,	at) {
			at = index(line, good)
			return substr(line, 1, at - 1) bad substr(line, at + length(good))
		}
		{ text[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++) {
				if (index(text[i], good)) {
					found++
					at = i
				}
			}
			if (found != 1) {
				print "mutants.table: " good ": " found + 0 " lines" >"/dev/stderr"
				exit 1
			}
			text[at] = swap(text[at])
			for (i = 1; i <= NR; i++)
				print text[i]
		}' "$src/$file" >"$copy/new" || misnamed=$((misnamed + 1))
	mkdir -p "$(dirname "$copy/single/$number/$file")"
	cp "$copy/new" "$copy/single/$number/$file"
	printf '%s\t%s\t%s: %s -> %s\n' "$number" "$file" "$file" "$good" "$bad" >>"$faults"
done <"$here/mutants.table"
[ $misnamed -eq 0 ] || exit 1
if [ "$check" ]; then
	echo "mutants.table: $number faults, each in one line"
	exit 0
fi

# The rows: what is present, what can be written, what is always one, where it is
sed -i -e 's/^        return PRESENT;/        return (PRESENT) ^ ete_mutant("present", #NAME);/' \
	-e 's/^        return WRITABLE;/        return (WRITABLE) ^ ete_mutant("writable", #NAME) << 3;/' \
	-e 's/^        return ONES;/        return (ONES) ^ ete_mutant("ones", #NAME) << 2;/' \
	-e 's/^        return VALUE;/        return (VALUE) ^ ete_mutant("value", #NAME) << 2;/' \
	-e 's/(r->offset + i \* r->step)/(r->offset + i * r->step + 0x80 * ete_mutant("offset", r->name))/' \
	"$src/ete.c"
sed -i '/^typedef enum ETERegKind/i\
static uint64_t ete_mutant(const char *kind, const char *name)\
{\
    const char *e = getenv("ETE_MUTANT");\
    g_autofree char *me = g_strconcat(kind, ":", name, NULL);\
\
    return e && !strcmp(e, me);\
}\
' "$src/ete.c"

n=0
missed=0
# tests: do all pass? The first one that does not is enough, and is in the log.
tests() {
	{
		"$now/registers.sh" "$copy/qemu" "$copy/run" &&
			"$now/log-witness.sh" "$copy/qemu" "$hwflow" "$copy/run" &&
			"$now/perf-user.sh" "$copy/qemu" "$hwflow" "$copy/run" &&
			echo "all pass"
	} 2>&1 | grep -m 1 -e '^not ok' -e '^all pass' >"$copy/log"
	if [ ! -s "$copy/log" ]; then
		echo "not ok $n - tests neither pass nor fail"
		exit 1
	fi
	grep -q '^all pass' "$copy/log"
}
# was_noticed NAME: by a run before
was_noticed() {
	[ -e "$(kept_file "$1")" ] || return
	n=$((n + 1))
	echo "ok $n - $1 # kept: $(cat "$(kept_file "$1")")"
}
# noticed NAME: do the tests, run with the fault, fail?
noticed() {
	[[ $1 =~ $only ]] || return
	! was_noticed "$1" || return
	n=$((n + 1))
	if tests; then
		missed=$((missed + 1))
		echo "not ok $n - $1"
	else
		echo "ok $n - $1 # $(cat "$copy/log")"
		keep "$1" <"$copy/log"
	fi
}

"$copy/tools/qemu/build" "$copy/qemu" || exit 1
if ! tests; then
	echo "not ok 1 - without a fault, all tests pass # $(cat "$copy/log")"
	exit 1
fi
for kind in present writable ones; do
	for name in $(sed -n 's/^ETE_RW(\([A-Z0-9]*\),.*/\1/p' "$src/ete-regs.h.inc"); do
		ETE_MUTANT=$kind:$name noticed "$kind:$name"
	done
done
for name in $(sed -n 's/^ETE_RO(\([A-Z0-9]*\),.*/\1/p' "$src/ete-regs.h.inc"); do
	ETE_MUTANT=value:$name noticed "value:$name"
done
for name in $(sed -n 's/^ETE_[A-Z]*(\(TRC[A-Z0-9]*\),.*/\1/p' "$src/ete-regs.h.inc"); do
	ETE_MUTANT=offset:$name noticed "offset:$name"
done
while IFS=$'\t' read -r number file what; do
	[[ $what =~ $only ]] || continue
	! was_noticed "$what" || continue
	rm -rf "$src"
	cp -r "$copy/whole" "$src"
	cp "$copy/single/$number/$file" "$src/$file"
	"$copy/tools/qemu/build" "$copy/qemu" 2>"$copy/build.log" || {
		cat "$copy/build.log"
		exit 1
	}
	noticed "$what"
done <"$faults"
echo "1..$n"
[ "$missed" -eq 0 ]
