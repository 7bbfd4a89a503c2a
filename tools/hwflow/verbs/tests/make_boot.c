// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_boot BOOT KERNEL MODULE DIRECTORY STEP... - make a recording DIRECTORY of a kernel, with a
 * copy of its memory, as it is after the boot BOOT, a number: kernel and module are at other
 * addresses, and the sections of the module at other distances. Behind the module is a BPF program.
 *
 * A STEP is executed: NAME[+OFFSET]:ATOMS, a symbol and atoms E and N. KERNEL and MODULE have a
 * build id, unless they are named with '-' before the name.
 */
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <elfutils/libdwelf.h>

#include "base/file_map.h"
#include "perfdata/perfdata_write.h"

#define MODULE UINT64_C(0xffff800001000000)
#define PAGE   UINT64_C(4096)
#define NOP    0xd503201fu
#define RET    0xd65f03c0u

/* room for the kernel, and for the module with the BPF program */
enum { ROOM = 16 * 4096, TRACE = 4096 };

/* struct piece - a file in memory */
struct piece {
	struct file_map map;
	Elf *elf;
	bool has_id;
	uint64_t start;
	uint8_t bytes[ROOM];
	uint64_t places[64]; /* of sections */
};

/* struct boot - kernel and module in memory, and what is written */
struct boot {
	struct piece kernel;
	struct piece module;
	uint64_t slide;
	FILE *kallsyms;
	uint8_t trace[TRACE];
	size_t size;
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "make_boot: %s\n", what);
	exit(1);
}

static void read_piece(struct piece *piece, const char *path)
{
	piece->has_id = *path != '-';
	check(!file_map(&piece->map, path + !piece->has_id, 0), path);
	elf_version(EV_CURRENT);
	piece->elf = elf_memory((char *)(uintptr_t)piece->map.bytes, piece->map.size);
	check(piece->elf, path);
}

/* Calls @take for each section of @piece, with its number. */
static void each_section(struct boot *boot, struct piece *piece,
			 void (*take)(struct boot *boot, struct piece *piece, Elf_Scn *section,
				      const GElf_Shdr *header))
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(piece->elf, section)))
		if (gelf_getshdr(section, &header))
			take(boot, piece, section, &header);
}

static void put_code(struct piece *piece, Elf_Scn *section, uint64_t address)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	const uint64_t at = address - piece->start;

	check(data && at < ROOM && data->d_size < ROOM - at, "a section is too large");
	memcpy(piece->bytes + at, data->d_buf, data->d_size);
	piece->places[elf_ndxscn(section)] = address;
}

static bool is_code(const GElf_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR;
}

static void find_start(struct boot *boot, struct piece *piece, Elf_Scn *section,
		       const GElf_Shdr *header)
{
	const uint64_t address = (header->sh_addr + boot->slide) & -PAGE;

	(void)section;
	if (is_code(header) && (!piece->start || address < piece->start))
		piece->start = address;
}

static void place_kernel(struct boot *boot, struct piece *piece, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	if (is_code(header))
		put_code(piece, section, header->sh_addr + boot->slide);
}

/* The loader puts a table of branches between sections, of another size with each boot. */
static void place_module(struct boot *boot, struct piece *piece, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	static uint64_t next;

	if (!is_code(header))
		return;
	next = next ? next + 64 * (boot->slide >> 16 & 7) : piece->start;
	next = (next + header->sh_addralign - 1) & -header->sh_addralign;
	put_code(piece, section, next);
	next += header->sh_size;
}

/* The address of a symbol; 0 if the file does not define it */
static uint64_t address_of(const struct piece *piece, const char *name, uint64_t slide)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(piece->elf, section))) {
		Elf_Data *data = elf_getdata(section, NULL);

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			if (symbol.st_shndx && symbol.st_shndx < 64 &&
			    !strcmp(elf_strptr(piece->elf, header.sh_link, symbol.st_name), name))
				return symbol.st_value +
				       (slide ? slide : piece->places[symbol.st_shndx]);
	}
	return 0;
}

static uint64_t address_in(const struct boot *boot, const char *name)
{
	const uint64_t address = address_of(&boot->kernel, name, boot->slide);

	return address ? address : address_of(&boot->module, name, 0);
}

/* Branches between sections and to the kernel */
static void relocate(struct boot *boot, struct piece *piece, Elf_Scn *section,
		     const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr symbols;
	GElf_Rela entry;
	GElf_Sym symbol;

	if (header->sh_type != SHT_RELA)
		return;
	check(gelf_getshdr(elf_getscn(piece->elf, header->sh_link), &symbols), "no symbols");
	for (int i = 0; gelf_getrela(data, i, &entry); i++) {
		const uint64_t at = piece->places[header->sh_info] + entry.r_offset;
		uint64_t target;
		uint32_t word;

		if (GELF_R_TYPE(entry.r_info) != R_AARCH64_CALL26 &&
		    GELF_R_TYPE(entry.r_info) != R_AARCH64_JUMP26)
			continue;
		gelf_getsym(elf_getdata(elf_getscn(piece->elf, header->sh_link), NULL),
			    (int)GELF_R_SYM(entry.r_info), &symbol);
		target = symbol.st_shndx ? piece->places[symbol.st_shndx] + symbol.st_value
					 : address_in(boot, elf_strptr(piece->elf, symbols.sh_link,
								       symbol.st_name));
		target += (uint64_t)entry.r_addend;
		memcpy(&word, piece->bytes + (at - piece->start), sizeof(word));
		word |= (uint32_t)((target - at) >> 2) & 0x03ffffff;
		memcpy(piece->bytes + (at - piece->start), &word, sizeof(word));
	}
}

static void list_symbols(struct boot *boot, struct piece *piece, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const bool kernel = piece == &boot->kernel;
	GElf_Sym symbol;

	if (header->sh_type != SHT_SYMTAB)
		return;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(piece->elf, header->sh_link, symbol.st_name);
		const bool code =
			symbol.st_shndx && symbol.st_shndx < 64 && piece->places[symbol.st_shndx];

		if (!code || GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
			continue;
		fprintf(boot->kallsyms, "%016" PRIx64 " t %s%s\n",
			symbol.st_value + (kernel ? boot->slide : piece->places[symbol.st_shndx]),
			name, kernel ? "" : "\t[module]");
	}
}

static void put_segment(FILE *file, uint64_t address, uint64_t offset)
{
	const Elf64_Phdr segment = {.p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_vaddr = address,
				    .p_offset = offset,
				    .p_filesz = ROOM,
				    .p_memsz = ROOM};

	check(fwrite(&segment, sizeof(segment), 1, file) == 1, "write");
}

static void write_memory(const struct boot *boot, const char *path)
{
	const Elf64_Ehdr head = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2};
	FILE *file = fopen(path, "we");

	check(file && fwrite(&head, sizeof(head), 1, file) == 1, path);
	put_segment(file, boot->kernel.start, PAGE);
	put_segment(file, boot->module.start, PAGE + ROOM);
	check(!fseek(file, PAGE, SEEK_SET) && fwrite(boot->kernel.bytes, ROOM, 1, file) == 1 &&
		      fwrite(boot->module.bytes, ROOM, 1, file) == 1 && !fclose(file),
	      path);
}

/* Trace On, an address with its context, and atoms, one a packet */
static void add_step(struct boot *boot, const char *step)
{
	const char *atoms = strrchr(step, ':');
	char name[64] = "", *plus;
	uint64_t address;

	check(atoms && atoms - step < 64, step);
	memcpy(name, step, (size_t)(atoms - step));
	plus = strchr(name, '+');
	if (plus)
		*plus = '\0';
	address = !strcmp(name, "bpf") ? boot->module.start + ROOM - PAGE : address_in(boot, name);
	check(address, step);
	address += plus ? strtoull(plus + 1, NULL, 0) : 0;
	check(boot->size + 64 < TRACE, "too many steps");
	boot->trace[boot->size++] = 0x04;
	boot->trace[boot->size++] = 0x85;
	boot->trace[boot->size++] = (uint8_t)(address >> 2 & 0x7f);
	boot->trace[boot->size++] = (uint8_t)(address >> 9 & 0x7f);
	for (unsigned int shift = 16; shift < 64; shift += 8)
		boot->trace[boot->size++] = (uint8_t)(address >> shift);
	boot->trace[boot->size++] = 0x31;
	while (*++atoms)
		boot->trace[boot->size++] = *atoms == 'E' ? 0xf7 : 0xf6;
}

static struct perfdata_mapping mapping_of(const struct piece *piece, const char *path)
{
	struct perfdata_mapping mapping = {
		.address = piece->start, .length = ROOM, .prot = 5, .path = path};
	const void *id;
	const ssize_t size = dwelf_elf_gnu_build_id(piece->elf, &id);

	check(size > 0 && size <= (ssize_t)sizeof(mapping.build_id), "no build id");
	if (piece->has_id) {
		memcpy(mapping.build_id, id, (size_t)size);
		mapping.build_id_size = (uint8_t)size;
	}
	return mapping;
}

static void write_recording(const struct boot *boot, const char *path)
{
	static const char *const words[] = {"perf", "record"};
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
	struct perfdata_mapping kernel = mapping_of(&boot->kernel, "[kernel.kallsyms]_stext");
	const struct perfdata_mapping module =
		mapping_of(&boot->module, "/lib/modules/6.1.0/kernel/module.ko.xz");
	const struct perfdata_stamp stamp = {1, -1, 0, PERFDATA_ANY}, end = {900, 7, 7, 0};
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	struct perfdata_writer *writer;

	/* up to the end of all addresses, as stock perf has it */
	kernel.file_offset = kernel.address = address_in(boot, "_stext");
	kernel.length = UINT64_MAX - kernel.address;
	check(!perfdata_writer_open(&writer, path, &recording) &&
		      !perfdata_write_mmap2(writer, &stamp, &kernel) &&
		      !perfdata_write_mmap2(writer, &stamp, &module) &&
		      !perfdata_write_session(writer, &end, &area, 0, boot->trace, boot->size, 0) &&
		      !perfdata_writer_close(writer),
	      path);
}

int main(int argc, char **argv)
{
	/* synchronisation, Trace Info */
	static const uint8_t begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00};
	static const uint32_t program[] = {NOP, NOP, RET};
	static struct boot boot;
	char path[PATH_MAX];
	uint64_t number;

	check(argc > 5, "usage: make_boot BOOT KERNEL MODULE DIRECTORY STEP...");
	number = strtoull(argv[1], NULL, 0);
	boot.slide = number * 0x210000;
	boot.module.start = MODULE + number * 3 * PAGE;
	read_piece(&boot.kernel, argv[2]);
	read_piece(&boot.module, argv[3]);
	each_section(&boot, &boot.kernel, find_start);
	each_section(&boot, &boot.kernel, place_kernel);
	each_section(&boot, &boot.module, place_module);
	each_section(&boot, &boot.module, relocate);
	memcpy(boot.module.bytes + ROOM - PAGE, program, sizeof(program));
	snprintf(path, sizeof(path), "%.4000s", argv[4]);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%.4000s/kcore_dir", argv[4]);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%.4000s/kcore_dir/kallsyms", argv[4]);
	boot.kallsyms = fopen(path, "we");
	check(boot.kallsyms, path);
	each_section(&boot, &boot.kernel, list_symbols);
	each_section(&boot, &boot.module, list_symbols);
	fprintf(boot.kallsyms, "%016" PRIx64 " t bpf_prog_1\t[bpf]\n",
		boot.module.start + ROOM - PAGE);
	check(!fclose(boot.kallsyms), path);
	snprintf(path, sizeof(path), "%.4000s/kcore_dir/kcore", argv[4]);
	write_memory(&boot, path);
	memcpy(boot.trace, begin, sizeof(begin));
	boot.size = sizeof(begin);
	for (int i = 5; i < argc; i++)
		add_step(&boot, argv[i]);
	snprintf(path, sizeof(path), "%.4000s/data", argv[4]);
	write_recording(&boot, path);
	return 0;
}
