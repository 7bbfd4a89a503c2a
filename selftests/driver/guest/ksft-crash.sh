# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: ksft-kexec.sh, where it is a panic that boots the next kernel.
how=crash
. /ksft-kexec.sh
