/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Program images: files of code, address spaces that map them, and the P0 maps of the files, which
 * have the run from each instruction. This part of the library is hosted: it allocates memory and
 * opens files. Functions return 0 or a negative errno.
 */
#ifndef HWFLOW_IMAGE_H
#define HWFLOW_IMAGE_H

#include "hwflow/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * struct hwf_image - files and address spaces
 *
 * Only one thread at a time may change it. While none does, any number of threads may read it, each
 * with a struct hwf_image_view of its own.
 */
struct hwf_image;

/** struct hwf_image_file - a file of code; it is opened when its bytes are first needed */
struct hwf_image_file;

/** struct hwf_image_space - an address space: mappings of files */
struct hwf_image_space;

/** struct hwf_image_view - read access to an image: a struct hwf_code with a cache of mappings */
struct hwf_image_view;

/**
 * typedef hwf_image_missing_fn - a file is needed and missing; called once a file
 * @ctx: of the caller
 * @file: the file
 * @reason: one line; valid during the call only
 */
typedef void hwf_image_missing_fn(void *ctx, const struct hwf_image_file *file, const char *reason);

/**
 * hwf_image_new() - begin with no files and no address spaces
 * @image: receives it
 * @missing: called for each missing file; may be NULL
 * @missing_ctx: its first argument
 */
int hwf_image_new(struct hwf_image **image, hwf_image_missing_fn *missing, void *missing_ctx);

/** hwf_image_free() - free everything but the views; NULL is allowed */
void hwf_image_free(struct hwf_image *image);

/**
 * typedef hwf_image_open_fn - opens a file for reading; any thread may call it
 * @path: of the file
 * @root: hwf_image_identity.root: the first bytes of @path that name a directory which the path
 *        must not leave
 * @size: receives the size of the file in bytes
 * @reason: receives one line of text where the file is not opened; valid until this thread opens
 *          another file
 *
 * Return: a descriptor of a regular file, which the image closes, or a negative errno.
 */
typedef int hwf_image_open_fn(const char *path, size_t root, uint64_t *size, const char **reason);

/**
 * hwf_image_set_open() - let the caller open files; otherwise open(2) does, for regular files
 * @image: the image, before the first of its files is opened
 * @open: the function; NULL for open(2)
 */
void hwf_image_set_open(struct hwf_image *image, hwf_image_open_fn *open);

/*
 * Files
 */

/** HWF_BUILD_ID_MAX - no build id is longer than this many bytes */
#define HWF_BUILD_ID_MAX 20

/**
 * struct hwf_image_identity - properties that a file must have
 * @name: for messages
 * @machine: one of the ELF machines must fit: AArch64 or Arm; with @riscv: RISC-V
 * @riscv: see @machine
 * @build_id: its build id
 * @build_id_size: bytes of it; 0 where not known
 * @root: for the function of hwf_image_set_open(); without one this member has no effect
 */
struct hwf_image_identity {
	const char *name;
	bool machine;
	bool riscv;
	uint8_t build_id[HWF_BUILD_ID_MAX];
	uint8_t build_id_size;
	size_t root;
};

/**
 * hwf_image_add_file() - a file that may be mapped
 * @image: the image
 * @path: where it is; copied
 * @identity: if the file differs, it counts as missing; NULL: any file, named by its path; copied
 * @file: receives it; it belongs to @image
 *
 * The file is not opened, and files that were added before are not compared with it.
 */
int hwf_image_add_file(struct hwf_image *image, const char *path,
		       const struct hwf_image_identity *identity, struct hwf_image_file **file);

/**
 * hwf_image_add_bytes() - a file in memory
 * @image: the image
 * @name: for messages; copied
 * @bytes: contents; must outlive @image
 * @size: how much
 * @result: receives it; it belongs to @image
 */
int hwf_image_add_bytes(struct hwf_image *image, const char *name, const void *bytes, size_t size,
			struct hwf_image_file **result);

/**
 * hwf_image_add_missing() - add a file that is missing
 * @image: the image
 * @name: for messages; copied
 * @reason: the reason, for messages; copied
 * @file: receives it; it belongs to @image
 */
int hwf_image_add_missing(struct hwf_image *image, const char *name, const char *reason,
			  struct hwf_image_file **file);

/**
 * hwf_image_file_open() - open a file now
 * @file: the file
 *
 * Return: 0; -ENOENT and the like; -ENOEXEC if the file differs from its identity. Each call
 * returns the same.
 */
int hwf_image_file_open(struct hwf_image_file *file);

/**
 * hwf_image_file_yield() - mappings of a file give way to those of backing address spaces
 * @file: a file that is missing
 *
 * A mapping of the file counts only where no backing parent of its address space has a mapping. So
 * code that was given in another way is found at the addresses of a file that is missing, without a
 * change of the mappings. Called before the file is mapped.
 */
void hwf_image_file_yield(struct hwf_image_file *file);

/** hwf_image_file_name() - name of a file, for messages */
const char *hwf_image_file_name(const struct hwf_image_file *file);

/** hwf_image_file_path() - where a file is; "" for one in memory */
const char *hwf_image_file_path(const struct hwf_image_file *file);

/** hwf_image_file_root() - hwf_image_identity.root of a file */
size_t hwf_image_file_root(const struct hwf_image_file *file);

/** hwf_image_file_bytes() - contents of a file; NULL until it is opened, or if it is missing */
const uint8_t *hwf_image_file_bytes(const struct hwf_image_file *file, size_t *size);

/**
 * struct hwf_image_segment - part of an ELF file that its program header loads; a section of an
 *	object file (ET_REL)
 * @address: where, before any move
 * @offset: in the file
 * @size: bytes in the file
 * @executable: it has code
 */
struct hwf_image_segment {
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	bool executable;
};

/**
 * struct hwf_image_elf - headers of an ELF file
 * @segments: those that are loaded. The sections of an object file are placed one after the other,
 *	from address 0 on
 * @segment_count: how many
 * @entry: address of the first instruction, see hwf_image_elf_address()
 * @machine: e_machine
 * @type: e_type
 * @build_id: of its notes
 * @build_id_size: bytes of it; 0 for none
 */
struct hwf_image_elf {
	const struct hwf_image_segment *segments;
	size_t segment_count;
	uint64_t entry;
	uint16_t machine;
	uint16_t type;
	uint8_t build_id[HWF_BUILD_ID_MAX];
	uint8_t build_id_size;
};

/**
 * hwf_image_elf_address() - the address of the code that a value of an ELF file names
 * @machine: e_machine of the file
 * @value: of the symbol of a function, or the entry point
 *
 * Bit 0 of an Arm value is set if the code is T32; it is no part of the address.
 */
static inline uint64_t hwf_image_elf_address(uint16_t machine, uint64_t value)
{
	const uint16_t machine_arm = 40; /* EM_ARM */

	return machine == machine_arm ? value & ~UINT64_C(1) : value;
}

/** hwf_image_file_elf() - headers of an ELF file; NULL for other files, and until it is opened */
const struct hwf_image_elf *hwf_image_file_elf(const struct hwf_image_file *file);

/*
 * Address spaces
 */

/**
 * struct hwf_image_filter - contexts that an address space is for
 * @securities: bit n: enum hwf_security n; 0 for all
 * @els: bit n: exception level n; 0 for all
 * @has_cid: only this @cid
 * @has_vmid: only this @vmid
 * @cid: context identifier
 * @vmid: virtual context identifier
 */
struct hwf_image_filter {
	uint8_t securities;
	uint8_t els;
	bool has_cid;
	bool has_vmid;
	uint32_t cid;
	uint32_t vmid;
};

/**
 * hwf_image_add_space() - an address space, with nothing mapped
 * @image: the image
 * @filter: contexts that it is for; NULL: none, the caller selects it. If several address spaces
 *	match, the last one added is used
 * @parent: address space for addresses that are not mapped here, such as the kernel's; or NULL
 * @result: receives it; it belongs to @image
 */
int hwf_image_add_space(struct hwf_image *image, const struct hwf_image_filter *filter,
			const struct hwf_image_space *parent, struct hwf_image_space **result);

/** hwf_image_space_back() - mappings of a parent address space count in place of files that yield
 */
void hwf_image_space_back(struct hwf_image_space *space);

/**
 * hwf_image_map() - map part of a file; it replaces mappings at the same addresses
 * @space: the address space
 * @start: first address
 * @length: bytes; limited to the end of the address range
 * @file: the file; NULL: unmap the addresses
 * @offset: of the first byte, in @file; addresses beyond the end of the file have no code
 */
int hwf_image_map(struct hwf_image_space *space, uint64_t start, uint64_t length,
		  struct hwf_image_file *file, uint64_t offset);

/**
 * hwf_image_map_elf() - map the segments of an ELF file
 * @space: the address space
 * @file: the file; it is opened
 * @bias: added to all its addresses
 *
 * An object file is mapped nowhere.
 *
 * Return: 0; -ENOEXEC if the file is no ELF file; or as hwf_image_map(), hwf_image_file_open().
 */
int hwf_image_map_elf(struct hwf_image_space *space, struct hwf_image_file *file, uint64_t bias);

/** hwf_image_space_clear() - unmap everything, as exec does; the parent stays */
void hwf_image_space_clear(struct hwf_image_space *space);

/** hwf_image_space_copy() - replace the mappings of @to by those of @from, as fork does */
int hwf_image_space_copy(struct hwf_image_space *to, const struct hwf_image_space *from);

/**
 * struct hwf_image_place - file and mapping of an address
 * @file: the file
 * @offset: in it
 * @start: first address of the mapping
 * @length: bytes of the mapping
 */
struct hwf_image_place {
	struct hwf_image_file *file;
	uint64_t offset;
	uint64_t start;
	uint64_t length;
};

/**
 * hwf_image_find() - look an address up
 * @space: the address space, with its parents; NULL has no mapping
 * @address: to look up
 * @place: receives the result
 *
 * Return: false if the address is not mapped.
 */
bool hwf_image_find(const struct hwf_image_space *space, uint64_t address,
		    struct hwf_image_place *place);

/**
 * hwf_image_next() - the first mapping that ends behind an address
 * @space: the address space alone, without its parents
 * @address: to look from
 * @place: receives the mapping, from its beginning
 *
 * Return: false if there is none.
 */
bool hwf_image_next(const struct hwf_image_space *space, uint64_t address,
		    struct hwf_image_place *place);

/**
 * hwf_image_space_of() - the address space of a context, by the filters
 * @image: the image
 * @context: to look up
 *
 * Return: the space, or NULL.
 */
const struct hwf_image_space *hwf_image_space_of(const struct hwf_image *image,
						 const struct hwf_context *context);

/*
 * Views
 */

/**
 * hwf_image_view_new() - make a view of an image
 * @result: receives it
 * @image: must outlive it
 * @wfx: WFI and the like are P0 instructions (TRCIDR2.WFXMODE)
 */
int hwf_image_view_new(struct hwf_image_view **result, struct hwf_image *image, bool wfx);

/** hwf_image_view_free() - free a view; NULL is allowed */
void hwf_image_view_free(struct hwf_image_view *view);

/**
 * hwf_image_view_code() - struct hwf_code of a view
 * @view: the view
 *
 * Its spaces are struct hwf_image_space; its space() is hwf_image_space_of(). A caller with another
 * rule for contexts copies the struct and replaces space() and ctx.
 *
 * Return: valid as long as @view.
 */
const struct hwf_code *hwf_image_view_code(const struct hwf_image_view *view);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_IMAGE_H */
