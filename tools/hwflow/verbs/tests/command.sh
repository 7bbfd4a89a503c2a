#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# command.sh BUILD - the command lines of the verbs that decode, and what they say of files that
# they cannot decode. Speaks TAP.
set -u

build=$(realpath "$1")
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
self=$(realpath "$0")
. "$(dirname "$self")/../../../setup/tests/tap.bash"
. "$(dirname "$self")/../../../setup/tests/program.bash"

# says STATUS TEXT COMMAND...: ends with this status, and a message that has TEXT
says() {
	local want=$1 text=$2 status

	shift 2
	"$hwflow" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[ $status = "$want" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]
	ok $? "$*" "$work/err"
}

# perf.data of the current directory is what verbs read that are given no file
cd "$work" || exit 1

helps() { # VERB
	"$hwflow" "$1" --cpu=1 --help --bad >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
		grep -q "^usage: hwflow $1 " "$work/out" && grep -q "^  --symfs=DIR" "$work/out" &&
		grep -q "^Exit status: 0 success; 1 wrong command line; 2 " "$work/out" &&
		grep -q "^3 gaps or errors" "$work/out"
	ok $? "$1 --help" "$work/err"
	"$hwflow" help "$1" 2>"$work/err" | cmp - "$work/out" 2>>"$work/err"
	ok $? "help $1" "$work/err"
}

mkfifo "$work/pipe"
mkdir "$work/directory"
: >"$work/empty"
{ printf PERFILE2 && head -c 200 /dev/zero; } >"$work/perfdata"
# the magic of truth_format.h, as it is in a file
{ printf HWFTRUTH && head -c 200 /dev/zero; } >"$work/truth"
for verb in dump flow script report timeline html annotate verify; do
	what=SRC
	[ $verb != verify ] || what=FILE
	helps $verb
	says 2 "hwflow $verb: no $what was named, and perf.data: No such file or directory; name" $verb
	! grep "hwflow hwflow" "$work/err"
	ok $? "$verb: its name once" "$work/err"
	says 1 "hwflow $verb: one $what at a time, and 'two' is a second; try --help" $verb one two
	says 1 "hwflow $verb: unrecognized option '--bad'" $verb --bad one
	says 1 "requires an argument" $verb --cpu
	says 1 "--tid=-1: not a number" $verb --tid=-1 one
	says 1 "--framing=x: unknown" $verb --framing=x one
	says 1 "--protocol=x: unknown protocol; use ete, etmv4, etmv3 or riscv" $verb --protocol=x one
	says 2 "$work/none: No such file" $verb --cpu=1 "$work/none"
	says 2 "pipe: neither a file nor a directory" $verb "$work/pipe"
	says 2 "empty: offset 0: the file is empty" $verb "$work/empty"
	says 2 "snapshot.ini: No such file" $verb "$work/directory"
	says 1 "directory: this is a directory; --protocol requires" $verb --protocol=ete "$work/directory"
	says 1 "perfdata: offset 0: this is a perf.data file" $verb --protocol=ete "$work/perfdata"
	says 1 "--config: only with --protocol" $verb --config=TRCIDR0=1 "$work/perfdata"
	says 1 "--framing: only with --protocol" $verb --framing=coresight "$work/perfdata"
	says 1 "--framing=siemens: only with --protocol=riscv" $verb --framing=siemens one
	says 1 "--dialect=2.0: only with --protocol=riscv" $verb --dialect=2.0 --protocol=ete one
	says 2 "--symfs=$work/none: No such file" $verb --symfs="$work/none" "$work/perfdata"
	says 2 "--symfs=$work/empty: Not a directory" $verb --symfs="$work/empty" "$work/perfdata"
	says 2 "this is a ground-truth log" $verb "$work/truth"
done
helps diff
says 1 "hwflow dump: --format=pc: unknown format; use human or ref" dump --format=pc one
says 1 "hwflow flow: --format=x: unknown format; use human, ref or pc" flow --format=x one
says 1 "hwflow report: --by=x: unknown" report --by=x one
says 1 "hwflow report: --sort=x: unknown" report --sort=x one
says 1 "hwflow report: --limit=-1: not a number" report --limit=-1 one

# what is wrong in --config, by the protocol that was named
while read -r protocol name config; do
	says 1 "--config: ${config%%=*}: not a register or parameter of $name trace" \
		dump --protocol="$protocol" --config="$config" "$self"
done <<-'TABLE'
	ete    ETE     ETMCR=1
	etmv4  ETMv4   ETMCR=1
	etmv3  ETMv3   TRCIDR0=1
	riscv  RISC-V  TRCIDR0=1
TABLE
says 1 "--config: TRCIDR0=0x100000000: the value is out of range for ETE trace: 0 to 0xffffffff" \
	dump --protocol=ete --config=TRCIDR0=0x100000000 "$self"
says 1 "--config: ETMCR=0x100000000: the value is out of range for ETMv3 trace: 0 to 0xffffffff" \
	dump --protocol=etmv3 --config=ETMCR=0x100000000 "$self"
says 1 "--config: full_address=2: the value is out of range for RISC-V trace: 0 to 0x1" \
	dump --protocol=riscv --config=full_address=2 "$self"
# with the names that are valid, and those that are required and missing
while read -r protocol name config; do
	says 1 "--config: the names for $name trace are $config" dump --protocol="$protocol" --config=NONE=1 "$self"
done <<-'TABLE'
	ete    ETE     TRCCONFIGR, TRCTRACEIDR, TRCIDR0, TRCIDR1, TRCIDR2, TRCIDR8, TRCDEVARCH, TRCAUTHSTATUS
	etmv4  ETMv4   TRCCONFIGR, TRCTRACEIDR, TRCIDR0, TRCIDR1, TRCIDR2, TRCIDR8, TRCDEVARCH, TRCAUTHSTATUS
	etmv3  ETMv3   ETMCR, ETMIDR, ETMCCER, ETMTRACEIDR, ARMV7M
	riscv  RISC-V  iaddress_width_p, iaddress_lsb_p, context_width_p,
TABLE
says 1 "--config: required for ETMv3 trace, and not given: ETMIDR" dump --protocol=etmv3 --config=NONE=1 "$self"
says 1 "--config: required for ETMv3 trace, and not given: ETMIDR" dump --protocol=etmv3 --config=ETMCR=0 "$self"
says 1 "--config: required for ETMv3 trace, and not given: ETMIDR" dump --protocol=etmv3 "$self"
says 1 "--config: required for ETMv3 trace, and not given: ETMIDR" \
	encode --protocol=etmv3 --config=etmcr=0 -o "$work/x" "$self"
says 1 "--config: two: not a register or parameter" dump --protocol=ete --config=one=1,two=2 "$self"
says 1 "--config: etmcr=0x100000000: the value is out of range for ETMv3 trace" \
	dump --protocol=etmv3 --config=etmcr=0x100000000 "$self"
# a name is the same register in upper and lower case; the traces have a packet whose length a register gives
{ printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04\x81\xc0' && printf '\1\2\3\4\5\6\7\x08'; } >"$work/ete"
cp "$work/ete" "$work/etmv4"
printf '\0\0\0\0\0\x80\x08\1\2\3\4\5\6\7\x08\0\0\0\0\0\0\0' >"$work/etmv3"
cp "$self" "$work/riscv"
while read -r protocol other config; do
	lower=$(tr A-Za-z a-zA-Z <<<"${config//0x/0X}")
	"$hwflow" dump --protocol="$protocol" --config="$config" "$work/$protocol" >"$work/upper" 2>&1
	"$hwflow" dump --protocol="$protocol" --config="$lower" "$work/$protocol" >"$work/lower" 2>&1
	"$hwflow" dump --protocol="$protocol" --config="$other" "$work/$protocol" >"$work/other" 2>&1
	cmp "$work/upper" "$work/lower" >"$work/err" 2>&1 && ! cmp -s "$work/upper" "$work/other"
	ok $? "$protocol: names in upper and lower case" "$work/err"
done <<-'TABLE'
	ete    TRCIDR2=0           TRCIDR2=0x40001088
	etmv4  TRCIDR2=0           TRCIDR2=0x40001088
	etmv3  ETMIDR=0x4114f250   ETMIDR=0x4114f250,ETMCR=0xc000
	riscv  iaddress_width_p=8  iaddress_width_p=32,context_width_p=4
TABLE
for config in TRCIDR0 TRCIDR0= TRCIDR0=x TRCIDR0=1x TRCIDR0=-1 TRCIDR0=0x10000000000000000; do
	says 1 "--config: $config: NAME=VALUE expected, with a VALUE from 0 to 0xffffffff" dump --protocol=ete --config=$config "$self"
done

# values that no trace unit has, and those of another dialect or framing
while read -r protocol config fault; do
	# shellcheck disable=SC2086 # words
	says 1 "--config: $fault" dump --protocol=$protocol --config=$config "$self"
done <<-'TABLE'
	ete     TRCDEVARCH=0x47704a13    TRCDEVARCH=0x47704a13: ARCHID, bits 15:0, must be 0x5a13 for ETE
	etmv4   TRCDEVARCH=0x47735a13    TRCDEVARCH=0x47735a13: ARCHID, bits 15:0, must be 0x4a13 for ETMv4
	ete     TRCIDR2=0xc00            TRCIDR2=0xc00: VMIDSIZE, bits 14:10, must be 0, 1, 2 or 4
	etmv4   TRCIDR2=0x20             TRCIDR2=0x20: CIDSIZE, bits 9:5, must be 0 or 4
	etmv3   ETMIDR=0x411cf301        ETMIDR=0x411cf301: the version, bits 11:4, must be 0x20 to 0x25
	riscv   iaddress_width_p=65      iaddress_width_p=65: the value is out of range: 2 to 64
	riscv   iaddress_width_p=2,iaddress_lsb_p=2    iaddress_lsb_p=0x2: it must be less than iaddress_width_p
	riscv   return_stack_size_p=1,call_counter_size_p=1   call_counter_size_p=0x1: it or return_stack_size_p must be 0
	riscv   data_width_p=24          data_width_p=0x18: it must be 0, 8, 16, 32, 64 or 128
	riscv   notval_p=1               notval_p=0x1: not 0 in dialect 0.026 only
	riscv   noaddr=1,nodata=1        nodata=0x1: it or noaddr must be 0
	riscv   branch_prediction=1,jump_target_cache=1    f0s_width_p=0: it must be 1 with branch_prediction=1
	riscv   srcid_width=2            srcid_width=0x2: not 0 with --framing=encap only
TABLE
says 1 "--config: cache_size_p=0x1: not 0 in dialect 1.0 and later only" \
	dump --protocol=riscv --dialect=0.026 --config=cache_size_p=1 "$self"
says 1 "--config: time_width_p=0x8: not 0 in dialect 2.0 only" \
	dump --protocol=riscv --dialect=1.0 --config=time_width_p=8 "$self"
says 1 "--config: time_bytes=0: it must be 2 with --framing=siemens" \
	encode --protocol=riscv --framing=siemens --config=time_bytes=0 -o "$work/x" "$self"

# perf.data it is, but none that is understood: of the other byte order, and of before 2010
head -c 200 /dev/zero >"$work/zeros"
for magic in 2ELIFREP PERFFILE; do
	{ printf %s $magic && cat "$work/zeros"; } >"$work/$magic"
	says 2 "perf.data" flow "$work/$magic"
	! grep "neither a perf.data file nor" "$work/err"
	ok $? "$magic is taken for perf.data" "$work/err"
done
says 2 "neither a perf.data file nor" flow "$work/zeros"
says 1 "unknown verb 'none'" none
says 1 "unknown verb 'none'" help none
says 127 "$work/none: No such file" emulate -o "$work/data" -- "$work/none"

trace="--protocol=ete --config=TRCIDR0=0x084002a1,TRCIDR2=0x40001088,TRCDEVARCH=0x47735a13"
printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04' >"$work/trace"
# shellcheck disable=SC2086 # words
{
	says 2 "none: No such file" flow $trace --image="$work/none" "$work/trace"
	for place in "@zz=an address expected in place of 'zz'" "@0x10zz=an address expected in place of '0x10zz'" \
		"@-1=an address expected in place of '-1'" "@=an address expected at the end" \
		"@99999999999999999999=an address expected in place of '99999999999999999999'" \
		":zz,4=an offset expected in place of 'zz,4'" ":0,zz=a length expected in place of 'zz'" \
		":16=a length expected at the end" "@zz:0,4=an address expected in place of 'zz'"; do
		says 1 "--image=$work/trace${place%%=*}: ${place#*=}, and there is no file $work/trace" \
			flow $trace --image="$work/trace${place%%=*}" "$work/trace"
	done
	for name in trace@zz trace:zz trace@0x10zz:; do
		cp "$work/trace" "$work/$name"
		"$hwflow" flow $trace --image="$work/$name" --image="$work/$name@0x10:0,4" "$work/trace" 2>"$work/err" >"$work/out"
		[ $? -ne 1 ] && [ -s "$work/out" ] && ! grep -q -e "--image" "$work/err"
		ok $? "a file named $name is used" "$work/err"
	done
	says 2 "log: No such file" verify $trace --truth="$work/log" "$work/trace"
	says 2 "trace.truth: No such file or directory; --truth=LOG names" verify $trace "$work/trace"
}
says 2 "$work/directory: Is a directory" encode --protocol=riscv -o "$work/x" "$work/directory"
! grep "line 0" "$work/err"
ok $? "a directory has no lines" "$work/err"

# a recording does not take the place of the program, and there is room for it before that is run
printf '#!/bin/sh\necho run\n' >"$work/qemu"
arm64_program "$work/program"
chmod +x "$work/qemu"
says 1 "-o $work/program: this is the program" emulate --qemu="$work/qemu" \
	-o "$work/program" -- "$work/program"
says 125 "-o $work/directory: Is a directory" emulate --qemu="$work/qemu" \
	-o "$work/directory" -- "$work/program"

"$hwflow" --help >"$work/out"
for word in ETE ETMv4 ETMv3 RISC-V riscv64; do
	grep -q "$word" "$work/out"
	ok $? "--help names $word" "$work/out"
done

# manual pages, on a terminal, with a man that prints its argument
mkdir -p "$work/fake" "$work/no-man" "$work/usr/bin" "$work/usr/share/man/man1"
printf '#!/bin/sh\necho man "$@"\n' >"$work/fake/man"
chmod +x "$work/fake/man"
shows() { # TEXT PATH COMMAND...
	local text=$1 path=$2

	shift 2
	script -qec "PATH=$path $*" /dev/null </dev/null >"$work/out" 2>"$work/err"
	grep -q "$text" "$work/out"
	ok $? "$* on a terminal: $text" "$work/out"
}
shows '^man .*/Documentation/man/hwflow-report\.1' "$work/fake" "$hwflow" help report
shows '^man .*/Documentation/man/hwflow-format\.5' "$work/fake" "$hwflow" help format
shows '^usage: hwflow report' "$work/no-man" "$hwflow" help report
shows '^usage: hwflow report' "$work/fake" "$hwflow" report --help
shows "unknown verb 'none'" "$work/fake" "$hwflow" help none
cp "$hwflow" "$work/usr/bin/hwflow"
: >"$work/usr/share/man/man1/hwflow-report.1"
shows "^man .*share/man/man1/hwflow-report\.1" "$work/fake" "$work/usr/bin/hwflow" help report

# what is printed and does not get out
for command in --help --version "dump $trace $work/trace" "flow $trace $work/trace" \
	"report $trace $work/trace" "script --help"; do
	# shellcheck disable=SC2086 # words
	"$hwflow" $command >/dev/full 2>"$work/err"
	[ $? = 2 ] && grep -q "^hwflow: standard output: No space left" "$work/err"
	ok $? "${command%% *}: no space for what it prints" "$work/err"
done
done_testing
