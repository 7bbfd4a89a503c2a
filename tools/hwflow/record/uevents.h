/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages about devices and modules. */
#ifndef HWFLOW_RECORD_UEVENTS_H
#define HWFLOW_RECORD_UEVENTS_H

/**
 * record_uevents_open() - begin to listen to the kernel's messages about devices and modules
 *
 * Each socket receives all messages.
 *
 * Return: a file descriptor for poll(2) that does not block; -1 if there is none, as in a network
 * namespace.
 */
int record_uevents_open(void);

#endif /* HWFLOW_RECORD_UEVENTS_H */
