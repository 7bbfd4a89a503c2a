// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX areas, mapped for the trace buffer, and their padding.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/math.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "trbe.h"

/* Unmaps AUX areas; exists while the module is loaded */
struct workqueue_struct *trbe_workqueue;

/**
 * trbe_aux_pad() - fill bytes of an AUX area with padding
 * @aux: the AUX area
 * @start: offset of the first byte
 * @bytes: number of bytes; in an area that is mapped once they may wrap around its end
 */
void trbe_aux_pad(const struct trbe_aux *aux, u64 start, u64 bytes)
{
	u64 first = bytes;

	if (!aux->mirrored)
		first = min(bytes, aux->size - start);
	memset(aux->map + start, ARM_ETE_PMU_PADDING, first);
	memset(aux->map, ARM_ETE_PMU_PADDING, bytes - first);
}

/**
 * trbe_record_pad() - fill the bytes before the window, or bytes that no window can use
 * @record: the record, which is open and has no trace yet
 *
 * These bytes are padded before the trace buffer writes: in a snapshot, the trace of a window that
 * begins at the start of the AUX area may go past the head, where the padding begins.
 */
void trbe_record_pad(const struct trbe_record *record)
{
	trbe_aux_pad(record->aux, record->area.head & (record->area.size - 1), record->window.pad);
}

/**
 * trbe_record_skip() - advance the record over the padding of trbe_record_pad()
 * @record: the record, which is open
 *
 * perf_aux_output_skip() takes at most the room that perf counts.
 *
 * Context: interrupts off.
 */
void trbe_record_skip(struct trbe_record *record)
{
	u64 bytes = record->window.pad;

	if (!bytes)
		return;
	if (record->aux->snapshot)
		record->handle.head += bytes;
	else
		perf_aux_output_skip(&record->handle, min_t(u64, bytes, record->handle.size));
}

static void trbe_aux_free_work(struct work_struct *work)
{
	struct trbe_aux *aux = container_of(work, struct trbe_aux, free);

	vunmap(aux->map);
	kfree(aux);
}

/* The reason why a trace buffer can never write to an AUX area of this size, or NULL */
static const char *trbe_aux_objection(const struct trbe_aux *aux, const struct trbe_caps *caps,
				      u32 errata)
{
	const struct trbe_area area = {
		.size = aux->size,
		.mirrored = aux->mirrored,
		.align = caps->align,
		.largest = caps->largest,
		.page = PAGE_SIZE,
		.errata = errata,
	};

	if (trbe_window_possible(&area, aux->snapshot))
		return NULL;
	if (aux->snapshot && aux->size > area.largest)
		return "the AUX area is larger than the trace buffer can be: make it smaller";
	return "the AUX area is too small with erratum 2224489: make it larger";
}

/* The physical address of the pages if they are contiguous, else 0 */
static phys_addr_t trbe_aux_contiguous(struct page **pages, int nr_pages)
{
	int i;

	for (i = 1; i < nr_pages; i++)
		if (page_to_pfn(pages[i]) != page_to_pfn(pages[0]) + i)
			return 0;
	return page_to_phys(pages[0]);
}

/**
 * trbe_aux_setup() - map an AUX area for the trace buffer
 * @pages: kernel addresses of its pages
 * @nr_pages: number of pages, a power of two
 * @snapshot: the area is overwritten continuously
 * @physical: the trace buffer does not translate addresses
 * @caps: capabilities that all trace buffers share
 * @errata: TRBE_ERRATUM_ bits of any trace buffer
 *
 * The pages are mapped twice in a row, so that the free part of the AUX area is always contiguous.
 * In snapshot mode, and for a trace buffer that does not translate, they are mapped once.
 *
 * Context: process; may sleep. perf calls it once for an AUX area that several events share.
 * Return: what perf_aux_output_begin() returns and trbe_aux_free() receives; NULL if there is no
 * memory, if the pages must be contiguous and are not, or if the area has no useful size.
 */
void *trbe_aux_setup(void **pages, int nr_pages, bool snapshot, bool physical,
		     const struct trbe_caps *caps, u32 errata)
{
	struct trbe_aux *aux;
	struct page **mapping;
	const char *objection;
	int i, mapped;

	aux = kzalloc(sizeof(*aux), GFP_KERNEL);
	if (!aux)
		return NULL;
	INIT_WORK(&aux->free, trbe_aux_free_work);
	aux->snapshot = snapshot;
	aux->mirrored = !snapshot && !physical;
	aux->size = (u64)nr_pages << PAGE_SHIFT;
	objection = trbe_aux_objection(aux, caps, errata);
	if (objection) {
		pr_debug("%s\n", objection);
		goto err_free;
	}
	mapped = aux->mirrored ? 2 * nr_pages : nr_pages;
	mapping = kvmalloc_array(mapped, sizeof(*mapping), GFP_KERNEL);
	if (!mapping)
		goto err_free;
	for (i = 0; i < mapped; i++)
		mapping[i] = virt_to_page(pages[i % nr_pages]);
	if (physical) {
		aux->physical = trbe_aux_contiguous(mapping, nr_pages);
		if (!aux->physical) {
			pr_debug("physical=1 requires physically contiguous pages, and those of the AUX area are not: make it smaller, or use snapshot mode\n");
			goto err_pages;
		}
	}
	aux->map = vmap(mapping, mapped, VM_MAP, PAGE_KERNEL);
	if (!aux->map)
		goto err_pages;
	kvfree(mapping);
	return aux;

err_pages:
	kvfree(mapping);
err_free:
	kfree(aux);
	return NULL;
}

/**
 * trbe_aux_free() - release an AUX area
 * @aux: as returned by trbe_aux_setup()
 *
 * Context: any, also with interrupts off. A worker unmaps the pages, which may sleep; unloading the
 * driver waits for it.
 */
void trbe_aux_free(void *aux)
{
	queue_work(trbe_workqueue, &((struct trbe_aux *)aux)->free);
}
