#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snapshot.sh BUILD - the text of capture directories as other tools write it; whatever a capture has and is not used is
# named, and makes exit status 3. Speaks TAP.
set -u
. "$(dirname "$0")/../../../setup/tests/tap.bash"

build=$(realpath "$1")
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

regs='TRCCONFIGR(0x004)=0x1\nTRCTRACEIDR=0x10\nTRCIDR0=0x080002a1\nTRCIDR1=0x4100f450\nTRCIDR2=0x1088\nTRCIDR8=0\n'
sync='\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04'

# A capture of one core and one ETMv4: nop and b, two times.
make() {
	rm -rf capture
	mkdir capture
	cd capture || exit 1
	printf '[snapshot]\nversion=1.0\n[device_list]\ndevice0=core.ini\ndevice1=etm.ini\n[trace]\nmetadata=trace.ini\n' >snapshot.ini
	printf '[device]\nname=core\nclass=core\ntype=Cortex-A53\n[dump0]\nfile=code\naddress=0x1000\nlength=8\n' >core.ini
	printf "[device]\nname=etm\nclass=trace_source\ntype=ETM4.5\n[regs]\n$regs" >etm.ini
	printf '[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=etr\nfile=trace.bin\nformat=source_data\n' >trace.ini
	printf '[source_buffers]\netm=etr\n[core_trace_sources]\ncore=etm\n' >>trace.ini
	printf '\x1f\x20\x03\xd5\xff\xff\xff\x17' >code
	printf "$sync"'\x82\x00\x08\x00\x00\x31\xf7\xf7' >trace.bin
	cd ..
}

# decodes NAME STATUS INSTRUCTIONS TEXT...: messages have these texts; without one there is no message
decodes() {
	local name=$1 status=$2 count=$3 text bad=0
	shift 3
	"$hwflow" flow --format=pc capture >out 2>err
	[ $? = "$status" ] && [ "$(wc -l <out)" = "$count" ] || bad=1
	for text; do grep -qF -- "$text" err || bad=1; done
	[ $# != 0 ] || [ ! -s err ] || bad=1
	ok $bad "$name" err
}

# A device of another type, with its trace in a buffer of its own
add_unit() { # TYPE
	sed -i "/^device1=/a unit=unit.ini" capture/snapshot.ini
	printf '[device]\nname=unit\nclass=trace_source\ntype=%s\n[regs]\nTRCTRACEIDR=0x11\n' "$1" >capture/unit.ini
	sed -i 's/^buffers=buffer0/&,buffer1/; s/^etm=etr/&\nunit=other/' capture/trace.ini
	printf '[buffer1]\nname=other\nfile=other.bin\nformat=source_data\n' >>capture/trace.ini
	printf '\0\0\0\0' >capture/other.bin
}

make
decodes "a capture" 0 4

# ---- text ----

for file in snapshot trace core etm; do
	make
	{ printf '\xef\xbb\xbf' && cat capture/$file.ini; } >text
	mv text capture/$file.ini
	decodes "a byte order mark in $file.ini" 0 4
done
make
sed -i 's/$/\r/' capture/*.ini
decodes "lines that end as on Windows" 0 4
make
sed -i 's/=.*/& ; a comment, = and [x]/' capture/*.ini
decodes "comments after values, ;" 0 4
make
sed -i 's/=.*/&\t# a comment/; s/^\[.*/& # of the section/' capture/*.ini
decodes "comments after values and sections, #" 0 4
make
mkdir 'capture/a;b'
mv capture/trace.bin 'capture/a;b'
sed -i 's/^file=trace.bin/file="a;b\/trace.bin" ; quoted/; s/^name=etr/name='"'etr'"'/' capture/trace.ini
decodes "quotes around values" 0 4
make
mkdir -p capture/d/e
mv capture/trace.bin capture/code capture/etm.ini capture/d/e
sed -i 's/^device1=.*/device1=d\\e\\etm.ini/' capture/snapshot.ini
sed -i 's/^file=.*/file=.\\d\\e\\trace.bin/' capture/trace.ini
sed -i 's/^file=.*/file=d\\e\\code/' capture/core.ini
decodes "backslashes in paths" 0 4
"$hwflow" flow --format=pc --source=trace capture >out 2>err
ok $? "the source has the name of the file" err
make
sed -i 's/^file=.*/file=C:\\trace.bin/' capture/trace.ini
decodes "a path on another drive" 2 0 'trace.bin: the files of a capture must be inside its directory'
make
iconv -f UTF-8 -t UTF-16 capture/trace.ini >text && mv text capture/trace.ini
decodes "UTF-16" 2 0 "trace.ini: the text is UTF-16; save it as UTF-8"
make
sed -i '/^name=etr/i what is this' capture/trace.ini
decodes "a line that is nothing" 3 4 "trace.ini: line 4 is neither [SECTION] nor KEY=VALUE"
make
sed -i 's/^version=.*/version=2.0/' capture/snapshot.ini
decodes "another version" 3 4 "[snapshot] version=2.0: only 1.0 is known"

# ---- sources that are not decoded ----

for type in PTM1.1 STM ITM ETB ''; do
	make
	add_unit "$type"
	decodes "type=$type, and a trace unit that is decoded" 3 4 "unit.ini: type=$type: only the trace of"
	"$hwflow" report capture >out 2>err
	[ $? = 3 ] && ! grep -q 'Nothing is missing' out
	ok $? "report says so as well" out
	make
	sed -i "s/^type=.*/type=$type/" capture/etm.ini
	decodes "type=$type alone" 2 0 "etm.ini: type=$type: only the trace of ETE, ETM4 and ETM3 is decoded" \
		"no trace that hwflow can decode in this capture"
	! grep perf.data err
	ok $? "no word of perf.data" err
done

# ---- what is missing, or leads nowhere ----

make
sed -i '/device_list/,/^device1/d' capture/snapshot.ini
decodes "no [device_list]" 2 0 "snapshot.ini: [device_list] is missing"
make
sed -i '/^\[trace\]/,$d' capture/snapshot.ini
decodes "no [trace]" 2 0 "[trace] metadata= is missing"
make
sed -i '1,2d' capture/trace.ini
decodes "no [trace_buffers]" 2 0 "trace.ini: [trace_buffers] buffers= is missing"
make
sed -i 's/^buffers=.*/buffers=none, buffer0/' capture/trace.ini
decodes "no section of a buffer" 3 4 "trace.ini: [trace_buffers] names none, and there is no section [none]"
for key in name file; do
	make
	sed -i "/^$key=/d" capture/trace.ini
	decodes "a buffer without $key=" 2 0 "trace.ini: [buffer0] has no $key="
done
make
sed -i '/source_buffers/,/^etm=/d' capture/trace.ini
decodes "no [source_buffers], and one buffer" 0 4
make
add_unit ETE
sed -i '/source_buffers/,/^unit=/d' capture/trace.ini
decodes "no [source_buffers], and two buffers" 2 0 "trace.ini: [source_buffers] is missing"
make
sed -i '/core_trace_sources/,$d' capture/trace.ini
decodes "no [core_trace_sources]" 3 0 "[core_trace_sources] has no core with the trace unit etm" "no program code"
make
sed -i 's/^core=etm/core9=etm/' capture/trace.ini
decodes "a core that is no device" 3 0 "[core_trace_sources] core9: no file of [device_list] has this device"
make
sed -i 's/^etm=etr/&\nelse=etr/' capture/trace.ini
decodes "a trace unit that is no device" 3 4 "[source_buffers] else: no file of [device_list] has this device"
make
sed -i 's/^etm=etr/etm=none,etr/' capture/trace.ini
decodes "a buffer that is not there" 3 4 "[source_buffers] etm=none: no buffer that can be read has this name"
make
add_unit ETE
sed -i 's/^etm=etr/etm=etr, other/; /^unit=/d' capture/trace.ini
decodes "a trace unit in two buffers" 3 4 "[source_buffers] etm: the trace in etr is used, that in other is left out" \
	"no trace unit has its trace in other"
make
sed -i '/^name=/d' capture/core.ini
decodes "a device without a name" 3 0 "core.ini: [device] name= is missing"
make
sed -i '/^type=/d' capture/etm.ini
decodes "a device without a type" 2 0 "etm.ini: [device] type= is missing"
make
add_unit ETE
sed -i 's/^name=unit/name=etm/' capture/unit.ini
decodes "two devices with one name" 3 4 "unit.ini: etm.ini has this name too"
make
sed -i '/^\[regs/,$d' capture/etm.ini
decodes "no [regs]" 3 4 "etm.ini: [regs] is missing: the registers of etm are taken for 0"

# ---- values ----

while read -r from to text; do
	make
	sed -i "s/$from/$to/" capture/etm.ini
	decodes "$to" 2 0 "etm.ini: $text" "etm: its registers are not possible"
done <<'TABLE'
TRCIDR0=.*    TRCIDR0=here          TRCIDR0=here: NAME=VALUE expected, with a VALUE from 0 to 0xffffffff
TRCIDR8=.*    TRCIDR8=0x100000000   TRCIDR8=0x100000000: the value is out of range for ETMv4 trace: 0 to 0xffffffff
TRCIDR2=.*    TRCIDR2=0xc88         TRCIDR2=0xc88: VMIDSIZE, bits 14:10, must be 0, 1, 2 or 4
TABLE
make
sed -i 's/^type=ETM4.5/type=ETM3.5/; s/TRCIDR0=.*/ETMIDR=0x411cf301/' capture/etm.ini
decodes "a PTM called ETM3.5" 2 0 "etm.ini: ETMIDR=0x411cf301: the version, bits 11:4, must be 0x20 to 0x25 for ETMv3; a PTM has 0x30"
make
sed -i 's/^address=.*/address=4 KB/' capture/core.ini
decodes "an address that is no number" 3 0 "core.ini: [dump0] address=4 KB: not a number from 0 to 0xffffffffffffffff"
for format in tpiu ''; do
	make
	sed -i "s/^format=.*/format=$format/" capture/trace.ini
	decodes "format=$format" 2 0 "trace.ini: [buffer0] format=$format: not one of coresight, dstream_coresight and source_data"
done

# ---- files and frames ----

make
head -c 7 capture/trace.bin >capture/part
tail -c +8 capture/trace.bin >capture/rest
sed -i 's/^file=.*/file=part, rest/' capture/trace.ini
decodes "a buffer in two files" 0 4
"$hwflow" flow --format=pc --source=part capture >out 2>err
ok $? "the source has the name of the first one" err
sed -i 's/^file=.*/file=part, none/' capture/trace.ini
decodes "one of them is missing" 2 0 "none: No such file"

# frames of 14 bytes, with a full packet after each and a half packet in each
framed() { # OUTPUT
	"$build/tests/frame_trace" capture/trace.bin capture/plain 0x10 0x11
	local size at
	size=$(stat -c %s capture/plain)
	for ((at = 0; at < size; at += 16)); do
		dd if=capture/plain bs=1 skip=$at count=6 status=none
		printf '\xff\x7f'
		dd if=capture/plain bs=1 skip=$((at + 6)) count=10 status=none
		printf '\xff\xff\xff\x7f'
	done >"$1"
}
make
framed capture/tpiu
for format in coresight dstream_coresight DSTREAM_CoreSight; do
	sed -i "s/^file=.*/file=tpiu/; s/^format=.*/format=$format/" capture/trace.ini
	decodes "format=$format, and trace of another ID" 3 4 "tpiu: 23 bytes have trace IDs of no trace unit that is decoded: 0x11"
done
tail -c +4 capture/tpiu >capture/inside
cat capture/tpiu >>capture/inside
sed -i 's/^file=.*/file=inside/' capture/trace.ini
decodes "a start inside of a frame" 3 4 "inside: offset 0: the first full synchronisation packet is inside of a CoreSight frame"
{ head -c 40 capture/tpiu && tail -c +51 capture/tpiu && cat capture/tpiu; } >capture/hole
sed -i 's/^file=.*/file=hole/' capture/trace.ini
decodes "a hole" 3 4 "bytes of CoreSight frames are missing before" \
	"hole-id10: file offset 0xe: bytes of CoreSight frames are missing before this trace"

# blocks of 512 bytes, of which the last 8 are the probe's
make
printf '\xf7%.0s' {1..1000} >>capture/trace.bin
framed capture/tpiu
size=$(stat -c %s capture/tpiu)
for ((at = 0; at < size; at += 504)); do
	dd if=capture/tpiu bs=504 skip=$((at / 504)) count=1 status=none
	[ $((size - at)) -lt 504 ] || printf '\0\0\0\0\x7e\0\xfe\x0f'
done >capture/blocks
sed -i "s/^format=.*/format=dstream_coresight/" capture/trace.ini
for file in tpiu blocks; do
	sed -i "s/^file=.*/file=$file/" capture/trace.ini
	decodes "DSTREAM, $file" 3 2004 "$file: 1023 bytes have trace IDs of no trace unit that is decoded: 0x11"
	! grep -q 'frames are missing' err
	ok $? "DSTREAM, $file: no bytes are missing" err
done
done_testing
