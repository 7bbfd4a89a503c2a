# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: a copy of the kernel's code, and of the vdso, for the recordings that come after.
. /record.sh
copy_kernel
done_testing
