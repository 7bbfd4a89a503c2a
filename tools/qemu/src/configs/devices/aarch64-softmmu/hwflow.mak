# SPDX-License-Identifier: GPL-2.0-only
#
# The virt machine, and what the tests plug into it.
CONFIG_ARM_VIRT=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_9P=y
CONFIG_VIRTIO_PCI=y
