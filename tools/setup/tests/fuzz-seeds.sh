#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz-seeds.sh BUILD - make the seeds of the fuzz targets and merge them into the corpora in the
# tree. All of them are of our own making: golden cases, and a program traced by emulate.
#
# Needs the targets of `make fuzz`, perl and zstd. What a corpus has already stays. What `make fuzz` left in
# BUILD is taken in as well: run neither at the same time.
set -eu
build=$(realpath "$1")
top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top"
lib=tools/lib/hwflow/tests/fuzz
cmd=tools/hwflow/tests/fuzz
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp"/{packets,pipeline,elf,riscv,etm3,profile,perfdata,truth}

# Bytes of a section of a golden case as hexadecimal words; "xN" repeats a line
bytes_of() { # CASE SECTION
	awk -v section="$2" '
		function little(word, i, out) {
			for (i = length(word) - 1; i > 0; i -= 2)
				out = out " " substr(word, i, 2)
			return out
		}
		/^[a-z]/ { in_it = $1 == section; if (in_it && section == "code") print $3; next }
		in_it && /^\t/ {
			sub(/;.*/, "")
			out = ""
			times = 1
			for (i = 1; i <= NF - (section == "packets"); i++) {
				if ($i ~ /^x[0-9]+$/) times = substr($i, 2)
				else out = out (section == "code" ? little($i) : " " $i)
			}
			while (times-- > 0) print out
		}' "$1"
}

# Write bytes given as hexadecimal words.
put() {
	local word
	for word; do printf '%b' "\\x$word"; done
}

protocol_of() { # CASE
	sed -n 's/^protocol:[ \t]*//p' "$1"
}

# The registers of a case, into the array `reg`
registers_of() { # CASE
	local row rows
	IFS=, read -ra rows < <(sed -n 's/^config:[ \t]*//p' "$1")
	for row in "${rows[@]}"; do reg[${row%%=*}]=${row#*=}; done
}

# As fuzz_make_etmv4() in fuzz.h reads them: two bytes
etmv4_head_of() { # CASE
	local -A reg=()
	registers_of "$1"
	printf '%02x %02x' \
		$(((reg[TRCCONFIGR] >> 12 & 1) | (reg[TRCCONFIGR] >> 4 & 1) << 1 | \
		(reg[TRCIDR0] >> 29 & 1) << 2 | (reg[TRCIDR2] == 4) << 3 | \
		((reg[TRCCONFIGR] & 0x30700) != 0) << 4 | ((reg[TRCIDR1] >> 4 & 15) == 0) << 6 | \
		((reg[TRCCONFIGR] & 6) != 0) << 7)) \
		$((reg[TRCIDR8] & 255))
}

# As make_config() in fuzz_etm3.c reads them: three bytes
etm3_head_of() { # CASE
	local -A reg=()
	registers_of "$1"
	printf '%02x %02x %02x' \
		$((reg[ETMCR] >> 12 & 0xff)) \
		$(((reg[ETMCR] >> 2 & 3) | (reg[ETMIDR] >> 20 & 1) << 2 | \
		(reg[ETMCCER] >> 28 & 3) << 3 | (reg[ARMV7M] & 1) << 6 | \
		(reg[ETMCR] >> 20 & 1) << 7)) \
		$(((reg[ETMIDR] >> 4 & 15) + (reg[ETMIDR] >> 18 & 1) * 66))
}

# The registers of a case as fuzz_config() in fuzz.h reads them: two bytes
head_of() { # CASE
	local -A reg=()
	registers_of "$1"
	printf '%02x %02x' \
		$(((reg[TRCCONFIGR] >> 12 & 1) | (reg[TRCCONFIGR] >> 4 & 1) << 1 | \
		(reg[TRCIDR0] >> 29 & 1) << 2 | (reg[TRCIDR0] >> 30 & 1) << 3 | \
		(reg[TRCIDR0] >> 23 & 1) << 4 | (reg[TRCIDR2] >> 31 & 1) << 5)) \
		$((reg[TRCIDR8] & 255))
}

# The code of a case in one page, as fuzz_pipeline.c has its program: bytes into `page`
page_of() { # CASE
	local -a words
	local word at=0
	page=()
	mapfile -t words < <(bytes_of "$1" code | tr -s ' ' '\n' | sed '/^$/d')
	for word in "${words[@]}"; do
		case $word in
		@*) at=$((${word#@} & 0xfff)) ;;
		*)
			while [ ${#page[@]} -lt $at ]; do page+=(00); done
			page[at]=$word
			at=$((at + 1))
			;;
		esac
	done
}

# The share of the input that is program, in 1/256, such that it has the page and at most some
# bytes more, which become zeros
share_of() { # TRACE-BYTES
	local share
	for ((share = 0; share < 256; share++)); do
		local whole=$((share == 0 ? $1 : $1 * 256 / (256 - share)))
		while [ $((whole - whole * share / 256)) -lt "$1" ]; do whole=$((whole + 1)); done
		if [ $((whole - $1)) -ge ${#page[@]} ]; then
			while [ ${#page[@]} -lt $((whole - $1)) ]; do page+=(00); done
			printf '%02x' $share
			return
		fi
	done
	return 1
}

golden_seeds() {
	local case name head trace page share target
	for case in selftests/golden/*.golden; do
		name=$(basename "$case" .golden)
		target=pipeline
		case $(protocol_of "$case") in
		'') head=$(head_of "$case") ;;
		etmv4) head=$(etmv4_head_of "$case") ;;
		etmv3) head=$(etm3_head_of "$case") target=etm3 ;;
		*) continue ;;
		esac
		mapfile -t trace < <(bytes_of "$case" packets | tr -s ' ' '\n' | sed '/^$/d')
		[ ${#trace[@]} -le 4096 ] || continue
		# shellcheck disable=SC2086 # words
		[ $target = etm3 ] || put $head "${trace[@]}" >"$tmp/packets/$name"
		page_of "$case"
		share_of ${#trace[@]} >"$tmp/share" || continue
		share=$(cat "$tmp/share")
		# shellcheck disable=SC2086
		put $head "$share" 0f "${page[@]}" "${trace[@]}" >"$tmp/$target/$name"
	done
}

# One input of the target riscv: parameters as read_how() has them, program, trace
riscv_seed() { # NAME HEAD PROGRAM TRACE: as hexadecimal words
	local -a page trace
	local share
	read -ra page <<<"$3"
	read -ra trace <<<"$4"
	share_of ${#trace[@]} >"$tmp/share" || return
	share=$(cat "$tmp/share")
	# shellcheck disable=SC2086 # words
	put $2 "$share" 03 "${page[@]}" "${trace[@]}" >"$tmp/riscv/$1"
}

# RV64, lsb 1, no context, widths 2 and 5; the program is from 0x1000 on
riscv_seeds() {
	# nop; beqz +6; nop; j -6; nop; jr a5; nop
	local branches='01 00 19 c1 01 00 f5 bf 01 00 82 87 01 00'
	# jalr a5; nop; jr a5; nop; nop; ret
	local calls='82 97 01 00 82 87 01 00 01 00 82 80'
	# nop; ecall; nop; nop; mret; nop
	local traps='01 00 73 00 00 00 01 00 01 00 73 00 20 30 01 00'
	local start='44 73 00 04 00'

	riscv_seed draft '00 40 81 11 00 00 40 00' "$branches" \
		'02 d0 10 43 33 00 04 42 89 14 41 0a 45 00 aa aa aa 2a 03 d0 90 00'
	riscv_seed draft-trap '00 40 81 11 00 00 40 00' "$traps" \
		'43 33 00 04 41 0a 46 37 04 04 00 08 10 41 1b 02 d0 90'
	riscv_seed ratified '02 40 81 11 00 00 40 00' "$branches" \
		"42 1f 00 $start 42 89 14 45 01 aa aa aa 2a 41 0a 42 5f 00"
	riscv_seed version-1 '01 20 81 11 00 00 00 00' "$traps" "42 1f 00 44 73 00 04 00 41 0a 45 77 00 04 04 10"
	riscv_seed trap '02 40 81 11 00 00 40 00' "$traps" "$start 41 0a 46 77 04 06 40 00 00 $start"
	riscv_seed full '02 40 81 91 00 00 40 00' "$branches" "$start 43 02 20 00 44 73 00 04 00"
	riscv_seed returns '02 40 81 11 22 00 40 00' "$calls" "42 1f 01 $start 41 12 41 e6 45 22 00 00 00 28"
	riscv_seed cache '02 40 81 11 10 12 40 00' "$calls" "42 1f 08 $start 41 12 41 ee 42 00 00 42 08 00"
	riscv_seed prediction '02 40 81 11 08 03 40 00' "$branches" \
		"42 1f 10 $start 41 0c 45 04 00 00 00 58 45 01 ff ff ff 3f"
	riscv_seed implicit '02 40 81 11 04 80 40 00' "$traps" "42 1f 02 $start 42 77 20 41 0a"
	riscv_seed encap '02 40 81 11 00 00 40 19' "$branches" "00 80 05 81 73 00 04 00 03 81 89 14"
	riscv_seed siemens '02 40 81 11 00 00 40 22' "$branches" "44 01 73 00 04 00 c1 01 12 34 0a"
	riscv_seed bare '02 40 81 11 00 00 40 03' "$branches" \
		'73 00 04 00 00 00 00 00 00 0a 00 00 00 00 00 00 00 00'
	riscv_seed odd '02 40 80 11 00 00 40 00' "$branches" "$start 41 06 44 73 ff ff ff"
}

make_program() { # FILE FLAG...
	local file=$1
	shift
	aarch64-linux-gnu-gcc -nostdlib -o "$file" "$@" "$cmd/program.S"
}

elf_seeds() {
	make_program "$tmp/elf/small" -static -Wl,-n,-s,--build-id=none
	make_program "$tmp/elf/build-id" -static -Wl,-n,-s,--build-id=sha1
	make_program "$tmp/elf/pie" -static-pie -Wl,-n,-s,-z,max-page-size=4
	{
		echo '/* SPDX-License-Identifier: GPL-2.0-only */'
		echo '/* program.S, linked; made by tools/setup/tests/fuzz-seeds.sh. */'
		echo '#ifndef HWFLOW_FUZZ_PROGRAM_H'
		echo '#define HWFLOW_FUZZ_PROGRAM_H'
		echo
		echo '#include <stdint.h>'
		echo
		echo '/* clang-format off */'
		echo 'static const uint32_t fuzz_program[] = {'
		od -An -v -w24 -tx4 "$tmp/elf/small" | sed 's/ \([0-9a-f]\{8\}\)/ 0x\1,/g; s/^ /\t/'
		echo '};'
		echo '/* clang-format on */'
		echo
		echo '#endif /* HWFLOW_FUZZ_PROGRAM_H */'
	} >"$cmd/fuzz_program.h"
}

# NAME PROGRAM-ARGUMENT OPTION...
emulate_seed() {
	local name=$1 argument=$2
	shift 2
	# shellcheck disable=SC2086 # no argument where it is empty
	"$build/hwflow" emulate --quiet --fixed-addresses --virtual-time "$@" \
		-o "$tmp/$name" -- "$tmp/program" $argument
	"$build/hwflow" verify "$tmp/$name" >"$tmp/verify"
	mv "$tmp/$name" "$tmp/perfdata/$name"
	mv "$tmp/$name.truth" "$tmp/truth/$name"
	rm -rf "$tmp/$name".*
}

emulate_seeds() {
	cp "$tmp/elf/small" "$tmp/program"
	emulate_seed plain ""
	emulate_seed child x
	emulate_seed child-contexts x --context-id --return-stack
	emulate_seed child-vmid x --vmid --branch-broadcast
	emulate_seed times "" --timestamps=20 --cycle-counts --sync-period=32
	emulate_seed wrong-paths "" --speculation=1 --events=30
	emulate_seed newest "" --revision=3 --q-elements=4 --source-addresses=6
	compressed_seed "$tmp/perfdata/child" "$tmp/perfdata/compressed"
}

# What is compressed in a profile; its head has 32 bytes
profile_seeds() {
	local name

	for name in plain child newest; do
		"$build/hwflow" profile -q -o "$tmp/profile.hwprof" "$tmp/perfdata/$name"
		tail -c +33 "$tmp/profile.hwprof" | zstd -q -dc >"$tmp/profile/$name"
	done
	"$build/hwflow" profile -q -o "$tmp/profile.hwprof" "$tmp/perfdata"/{plain,child}
	tail -c +33 "$tmp/profile.hwprof" | zstd -q -dc >"$tmp/profile/sum"
	printf '\0\0\0\0\0' >"$tmp/profile/nothing"
	contexts_seed >"$tmp/profile/contexts"
	{
		head -c 15 "$tmp/profile/contexts"
		put 01 00
		tail -c +16 "$tmp/profile/contexts"
	} >"$tmp/profile/groups-contexts"
}

# Two files, nothing executed, and from byte 15 on a tree of calls: the tag, two names, and contexts as
# Documentation/profile-format.rst has their members
contexts_seed() {
	put 00 02 00 00 03 01 61 00 00 03 01 62 00 00 00
	put 03 02 01 78 01 79 05
	put 00 00 01 10 01 05
	put 00 00 01 08 01 20 00 00
	put 00 00 01 08 00 00 01 01
	put 01 00 01 08 00 01 01 01
	put 03 01 02 00 01 00
}

# What was found, under names that say what it is; merging leaves them alone
findings() {
	mkdir -p "$cmd/corpus/perfdata" "$lib/corpus"/{elf,profile}
	notes_seed "$lib/corpus/elf/notes-overlap"
	bomb_seed "$cmd/corpus/perfdata/zstd-bomb"
	overlap_seed "$cmd/corpus/perfdata/identifiers-overlap"
	# two files without a name, which were read as one
	printf '\0\2\0\0\0\0\0\0\0\0\0\0\0' >"$lib/corpus/profile/file-twice"
}

# Records of a perf.data file up to the trace, compressed: as perf record -z writes them
compressed_seed() { # FROM TO
	perl -e '
		use strict;
		my ($file, $packed) = @ARGV;
		local $/;
		open my $in, "<:raw", $file or die;
		my $all = <$in>;
		my ($at, $size) = unpack "x40 Q< Q<", $all;
		my ($end, $records) = ($at + $size, "");
		my $head = substr $all, 0, $at;
		while ($at < $end) {
			my ($type, $misc, $length) = unpack "L< S< S<", substr $all, $at, 8;
			last if $type == 71; # AUXTRACE
			$records .= substr $all, $at, $length;
			$at += $length;
		}
		open my $out, "|-", "zstd -q -c --no-check >$packed.z" or die;
		binmode $out;
		print $out $records;
		close $out or die;
		open my $z, "<:raw", "$packed.z" or die;
		my $z_bytes = <$z>;
		my $data = pack("L< S< S<", 81, 0, 8 + length $z_bytes) . $z_bytes .
			substr $all, $at, $end - $at;
		substr $head, 48, 8, pack "Q<", length $data;
		substr $head, 72, 32, "\0" x 32; # features are behind the data
		open my $made, ">:raw", $packed or die;
		print $made $head, $data;
		unlink "$packed.z";' "$1" "$2"
}

# Four million records of a context switch in less than 3 KB: a finding, see perfdata_unpack.c
bomb_seed() { # TO
	perl -e 'print "\x0e\0\0\0\0\0\x08\0" x 4e6' | zstd -q -19 -c --no-check >"$tmp/z"
	{
		perl -e 'print pack "a8 Q< L< S< S<", "PERFILE2", 16, 81, 0, 8 + -s shift' "$tmp/z"
		cat "$tmp/z"
	} >"$1"
	rm "$tmp/z"
}

# Each event says that all of the file is its identifiers: a finding, see perfdata_read.c
overlap_seed() { # TO
	perl -e '
		my $size = 104 + 40 * 80;
		print pack "a8 Q< Q< Q<6 x32", "PERFILE2", 104, 80, 104, 40 * 80, $size, 0, 0, 0;
		print pack "L< L< x56 Q< Q<", 1, 64, 0, $size for 1 .. 40' >"$1"
}

# Each program header says that all of the rest is notes: a finding, see code/image/elf.c
notes_seed() { # TO
	perl -e '
		my $notes = 64 + 60 * 56;
		print pack "a4 C12 S< S< L< Q<3 L< S<6", "\x7fELF", 2, 1, 1, (0) x 9,
			2, 183, 1, 0, 64, 0, 0, 64, 56, 60, 0, 0, 0;
		print pack "L< L< Q<6", 4, 4, $notes + $_, 0, 0, 600 - $_, 0, 4 for 1 .. 60;
		print pack("L<3", 0, 0, 1) x 50' >"$1"
}

# Seeds that run something another number of times are kept; of what was found only what
# reaches other code.
merge() { # DIRECTORY NAME
	local corpus=$1/corpus/$2

	mkdir -p "$corpus" "$build/fuzz/new-$2"
	if ! "$build/fuzz/fuzz_$2" -merge=1 -max_len=10240 "$corpus" "$tmp/$2" >"$tmp/log" 2>&1 ||
		! "$build/fuzz/fuzz_$2" -merge=1 -use_counters=0 -max_len=4096 "$corpus" \
			"$build/fuzz/new-$2" >"$tmp/log" 2>&1; then
		cat "$tmp/log" >&2
		exit 1
	fi
	echo "$2: $(find "$corpus" -type f | wc -l) inputs," \
		"$(find "$corpus" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }') bytes"
}

golden_seeds
elf_seeds
riscv_seeds
emulate_seeds
profile_seeds
findings
merge $lib packets
merge $lib pipeline
merge $lib elf
merge $lib riscv
merge $lib etm3
merge $lib profile
merge $cmd perfdata
merge $cmd truth
