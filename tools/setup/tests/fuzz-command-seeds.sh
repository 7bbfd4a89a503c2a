#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz-command-seeds.sh BUILD [MERGE-FROM...] - make the seeds of the fuzz target `command`, merge them and the inputs
# in the folders named into the corpus in the tree.
#
# Recordings of each kind are made by make_command_seeds with the writer of perf.data; others by `hwflow emulate`, with
# their ground-truth logs and a program with debug data, and captures from golden cases. Needs the targets of
# `make fuzz`, compilers for arm64 and RISC-V, qemu-user and perl.
set -eu
build=$(realpath "$1")
shift
top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
cmd=tools/hwflow/tests/fuzz
corpus=$cmd/corpus/command
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/seeds"
make=$build/tests/make_command_seeds
all=$(seq -s, 0 16)

# As bytes: PATH of a file in a recording is /program, and zeros
mend_path() { # FILE PATH
	perl -0777 -pi -e 'BEGIN { $path = shift } s/\Q$path\E/"\/program" . "\0" x (length($path) - 8)/ge' "$2" "$1"
}

# Records of a file as they are in one from a pipe: attributes first, no other sections
make_pipe() { # FROM TO
	perl -e '
		use strict;
		my ($from, $to) = @ARGV;
		local $/;
		open my $in, "<:raw", $from or die;
		my $all = <$in>;
		my ($each, $attrs, $attrs_size, $at, $size) = unpack "x16 Q< Q< Q< Q< Q<", $all;
		open my $out, ">:raw", $to or die;
		print $out pack "a8 Q<", "PERFILE2", 16;
		for (my $i = 0; $i < $attrs_size; $i += $each) {
			my $attr = substr $all, $attrs + $i, $each - 16;
			my ($ids, $ids_size) = unpack "Q< Q<", substr $all, $attrs + $i + $each - 16, 16;
			my $body = $attr . substr $all, $ids, $ids_size;
			print $out pack("L< S< S<", 64, 0, 8 + length $body) . $body;
		}
		print $out substr $all, $at, $size;' "$1" "$2"
}

# NAME COMPILER OPTION...
emulate() {
	local name=$1 compiler=$2 debug=-s

	shift 2
	[ "$name" != plain ] || debug=-gdwarf-4
	"$compiler" -Os "$debug" -fno-asynchronous-unwind-tables -nostdlib -static -Wl,-n,--build-id=sha1 \
		-ffile-prefix-map="$cmd/command=/src" -fdebug-prefix-map="$top=/" -gno-record-gcc-switches \
		-o "$tmp/$name.program" "$cmd/command/program.c"
	"$build/hwflow" emulate --quiet --fixed-addresses "$@" -o "$tmp/$name" -- "$tmp/$name.program"
	mend_path "$tmp/$name" "$tmp/$name.program"
	"$make" "$tmp/seeds" "$name" "$all" "perf.data=$tmp/$name" "truth=$tmp/$name.truth" \
		"root/program=$tmp/$name.program" "root/src/program.c=$cmd/command/program.c" "other=$tmp/$name"
	# every verb reads an archive as it reads a recording
	"$build/hwflow" archive --quiet --truth -o "$tmp/$name.archive" "$tmp/$name" || [ $? -eq 3 ]
	"$make" "$tmp/seeds" "$name-archive" 0,2,5,8,11,13,14,15 "archive=$tmp/$name.archive" \
		"truth=$tmp/$name.truth" "other=$tmp/$name"
	"$make" "$tmp/seeds" "$name-log" 17,18,19,20 "truth=$tmp/$name.truth" "root/program=$tmp/$name.program"
}

emulated() {
	local arm=aarch64-linux-gnu-gcc

	emulate plain $arm --virtual-time
	emulate contexts $arm --virtual-time --context-id --return-stack --cycle-counts
	emulate times $arm --virtual-time --timestamps=20 --sync-period=32
	emulate wrong-paths $arm --virtual-time --speculation=1 --events=30
	emulate newest $arm --virtual-time --revision=3 --q-elements=4 --source-addresses=6
	emulate riscv riscv64-linux-gnu-gcc
	make_pipe "$tmp/contexts" "$tmp/pipe"
	"$make" "$tmp/seeds" pipe "$all" "perf.data=$tmp/pipe" "truth=$tmp/contexts.truth" \
		"root/program=$tmp/contexts.program"
	"$build/hwflow" emulate --show-log="$tmp/plain.truth" >"$tmp/log"
	"$make" "$tmp/seeds" text 17,18 "log=$tmp/log" "root/program=$tmp/plain.program"
	"$build/hwflow" encode --config=iaddress_width_p=64 --protocol=riscv -o "$tmp/te" "$tmp/riscv.truth" ||
		"$build/hwflow" encode --protocol=riscv -o "$tmp/te" "$tmp/riscv.truth"
	"$make" "$tmp/seeds" te 23,24 "trace=$tmp/te" "root/program=$tmp/riscv.program"
	printf '%s\n' VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT 1,1000,13,3,0,0,0,0 \
		1,1004,10000ef,3,0,0,0,0 1,1014,13,3,0,0,0,0 1,1018,8067,3,0,0,0,0 1,1008,13,3,1,7,0,1 >"$tmp/log"
	"$make" "$tmp/seeds" te-text 19 "log=$tmp/log"
	"$build/hwflow" encode -o "$tmp/ete" "$tmp/plain.truth"
	"$make" "$tmp/seeds" ete 21,25 "trace=$tmp/ete" "root/program=$tmp/plain.program"
}

# A capture of an ETE, and one of an ETMv3
capture() { # NAME TYPE REGISTERS
	printf '[snapshot]\nversion=1.0\n[device_list]\ndevice0=core.ini\ndevice1=unit.ini\n[trace]\nmetadata=trace.ini\n' \
		>"$tmp/snapshot.ini"
	printf '[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=trb\nfile=trace.bin\nformat=%s\n[source_buffers]\nunit=trb\n[core_trace_sources]\ncpu_0=unit\n' \
		"$4" >"$tmp/trace.ini"
	printf '[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC=0x400078\n[dump1]\nfile=program\naddress=0x400000\noffset=0\nlength=0x200\n' \
		>"$tmp/core.ini"
	printf '[device]\nname=unit\nclass=trace_source\ntype=%s\n[regs]\n%b' "$2" "$3" >"$tmp/unit.ini"
	"$make" "$tmp/seeds" "capture-$1" 0,1,2,3,5,6,8,12,13,25 "capture/snapshot.ini=$tmp/snapshot.ini" \
		"capture/trace.ini=$tmp/trace.ini" "capture/core.ini=$tmp/core.ini" "capture/unit.ini=$tmp/unit.ini" \
		"capture/trace.bin=$tmp/ete" "capture/program=$tmp/plain.program"
}

captures() {
	capture ete ETE 'TRCCONFIGR=0x1\nTRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100fff3\nTRCIDR2=0x40001088\nTRCDEVARCH=0x47735a13\n' \
		source_data
	capture etmv3 PTM1.1 'ETMCR=0x1000\nETMTRACEIDR=0x10\nETMIDR=0x411cf312\nETMCCER=0x34c01ac2\n' coresight
}

"$make" "$tmp/seeds"
emulated
captures
echo "command: $(find "$tmp/seeds" -type f | wc -l) seeds"
mkdir -p "$corpus" "$tmp/merged"
# The code that each input reaches; to run something another number of times is for those that fuzzing finds
"$build/fuzz/fuzz_command" -set_cover_merge=1 -merge_control_file="$tmp/reached" -use_counters=0 -max_len=32768 \
	-rss_limit_mb=4096 "$tmp/merged" "$corpus" "$tmp/seeds" "$@" >"$tmp/log" 2>&1 || {
	tail -n 30 "$tmp/log" >&2
	exit 1
}

# Of inputs that reach the same code those of fewest bytes: the next one reaches the most new code for its size; at the
# end those go whose code the others reach. "Files N", "0", names; then STARTED index size, FT index features.
choose() { # CONTROL-FILE
	perl -e '
		use strict;
		my $count = <>;
		<>;
		my @names = map { scalar <> } 1 .. $count;
		my (@size, @reached, %left, %times, @chosen);
		while (<>) {
			my ($what, $index, @rest) = split;
			$size[$index] = $rest[0] if $what eq "STARTED";
			$reached[$index] = \@rest if $what eq "FT";
		}
		for my $list (@reached) { $left{$_} = 1 for @$list }
		while (%left) {
			my ($best, $most) = (-1, 0);
			for my $i (0 .. $#reached) {
				my $new = grep { $left{$_} } @{$reached[$i]};
				$reached[$i] = [] if !$new;
				($best, $most) = ($i, $new / $size[$i]) if $new / ($size[$i] || 1) > $most;
			}
			push @chosen, [$best, [@{$reached[$best]}]];
			delete @left{@{$reached[$best]}};
		}
		for my $pick (@chosen) { $times{$_}++ for @{$pick->[1]} }
		for my $pick (sort { $size[$b->[0]] <=> $size[$a->[0]] } @chosen) {
			if (!grep { $times{$_} < 2 } @{$pick->[1]}) {
				$times{$_}-- for @{$pick->[1]};
				next;
			}
			print $names[$pick->[0]];
		}' "$1"
}

mkdir "$tmp/chosen"
choose "$tmp/reached" | while read -r input; do
	cp "$input" "$tmp/chosen/$(sha1sum <"$input" | cut -c 1-40)"
done
# what has a name is a finding of earlier, and stays
find "$corpus" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
cp "$tmp/chosen"/* "$corpus"
echo "command: $(find "$corpus" -type f | wc -l) inputs," \
	"$(find "$corpus" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') bytes"
