// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_snapshot KIND COUNT DIRECTORY - make a capture directory that says something COUNT times.
 * Prints the bytes of its files. KIND is one of
 *
 *	named     snapshot.ini names one large .ini file
 *	dumps     a core has a section [dumpN] of one file of code
 *	cores     cores have one file of code, an ELF file with many program headers
 *	buffers   trace.ini has a section of a buffer with one file
 *	units     trace.ini gives the trace of one buffer to trace units
 *	keys      a section with a long name, which is there twice, has keys
 */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A-Sync of ETE */
static const unsigned char sync_bytes[12] = {[11] = 0x80};

#define TRACE_BYTES 0x8000u

static const char *kind;
static unsigned int count;
static unsigned long long total;

static bool is(const char *word)
{
	return !strcmp(kind, word);
}

/* How often, where the capture is to be of KIND; else once */
static unsigned int times(const char *word)
{
	return is(word) ? count : 1;
}

static FILE *begin(const char *name)
{
	FILE *file = fopen(name, "w");

	if (file)
		return file;
	perror(name);
	exit(1);
}

static void end(FILE *file)
{
	total += (unsigned long long)ftello(file);
	if (fclose(file)) {
		perror("make_snapshot");
		exit(1);
	}
}

static void write_snapshot(void)
{
	FILE *file = begin("snapshot.ini");

	fputs("[snapshot]\nversion=1.0\n[device_list]\n", file);
	for (unsigned int i = 0; i < times("cores"); i++)
		fprintf(file, "core%u=core%u.ini\n", i, i);
	for (unsigned int i = 1; i < times("named"); i++)
		fprintf(file, "again%u=%score0.ini\n", i, i & 1 ? "./" : "");
	for (unsigned int i = 0; i < (is("cores") || is("units") ? count : 1); i++)
		fprintf(file, "unit%u=unit%u.ini\n", i, i);
	fputs("[trace]\nmetadata=trace.ini\n", file);
	end(file);
}

static void write_core(unsigned int number)
{
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "core%u.ini", number);
	file = begin(name);
	fprintf(file, "[device]\nname=core%u\nclass=core\ntype=ARM-AA64\n[regs]\n", number);
	/* a large file, of a size that grows with COUNT as well */
	for (unsigned int i = 0; i < times("named"); i++)
		fprintf(file, "R%u=0x%x\n", i, i);
	for (unsigned int i = 0; i < times("dumps"); i++)
		fprintf(file, "[dump%u]\nfile=%scode\naddress=%#llx\nlength=0x100\n", i,
			i & 1 ? "./" : "", 0x10000ull * (count - i));
	end(file);
}

static void write_unit(unsigned int number)
{
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "unit%u.ini", number);
	file = begin(name);
	fprintf(file,
		"[device]\nname=unit%u\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=0x1\n"
		"TRCTRACEIDR=0x10\nTRCDEVARCH=0x47705a13\nTRCIDR0=0x2801cea1\nTRCIDR1=0x4100fff0\n"
		"TRCIDR2=0xd0001088\nTRCIDR8=0x0\n",
		number);
	end(file);
}

static void write_long_section(FILE *file)
{
	for (int again = 0; again < 2; again++) {
		fputc('[', file);
		for (unsigned int i = 0; i < 16 * count; i++)
			fputc('x', file);
		fputs("]\n", file);
		for (unsigned int i = 0; i < count; i++)
			fprintf(file, "key%u=%u\n", i, i);
	}
}

static void write_trace(void)
{
	FILE *file = begin("trace.ini");

	fputs("[trace_buffers]\nbuffers=", file);
	for (unsigned int i = 0; i < (is("cores") ? count : times("buffers")); i++)
		fprintf(file, "%sbuffer%u", i ? "," : "", i);
	fputc('\n', file);
	for (unsigned int i = 0; i < (is("cores") ? count : times("buffers")); i++)
		fprintf(file, "[buffer%u]\nname=B%u\nfile=%strace%u\nformat=source_data\n", i, i,
			i & 1 ? "./" : "", is("cores") ? i : 0);
	fputs("[source_buffers]\n", file);
	for (unsigned int i = 0; i < (is("cores") || is("units") ? count : 1); i++)
		fprintf(file, "unit%u=B%u\n", i, is("cores") ? i : 0);
	/* the one trace unit has all buffers */
	for (unsigned int i = 1; i < times("buffers"); i++)
		fprintf(file, "unit0=B%u\n", i);
	fputs("[core_trace_sources]\n", file);
	for (unsigned int i = 0; i < (is("cores") || is("units") ? count : 1); i++)
		fprintf(file, "core%u=unit%u\n", is("cores") ? i : 0, i);
	if (is("keys"))
		write_long_section(file);
	end(file);
}

static void write_bytes(const char *name, unsigned int size)
{
	FILE *file = begin(name);

	for (unsigned int i = 0; i < size; i += (unsigned int)sizeof(sync_bytes))
		fwrite(sync_bytes, 1, sizeof(sync_bytes), file);
	end(file);
}

/* An ELF file with COUNT program headers, or one */
static void write_code(void)
{
	const Elf64_Half headers = is("cores") ? (Elf64_Half)(count < 0xfffe ? count : 0xfffe) : 1;
	const Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = headers,
	};
	FILE *file = begin("code");

	fwrite(&head, sizeof(head), 1, file);
	for (unsigned int i = 0; i < headers; i++) {
		const Elf64_Phdr header = {.p_type = PT_LOAD,
					   .p_flags = PF_R | PF_X,
					   .p_vaddr = 0x1000ull * i,
					   .p_filesz = 64,
					   .p_memsz = 64};

		fwrite(&header, sizeof(header), 1, file);
	}
	end(file);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: make_snapshot KIND COUNT DIRECTORY\n", stderr);
		return 1;
	}
	kind = argv[1];
	count = (unsigned int)strtoul(argv[2], NULL, 10);
	if (mkdir(argv[3], 0700) || chdir(argv[3])) {
		perror(argv[3]);
		return 1;
	}
	write_snapshot();
	for (unsigned int i = 0; i < times("cores"); i++)
		write_core(i);
	for (unsigned int i = 0; i < (is("cores") || is("units") ? count : 1); i++)
		write_unit(i);
	write_trace();
	write_code();
	for (unsigned int i = 0; i < times("cores"); i++) {
		char name[32];

		snprintf(name, sizeof(name), "trace%u", i);
		write_bytes(name, is("cores") ? 64 : TRACE_BYTES);
	}
	printf("%llu\n", total);
	return 0;
}
