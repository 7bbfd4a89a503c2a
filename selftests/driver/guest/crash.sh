# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: kexec.sh, where it is a panic that boots the next kernel.
how=crash
. /kexec.sh
