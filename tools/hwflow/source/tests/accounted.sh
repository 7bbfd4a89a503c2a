#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# accounted.sh BUILD - what was given is used or named. The bytes of one trace, in each kind of input: those of the
# packets and those that are named add up to those given. Each line of a capture: without it, or with another value,
# the result is another one or a message names it, unless the line is in a list of what no decoder needs. Each
# option that says what SRC is: used, or refused where SRC says that itself. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# ---- bytes ----

# The bytes of the packets that dump printed, and of those that it, or a message, says are not used
packet_bytes() {
	awk '$1 == "#" { next } $2 ~ /^([0-9a-f][0-9a-f])+$/ && NF > 2 { sum += length($2) / 2 } END { print sum + 0 }' out
}

named_bytes() {
	{ sed -n 's/.* UNSYNC \([0-9]*\) bytes before .*/\1/p' out
	  sed -nE 's/.*[^0-9]([0-9]+) bytes (up to its end|with reserved IDs|have trace IDs|since the packet before).*/\1/p' err
	  sed -nE 's/.* its ([0-9]+) bytes are left out.*/\1/p' err; } | awk '{ sum += $1 } END { print sum + 0 }'
}

# accounts WHAT BYTES NAMED STATUS ARGUMENT...: dump has BYTES bytes in packets, and names NAMED further ones
accounts() {
	local what=$1 bytes=$2 named=$3 want=$4 status good
	"$hwflow" dump "${@:5}" >out 2>err
	status=$?
	[ $status = "$want" ] && [ "$(packet_bytes)" = "$bytes" ] && [ "$(named_bytes)" = "$named" ] &&
		{ [ $status = 0 ] || [ -s err ]; }
	good=$?
	[ $good = 0 ] || echo "status $status, $(packet_bytes) bytes in packets, $(named_bytes) named" >>err
	ok $good "$what" err
}

# The trace is TRACE, of SIZE bytes; READING says what it is
size_of() { stat -c %s "$1"; }

# raw NAME: the trace as it is, behind bytes that are no packets, cut, and with other bytes at its end
raw() {
	local size
	size=$(size_of "$1")
	accounts "$1: raw bytes" "$size" 0 0 "${reading[@]}" "$1"
	{ printf 'abcde' && cat "$1"; } >behind
	accounts "$1: bytes before the synchronisation" "$size" 5 0 "${reading[@]}" behind
	{ cat "$1" && printf '\x08\x01'; } >cut
	accounts "$1: cut inside a packet" $((size + 2)) 0 3 "${reading[@]}" cut
}

raw_riscv() {
	local size
	size=$(size_of "$1")
	accounts "riscv, framing $1: raw bytes" "$size" 0 0 "${reading[@]}" "$1"
	head -c $((size - 1)) "$1" >cut
	accounts "riscv, framing $1: cut inside a packet" $((size - 1)) 0 3 "${reading[@]}" cut
}

# framed NAME: in CoreSight frames, with one that is not whole
framed() {
	local size
	size=$(size_of "$1")
	"$build/tests/frame_trace" "$1" frames 0x10 0x11
	accounts "$1: CoreSight frames of two trace IDs" $((2 * size)) 0 0 "${reading[@]}" --framing=coresight frames
	"$build/tests/frame_trace" "$1" frames 0x10
	accounts "$1: CoreSight frames" "$size" 0 0 "${reading[@]}" --framing=coresight frames
	{ cat frames && printf '0123456789'; } >partial
	accounts "$1: a frame that is not whole" "$size" 10 3 "${reading[@]}" --framing=coresight partial
}

# capture NAME FORMAT: a capture directory with one trace unit and one buffer
capture() {
	rm -rf capture
	mkdir capture
	printf '[snapshot]\nversion=1.0\ndescription=text\n[device_list]\ndevice0=core.ini\ndevice1=etm.ini\n[trace]\nmetadata=trace.ini\n' \
		>capture/snapshot.ini
	printf '[device]\nname=core\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x1000\n[dump0]\nfile=code\naddress=%s\nlength=%d\n' \
		"$code_at" "$(size_of code)" >capture/core.ini
	printf '[device]\nname=etm\nclass=trace_source\ntype=%s\n[regs]\n%s\n' "$type" "${registers//,/$'\n'}" >capture/etm.ini
	printf '[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=etr\nfile=trace.bin\nformat=%s\n' "$2" >capture/trace.ini
	printf '[source_buffers]\netm=etr\n[core_trace_sources]\ncore=etm\n' >>capture/trace.ini
	cp code capture/code
	cp "$1" capture/trace.bin
}

cat >program.c <<END
int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += i;
	return 0;
}
END
"$CC" -O1 -static -o program program.c
"$hwflow" emulate --quiet -o data -- ./program 2>err
ok $? "a recording" err
# the segment with code is the first one, from the beginning of the file
read -r code_at length < <("${CC%gcc}readelf" -lW program | awk '$1 == "LOAD" { print $3, $5; exit }')
head -c $((length)) program >code
for protocol in ete etmv4; do
	"$hwflow" encode --protocol=$protocol -o $protocol data.truth 2>err
	ok $? "the same as $protocol" err
	read -ra words < <("$hwflow" encode --protocol=$protocol --print-config)
	# the trace ID of the frames
	registers=$(printf '%s\n' "${words[@]}" | sed -n 's/^--config=//p')
	registers=${registers:-TRCIDR0=0x28000ea1,TRCIDR1=0x4100fff3,TRCIDR2=0xd0001088,TRCDEVARCH=0x47705a13}
	[[ $registers == *TRCTRACEIDR* ]] || registers+=,TRCTRACEIDR=0x10
	reading=(--protocol=$protocol --config="$registers" --image=program)
	type=ETE
	[ $protocol = ete ] || type=ETM4.5
	raw $protocol
	framed $protocol
	capture $protocol source_data
	accounts "$protocol: a capture directory" "$(size_of $protocol)" 0 0 capture
	capture frames coresight
	accounts "$protocol: a capture directory with CoreSight frames" "$(size_of $protocol)" 0 0 capture
	"$build/tests/frame_trace" $protocol frames 0x10 0x11
	cp frames capture/trace.bin
	accounts "$protocol: with trace of an ID that no trace unit has" "$(size_of $protocol)" "$(size_of $protocol)" 3 capture
done
printf '%b' '\x00\x00\xa0\xe1\xfd\xff\xff\xea' >two
for ((i = 0; i < 40; i += 2)); do
	printf '%d 0 0 0 A32 8000\n%d 0 0 0 A32 8004\n' $i $((i + 1))
done >log
registers=ETMIDR=0x410cf250,ETMTRACEIDR=0x10
"$hwflow" encode --protocol=etmv3 --config=$registers --image=two@0x8000 -o etmv3 log 2>err
ok $? "a trace of ETMv3" err
reading=(--protocol=etmv3 --config=$registers --image=two@0x8000)
framed etmv3
"${RISCV_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o program64 program.c
"$hwflow" emulate --quiet -o data64 -- ./program64 2>err
ok $? "a recording of RISC-V" err
for framing in reference encap siemens; do
	"$hwflow" encode --protocol=riscv --framing=$framing -o $framing data64.truth 2>err
	reading=(--protocol=riscv --framing=$framing --image=program64)
	raw_riscv $framing
done
accounts "perf.data of RISC-V" "$(size_of reference)" 0 0 data64
accounts "perf.data" "$(size_of ete)" 0 0 data
mkdir directory
cp data directory/data
accounts "the directory of perf record --kcore" "$(size_of ete)" 0 0 directory
"$hwflow" archive -q -o packed.tar.zst data 2>err
ok $? "an archive" err
accounts "the archive" "$(size_of ete)" 0 0 packed.tar.zst
head -c $(($(size_of data) - 100)) data >cut
"$hwflow" dump cut >out 2>err
[ $? = 3 ] && [ -s err ] && [ "$(packet_bytes)" -le "$(size_of ete)" ]
ok $? "perf.data that was cut is named" err

# ---- lines of a capture ----

# without_line FILE NUMBER and with_value FILE NUMBER: the capture is decoded otherwise, or a message names it
noticed() {
	"$hwflow" flow --format=pc capture >out 2>err
	[ $? != 0 ] || [ -s err ] || ! cmp -s out whole
}

registers=TRCCONFIGR=0,TRCTRACEIDR=0x10,TRCIDR0=0x28000ea1,TRCIDR1=0x4100f450,TRCIDR2=0xd0001088,TRCIDR8=0,TRCIDR3=0
capture etmv4 source_data
"$hwflow" flow --format=pc capture >whole 2>err
ok $? "the whole capture" err
cp -r capture kept
for file in snapshot core etm trace; do
	mapfile -t lines <kept/$file.ini
	for ((i = 0; i < ${#lines[@]}; i++)); do
		cp kept/$file.ini capture/$file.ini
		sed -i "$((i + 1))d" capture/$file.ini
		noticed || echo "$file.ini: ${lines[i]}: left out" >>unnoticed
		[[ ${lines[i]} == *=* ]] || continue
		cp kept/$file.ini capture/$file.ini
		sed -i "$((i + 1))s/=.*/=other/" capture/$file.ini
		noticed || echo "$file.ini: ${lines[i]}: another value" >>unnoticed
	done
	cp kept/$file.ini capture/$file.ini
done
cat >expected <<END
snapshot.ini: [snapshot]: left out
snapshot.ini: version=1.0: left out
snapshot.ini: description=text: left out
snapshot.ini: description=text: another value
core.ini: class=core: left out
core.ini: class=core: another value
core.ini: type=Cortex-A53: left out
core.ini: type=Cortex-A53: another value
core.ini: [regs]: left out
core.ini: PC(size:64)=0x1000: left out
core.ini: PC(size:64)=0x1000: another value
core.ini: length=$((length)): left out
etm.ini: class=trace_source: left out
etm.ini: class=trace_source: another value
etm.ini: TRCTRACEIDR=0x10: left out
etm.ini: TRCIDR3=0: left out
etm.ini: TRCIDR3=0: another value
trace.ini: [source_buffers]: left out
trace.ini: etm=etr: left out
END
diff expected unnoticed >err
ok $? "the lines of a capture that nobody notices are those that say what no decoder needs, or what is so anyhow" err

# ---- options ----

# Of each option a value that makes a difference where the option is used
values() {
	case $1 in
	--source) echo none ;;
	--cpu | --tid) echo 77 ;;
	--protocol) echo etmv3 ;;
	--dialect) echo 0.026 ;;
	--config) echo TRCIDR8=0x10 ;;
	--framing) echo coresight ;;
	--image) echo jump@"$(entry "$kind")" ;;
	--symfs) echo none ;;
	--time) echo ,1 ;;
	--request) echo 1 ;;
	--offset) echo 0,1 ;;
	--limit) echo 1 ;;
	--format) echo ref ;;
	--gaps) echo all ;;
	--jobs) echo 2 ;;
	--max) echo input=1 ;;
	# how SRC is read, and not what is read
	--sandbox | --quiet | --help) ;;
	--taken-back | --split-source) ;;
	*) return 1 ;;
	esac
}

# The first instruction of the program
entry() { # KIND
	local program=program

	[ "$1" != riscv ] || program=program64
	LC_ALL=C "${CC%gcc}readelf" -h $program | sed -n 's/.*Entry point address: *//p'
}

# Where an option makes no difference, and why
is_idle() { # KIND OPTION
	case $1:$2 in
	*:--sandbox | *:--quiet | *:--help | *:--jobs) ;;
	# nothing is missing, was taken back, or has another source
	*:--gaps | *:--taken-back | *:--split-source) ;;
	# an image is for code that the recording has no file of
	perf:--image) ;;
	*) return 1 ;;
	esac
}

try() { # KIND OPTION[=VALUE]
	"$hwflow" flow "${reading[@]}" ${2:+"$2"} "$src" >out 2>err
}

# an instruction that branches to itself
printf '\0\0\0\x14' >jump
"$hwflow" dump --protocol=ete --config=TRCIDR0=x --config=TRCTRACEIDR=0x10 ete >out 2>err
[ $? = 1 ]
ok $? "of two --config both are used" err
unnoticed=
for kind in perf capture raw riscv; do
	reading=()
	case $kind in
	perf) src=data ;;
	capture) src=capture ;;
	raw) src=etmv4 reading=(--protocol=etmv4 --config="${registers%,TRCIDR3=0}" --image=program) ;;
	riscv) src=reference reading=(--protocol=riscv --image=program64) ;;
	esac
	try $kind '' && [ ! -s err ]
	ok $? "$kind: without options" err
	cp out whole
	for option in $("$hwflow" flow --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p'); do
		if ! value=$(values "$option"); then
			unnoticed+="$option has no value in this test; "
			continue
		fi
		try $kind "$option${value:+=$value}"
		if [ $? = 0 ] && [ ! -s err ] && cmp -s out whole; then
			is_idle $kind "$option" || unnoticed+="$kind $option=$value; "
		fi
	done
done
echo "$unnoticed" >err
[ -z "$unnoticed" ]
ok $? "each option is used or refused, with each kind of input" err
done_testing
