// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Sessions give of each capture in HWFLOW_CAPTURES what the plain decoders give: packets, events,
 * steps, counts, and synchronisation.
 */
#include <dirent.h>
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "session_checks.h"

#include "hwflow/image.h"

#define PATH 4096

/* No stream of packets is longer */
#define UNPACKED 0x1000000u

static void set_path(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_path(char *path, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(path, PATH, format, args) < PATH);
	va_end(args);
}

/* struct file - a file in memory */
struct file {
	uint8_t *bytes;
	size_t size;
};

static struct file read_file(const char *path)
{
	FILE *stream = fopen(path, "rbe");
	struct file file = {0};
	long end;

	if (!stream)
		fail_msg("%s cannot be read", path);
	fseek(stream, 0, SEEK_END);
	end = ftell(stream);
	rewind(stream);
	assert_true(end >= 0);
	file.size = (size_t)end;
	file.bytes = malloc(file.size + 1);
	assert_non_null(file.bytes);
	assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
	fclose(stream);
	return file;
}

/* The folder of the captures; NULL: there are none, which is no success where CI is set */
static const char *captures(void)
{
	const char *folder = getenv("HWFLOW_CAPTURES");

	folder = folder ? folder : "../shared/data";
	if (!access(folder, R_OK))
		return folder;
	if (getenv("CI"))
		fail_msg("%s is missing", folder);
	print_message("SKIP: %s is missing: set HWFLOW_CAPTURES\n", folder);
	skip();
	return NULL;
}

static uint32_t json_number(struct json_object *object, const char *name)
{
	const char *text = json_object_get_string(json_object_object_get(object, name));

	return text ? (uint32_t)strtoull(text, NULL, 0) : 0;
}

/* The program of a source, for @subject */
static struct hwf_image_view *map_memory(const char *folder, struct json_object *memory,
					 struct hwf_image **image, bool wfx)
{
	const struct hwf_image_filter all = {0};
	struct hwf_image_space *space;
	struct hwf_image_view *view;
	char path[PATH];

	assert_int_equal(hwf_image_new(image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(*image, &all, NULL, &space), 0);
	for (size_t i = 0; memory && i < json_object_array_length(memory); i++) {
		struct json_object *row = json_object_array_get_idx(memory, i);
		const char *address =
			json_object_get_string(json_object_object_get(row, "address"));
		struct hwf_image_file *file;

		set_path(path, "%s/%s", folder,
			 json_object_get_string(json_object_object_get(row, "file")));
		assert_int_equal(hwf_image_add_file(*image, path, NULL, &file), 0);
		assert_int_equal(hwf_image_map(space, strtoull(address, NULL, 0),
					       json_number(row, "length"), file, 0),
				 0);
	}
	assert_int_equal(hwf_image_view_new(&view, *image, wfx), 0);
	return view;
}

static void read_registers(struct subject *subject, struct json_object *source)
{
	struct json_object *regs = json_object_object_get(source, "registers");
	const char *type = json_object_get_string(json_object_object_get(source, "type"));

	subject->config.protocol = !strncmp(type, "ETE", 3)    ? HWF_SESSION_ETE
				   : !strncmp(type, "ETM4", 4) ? HWF_SESSION_ETMV4
							       : HWF_SESSION_ETMV3;
	subject->ete = (struct hwf_ete_regs){
		.trcconfigr = json_number(regs, "TRCCONFIGR"),
		.trctraceidr = json_number(regs, "TRCTRACEIDR"),
		.trcidr0 = json_number(regs, "TRCIDR0"),
		.trcidr1 = json_number(regs, "TRCIDR1"),
		.trcidr2 = json_number(regs, "TRCIDR2"),
		.trcidr8 = json_number(regs, "TRCIDR8"),
		.trcdevarch = json_number(regs, "TRCDEVARCH"),
	};
	subject->etm3 = (struct hwf_etm3_regs){
		.etmcr = json_number(regs, "ETMCR"),
		.etmidr = json_number(regs, "ETMIDR"),
		.etmccer = json_number(regs, "ETMCCER"),
		.etmtraceidr = json_number(regs, "ETMTRACEIDR"),
	};
}

/* Every combination of the flags that the protocol has */
static void check_flags(struct subject *subject)
{
	static const uint32_t pieces[] = {1, 60, 5000, 100000};

	subject->damaged = false;
	for (uint32_t flags = 0; flags < 8; flags += 3) {
		subject->config.flags = flags;
		subject_settle(subject);
		/* a byte at a time takes long */
		check_subject(subject,
			      pieces[subject->length > 5000 ? 2 + flags / 3 % 2 : random_below(4)]);
	}
}

static void check_source(const char *folder, struct json_object *source)
{
	struct subject subject = {0};
	struct hwf_image_view *view;
	struct hwf_image *image;
	struct file trace;
	char path[PATH];

	set_path(path, "%s/%s", folder,
		 json_object_get_string(json_object_object_get(source, "raw_file")));
	trace = read_file(path);
	read_registers(&subject, source);
	view = map_memory(folder, json_object_object_get(source, "memory"), &image,
			  subject.ete.trcidr2 >> 31);
	subject.config.code = hwf_image_view_code(view);
	subject.bytes = trace.bytes;
	subject.length = trace.size;
	check_flags(&subject);
	hwf_image_view_free(view);
	hwf_image_free(image);
	free(trace.bytes);
}

static unsigned int check_capture(const char *folder)
{
	struct json_object *sources;
	char path[PATH];
	size_t count;

	set_path(path, "%s/expected/sources.json", folder);
	sources = json_object_from_file(path);
	if (!sources)
		fail_msg("%s cannot be read", path);
	count = json_object_array_length(sources);
	for (size_t i = 0; i < count; i++)
		check_source(folder, json_object_array_get_idx(sources, i));
	json_object_put(sources);
	return (unsigned int)count;
}

static void check_family(const char *family, unsigned int least)
{
	const char *folder = captures();
	struct dirent **entries;
	unsigned int sources = 0;
	char path[PATH];
	int count;

	set_path(path, "%s/%s", folder, family);
	count = scandir(path, &entries, NULL, alphasort);
	assert_true(count > 2);
	for (int i = 0; i < count; i++) {
		set_path(path, "%s/%s/%s", folder, family, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			sources += check_capture(path);
		free(entries[i]);
	}
	free(entries);
	assert_true(sources >= least);
}

static void ete_captures(void **state)
{
	(void)state;
	check_family("ete", 25);
}

static void etmv4_captures(void **state)
{
	(void)state;
	check_family("etmv4", 5);
}

static void etmv3_captures(void **state)
{
	(void)state;
	check_family("etmv3", 3);
}

/* A stream of packets of the reference encoder, and its program */
static void check_riscv(const char *folder, const char *stream, enum hwf_riscv_dialect dialect)
{
	struct subject subject = {.config.protocol = HWF_SESSION_RISCV};
	const struct hwf_image_filter all = {0};
	struct hwf_image_space *space;
	struct hwf_image_view *view;
	struct hwf_image_file *file;
	struct hwf_image *image;
	struct file packed;
	char path[PATH];
	uint8_t *trace;
	size_t size;

	set_path(path, "%s/%s.bin.zst", folder, stream);
	packed = read_file(path);
	trace = malloc(UNPACKED);
	assert_non_null(trace);
	size = ZSTD_decompress(trace, UNPACKED, packed.bytes, packed.size);
	assert_false(ZSTD_isError(size));
	hwf_riscv_params_init(&subject.params, dialect);
	subject.params.privilege_width_p = 2;
	subject.params.ecause_width_p = 5;
	subject.params.iaddress_lsb_p = 1;
	subject.params.nocontext_p = dialect == HWF_RISCV_DRAFT_026;
	subject.params.context_width_p = dialect == HWF_RISCV_DRAFT_026 ? 0 : 32;
	subject.riscv = (struct hwf_session_riscv){.dialect = dialect, .isa = HWF_RV_64};
	hwf_riscv_framing_init(&subject.framing, HWF_RISCV_REFERENCE);
	set_path(path, "%s/prog.elf", folder);
	assert_int_equal(hwf_image_new(&image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(image, &all, NULL, &space), 0);
	assert_int_equal(hwf_image_add_file(image, path, NULL, &file), 0);
	assert_int_equal(hwf_image_map_elf(space, file, 0), 0);
	assert_int_equal(hwf_image_view_new(&view, image, false), 0);
	subject.config.code = hwf_image_view_code(view);
	subject.bytes = trace;
	subject.length = size;
	subject_settle(&subject);
	check_subject(&subject, 1 + random_below(3000));
	hwf_image_view_free(view);
	hwf_image_free(image);
	free(trace);
	free(packed.bytes);
}

static void riscv_captures(void **state)
{
	static const char *const programs[] = {"dhrystone", "median", "towers", "trap_mix"};
	char path[PATH];

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		set_path(path, "%s/riscv/%s", captures(), programs[i]);
		check_riscv(path, "te_inst.basic", HWF_RISCV_V2);
		check_riscv(path, "draft026.a", HWF_RISCV_DRAFT_026);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ete_captures),
		cmocka_unit_test(etmv4_captures),
		cmocka_unit_test(etmv3_captures),
		cmocka_unit_test(riscv_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
