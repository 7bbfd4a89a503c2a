// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that does the wrong thing that is written to its parameter `kind`: each must be seen in
 * the log of the debug kernel, or a log without complaints proves nothing.
 */
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

/* Taken as they come: nothing is known of them when this is compiled, nothing left out. */
static unsigned int distance = 32;
static unsigned int sink;

static void splat_use(unsigned int value)
{
	WRITE_ONCE(sink, value);
}

static int splat_right(void)
{
	unsigned char *bytes = kzalloc(32, GFP_KERNEL);

	if (!bytes)
		return -ENOMEM;
	splat_use(bytes[READ_ONCE(distance) - 1]);
	kfree(bytes);
	return 0;
}

static int splat_slab(void)
{
	unsigned char *bytes = kzalloc(32, GFP_KERNEL);

	if (!bytes)
		return -ENOMEM;
	splat_use(bytes[READ_ONCE(distance)]);
	kfree(bytes);
	return 0;
}

static int splat_freed(void)
{
	unsigned char *bytes = kzalloc(32, GFP_KERNEL);

	if (!bytes)
		return -ENOMEM;
	kfree(bytes);
	splat_use(READ_ONCE(bytes[READ_ONCE(distance) - 32]));
	return 0;
}

static int splat_vmalloc(void)
{
	/* one page and a guard page: what is behind 100 bytes is no one's */
	unsigned char *bytes = vzalloc(100);

	if (!bytes)
		return -ENOMEM;
	splat_use(bytes[READ_ONCE(distance) + 96]);
	vfree(bytes);
	return 0;
}

static int splat_bounds(void)
{
	/* what is behind the array is memory of ours: this is not for KASAN */
	static struct {
		unsigned int array[4];
		unsigned int behind[4];
	} both;

	splat_use(both.array[READ_ONCE(distance) / 8]);
	return 0;
}

static int splat_shift(void)
{
	splat_use(1u << READ_ONCE(distance));
	return 0;
}

static int splat_leak(void)
{
	int i;

	/*
	 * An old pointer may be left on a stack: not to all of them. Nor may one lead to the next,
	 * as what the allocator left in them would.
	 */
	for (i = 0; i < 16; i++)
		if (!kzalloc(128, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}

static int splat_list(void)
{
	LIST_HEAD(list);
	struct list_head entry;

	list_add(&entry, &list);
	list_del(&entry);
	list_del(&entry);
	return 0;
}

static void splat_nothing(struct timer_list *timer)
{
}

static int splat_object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, splat_nothing, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
	return 0;
}

static int splat_preempt(void)
{
	splat_use(smp_processor_id());
	return 0;
}

static DEFINE_SPINLOCK(splat_lock);
static DEFINE_SPINLOCK(splat_other_lock);

static int splat_sleep(void)
{
	spin_lock(&splat_lock);
	might_sleep();
	spin_unlock(&splat_lock);
	return 0;
}

/* Two locks that are one to lockdep: one lock twice would never end. */
static int splat_twice(void)
{
	static spinlock_t locks[2];
	int i;

	for (i = 0; i < 2; i++)
		spin_lock_init(&locks[i]);
	spin_lock(&locks[0]);
	spin_lock(&locks[1]);
	spin_unlock(&locks[1]);
	spin_unlock(&locks[0]);
	return 0;
}

static int splat_order(void)
{
	spin_lock(&splat_lock);
	spin_lock(&splat_other_lock);
	spin_unlock(&splat_other_lock);
	spin_unlock(&splat_lock);

	spin_lock(&splat_other_lock);
	spin_lock(&splat_lock);
	spin_unlock(&splat_lock);
	spin_unlock(&splat_other_lock);
	return 0;
}

static void splat_in_interrupt(struct irq_work *work)
{
	spin_lock(&splat_lock);
	spin_unlock(&splat_lock);
}

static int splat_interrupt(void)
{
	static struct irq_work work = IRQ_WORK_INIT_HARD(splat_in_interrupt);

	irq_work_queue(&work);
	irq_work_sync(&work);
	spin_lock(&splat_lock);
	spin_unlock(&splat_lock);
	return 0;
}

/* Nothing is wrong with it unless its second allocation fails. */
static int splat_unwind(void)
{
	unsigned long page;
	void *bytes;
	int i;

	/* each page that fails leaks one; as in splat_leak(), one alone may not be found */
	for (i = 0; i < 16; i++) {
		bytes = kzalloc(128, GFP_KERNEL);
		if (!bytes)
			return -ENOMEM;
		page = __get_free_page(GFP_KERNEL);
		if (!page)
			return -ENOMEM;
		free_page(page);
		kfree(bytes);
	}
	return 0;
}

/* Processors write one variable, with no lock. */
static unsigned int splat_raced;

static void splat_write(void *unused)
{
	int i;

	for (i = 0; i < 200000; i++) {
		splat_raced++;
		barrier();
	}
}

static int splat_race(void)
{
	on_each_cpu(splat_write, NULL, 1);
	splat_use(splat_raced);
	return 0;
}

static const struct {
	const char *kind;
	int (*act)(void);
} splats[] = {
	{ "right", splat_right },
	{ "slab", splat_slab },
	{ "freed", splat_freed },
	{ "vmalloc", splat_vmalloc },
	{ "bounds", splat_bounds },
	{ "shift", splat_shift },
	{ "leak", splat_leak },
	{ "list", splat_list },
	{ "object", splat_object },
	{ "preempt", splat_preempt },
	{ "sleep", splat_sleep },
	{ "twice", splat_twice },
	{ "order", splat_order },
	{ "interrupt", splat_interrupt },
	{ "unwind", splat_unwind },
	{ "race", splat_race },
};

static int splat_set(const char *kind, const struct kernel_param *param)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(splats); i++)
		if (sysfs_streq(kind, splats[i].kind))
			return splats[i].act();
	pr_err("splat: no kind %s\n", kind);
	return -EINVAL;
}

static const struct kernel_param_ops splat_ops = {
	.set = splat_set,
};

module_param_cb(kind, &splat_ops, NULL, 0200);
MODULE_PARM_DESC(kind, "what to do wrong");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("wrong on purpose, for tests of the debug kernel");
