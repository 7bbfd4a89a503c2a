// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_kcore KIND COUNT DIRECTORY - make a recording DIRECTORY with a hostile copy of the kernel's
 * memory:
 *
 *   pages      COUNT pages, each of which begins as a vdso whose headers are all of the copy
 *   sparse     COUNT GB without any contents, and the same as code that changed
 *   segments   COUNT segments by descending addresses
 *   overlap    COUNT segments of changed code, each of which is all of the file
 *   symbols    COUNT symbols of short names
 *   mappings   COUNT segments, and as many mappings of the kernel over all of them
 */
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/perfdata_write.h"

#define KERNEL UINT64_C(0xffff800008000000)
#define VDSO   UINT64_C(0xffff80002000)
#define PAGE   4096u

static void put(FILE *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size)
		exit(1);
}

static Elf64_Ehdr make_head(uint16_t type)
{
	return (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			    .e_type = type,
			    .e_machine = EM_AARCH64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_shentsize = sizeof(Elf64_Shdr)};
}

static void put_head(FILE *file, uint32_t segments)
{
	Elf64_Ehdr head = make_head(ET_CORE);
	const Elf64_Shdr first = {.sh_info = segments};

	head.e_phoff = sizeof(head) + sizeof(first);
	head.e_phnum = (uint16_t)(segments < PN_XNUM ? segments : PN_XNUM);
	head.e_shoff = sizeof(head);
	head.e_shnum = 1;
	put(file, &head, sizeof(head));
	put(file, &first, sizeof(first));
}

static void put_segment(FILE *file, uint64_t address, uint64_t offset, uint64_t size)
{
	const Elf64_Phdr segment = {.p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_vaddr = address,
				    .p_offset = offset,
				    .p_filesz = size,
				    .p_memsz = size};

	put(file, &segment, sizeof(segment));
}

/*
 * A page that begins as a vdso. The last quarter of all pages are the section headers of each of
 * them: dynamic sections, with half of all pages as contents.
 */
static void put_page(FILE *file, uint32_t index, uint32_t count)
{
	const uint32_t headers = count / 4, left = count - index;
	const Elf64_Dyn entry = {.d_tag = DT_NEEDED};
	const Elf64_Shdr section = {.sh_type = SHT_DYNAMIC,
				    .sh_offset = PAGE / 2,
				    .sh_size = count / 4 * UINT64_C(4096),
				    .sh_entsize = sizeof(Elf64_Dyn),
				    .sh_addralign = 1};
	Elf64_Ehdr head = make_head(ET_DYN);
	uint8_t page[PAGE];

	head.e_shoff = UINT64_C(4096) * (left - headers);
	head.e_shnum = (uint16_t)(headers * (PAGE / sizeof(section)));
	for (size_t at = 0; at < PAGE; at += sizeof(section))
		memcpy(page + at, &section, sizeof(section));
	for (size_t at = 0; left > headers && at < PAGE; at += sizeof(entry))
		memcpy(page + at, &entry, sizeof(entry));
	if (left > headers)
		memcpy(page, &head, sizeof(head));
	put(file, page, sizeof(page));
}

static void write_copy(const char *kind, uint32_t count, const char *path)
{
	const bool segments = !strcmp(kind, "segments") || !strcmp(kind, "mappings");
	const bool overlap = !strcmp(kind, "overlap");
	const uint32_t segment_count = segments || overlap ? count : 1;
	uint64_t size = PAGE;
	FILE *file = fopen(path, "we");

	if (!file)
		exit(1);
	if (!strcmp(kind, "pages"))
		size = UINT64_C(4096) * count;
	if (!strcmp(kind, "sparse"))
		size = (uint64_t)count << 30;
	put_head(file, segment_count);
	for (uint32_t i = 0; i < segment_count; i++) {
		if (segments)
			put_segment(file, KERNEL + UINT64_C(16) * (segment_count - i), PAGE, 8);
		else
			put_segment(file, KERNEL, overlap ? 0 : PAGE,
				    overlap ? sizeof(Elf64_Phdr) * count : size);
	}
	if (fseek(file, PAGE, SEEK_SET))
		exit(1);
	if (!strcmp(kind, "pages"))
		for (uint32_t i = 0; i < count; i++)
			put_page(file, i, count);
	else
		put(file, "", 1);
	if (fflush(file) ||
	    ftruncate(fileno(file),
		      (off_t)(size + PAGE +
			      (segments || overlap ? sizeof(Elf64_Phdr) * count : 0))) ||
	    fclose(file))
		exit(1);
}

static void write_symbols(uint32_t count, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		exit(1);
	fprintf(file, "%llx T _stext\n", (unsigned long long)KERNEL);
	for (uint32_t i = 0; i < count; i++)
		fprintf(file, "%llx t s\n", (unsigned long long)KERNEL + i % PAGE);
	if (fclose(file))
		exit(1);
}

/* Synchronisation, Trace Info, Trace On, an address with its context, an Atom */
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

/* A kernel that is where the copy says, and a process with the vdso, which is executed */
static int write_recording(const char *path, bool kernel, uint32_t kernel_mappings)
{
	static const char *const words[] = {"hwflow", "record"};
	static const struct perfdata_cpu cpu = {.protocol = PERFDATA_ETE,
						.regs = {.trcconfigr = 1,
							 .trcidr0 = 0x084002a1,
							 .trcidr2 = 0x40001088,
							 .trcdevarch = 0x47735a13}};
	const struct perfdata_recording recording = {.argv = words,
						     .argc = 2,
						     .hostname = "board",
						     .osrelease = "6.1.0",
						     .cpus = &cpu,
						     .cpu_count = 1};
	const struct perfdata_mapping mappings[] = {
		{.address = KERNEL,
		 .length = UINT64_MAX - KERNEL,
		 .file_offset = KERNEL,
		 .prot = 5,
		 .path = "[kernel.kallsyms]_stext"},
		{.address = VDSO, .length = PAGE, .prot = 5, .path = "[vdso]"}};
	const struct perfdata_stamp stamps[] = {{1, -1, 0, PERFDATA_ANY}, {1, 7, 7, PERFDATA_ANY}};
	const struct perfdata_stamp end = {900, 7, 7, PERFDATA_ANY};
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	struct perfdata_writer *writer;
	uint8_t trace[64];
	const size_t size = make_trace(trace, kernel ? KERNEL : VDSO, kernel);

	if (perfdata_writer_open(&writer, path, &recording))
		return 1;
	for (uint32_t i = 0; i < kernel_mappings; i++)
		if (perfdata_write_mmap2(writer, &stamps[0], &mappings[0]))
			return 1;
	if (perfdata_write_mmap2(writer, &stamps[1], &mappings[1]) ||
	    perfdata_write_session(writer, &end, &area, 0, trace, size, 0))
		return 1;
	return perfdata_writer_close(writer) ? 1 : 0;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	uint32_t count;
	bool changes;

	if (argc != 4) {
		fputs("usage: make_kcore KIND COUNT DIRECTORY\n", stderr);
		return 1;
	}
	count = (uint32_t)strtoul(argv[2], NULL, 10);
	changes = !strcmp(argv[1], "sparse") || !strcmp(argv[1], "overlap");
	snprintf(path, sizeof(path), "%.4000s/kcore_dir", argv[3]);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%.4000s/kcore_dir/kcore", argv[3]);
	write_copy(!strcmp(argv[1], "overlap") ? "plain" : argv[1], count, path);
	snprintf(path, sizeof(path), "%.4000s/kcore_dir/kallsyms", argv[3]);
	write_symbols(!strcmp(argv[1], "symbols") ? count : 0, path);
	snprintf(path, sizeof(path), "%.4000s/kcore_changes", argv[3]);
	if (changes && !mkdir(path, 0700)) {
		snprintf(path, sizeof(path), "%.4000s/kcore_changes/kcore", argv[3]);
		write_copy(argv[1], count, path);
	}
	snprintf(path, sizeof(path), "%.4000s/data", argv[3]);
	return write_recording(path, !strcmp(argv[1], "symbols"),
			       strcmp(argv[1], "mappings") != 0 ? 1 : count);
}
