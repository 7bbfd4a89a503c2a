/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes of core files. */
#include "core_file.h"

#include <errno.h>
#include <gelf.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/file_map.h"
#include "base/input_file.h"

/* Offsets in struct elf_prstatus of Linux with 64 bits, whose registers begin at PRSTATUS_REGISTERS
 */
#define PRSTATUS_SIGNAL    12u
#define PRSTATUS_PID       32u
#define PRSTATUS_REGISTERS 112u

/* and in struct elf_prpsinfo */
#define PRPSINFO_PID  24u
#define PRPSINFO_NAME 40u

/* and in siginfo_t */
#define SIGINFO_SIGNAL  0u
#define SIGINFO_ADDRESS 16u

/* Place of the program counter among the registers */
#define PC_ARM64 32u
#define PC_RISCV 0u

/* struct note - the contents of a note */
struct note {
	const uint8_t *bytes;
	size_t size;
};

static uint32_t word_at(const struct note *note, size_t offset)
{
	uint32_t value = 0;

	if (note->size >= sizeof(value) && offset <= note->size - sizeof(value))
		memcpy(&value, note->bytes + offset, sizeof(value));
	return le32toh(value);
}

static uint64_t long_at(const struct note *note, size_t offset)
{
	return word_at(note, offset) | (uint64_t)word_at(note, offset + 4) << 32;
}

static bool has_address(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP;
}

/**
 * struct reader - a core file while it is read
 * @core: receives what it has
 * @machine: e_machine of the file
 * @has_thread: the first thread, which got the signal, was there
 */
struct reader {
	struct core_file *core;
	uint16_t machine;
	bool has_thread;
};

static void take_thread(struct reader *reader, const struct note *note)
{
	const size_t pc = reader->machine == EM_RISCV ? PC_RISCV : PC_ARM64;
	struct core_file *core = reader->core;

	if (reader->has_thread || note->size < PRSTATUS_REGISTERS + 8 * (pc + 1))
		return;
	reader->has_thread = true;
	core->signal = (int32_t)(word_at(note, PRSTATUS_SIGNAL) & 0xffff);
	core->tid = (int32_t)word_at(note, PRSTATUS_PID);
	core->pc = long_at(note, PRSTATUS_REGISTERS + 8 * pc);
}

static void take_process(struct core_file *core, const struct note *note)
{
	if (note->size < PRPSINFO_NAME + CORE_NAME)
		return;
	core->pid = (int32_t)word_at(note, PRPSINFO_PID);
	memcpy(core->name, note->bytes + PRPSINFO_NAME, CORE_NAME);
}

static void take_signal(struct core_file *core, const struct note *note)
{
	if (note->size < SIGINFO_ADDRESS + 8 || !has_address((int)word_at(note, SIGINFO_SIGNAL)))
		return;
	core->has_address = true;
	core->address = long_at(note, SIGINFO_ADDRESS);
}

static void take_notes(struct reader *reader, Elf_Data *data)
{
	size_t at = 0, name, bytes;
	GElf_Nhdr header;

	while ((at = gelf_getnote(data, at, &header, &name, &bytes))) {
		const struct note note = {(const uint8_t *)data->d_buf + bytes, header.n_descsz};

		if (header.n_type == NT_PRSTATUS)
			take_thread(reader, &note);
		else if (header.n_type == NT_PRPSINFO)
			take_process(reader->core, &note);
		else if (header.n_type == NT_SIGINFO)
			take_signal(reader->core, &note);
	}
}

/* The reason why it cannot be read; NULL: it was */
static const char *read_elf(struct reader *reader, Elf *elf)
{
	GElf_Ehdr header;
	size_t count;

	if (!gelf_getehdr(elf, &header) || header.e_type != ET_CORE)
		return "not a core file";
	reader->machine = header.e_machine;
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header.e_machine != EM_AARCH64 && header.e_machine != EM_RISCV))
		return "a core file of another machine than arm64 and riscv64";
	if (elf_getphdrnum(elf, &count))
		return "its program headers cannot be read";
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    ELF_T_NHDR);
		if (data)
			take_notes(reader, data);
		/* there is one */
		break;
	}
	return reader->has_thread ? NULL : "it has no registers of a thread; it may be cut off";
}

int core_file_read(struct core_file *core, const char *path)
{
	struct reader reader = {.core = core};
	const char *reason = "not a core file";
	struct file_map map;
	const int error = file_map(&map, path, 0);
	Elf *elf;

	*core = (struct core_file){0};
	if (error) {
		input_error(path, UINT64_MAX, "%s", input_file_error(error));
		return EXIT_UNREADABLE;
	}
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)map.bytes, map.size);
	if (elf)
		reason = read_elf(&reader, elf);
	elf_end(elf);
	file_unmap(&map);
	if (!reason)
		return 0;
	input_error(path, 0, "%s; 'coredumpctl dump -o FILE' or the kernel's core_pattern make one",
		    reason);
	return EXIT_UNREADABLE;
}
