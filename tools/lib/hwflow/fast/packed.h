/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The packed address history: an address and its IS in one word, so that the compiler keeps the
 * history in registers. The loops over bytes decode these packets with it: IS0 addresses that have
 * fewer than 64 bits (spec/ete-packets.md section 5), and Exceptions. test_decoder compares the
 * results with those of the codecs.
 */
#ifndef HWF_FAST_PACKED_H
#define HWF_FAST_PACKED_H

#include "core/bits.h"
#include "hwflow/element.h"

/* HWF_PACKED_ROOM - bytes that a loop must have, to read an exception and its address unchecked */
#define HWF_PACKED_ROOM 16

/* struct hwf_packed_history - IS is in bit 0 of an address; [0] is the newest */
struct hwf_packed_history {
	uint64_t address[HWF_HISTORY];
};

static inline void hwf_packed_open(struct hwf_packed_history *packed,
				   const struct hwf_address_history *history)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++)
		packed->address[i] = history->entry[i].value | history->entry[i].is;
}

static inline void hwf_packed_close(const struct hwf_packed_history *packed,
				    struct hwf_address_history *history)
{
	for (unsigned int i = 0; i < HWF_HISTORY; i++) {
		history->entry[i].value = packed->address[i] & ~UINT64_C(1);
		history->entry[i].is = packed->address[i] & 1;
	}
}

/* The newest address in the form of an element */
static inline struct hwf_el_address hwf_packed_newest(const struct hwf_packed_history *packed)
{
	return (struct hwf_el_address){.value = packed->address[0] & ~UINT64_C(1),
				       .is = packed->address[0] & 1};
}

static inline void hwf_packed_push(struct hwf_packed_history *packed, uint64_t address)
{
	packed->address[2] = packed->address[1];
	packed->address[1] = packed->address[0];
	packed->address[0] = address;
}

/*
 * The payload of a short address: low bits in one byte or two. The number of bytes is
 * unpredictable, so the function has no branch. Return: bytes of the payload
 */
static inline size_t hwf_packed_short(struct hwf_packed_history *packed, const uint8_t *at)
{
	const uint64_t two = at[0] >> 7;
	const uint64_t low = (uint64_t)(at[0] & 0x7f) << 2 | (at[1] & -two) << 9;

	hwf_packed_push(packed, low | (packed->address[0] & ~UINT64_C(0x1ff) << 8 * two));
	return 1 + two;
}

/* The payload of an address of 32 bits; false if a bit is set that must be 0 */
static inline bool hwf_packed_32bit(struct hwf_packed_history *packed, const uint8_t *at)
{
	if ((at[0] | at[1]) & 0x80)
		return false;
	hwf_packed_push(packed, (packed->address[0] >> 32 << 32) | (uint64_t)at[0] << 2 |
					(uint64_t)at[1] << 9 | (uint64_t)at[2] << 16 |
					(uint64_t)at[3] << 24);
	return true;
}

/* Decode a Target Address packet and add its address. Return: its size, or 0 for another packet */
static inline size_t hwf_packed_target(struct hwf_packed_history *packed, const uint8_t *at)
{
	switch (at[0]) {
	case 0x95:
		return 1 + hwf_packed_short(packed, at + 1);
	case 0x9a:
		return hwf_packed_32bit(packed, at + 1) ? 5 : 0;
	case 0x90 ... 0x92:
		hwf_packed_push(packed, packed->address[at[0] & 3]);
		return 1;
	default:
		return 0;
	}
}

/* Decode a Source Address packet; as hwf_packed_target() */
static inline size_t hwf_packed_source(struct hwf_packed_history *packed, const uint8_t *at)
{
	switch (at[0]) {
	case 0xb4:
		return 1 + hwf_packed_short(packed, at + 1);
	case 0xb6:
		return hwf_packed_32bit(packed, at + 1) ? 5 : 0;
	case 0xb0 ... 0xb2:
		hwf_packed_push(packed, packed->address[at[0] & 3]);
		return 1;
	default:
		return 0;
	}
}

/* HWF_ATOM_HEADERS - headers of Atom packets, from here on */
#define HWF_ATOM_HEADERS 0xc0

/* Bits 7:4 of the headers of Target Addresses and of Source Addresses, and of others */
#define HWF_TARGET_HEADERS 0x9
#define HWF_SOURCE_HEADERS 0xb

/* HWF_EXCEPTION_HEADER - header of Exception, PE Reset and Transaction Failure packets */
#define HWF_EXCEPTION_HEADER 0x06

/* bit n: exception type n is reserved, or is not an HWF_ETE_EXCEPTION packet */
#define HWF_NO_EXCEPTIONS 0xff002321u

/* struct hwf_packed_exception - an Exception packet, and the Target Address that completes it */
struct hwf_packed_exception {
	struct hwf_el_exception element;
	size_t first; /* bytes of the first packet */
	size_t size;  /* of both */
};

/*
 * Decode an Exception packet and its Target Address packet, as take_exception() and take_target()
 * of the element stage do. The byte at @at is HWF_EXCEPTION_HEADER. Return: false for other packets
 */
static inline bool hwf_packed_exception(struct hwf_packed_history *packed, const uint8_t *at,
					struct hwf_packed_exception *exception)
{
	const unsigned int ends = at[1] & 0xc1; /* E1, whether a byte follows, E0 */
	const unsigned int type = at[1] >> 1 & 0x1f;
	size_t size;

	if ((ends != 0x40 && ends != 0x01) || HWF_NO_EXCEPTIONS >> type & 1)
		return false;
	size = hwf_packed_target(packed, at + 2);
	if (!size)
		return false;
	*exception = (struct hwf_packed_exception){.first = 2,
						   .size = 2 + size,
						   .element = {
							   .type = (uint16_t)type,
							   .ret = hwf_packed_newest(packed),
							   .has_ret = true,
							   /* E1 and E0 are 10 */
							   .ret_is_target = ends == 0x40,
						   }};
	return true;
}

#endif /* HWF_FAST_PACKED_H */
