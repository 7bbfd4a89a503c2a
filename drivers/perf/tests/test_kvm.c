// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether KVM may be told of trace buffers, on each kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arm_ete_kvm.h"

int test_version;

/* What the kernel returns, and the devices that were registered and are left */
static int result, calls, left;

int misc_register(struct miscdevice *misc)
{
	assert_int_equal(misc->minor, KVM_MINOR);
	calls++;
	left += !result;
	return result;
}

void misc_deregister(struct miscdevice *misc)
{
	assert_int_equal(misc->minor, KVM_MINOR);
	left--;
}

static void kvm_is_told_where_it_is_initialised(void **state)
{
	static const struct {
		int version, result, calls;
		bool told;
	} rows[] = {
		/* /dev/kvm has the minor number */
		{ KERNEL_VERSION(6, 14, 0), -EBUSY, 1, true },
		{ KERNEL_VERSION(6, 17, 13), -EBUSY, 1, true },
		/* KVM is not initialised */
		{ KERNEL_VERSION(6, 14, 0), 0, 1, false },
		{ KERNEL_VERSION(6, 17, 13), 0, 1, false },
		{ KERNEL_VERSION(6, 16, 3), -ENOMEM, 1, false },
		/* these kernels check by themselves, or have nothing to tell */
		{ KERNEL_VERSION(6, 1, 0), 0, 0, true },
		{ KERNEL_VERSION(6, 13, 255), 0, 0, true },
		{ KERNEL_VERSION(6, 18, 0), 0, 0, true },
		{ KERNEL_VERSION(7, 3, 4), 0, 0, true },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		test_version = rows[i].version;
		result = rows[i].result;
		calls = 0;
		assert_int_equal(ete_kvm_can_be_told(), rows[i].told);
		assert_int_equal(calls, rows[i].calls);
		assert_int_equal(left, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kvm_is_told_where_it_is_initialised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
