// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX areas, as the trace buffer sees them: mapped, in a row.
 */
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"

static void trbe_buffer_free_work(struct work_struct *work)
{
	struct trbe_buffer *buffer = container_of(work, struct trbe_buffer, free);

	vunmap(buffer->map);
	kfree(buffer);
}

/* Why no CPU's trace buffer, or not that of each, can ever write to an AUX area, or NULL */
static const char *trbe_buffer_objection(const struct trbe_buffer *buffer,
					 const struct ete_pmu *pmu)
{
	const struct trbe_ring ring = {
		.size = buffer->size,
		.mirrored = buffer->mirrored,
		.align = pmu->buffer.align,
		.largest = pmu->buffer.largest,
		.page = PAGE_SIZE,
		.errata = pmu->errata,
	};

	if (trbe_window_possible(&ring, buffer->snapshot))
		return NULL;
	if (buffer->snapshot && buffer->size > ring.largest)
		return "the AUX area is larger than a trace buffer may be: make it smaller";
	return "the AUX area is too small with erratum 2224489: make it larger";
}

/* The physical address of pages that lie in a row, or 0 */
static phys_addr_t trbe_buffer_contiguous(struct page **pages, int nr_pages)
{
	int i;

	for (i = 1; i < nr_pages; i++)
		if (page_to_pfn(pages[i]) != page_to_pfn(pages[0]) + i)
			return 0;
	return page_to_phys(pages[0]);
}

/**
 * trbe_buffer_setup() - map an AUX area for the trace buffer
 * @event: the event that it is for, first
 * @pages: kernel addresses of its pages
 * @nr_pages: how many there are; a power of two
 * @snapshot: it is to be written over and over
 *
 * The area is mapped twice, one behind the other, so that what is free of it is always in one
 * piece. In snapshot mode, and where the trace buffer does not translate, it is not.
 *
 * Context: process; may sleep. It is called once for an AUX area that several events write to.
 * Return: for trbe_session_start() by way of perf, and for trbe_buffer_free(); NULL without
 * memory, where the pages had to lie in a row and do not, and where the area is of no use.
 */
void *trbe_buffer_setup(struct perf_event *event, void **pages, int nr_pages, bool snapshot)
{
	bool physical = event->attr.config1 & ARM_ETE_PMU_MASK(physical);
	struct trbe_buffer *buffer;
	struct page **mapping;
	const char *objection;
	int i, mapped;

	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return NULL;
	INIT_WORK(&buffer->free, trbe_buffer_free_work);
	buffer->snapshot = snapshot;
	buffer->mirrored = !snapshot && !physical;
	buffer->size = (u64)nr_pages << PAGE_SHIFT;
	objection = trbe_buffer_objection(buffer, ete_pmu_of(event));
	if (objection) {
		pr_info_ratelimited("arm_ete_pmu: %s\n", objection);
		goto err_free;
	}
	mapped = buffer->mirrored ? 2 * nr_pages : nr_pages;
	mapping = kvmalloc_array(mapped, sizeof(*mapping), GFP_KERNEL);
	if (!mapping)
		goto err_free;
	for (i = 0; i < mapped; i++)
		mapping[i] = virt_to_page(pages[i % nr_pages]);
	if (physical) {
		buffer->physical = trbe_buffer_contiguous(mapping, nr_pages);
		if (!buffer->physical) {
			pr_info_ratelimited("arm_ete_pmu: the AUX area's pages do not lie in a row, which physical=1 needs: make it smaller, or use snapshot mode\n");
			goto err_pages;
		}
	}
	buffer->map = vmap(mapping, mapped, VM_MAP, PAGE_KERNEL);
	if (!buffer->map)
		goto err_pages;
	kvfree(mapping);
	return buffer;

err_pages:
	kvfree(mapping);
err_free:
	kfree(buffer);
	return NULL;
}

/**
 * trbe_buffer_free() - what trbe_buffer_setup() returned is not used any more
 * @buffer: what it returned
 *
 * Context: any, also with interrupts off: what may sleep is left to a worker, for which a driver
 * that is unloaded waits.
 */
void trbe_buffer_free(void *buffer)
{
	queue_work(arm_ete_workqueue, &((struct trbe_buffer *)buffer)->free);
}
