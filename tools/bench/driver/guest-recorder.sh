# SPDX-License-Identifier: GPL-2.0-only
#
# What a program executes alone, under perf record and under hwflow record; count.c has the counts between
# two marks.

# work COMMAND...: three kinds of work, by COMMAND
work() {
	"$@" busybox sha256sum /bin/busybox
	"$@" /pingpong 1000
	"$@" sh -c 'i=0; while [ $i -lt 20 ]; do /bin/busybox true; i=$((i + 1)); done'
}

# counted NAME COMMAND...: the second time, when its files are in memory
counted() {
	local name=$1

	shift
	work "$@" >/tmp/log 2>&1
	/pingpong
	work "$@" >/tmp/log 2>&1
	echo "counted $name $?"
	/pingpong
}

counted alone env
counted perf perf record -N --buildid-mmap -o /tmp/data -e cs_etm//u --
counted hwflow hwflow record -o /tmp/data --
counted perf-per-thread perf record -N --buildid-mmap -o /tmp/data -e cs_etm//u --per-thread --
counted hwflow-per-thread hwflow record -o /tmp/data --per-thread --
stop end
