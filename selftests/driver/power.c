// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a CPU's trace unit and trace buffer while its power goes, for machines that do
 * not have it go. To /proc/power is written ACT CPU:
 *
 *   state     their state and the trace filter are printed
 *   keep      drivers are told that power may go, and that it did not
 *   lose      they are told that it goes, and it does: registers come back with any values
 *   claim     meanwhile a debugger claims the trace unit
 *   unclaim   meanwhile it gives it back
 *   stale     the claim tag of self-hosted trace is set, as a kernel that crashed leaves it
 *   lock      the OS Lock is locked, which disables the trace unit, and nobody is told
 *   interrupt NUMBER   that interrupt comes, for no reason
 *   idle NUMBER   drivers are told so often that power may go, and that it did not; nothing is
 *             printed, and no register is accessed
 *
 * With the parameter instrumentation=1 TRCITECR_EL1 is printed as well, and lost: the kernel must
 * have access to it.
 *
 * The state while power is off, and after, is printed; and that of a CPU that leaves, behind a
 * driver that was loaded later.
 */
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include <asm/sysreg.h>

#define TRBLIMITR	sys_reg(3, 0, 9, 11, 0)
#define TRBPTR		sys_reg(3, 0, 9, 11, 1)
#define TRBBASER	sys_reg(3, 0, 9, 11, 2)
#define TRBSR		sys_reg(3, 0, 9, 11, 3)
#define TRBTRG		sys_reg(3, 0, 9, 11, 6)
#define OSLAR		sys_reg(2, 0, 1, 0, 4)
#define TRFCR		sys_reg(3, 0, 1, 2, 1)
#define TRCITECR	sys_reg(3, 0, 1, 2, 3)
#define TRCPRGCTLR	sys_reg(2, 1, 0, 1, 0)
#define TRCCONFIGR	sys_reg(2, 1, 0, 4, 0)
#define TRCVICTLR	sys_reg(2, 1, 0, 0, 2)
#define TRCSYNCPR	sys_reg(2, 1, 0, 13, 0)
#define TRCCLAIMSET	sys_reg(2, 1, 7, 8, 6)
#define TRCCLAIMCLR	sys_reg(2, 1, 7, 9, 6)

#define CLAIM_DEBUGGER	BIT(0)
#define CLAIM_SELF	BIT(1)

static bool instrumentation;
module_param(instrumentation, bool, 0444);

enum power_act {
	POWER_STATE, POWER_KEEP, POWER_LOSE, POWER_CLAIM, POWER_UNCLAIM, POWER_STALE,
	POWER_LOCK, POWER_INTERRUPT, POWER_IDLE
};

static const char *const power_acts[] = {
	[POWER_STATE] = "state", [POWER_KEEP] = "keep", [POWER_LOSE] = "lose",
	[POWER_CLAIM] = "claim", [POWER_UNCLAIM] = "unclaim", [POWER_STALE] = "stale",
	[POWER_LOCK] = "lock", [POWER_INTERRUPT] = "interrupt", [POWER_IDLE] = "idle",
};

struct power_order {
	enum power_act act;
	unsigned int number;
};

static void power_print(const char *when)
{
	isb();
	pr_info("power: cpu%d: %s: buffer %llu trace unit %llu claim %#llx\n", smp_processor_id(),
		when, read_sysreg_s(TRBLIMITR) & 1, read_sysreg_s(TRCPRGCTLR) & 1,
		read_sysreg_s(TRCCLAIMCLR));
	pr_info("power: cpu%d: filter %s: %#llx\n", smp_processor_id(), when, read_sysreg_s(TRFCR));
	if (instrumentation)
		pr_info("power: cpu%d: instrumentation %s: %llu\n", smp_processor_id(), when,
			read_sysreg_s(TRCITECR));
}

/* As a Cold reset leaves them: disabled, not claimed, and else anything */
static void power_lose(void)
{
	write_sysreg_s(0, TRBLIMITR);
	write_sysreg_s(0, TRCPRGCTLR);
	isb();
	write_sysreg_s(0x5000, TRBBASER);
	write_sysreg_s(0x5080, TRBPTR);
	write_sysreg_s(0, TRBSR);
	write_sysreg_s(0x12345, TRBTRG);
	write_sysreg_s(0, TRFCR);
	if (instrumentation)
		write_sysreg_s(2, TRCITECR);
	write_sysreg_s(0x1001, TRCCONFIGR);
	write_sysreg_s(0, TRCVICTLR);
	write_sysreg_s(8, TRCSYNCPR);
	write_sysreg_s(CLAIM_SELF, TRCCLAIMCLR);
	isb();
}

/* Interrupts are off */
static int power_sleep(enum power_act act)
{
	int err = cpu_pm_enter();

	if (err)
		return err;
	power_print("off");
	if (act == POWER_LOSE)
		power_lose();
	if (act == POWER_CLAIM)
		write_sysreg_s(CLAIM_DEBUGGER, TRCCLAIMSET);
	if (act == POWER_UNCLAIM)
		write_sysreg_s(CLAIM_DEBUGGER, TRCCLAIMCLR);
	cpu_pm_exit();
	power_print("on");
	return 0;
}

/* Interrupts are off */
static int power_idle(unsigned int times)
{
	while (times--) {
		int err = cpu_pm_enter();

		if (err)
			return err;
		cpu_pm_exit();
	}
	return 0;
}

/* Not from an interrupt: the interrupt controller forgets it when power goes */
static long power_act(void *info)
{
	const struct power_order *order = info;
	unsigned long flags;
	int err = 0;

	local_irq_save(flags);
	switch (order->act) {
	case POWER_STATE:
		power_print("state");
		break;
	case POWER_STALE:
		write_sysreg_s(CLAIM_SELF, TRCCLAIMSET);
		isb();
		break;
	case POWER_LOCK:
		write_sysreg_s(1, OSLAR);
		isb();
		break;
	case POWER_INTERRUPT:
		err = irq_set_irqchip_state(order->number, IRQCHIP_STATE_PENDING, true);
		break;
	case POWER_IDLE:
		err = power_idle(order->number);
		break;
	default:
		err = power_sleep(order->act);
		break;
	}
	local_irq_restore(flags);
	return err;
}

static ssize_t power_write(struct file *file, const char __user *text, size_t length, loff_t *at)
{
	char buffer[32], name[16];
	struct power_order order = { 0 };
	int cpu, found, err;

	if (length >= sizeof(buffer))
		return -EINVAL;
	if (copy_from_user(buffer, text, length))
		return -EFAULT;
	buffer[length] = 0;
	if (sscanf(buffer, "%15s %d %u", name, &cpu, &order.number) < 2)
		return -EINVAL;
	found = match_string(power_acts, ARRAY_SIZE(power_acts), name);
	if (found < 0)
		return found;
	order.act = found;
	err = work_on_cpu(cpu, power_act, &order);
	return err ?: length;
}

static const struct proc_ops power_ops = { .proc_write = power_write };

/* perf's own events are taken off the CPU later */
static int power_leaves(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	power_print("leaves");
	local_irq_restore(flags);
	return 0;
}

static enum cpuhp_state power_hotplug;

static int __init power_init(void)
{
	int err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "test/power:online", NULL,
					    power_leaves);

	if (err < 0)
		return err;
	power_hotplug = err;
	if (proc_create("power", 0200, NULL, &power_ops))
		return 0;
	cpuhp_remove_state_nocalls(power_hotplug);
	return -ENOMEM;
}

static void __exit power_exit(void)
{
	remove_proc_entry("power", NULL);
	cpuhp_remove_state_nocalls(power_hotplug);
}

module_init(power_init);
module_exit(power_exit);

MODULE_DESCRIPTION("Power of a CPU comes and goes, for tests");
MODULE_LICENSE("GPL");
