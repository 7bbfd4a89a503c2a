# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: trace is paused and resumed by other events, where the kernel can do that.
. /tap.sh
case $(uname -r) in
6.1.*)
	same "this kernel cannot pause" unsupported "$(/pause /host/pause paused)"
	;;
*)
	/pause /host/pause >log
	ok $? "traced, paused and resumed: $(cat log)"
	echo "== recording pause paused=20+390"
	/pause /host/pause-late paused >log
	ok $? "the same, paused at first: $(cat log)"
	echo "== recording pause-late paused=19+380"
	;;
esac
done_testing
