/* SPDX-License-Identifier: GPL-2.0-only */
/* What perf record --kcore makes: a directory with the recording, and the kernel's memory. */
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>

#include "tests/perfdata_test.h"

#include "base/error.h"
#include "program/kallsyms.h"
#include "program/kcore.h"
#include "source/input.h"
#include "symbols/symbols.h"
#include "decode/loop.h"

#define NOP    0xd503201fu
#define BRANCH 0x14000000u /* to itself */
#define BREAK  0xd4200080u

#define KERNEL UINT64_C(0xffff800008000000)
#define MODULE UINT64_C(0xffff800001000000)
#define LOADED UINT64_C(0xffff800001080000) /* a module that the first copy does not have */
#define VDSO   UINT64_C(0xffff80002000)
#define PAGE   UINT64_C(4096)

/* The second one's kernel has its context identifier at EL2. */
#define CPU(configr)                                \
	{                                           \
		.protocol = PERFDATA_ETE,           \
		.regs = {.trcconfigr = (configr),   \
			 .trcidr0 = 0x084002a1,     \
			 .trcidr2 = 0x40001088,     \
			 .trcdevarch = 0x47735a13}, \
	}
static const struct perfdata_cpu cpus[] = {
	CPU(1),
	CPU(1 | ARM_ETE_PMU_TRCCONFIGR_VMID | ARM_ETE_PMU_TRCCONFIGR_VMIDOPT),
};

static const char symbols_text[] = "ffff800001000000 t _stext\t[some_module]\n"
				   "ffff800008000000 T _stext\n"
				   "ffff800008000000 t local\n"
				   "this is no symbol\n"
				   "ffff800008000004 t $x\n"
				   "ffff800008000008 W weak\n"
				   "ffff800008000008 T __strong\n"
				   "ffff800008000008 T ___stronger\n"
				   "ffff800008000100 D data\n"
				   "ffff800008000200 Tx neither\n"
				   "ffff800001000000 t module_code\t[some_module]\n";

/* A shared object: its name, code, and the sections that lead to the name */
struct vdso {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Dyn dynamic[2];
	char strings[32];
	uint32_t code[4];
	Elf64_Shdr sections[3];
};

#define VDSO_CODE offsetof(struct vdso, code)

/* The kernel's two pages, of which the second is the vdso, and a module of one */
struct copy {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	uint8_t padding[PAGE - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr)];
	uint32_t kernel[PAGE / 4];
	struct vdso vdso;
	uint8_t rest[PAGE - sizeof(struct vdso)];
	uint32_t module[PAGE / 4];
};

static Elf64_Ehdr elf_head(uint16_t type, uint16_t segments)
{
	return (Elf64_Ehdr){
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = type,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = segments,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
}

static Elf64_Phdr segment(uint64_t address, uint64_t offset, uint64_t size)
{
	return (Elf64_Phdr){.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_W | PF_X,
			    .p_vaddr = address,
			    .p_offset = offset,
			    .p_filesz = size,
			    .p_memsz = size};
}

static void make_vdso(struct vdso *vdso)
{
	*vdso = (struct vdso){.head = elf_head(ET_DYN, 1), .segment = segment(0, 0, PAGE)};
	vdso->head.e_shoff = offsetof(struct vdso, sections);
	vdso->head.e_shnum = 3;
	vdso->sections[1] = (Elf64_Shdr){.sh_type = SHT_DYNAMIC,
					 .sh_offset = offsetof(struct vdso, dynamic),
					 .sh_size = sizeof(vdso->dynamic),
					 .sh_entsize = sizeof(Elf64_Dyn),
					 .sh_link = 2};
	vdso->sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					 .sh_offset = offsetof(struct vdso, strings),
					 .sh_size = sizeof(vdso->strings)};
	vdso->dynamic[0] = (Elf64_Dyn){.d_tag = DT_SONAME, .d_un.d_val = 1};
	memcpy(vdso->strings + 1, "linux-vdso.so.1", sizeof("linux-vdso.so.1"));
	vdso->code[0] = vdso->code[1] = NOP;
	vdso->code[2] = BRANCH;
}

/* Four instructions in the kernel, two in the module, three in the vdso, each up to a branch */
static void make_copy(struct copy *copy)
{
	static const uint32_t kernel[] = {NOP, NOP, NOP, BRANCH}, module[] = {NOP, BRANCH};

	*copy = (struct copy){.head = elf_head(ET_CORE, 2)};
	copy->segments[0] = segment(KERNEL, PAGE, 2 * PAGE);
	copy->segments[1] = segment(MODULE, 3 * PAGE, PAGE);
	memcpy(copy->kernel, kernel, sizeof(kernel));
	memcpy(copy->module, module, sizeof(module));
	make_vdso(&copy->vdso);
}

/* struct place - a directory as perf record --kcore makes it */
struct place {
	char root[32];
	char data[64];
	char directory[64];
	char kcore[80];
	char kallsyms[80];
	char changes[64];
	char changed[80];
	char unknown[80];
};

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void place_make(struct place *place, const struct copy *copy)
{
	*place = (struct place){.root = "/tmp/hwflow-kcore-XXXXXX"};
	assert_non_null(mkdtemp(place->root));
	snprintf(place->data, sizeof(place->data), "%s/data", place->root);
	snprintf(place->directory, sizeof(place->directory), "%s/kcore_dir", place->root);
	snprintf(place->kcore, sizeof(place->kcore), "%s/kcore", place->directory);
	snprintf(place->kallsyms, sizeof(place->kallsyms), "%s/kallsyms", place->directory);
	snprintf(place->changes, sizeof(place->changes), "%s/kcore_changes", place->root);
	snprintf(place->changed, sizeof(place->changed), "%s/kcore", place->changes);
	snprintf(place->unknown, sizeof(place->unknown), "%s/unknown", place->changes);
	assert_int_equal(mkdir(place->directory, 0700), 0);
	write_file(place->kcore, copy, sizeof(*copy));
	write_file(place->kallsyms, symbols_text, sizeof(symbols_text) - 1);
}

static void place_remove(const struct place *place)
{
	unlink(place->data);
	unlink(place->kcore);
	unlink(place->kallsyms);
	unlink(place->changed);
	unlink(place->unknown);
	rmdir(place->changes);
	rmdir(place->directory);
	rmdir(place->root);
}

/* Synchronisation, Trace Info, Trace On, an address with its context, Atom E */
static size_t make_trace(uint8_t *trace, uint64_t address, uint8_t el)
{
	static const uint8_t begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04};
	size_t at = sizeof(begin);

	memcpy(trace, begin, at);
	trace[at++] = 0x85;
	trace[at++] = (uint8_t)(address >> 2 & 0x7f);
	trace[at++] = (uint8_t)(address >> 9 & 0x7f);
	for (unsigned int shift = 16; shift < 64; shift += 8)
		trace[at++] = (uint8_t)(address >> shift);
	trace[at++] = 0x30 | el;
	trace[at++] = 0xf7;
	return at;
}

/* The vdso that write_recording() puts into the file, if any */
static const struct vdso *recorded_vdso;

/* The kernel is where it says, which has the module too; a process has the vdso. */
static void write_recording(const struct place *place, uint64_t kernel, uint64_t vdso,
			    uint64_t address, uint8_t el, bool host)
{
	const struct perfdata_mapping mappings[] = {
		{.address = kernel,
		 .length = UINT64_MAX - kernel,
		 .file_offset = kernel,
		 .prot = 5,
		 .path = "[kernel.kallsyms]_stext"},
		{.address = MODULE, .length = PAGE, .prot = 5, .path = "[some_module]"},
		{.address = vdso, .length = PAGE, .prot = 5, .path = "[vdso]"},
	};
	const struct perfdata_stamp stamps[] = {
		{1, -1, 0, PERFDATA_ANY}, {1, -1, 0, PERFDATA_ANY}, {1, 7, 7, PERFDATA_ANY}};
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	const struct perfdata_stamp end = {900, 7, 7, PERFDATA_ANY};
	struct perfdata_recording recording = recording_make(false);
	struct perfdata_writer *writer;
	uint8_t trace[64];
	const size_t size = make_trace(trace, address, el);

	recording.cpus = &cpus[host];
	recording.cpu_count = 1;
	recording.vdso = recorded_vdso;
	recording.vdso_size = sizeof(*recorded_vdso);
	assert_int_equal(perfdata_writer_open(&writer, place->data, &recording), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(perfdata_write_mmap2(writer, &stamps[i], &mappings[i]), 0);
	assert_int_equal(perfdata_write_session(writer, &end, &area, 0, trace, size, 0), 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
}

static void count(void *ctx, const struct hwf_flow_event *event)
{
	uint64_t *instructions = ctx;

	if (event->kind == HWF_FLOW_RANGE)
		*instructions += event->u.range.instructions;
}

/* Instructions from an address on, as far as their code is known */
static uint64_t decoded(const struct place *place, bool *damaged)
{
	struct input_options options;
	uint64_t instructions = 0;
	const struct decode_options how = {.sink = count, .ctx = &instructions};
	struct input *input;

	input_options_init(&options);
	options.path = place->root;
	assert_int_equal(input_open(&input, &options), 0);
	assert_int_equal(input->source_count, 1);
	assert_int_equal(
		decode_piece(input, &input->sources[0], &input->sources[0].pieces[0], &how), 0);
	*damaged = input->damaged;
	input_close(input);
	input_options_free(&options);
	return instructions;
}

static void code_comes_from_the_copy(void **state)
{
	static const struct {
		uint64_t kernel, vdso, address, expected;
		uint8_t el;
		bool damaged;
		bool host;
	} cases[] = {
		{KERNEL, VDSO, KERNEL, 4, 1, false, false},
		{KERNEL, VDSO, KERNEL + 8, 2, 2, false, false},
		{KERNEL, VDSO, MODULE, 2, 1, false, false},
		/* of the host, and of a guest, which has its own kernel */
		{KERNEL, VDSO, KERNEL, 4, 2, false, true},
		{KERNEL, VDSO, KERNEL, 0, 1, false, true},
		{KERNEL, VDSO, KERNEL, 0, 3, false, false},
		{KERNEL, VDSO, VDSO + VDSO_CODE, 3, 0, false, false},
		/* that of a program with 32-bit addresses is another one */
		{KERNEL, 0x2000, 0x2000 + VDSO_CODE, 0, 0, false, false},
		/* not what was copied */
		{KERNEL, VDSO, KERNEL + 2 * PAGE, 0, 1, false, false},
		/* no kernel runs a program's code, and no program the kernel's */
		{KERNEL, VDSO, VDSO + VDSO_CODE, 0, 1, false, false},
		{KERNEL, VDSO, KERNEL, 0, 0, false, false},
		/* a copy of another boot */
		{KERNEL - 2 * PAGE, VDSO, KERNEL, 0, 1, true, false},
	};
	struct copy copy;
	struct place place;
	bool damaged;

	(void)state;
	make_copy(&copy);
	place_make(&place, &copy);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_recording(&place, cases[i].kernel, cases[i].vdso, cases[i].address,
				cases[i].el, cases[i].host);
		assert_int_equal(decoded(&place, &damaged), cases[i].expected);
		assert_int_equal(damaged, cases[i].damaged);
	}
	place_remove(&place);
}

/* What is wrong in a copy costs what cannot be had, and no more. */
static void copies_may_be_wrong(void **state)
{
	struct copy copy;
	struct place place;
	bool damaged;

	(void)state;
	make_copy(&copy);
	copy.vdso.strings[1] = 'x';
	place_make(&place, &copy);
	write_recording(&place, KERNEL, VDSO, VDSO + VDSO_CODE, 0, false);
	assert_int_equal(decoded(&place, &damaged), 0);
	assert_false(damaged);
	/* that of 32-bit programs has the same name */
	make_copy(&copy);
	copy.vdso.head.e_machine = EM_ARM;
	write_file(place.kcore, &copy, sizeof(copy));
	assert_int_equal(decoded(&place, &damaged), 0);
	/* headers beyond its end */
	make_copy(&copy);
	copy.vdso.head.e_shoff = UINT64_MAX - 3 * sizeof(Elf64_Shdr) + 1;
	write_file(place.kcore, &copy, sizeof(copy));
	assert_int_equal(decoded(&place, &damaged), 0);
	copy.vdso.head.e_shoff = UINT64_C(1) << 40;
	write_file(place.kcore, &copy, sizeof(copy));
	assert_int_equal(decoded(&place, &damaged), 0);
	make_copy(&copy);
	copy.head.e_type = ET_DYN;
	write_file(place.kcore, &copy, sizeof(copy));
	write_recording(&place, KERNEL, VDSO, KERNEL, 1, false);
	assert_int_equal(decoded(&place, &damaged), 0);
	assert_true(damaged);
	unlink(place.kcore);
	assert_int_equal(decoded(&place, &damaged), 0);
	assert_true(damaged);
	/* no copy at all: a recording like any other */
	unlink(place.kallsyms);
	rmdir(place.directory);
	assert_int_equal(decoded(&place, &damaged), 0);
	assert_false(damaged);
	place_remove(&place);
}

/* What is different at the end, or was there for a time: a version of the kernel, two of a module
 */
struct changes {
	Elf64_Ehdr head;
	Elf64_Phdr segments[3];
	uint8_t padding[PAGE - sizeof(Elf64_Ehdr) - 3 * sizeof(Elf64_Phdr)];
	uint32_t kernel[PAGE / 4];
	uint32_t loaded[PAGE / 4];
	uint32_t loaded_again[PAGE / 4];
};

static void make_changes(struct changes *changes)
{
	static const uint32_t kernel[] = {NOP, NOP, NOP, BRANCH}, module[] = {NOP, NOP, BRANCH};

	*changes = (struct changes){.head = elf_head(ET_CORE, 2)};
	changes->segments[0] = segment(KERNEL, PAGE, PAGE);
	changes->segments[1] = segment(LOADED, 2 * PAGE, PAGE);
	changes->segments[2] = segment(LOADED, 3 * PAGE, PAGE);
	memcpy(changes->kernel, kernel, sizeof(kernel));
	memcpy(changes->loaded, module, sizeof(module));
	memcpy(changes->loaded_again, module, sizeof(module));
}

static uint64_t decoded_from(const struct place *place, uint64_t address)
{
	uint64_t instructions;
	bool damaged;

	write_recording(place, KERNEL, VDSO, address, 1, false);
	instructions = decoded(place, &damaged);
	assert_false(damaged);
	return instructions;
}

static void changed_code_is_a_gap(void **state)
{
	struct changes changes;
	struct copy copy;
	struct place place;

	(void)state;
	make_copy(&copy);
	make_changes(&changes);
	place_make(&place, &copy);
	assert_int_equal(mkdir(place.changes, 0700), 0);
	/* a page that was the same again is like none */
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, KERNEL), 4);
	/* the second instruction is a jump label: NOP, then a branch */
	changes.kernel[1] = BRANCH;
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, KERNEL), 1);
	assert_int_equal(decoded_from(&place, KERNEL + 4), 0);
	assert_int_equal(decoded_from(&place, KERNEL + 8), 2);
	/* a probe that is set: its instruction is not executed any more */
	changes.kernel[1] = BREAK;
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, KERNEL), 4);
	/* a probe that is removed */
	changes.kernel[1] = NOP;
	write_file(place.changed, &changes, sizeof(changes));
	copy.kernel[1] = BREAK;
	write_file(place.kcore, &copy, sizeof(copy));
	assert_int_equal(decoded_from(&place, KERNEL), 4);
	changes.kernel[1] = BRANCH;
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, KERNEL), 2);
	place_remove(&place);
}

static void loaded_code_is_mapped_unless_there_was_other_code(void **state)
{
	struct changes changes;
	struct copy copy;
	struct place place;
	char line[64];

	(void)state;
	make_copy(&copy);
	make_changes(&changes);
	place_make(&place, &copy);
	assert_int_equal(decoded_from(&place, LOADED), 0);
	assert_int_equal(mkdir(place.changes, 0700), 0);
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, LOADED), 3);
	/* the same module was loaded twice, then another one */
	changes.head.e_phnum = 3;
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, LOADED), 3);
	changes.loaded_again[0] = BRANCH;
	write_file(place.changed, &changes, sizeof(changes));
	assert_int_equal(decoded_from(&place, LOADED), 0);
	assert_int_equal(decoded_from(&place, LOADED + 4), 2);
	/* code that was not copied */
	assert_int_equal(decoded_from(&place, MODULE), 2);
	snprintf(line, sizeof(line), "%" PRIx64 " %" PRIx64 "\n", MODULE, MODULE + PAGE);
	write_file(place.unknown, line, strlen(line));
	assert_int_equal(decoded_from(&place, MODULE), 0);
	assert_int_equal(decoded_from(&place, KERNEL), 4);
	place_remove(&place);
}

static void changes_may_be_wrong(void **state)
{
	struct changes changes;
	struct copy copy;
	struct place place;
	bool damaged;

	(void)state;
	make_copy(&copy);
	make_changes(&changes);
	changes.head.e_type = ET_DYN;
	place_make(&place, &copy);
	assert_int_equal(mkdir(place.changes, 0700), 0);
	write_file(place.changed, &changes, sizeof(changes));
	write_recording(&place, KERNEL, VDSO, KERNEL, 1, false);
	assert_int_equal(decoded(&place, &damaged), 4);
	assert_true(damaged);
	unlink(place.changed);
	assert_int_equal(decoded(&place, &damaged), 4);
	assert_true(damaged);
	/* cut in the middle of an instruction */
	make_changes(&changes);
	changes.segments[1].p_filesz = 10;
	write_file(place.changed, &changes, sizeof(changes));
	write_recording(&place, KERNEL, VDSO, LOADED, 1, false);
	assert_int_equal(decoded(&place, &damaged), 2);
	assert_false(damaged);
	place_remove(&place);
}

/* hwflow record puts the vdso into the file: no copy of the kernel is needed. */
static void the_recording_may_have_the_vdso(void **state)
{
	struct copy copy;
	struct place place;
	bool damaged;

	(void)state;
	make_copy(&copy);
	place_make(&place, &copy);
	unlink(place.kcore);
	unlink(place.kallsyms);
	rmdir(place.directory);
	write_recording(&place, KERNEL, VDSO, VDSO + VDSO_CODE, 0, false);
	assert_int_equal(decoded(&place, &damaged), 0);
	recorded_vdso = &copy.vdso;
	write_recording(&place, KERNEL, VDSO, VDSO + VDSO_CODE, 0, false);
	assert_int_equal(decoded(&place, &damaged), 3);
	assert_false(damaged);
	recorded_vdso = NULL;
	place_remove(&place);
}

static void a_file_for_each_thread_is_refused(void **state)
{
	struct input_options options;
	struct input *input;
	struct copy copy;
	struct place place;
	char path[80];

	(void)state;
	make_copy(&copy);
	place_make(&place, &copy);
	write_recording(&place, KERNEL, VDSO, KERNEL, 1, false);
	snprintf(path, sizeof(path), "%s.0", place.data);
	write_file(path, "", 0);
	input_options_init(&options);
	options.path = place.root;
	assert_int_equal(input_open(&input, &options), EXIT_UNREADABLE);
	unlink(path);
	input_options_free(&options);
	place_remove(&place);
}

static void expect_name(struct symbols *symbols, const struct hwf_image_space *space,
			uint64_t address, const char *name, const char *file, uint64_t offset)
{
	const struct place_name found = symbols_find(symbols, space, address);

	assert_string_equal(found.function->name, name);
	assert_string_equal(found.function->file, file);
	assert_int_equal(found.offset, offset);
}

/* Global names count, then those with fewer underscores; what is no code ends a function. */
static void names_come_from_its_symbols(void **state)
{
	struct hwf_image_space *space;
	struct hwf_image *image;
	struct symbols *symbols;
	struct kcore *kcore;
	struct copy copy;
	struct place place;

	(void)state;
	make_copy(&copy);
	place_make(&place, &copy);
	assert_int_equal(hwf_image_new(&image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(image, NULL, NULL, &space), 0);
	assert_int_equal(kcore_open(&kcore, image, place.directory), 0);
	assert_int_equal(hwf_image_map_elf(space, kcore_file(kcore), 0), 0);
	assert_int_equal(symbols_new(&symbols, NULL, false), 0);
	expect_name(symbols, space, KERNEL, "_stext", "[kernel.kallsyms]", 0);
	expect_name(symbols, space, KERNEL + 4, "_stext", "[kernel.kallsyms]", 4);
	expect_name(symbols, space, KERNEL + 8, "__strong", "[kernel.kallsyms]", 0);
	expect_name(symbols, space, KERNEL + 0xfc, "__strong", "[kernel.kallsyms]", 0xf4);
	assert_false(symbols_find(symbols, space, KERNEL + 0x100).function->bounded);
	assert_false(symbols_find(symbols, space, KERNEL + 0x200).function->bounded);
	expect_name(symbols, space, MODULE + 0x10, "module_code", "[some_module]", 0x10);
	symbols_free(symbols);
	kcore_free(kcore);
	hwf_image_free(image);
	place_remove(&place);
}

static int keep_second(void *ctx, const struct kallsym *symbol)
{
	struct kallsym *kept = ctx;

	if (kept->address++ != 2)
		return 0;
	assert_string_equal(symbol->name, "local");
	assert_int_equal(symbol->type, 't');
	return 5;
}

static void symbols_are_read_line_by_line(void **state)
{
	struct kallsym kept = {0};
	struct copy copy;
	struct place place;

	(void)state;
	make_copy(&copy);
	place_make(&place, &copy);
	assert_int_equal(kallsyms_read(place.kallsyms, 0, keep_second, &kept), 5);
	assert_int_equal(kept.address, 3);
	assert_int_equal(kallsyms_read(place.data, 0, keep_second, &kept), -ENOENT);
	place_remove(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_comes_from_the_copy),
		cmocka_unit_test(copies_may_be_wrong),
		cmocka_unit_test(a_file_for_each_thread_is_refused),
		cmocka_unit_test(names_come_from_its_symbols),
		cmocka_unit_test(changed_code_is_a_gap),
		cmocka_unit_test(loaded_code_is_mapped_unless_there_was_other_code),
		cmocka_unit_test(changes_may_be_wrong),
		cmocka_unit_test(the_recording_may_have_the_vdso),
		cmocka_unit_test(symbols_are_read_line_by_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
