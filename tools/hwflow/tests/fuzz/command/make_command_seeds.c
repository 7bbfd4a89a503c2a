// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_command_seeds DIRECTORY - write inputs of the fuzz target `command`: a small recording of
 * each kind, each with every command line. make_command_seeds DIRECTORY NAME LINE[,LINE...]
 * ENTRY=FILE... - the same of files that are there, NAME-LINE for each command line. See
 * tools/setup/tests/fuzz-command-seeds.sh.
 */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz_program.h"
#include "lines.h"
#include "perfdata/perfdata_write.h"
#include "tree.h"

#define FILE_MAX (1u << 17)
#define CODE     UINT64_C(0x400078)
#define KERNEL   UINT64_C(0xffff800008000000)
#define PID      1000

static const struct perfdata_cpu units[] = {
	{.cpu = 0,
	 .protocol = PERFDATA_ETE,
	 .regs = {0x8080, 0x10, 0x288006a1, 0x4100fff0, 0xc0001088, 0, 0xcc, 0x47715a13,
		  HWF_PROTOCOL_ETE}},
	{.cpu = 3,
	 .protocol = PERFDATA_ETE,
	 .regs = {0x8080, 0x1a, 0x288006a1, 0x4100fff0, 0xc0001088, 0, 0xcc, 0x47715a13,
		  HWF_PROTOCOL_ETE}},
};

#define CODE_OF_ETMV3 UINT32_C(0x8000)

/* The first one is cycle-accurate. */
static const struct perfdata_cpu units_etmv3[] = {
	{.cpu = 0,
	 .protocol = PERFDATA_ETMV3,
	 .etmv3 = {.etmcr = 0x1000, .etmtraceidr = 0x10, .etmidr = 0x410cf250}},
	{.cpu = 3,
	 .protocol = PERFDATA_ETMV3,
	 .etmv3 = {.etmtraceidr = 0x1a, .etmidr = 0x410cf250}},
};

/* A loop with a conditional branch, and a function that it calls */
static const uint32_t program_a32[] = {0xe1a00000, 0xe2500001, 0xeb000001,
				       0x1afffffb, 0xeafffffe, 0xe12fff1e};

static const char *const argv_of_recording[] = {"perf", "record", "-e", "cs_etm//u"};

/* struct kind - a recording; the members as those of struct perfdata_recording */
struct kind {
	const char *name;
	bool per_cpu;
	bool snapshot;
	bool kernel;
	bool code; /* made at run time */
	bool etmv3;
	int compression;
};

static const struct kind kinds[] = {
	{.name = "thread"},
	{.name = "cpu", .per_cpu = true},
	{.name = "snapshot", .snapshot = true},
	{.name = "kernel", .kernel = true, .per_cpu = true},
	{.name = "jit", .code = true},
	{.name = "packed", .compression = 1},
	{.name = "etmv3", .etmv3 = true},
	{.name = "etmv3-cpu", .etmv3 = true, .per_cpu = true},
};

static const char *directory;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void add(struct tree *tree, const char *name, const void *bytes, size_t size)
{
	struct tree_entry *entry = &tree->entries[tree->count++];

	*entry = (struct tree_entry){.bytes = bytes, .size = size};
	snprintf(entry->name, sizeof(entry->name), "%s", name);
}

static void add_text(struct tree *tree, const char *name, const char *text)
{
	add(tree, name, text, strlen(text));
}

static void write_seed(const struct tree *tree, const char *name)
{
	static uint8_t packed[4 * FILE_MAX];
	const size_t size = tree_pack(tree, packed, sizeof(packed));
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s-%u", directory, name, tree->line);
	file = fopen(path, "we");
	if (!file || fwrite(packed, 1, size, file) != size || fclose(file))
		fail(path);
}

static uint8_t *load(const char *path, size_t *size)
{
	uint8_t *bytes = malloc(FILE_MAX);
	FILE *file = fopen(path, "re");

	if (!bytes || !file)
		fail(path);
	*size = fread(bytes, 1, FILE_MAX, file);
	fclose(file);
	return bytes;
}

/* Synchronisation, Trace Info, Trace On, an address with its context, and Atoms */
static size_t make_trace(uint8_t *trace, uint64_t address, uint8_t el)
{
	static const uint8_t begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04};
	static const uint8_t atoms[] = {0xf7, 0xf6, 0xd9, 0xf9, 0xf7, 0xdb, 0xc5, 0xf7};
	size_t at = sizeof(begin);

	memcpy(trace, begin, at);
	trace[at++] = 0x85;
	trace[at++] = (uint8_t)(address >> 2 & 0x7f);
	trace[at++] = (uint8_t)(address >> 9 & 0x7f);
	for (unsigned int shift = 16; shift < 64; shift += 8)
		trace[at++] = (uint8_t)(address >> shift);
	trace[at++] = 0x30 | el;
	memcpy(trace + at, atoms, sizeof(atoms));
	return at + sizeof(atoms);
}

/* A-sync, I-sync, P-headers with and without cycles, a branch address, a timestamp */
static size_t make_etmv3(uint8_t *trace)
{
	static const uint8_t bytes[] = {0,    0,    0,    0,    0,    0x80, 0x08, 0x21, 0x00,
					0x80, 0,    0,    0x84, 0x84, 0x82, 0x8c, 0xc4, 0x15,
					0x04, 0x88, 0x04, 0x90, 0x42, 0x05, 0x84, 0x66, 0x66,
					0x66, 0x66, 0x66, 0x66, 0x66, 0x66};

	memcpy(trace, bytes, sizeof(bytes));
	return sizeof(bytes);
}

static struct perfdata_stamp stamp(uint64_t time, const struct kind *kind)
{
	return (struct perfdata_stamp){
		.time = time, .pid = PID, .tid = PID, .cpu = kind->per_cpu ? 0 : PERFDATA_ANY};
}

static void map(struct perfdata_writer *writer, const struct kind *kind)
{
	struct perfdata_stamp at = stamp(3, kind);
	struct perfdata_mapping mapping = {
		.address = 0x400000, .length = 0x1000, .prot = 5, .flags = 2};

	mapping.path = "/program";
	if (kind->etmv3)
		mapping.address = CODE_OF_ETMV3;
	perfdata_write_mmap2(writer, &at, &mapping);
	if (kind->code) {
		mapping.address = 0x7f0000;
		mapping.path = "/tmp/jit-1000.dump";
		perfdata_write_mmap2(writer, &at, &mapping);
		mapping.address = 0x800000;
		mapping.path = "//anon";
		perfdata_write_mmap2(writer, &at, &mapping);
	}
	if (kind->kernel) {
		at.pid = at.tid = PERFDATA_ANY;
		mapping = (struct perfdata_mapping){
			.address = KERNEL, .length = 0x2000, .path = "[kernel.kallsyms]_text"};
		perfdata_write_mmap2(writer, &at, &mapping);
	}
}

static void write_pieces(struct perfdata_writer *writer, const struct kind *kind)
{
	const struct perfdata_area area = {.idx = 0,
					   .pid = PID,
					   .tid = kind->per_cpu ? PERFDATA_ANY : PID,
					   .cpu = kind->per_cpu ? 0 : PERFDATA_ANY};
	const uint64_t flags = kind->snapshot ? PERFDATA_AUX_OVERWRITE : 0;
	const uint64_t start = kind->kernel ? KERNEL : kind->code ? 0x800000 : CODE;
	struct perfdata_stamp at = stamp(10, kind);
	uint8_t trace[64];
	const size_t size =
		kind->etmv3 ? make_etmv3(trace) : make_trace(trace, start, kind->kernel);

	perfdata_write_session(writer, &at, &area, 0, trace, size, flags);
	perfdata_write_round(writer);
	at.time = 20;
	perfdata_write_session(writer, &at, &area, size, trace, size, flags | PERFDATA_AUX_PARTIAL);
}

static void write_recording(const char *path, const struct kind *kind)
{
	const struct perfdata_recording recording = {
		.argv = argv_of_recording,
		.argc = 4,
		.hostname = "board",
		.osrelease = "6.1.0",
		.cpus = kind->etmv3 ? units_etmv3 : units,
		.cpu_count = 2,
		.per_cpu = kind->per_cpu,
		.snapshot = kind->snapshot,
		.directory = kind->kernel,
		.exclude_kernel = !kind->kernel,
		.compression = kind->compression,
	};
	struct perfdata_stamp at = stamp(1, kind);
	struct perfdata_writer *writer;

	if (perfdata_writer_open(&writer, path, &recording))
		fail(path);
	perfdata_write_comm(writer, &at, "program", true);
	map(writer, kind);
	perfdata_write_itrace_start(writer, &at);
	at.tid = PID + 1;
	perfdata_write_fork(writer, &at, PID, PID);
	write_pieces(writer, kind);
	perfdata_write_exit(writer, &at, PID, PID);
	if (perfdata_writer_close(writer))
		fail(path);
}

/* struct kcore - a copy of a kernel's memory: eight instructions */
struct kcore {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint32_t code[8];
};

static const struct kcore kcore = {
	.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT},
		 .e_type = ET_CORE,
		 .e_machine = EM_AARCH64,
		 .e_version = EV_CURRENT,
		 .e_phoff = sizeof(Elf64_Ehdr),
		 .e_ehsize = sizeof(Elf64_Ehdr),
		 .e_phentsize = sizeof(Elf64_Phdr),
		 .e_phnum = 1},
	.segment = {.p_type = PT_LOAD,
		    .p_flags = 5,
		    .p_offset = offsetof(struct kcore, code),
		    .p_vaddr = KERNEL,
		    .p_filesz = 32,
		    .p_memsz = 32},
	.code = {0xd503201f, 0xb4000040, 0xd503201f, 0x54ffffa1, 0x14000002, 0xd503201f, 0x17fffffa,
		 0xd503201f},
};

static void add_kernel(struct tree *tree)
{
	add(tree, "perf.data/kcore_dir/kcore", &kcore, sizeof(kcore));
	add(tree, "perf.data/kcore_changes/kcore", &kcore, sizeof(kcore));
	add_text(tree, "perf.data/kcore_changes/unknown", "ffff800009000000 ffff800009001000\n");
	add_text(tree, "perf.data/kcore_dir/kallsyms",
		 "ffff800008000000 T _text\nffff800008000008 t loop\nffff800008000010 t "
		 "other\t[ext4]\n");
	add_text(tree, "perf.data/kcore_dir/modules", "ext4 65536 1 - Live 0xffff800008000010\n");
}

/* Two functions, of which the second moves */
static void add_code(struct tree *tree)
{
	static const struct {
		uint32_t magic, version, size, machine, unused, pid;
		uint64_t time, flags;
		uint32_t id, length;
		uint64_t when;
		uint32_t process, thread;
		uint64_t address, copy, code_size, index;
		char name[8];
		uint32_t code[8];
		uint32_t debug_id, debug_length;
		uint64_t debug_when, debug_address, debug_count, line_address;
		uint32_t line, column;
		char source[8];
	} dump = {
		.magic = 0x4a695444,
		.version = 1,
		.size = 40,
		.machine = EM_AARCH64,
		.pid = PID,
		.length = 56 + 8 + 32,
		.when = 2,
		.process = PID,
		.thread = PID,
		.address = 0x800000,
		.copy = 0x800000,
		.code_size = 32,
		.index = 1,
		.name = "compile",
		.code = {0xd503201f, 0xb4000040, 0xd503201f, 0x54ffffa1, 0x14000002, 0xd503201f,
			 0x17fffffa, 0xd503201f},
		.debug_id = 2,
		.debug_length = 32 + 16 + 8,
		.debug_when = 3,
		.debug_address = 0x800000,
		.debug_count = 1,
		.line_address = 0x800000,
		.line = 7,
		.source = "jit.src",
	};

	add(tree, "root/tmp/jit-1000.dump", &dump, sizeof(dump));
	add_text(tree, "root/tmp/perf-1000.map",
		 "800000 20 compile\n800020 10 LazyCompile:~f a.js:1\n");
}

/* Whether a command line reads a file; the corpus is small without those that none reads */
static bool reads(const struct line *line, const char *name)
{
	if (!strcmp(name, "other"))
		return line->run == cmd_diff;
	if (!strcmp(name, "truth"))
		return line->run == cmd_verify || line->run == cmd_encode ||
		       line->run == cmd_emulate;
	if (!strcmp(name, "root/program"))
		return line->run != cmd_dump && line->run != cmd_emulate &&
		       (line->run != cmd_encode || strstr(line->words[2], "--image"));
	if (strstr(name, ".c"))
		return line->run == cmd_annotate;
	return true;
}

/* The seed of each command line whose bit is set in @wanted, with the files that it reads */
static void write_seeds(const struct tree *all, const char *name, uint32_t wanted)
{
	struct tree tree = {.line = 0};

	for (tree.line = 0; tree.line < LINES; tree.line++) {
		tree.count = 0;
		for (size_t i = 0; i < all->count; i++)
			if (reads(&lines[tree.line], all->entries[i].name))
				tree.entries[tree.count++] = all->entries[i];
		tree.flags = TREE_AGAIN | (lines[tree.line].jobs ? TREE_JOBS : 0);
		if (wanted & 1u << tree.line)
			write_seed(&tree, name);
	}
}

static void make_recording(const struct kind *kind)
{
	struct tree tree = {.count = 0};
	char path[PATH_MAX];
	uint8_t *recording;
	size_t size;

	snprintf(path, sizeof(path), "%s/recording", directory);
	write_recording(path, kind);
	recording = load(path, &size);
	remove(path);
	add(&tree, kind->kernel ? "perf.data/data" : "perf.data", recording, size);
	if (kind->etmv3)
		add(&tree, "root/program", program_a32, sizeof(program_a32));
	else
		add(&tree, "root/program", fuzz_program, sizeof(fuzz_program));
	add(&tree, "other", recording, size);
	if (kind->kernel)
		add_kernel(&tree);
	if (kind->code)
		add_code(&tree);
	write_seeds(&tree, kind->name, UINT32_MAX);
	free(recording);
}

static void make_of_files(const char *name, char *list, char **files, int count)
{
	struct tree tree = {.count = 0};
	uint8_t *bytes[TREE_ENTRIES] = {NULL};
	uint32_t wanted = 0;

	for (int i = 0; i < count && i < TREE_ENTRIES; i++) {
		char *equals = strchr(files[i], '=');
		size_t size;

		if (!equals)
			fail(files[i]);
		*equals = 0;
		bytes[i] = load(equals + 1, &size);
		add(&tree, files[i], bytes[i], size);
	}
	for (char *line = strtok(list, ","); line; line = strtok(NULL, ","))
		wanted |= 1u << atoi(line);
	write_seeds(&tree, name, wanted);
	for (size_t i = 0; i < tree.count; i++)
		free(bytes[i]);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: make_command_seeds DIRECTORY [NAME LINE[,LINE...] "
				"ENTRY=FILE...]\n");
		return 2;
	}
	directory = argv[1];
	if (argc > 4)
		make_of_files(argv[2], argv[3], argv + 4, argc - 4);
	else
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			make_recording(&kinds[i]);
	return 0;
}
