// SPDX-License-Identifier: GPL-2.0-only
/*
 * vm ROUNDS [stay] - a virtual machine of one CPU that runs so many rounds, at EL1 and at EL0, at
 * addresses from VM_BASE on, which nothing else in the machine has. It tries to allow trace of
 * itself. In between this program runs itself. With `stay` it is there until it is killed.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define VM_BASE    UINT64_C(0x5a5a000000)
#define VM_SIZE    0x10000u
#define VM_DONE    UINT64_C(0x5a5b000000) /* no memory there: a write to it is a round's end */
#define VM_STEPS   20000
#define HOST_STEPS 500

/*
 * Its code, with the vectors first. Each round: to allow trace, which is UNDEFINED for it, then
 * branches at EL1, branches at EL0, and SVC. x19 is VM_DONE, x20 VM_STEPS, x21 counts what was
 * UNDEFINED.
 */
__asm__(".pushsection .rodata\n"
	".global vm_code, vm_code_end\n"
	".balign 2048\n"
	"vm_code:\n"
	".org vm_code + 0x200\n"
	"	mrs	x0, elr_el1\n"
	"	add	x0, x0, #4\n"
	"	msr	elr_el1, x0\n"
	"	add	x21, x21, #1\n"
	"	eret\n"
	".org vm_code + 0x400\n"
	"	str	x21, [x19]\n"
	"	b	round\n"
	".org vm_code + 0x800\n"
	"round:\n"
	"	adr	x0, vm_code\n"
	"	msr	vbar_el1, x0\n"
	"	isb\n"
	"	mov	x21, #0\n"
	"	mov	x0, #3\n"
	"	msr	S3_0_C1_C2_1, x0\n"  /* TRFCR_EL1 */
	"	msr	S3_0_C9_C11_0, x0\n" /* TRBLIMITR_EL1 */
	"	isb\n"
	"	mov	x0, x20\n"
	"1:	bl	step\n"
	"	cbnz	x0, 1b\n"
	"	adr	x0, user\n"
	"	msr	elr_el1, x0\n"
	"	mov	x0, #0x3c0\n"
	"	msr	spsr_el1, x0\n"
	"	mov	x0, x20\n"
	"	eret\n"
	"user:\n"
	"	bl	step\n"
	"	cbnz	x0, user\n"
	"	svc	#0\n"
	"step:\n"
	"	sub	x0, x0, #1\n"
	"	tbz	x0, #0, 2f\n"
	"	nop\n"
	"2:	ret\n"
	"vm_code_end:\n"
	".popsection\n");
extern const char vm_code[], vm_code_end[];

static volatile uint64_t sink;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int call(int fd, unsigned long request, const void *argument, const char *name)
{
	const int result = ioctl(fd, request, argument);

	if (result < 0)
		fail(name);
	return result;
}

static void set_register(int cpu, uint64_t id, uint64_t value)
{
	const struct kvm_one_reg reg = {.id = id, .addr = (uintptr_t)&value};

	call(cpu, KVM_SET_ONE_REG, &reg, "KVM_SET_ONE_REG");
}

#define CORE(field) \
	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | KVM_REG_ARM_CORE_REG(field))

static void make_memory(int vm)
{
	void *memory =
		mmap(NULL, VM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct kvm_userspace_memory_region region = {
		.guest_phys_addr = VM_BASE,
		.memory_size = VM_SIZE,
		.userspace_addr = (uintptr_t)memory,
	};

	if (memory == MAP_FAILED)
		fail("mmap");
	memcpy(memory, vm_code, (size_t)(vm_code_end - vm_code));
	__builtin___clear_cache(memory, (char *)memory + VM_SIZE);
	call(vm, KVM_SET_USER_MEMORY_REGION, &region, "KVM_SET_USER_MEMORY_REGION");
}

static int make_cpu(int vm)
{
	const int cpu = call(vm, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");
	struct kvm_vcpu_init init;

	call(vm, KVM_ARM_PREFERRED_TARGET, &init, "KVM_ARM_PREFERRED_TARGET");
	call(cpu, KVM_ARM_VCPU_INIT, &init, "KVM_ARM_VCPU_INIT");
	set_register(cpu, CORE(regs.pc), VM_BASE + 0x800);
	set_register(cpu, CORE(regs.regs[19]), VM_DONE);
	set_register(cpu, CORE(regs.regs[20]), VM_STEPS);
	return cpu;
}

static void host(uint64_t state)
{
	for (int i = 0; i < HOST_STEPS; i++) {
		if (state >> 61 & 1)
			sink += state;
		state = state * 6364136223846793005u + 1442695040888963407u;
	}
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	struct kvm_run *run;
	int vm, cpu, size;

	if (kvm < 0)
		fail("/dev/kvm");
	vm = call(kvm, KVM_CREATE_VM, NULL, "KVM_CREATE_VM");
	make_memory(vm);
	cpu = make_cpu(vm);
	size = call(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE");
	run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	if (run == MAP_FAILED)
		fail("mmap");
	for (unsigned long round = 1; round <= rounds; round++) {
		uint64_t undefined;

		call(cpu, KVM_RUN, NULL, "KVM_RUN");
		if (run->exit_reason != KVM_EXIT_MMIO || run->mmio.phys_addr != VM_DONE) {
			printf("exit %u at %#llx\n", run->exit_reason,
			       (unsigned long long)run->mmio.phys_addr);
			return 1;
		}
		memcpy(&undefined, run->mmio.data, sizeof(undefined));
		if (undefined != 2) {
			printf("%llu accesses were undefined\n", (unsigned long long)undefined);
			return 1;
		}
		host(round);
	}
	printf("%lu rounds\n", rounds);
	fflush(stdout);
	if (argc > 2)
		pause();
	return 0;
}
