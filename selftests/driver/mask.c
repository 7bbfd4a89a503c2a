// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is written to /proc/mask is how many microseconds to run with interrupts masked. That is in
 * short branches, so that there is much trace of it. What is written to /proc/mask_steps is how
 * many of these to run so: each is some bytes of trace, however fast the machine is.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

static noinline unsigned int mask_step(unsigned int n)
{
	return n & 1 ? n * 3 : n / 2;
}

static void mask_run(unsigned int microseconds)
{
	unsigned int n = 1;
	unsigned long flags;
	ktime_t end;

	local_irq_save(flags);
	end = ktime_add_us(ktime_get(), microseconds);
	while (ktime_before(ktime_get(), end))
		n = mask_step(n + 1);
	local_irq_restore(flags);
	pr_debug("mask: %u\n", n);
}

static void mask_run_steps(unsigned int steps)
{
	unsigned int n = 1;
	unsigned long flags;

	local_irq_save(flags);
	while (steps--)
		n = mask_step(n + 1);
	local_irq_restore(flags);
	pr_debug("mask: %u\n", n);
}

static ssize_t mask_write(struct file *file, const char __user *text, size_t length, loff_t *at)
{
	unsigned int microseconds;
	int err = kstrtouint_from_user(text, length, 0, &microseconds);

	if (err)
		return err;
	if (microseconds > USEC_PER_SEC)
		return -EINVAL;
	mask_run(microseconds);
	return length;
}

static const struct proc_ops mask_ops = {
	.proc_write = mask_write,
};

static ssize_t mask_steps_write(struct file *file, const char __user *text, size_t length,
				loff_t *at)
{
	unsigned int steps;
	int err = kstrtouint_from_user(text, length, 0, &steps);

	if (err)
		return err;
	if (steps > USEC_PER_SEC)
		return -EINVAL;
	mask_run_steps(steps);
	return length;
}

static const struct proc_ops mask_steps_ops = {
	.proc_write = mask_steps_write,
};

static int __init mask_init(void)
{
	if (!proc_create("mask", 0200, NULL, &mask_ops))
		return -ENOMEM;
	if (!proc_create("mask_steps", 0200, NULL, &mask_steps_ops)) {
		remove_proc_entry("mask", NULL);
		return -ENOMEM;
	}
	return 0;
}

static void __exit mask_exit(void)
{
	remove_proc_entry("mask_steps", NULL);
	remove_proc_entry("mask", NULL);
}

module_init(mask_init);
module_exit(mask_exit);

MODULE_DESCRIPTION("For tests: runs with interrupts masked");
MODULE_AUTHOR("the hwflow project");
MODULE_LICENSE("GPL");
