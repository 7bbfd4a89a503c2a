# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: nothing that was in an AUX area before is in a record.
. /tap.sh
for pages in 1 2 4 16; do
	/stale "$(cat $pmu/type)" $pages
	ok $? "an area of $pages pages"
done
done_testing
