# SPDX-License-Identifier: GPL-2.0-only
#
# Record pingpong, SHORT and LONG rounds of it, and stand still after each. It marks for count.c.
. /rounds

record() { # NAME ROUNDS
	perf record -o /tmp/data -e cs_etm//u --per-thread -- /pingpong "$2" >/tmp/log 2>&1
	echo "recorded $1 $?"
	/pingpong
	stop "$1"
}

record begin 10
record short "$SHORT"
record long "$LONG"
