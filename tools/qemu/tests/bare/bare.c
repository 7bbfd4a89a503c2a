// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register access at any Exception level, traps off, TAP by semihosting.
 */
#include <stdarg.h>

#include "bare.h"

extern unsigned lower_el;
extern struct {
	unsigned el;
	uint32_t esr;
} taken;
long semihost(uint64_t operation, const void *argument);

enum {
	SYS_OPEN = 0x01,
	SYS_CLOSE = 0x02,
	SYS_WRITE0 = 0x04,
	SYS_WRITE = 0x05,
	SYS_GET_CMDLINE = 0x15,
	SYS_EXIT = 0x18,
};

static char command_line[1024];
static unsigned tests, failures;

/* MRS or MSR with x0, and a return: written anew for each register */
static uint32_t stub[2] __attribute__((aligned(64))) = {0, 0xd65f03c0};

/* What the compiler asks for */
void *memset(void *to, int value, size_t count)
{
	uint8_t *byte = to;

	while (count--)
		*byte++ = (uint8_t)value;
	return to;
}

void *memcpy(void *to, const void *from, size_t count)
{
	uint8_t *byte = to;
	const uint8_t *source = from;

	while (count--)
		*byte++ = *source++;
	return to;
}

static void stub_write(uint32_t instruction)
{
	stub[0] = instruction;
	__asm__ volatile("dc cvau, %0; dsb ish; ic ivau, %0; dsb ish; isb"
			 :
			 : "r"(stub)
			 : "memory");
}

static uint64_t stub_run(uint64_t value)
{
	register uint64_t x0 __asm__("x0") = value;

	__asm__ volatile("isb; blr %1; isb" : "+r"(x0) : "r"(stub) : "x30", "memory");
	return x0;
}

static void access_function(void *argument)
{
	uint64_t *value = argument;

	*value = stub_run(*value);
}

void call_at(unsigned el, void (*function)(void *), void *argument)
{
	/* M of SPSR: EL0t, or ELxh; all exceptions masked */
	uint64_t spsr = (el ? el << 2 | 1 : 0) | 0x3c0;

	lower_el = el;
	run_lower(spsr, function, argument, base_el);
}

void run_a32_at(unsigned el)
{
	/* NOP; B to the next instruction; NOP; SVC or HVC #RETURN: see start.S */
	static const uint32_t at_el0[] = {0xe1a00000, 0xeaffffff, 0xe1a00000, 0xef0000e1};
	static const uint32_t at_el1[] = {0xe1a00000, 0xeaffffff, 0xe1a00000, 0xe1400e71};
	uint64_t hcr = el ? get(HCR_EL2) : 0;

	/* RW; User or Supervisor mode */
	if (el)
		set(HCR_EL2, hcr & ~BIT(31));
	run_lower(el ? 0x1d3 : 0x1d0, (void (*)(void *))(uintptr_t)(el ? at_el1 : at_el0), NULL,
		  base_el);
	if (el)
		set(HCR_EL2, hcr);
}

static struct outcome access_at(unsigned el, uint32_t instruction, uint64_t value)
{
	taken.el = 0;
	taken.esr = 0;
	stub_write(instruction);
	if (el == base_el)
		access_function(&value);
	else
		call_at(el, access_function, &value);
	return (struct outcome){value, taken.el, taken.esr};
}

struct outcome read_at(unsigned el, uint32_t reg)
{
	return access_at(el, 0xd5200000 | reg << 5, 0);
}

struct outcome write_at(unsigned el, uint32_t reg, uint64_t value)
{
	return access_at(el, 0xd5000000 | reg << 5, value);
}

static _Noreturn void leave(void)
{
	/* ADP_Stopped_ApplicationExit, and the status */
	static const uint64_t good[2] = {0x20026, 0}, bad[2] = {0x20026, 1};

	semihost(SYS_EXIT, failures ? bad : good);
	for (;;)
		;
}

uint64_t get(uint32_t reg)
{
	struct outcome o = read_at(base_el, reg);

	if (o.el) {
		note("%x cannot be read: syndrome %x", reg, o.esr);
		ok(false, "the tests themselves");
		leave();
	}
	return o.value;
}

void set(uint32_t reg, uint64_t value)
{
	struct outcome o = write_at(base_el, reg, value);

	if (o.el) {
		note("%x cannot be written: syndrome %x", reg, o.esr);
		ok(false, "the tests themselves");
		leave();
	}
}

/* ISS of EC 0x18: Op0 [21:20], Op2 [19:17], Op1 [16:14], CRn [13:10], Rt [9:5], CRm [4:1], read [0]
 */
bool trapped(struct outcome o, unsigned el, uint32_t reg, bool read)
{
	uint32_t iss = (reg >> 14 & 3) << 20 | (reg & 7) << 17 | (reg >> 11 & 7) << 14 |
		       (reg >> 7 & 15) << 10 | (reg >> 3 & 15) << 1 | read;

	return o.el == el && o.esr == (0x18u << 26 | BIT(25) | iss);
}

bool undefined(struct outcome o, unsigned el)
{
	return o.el == el && o.esr == BIT(25);
}

bool have_el2(void)
{
	return get(ID_AA64PFR0_EL1) >> 8 & 15;
}

bool have_el3(void)
{
	return get(ID_AA64PFR0_EL1) >> 12 & 15;
}

void controls_off(void)
{
	if (base_el == 3) {
		/* RW, HCE, RES1, NS */
		set(SCR_EL3, BIT(10) | BIT(8) | 0x31);
		set(CPTR_EL3, 0);
		/* NSTB */
		set(MDCR_EL3, 3ull << 24);
	}
	if (base_el >= 2 && have_el2()) {
		/* RW */
		set(HCR_EL2, BIT(31));
		/* RES1 */
		set(CPTR_EL2, 0x33ff);
		/* E2TB */
		set(MDCR_EL2, 3ull << 24);
	}
	set(CPACR_EL1, 3 << 20);
}

uint64_t option(const char *name, uint64_t missing)
{
	const char *at = command_line;

	while (*at) {
		const char *n = name;
		uint64_t value = 0;

		while (*n && *at == *n) {
			at++;
			n++;
		}
		if (!*n && *at == '=') {
			for (at++; *at >= '0' && *at <= '9'; at++)
				value = 10 * value + (uint64_t)(*at - '0');
			return value;
		}
		while (*at && *at != ' ')
			at++;
		while (*at == ' ')
			at++;
	}
	return missing;
}

static char *put_number(char *out, uint64_t value, unsigned base)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		*out++ = digits[--n];
	return out;
}

/* %s %u %x %lx only */
static void print(const char *format, va_list arguments)
{
	char line[512], *out = line;
	const char *s;

	for (; *format && out < line + sizeof(line) - 100; format++) {
		if (*format != '%') {
			*out++ = *format;
			continue;
		}
		switch (*++format) {
		case 's':
			for (s = va_arg(arguments, const char *); *s; s++)
				*out++ = *s;
			break;
		case 'u':
			out = put_number(out, va_arg(arguments, unsigned), 10);
			break;
		case 'x':
			out = put_number(out, va_arg(arguments, unsigned), 16);
			break;
		case 'l':
			format++;
			out = put_number(out, va_arg(arguments, unsigned long), 16);
			break;
		}
	}
	*out++ = '\n';
	*out = 0;
	semihost(SYS_WRITE0, line);
}

static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

void note(const char *format, ...)
{
	va_list arguments;

	semihost(SYS_WRITE0, "# ");
	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

void ok(bool passed, const char *name)
{
	tests++;
	if (!passed)
		failures++;
	say("%s %u - %s", passed ? "ok" : "not ok", tests, name);
}

/* Modes of SYS_OPEN: "rb", "wb" */
enum { OPEN_READ = 1, OPEN_WRITE = 5 };

static long open_file(const char *name, uint64_t mode)
{
	uint64_t length = 0;

	while (name[length])
		length++;
	return semihost(SYS_OPEN, (const uint64_t[]){(uint64_t)(uintptr_t)name, mode, length});
}

static bool close_file(long file)
{
	return semihost(SYS_CLOSE, (const uint64_t[]){(uint64_t)file}) == 0;
}

bool has_file(const char *name)
{
	long file = open_file(name, OPEN_READ);

	return file >= 0 && close_file(file);
}

bool write_file(const char *name, const void *bytes, uint64_t size)
{
	long file = open_file(name, OPEN_WRITE);

	if (file < 0)
		return false;
	if (semihost(SYS_WRITE,
		     (const uint64_t[]){(uint64_t)file, (uint64_t)(uintptr_t)bytes, size}) != 0)
		return false;
	return close_file(file);
}

#define RESET_MARK ((volatile uint64_t *)0x47ff0000)

bool was_reset(void)
{
	return *RESET_MARK == 0x5245534554;
}

void mark_reset(void)
{
	*RESET_MARK = 0x5245534554;
}

void reset_machine(void)
{
	/* PSCI SYSTEM_RESET; by HVC where there is EL1 only, by SMC elsewhere */
	register uint64_t x0 __asm__("x0") = 0x84000009;

	mark_reset();
	if (base_el == 1)
		__asm__ volatile("hvc #0" : "+r"(x0) : : "memory");
	else
		__asm__ volatile("smc #0" : "+r"(x0) : : "memory");
	note("PSCI did not reset the machine");
	ok(false, "the tests themselves");
	leave();
}

int main(void)
{
	struct {
		char *text;
		uint64_t size;
	} request = {command_line, sizeof(command_line)};

	semihost(SYS_GET_CMDLINE, &request);
	controls_off();
	/* once more, from values that are none of reset */
	if (option("reset", 0) && !was_reset()) {
		write_everything();
		reset_machine();
	}
	if (option("migration", 0)) {
		test_kept_over_migration();
		say("1..%u", tests);
		leave();
	}
	/* a machine that is not as it should be has tests of its own */
	if (option("faults", 0)) {
		test_faults();
		say("1..%u", tests);
		leave();
	}
	if (option("trbe-external", 0)) {
		test_external();
		say("1..%u", tests);
		leave();
	}
	if (option("warm", 0)) {
		run_warm();
		say("1..%u", tests);
		leave();
	}
	if (option("load", 0)) {
		run_load();
		say("1..%u", tests);
		leave();
	}
	if (option("ete", 0)) {
		test_ete();
		test_ete_state();
		test_management();
		test_ete_traps();
		test_fgt();
		test_trf();
		test_resources();
	}
	if (option("trbe", 0)) {
		test_trbe();
		test_trbe_traps();
		test_buffer();
		test_sync();
		test_view();
		test_a32();
		test_active();
		test_serror();
	}
	if (option("ete", 0))
		test_pmu();
	test_instrumentation();
	test_absent();
	say("1..%u", tests);
	leave();
}
