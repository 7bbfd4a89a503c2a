/* SPDX-License-Identifier: GPL-2.0-only */
/* Debug information that elfutils cannot decompress is reported once, with the file and the reason.
 */
#include "tests/elf_test.h"

#include "base/message.h"
#include "hwflow/image.h"
#include "symbols/symbols.h"

#define TEXT UINT64_C(0x400000)

static const uint8_t code[0x40];

/* struct messages - those that were written */
struct messages {
	unsigned int count;
	char last[512];
};

static void take_message(void *ctx, const char *line)
{
	struct messages *messages = ctx;

	messages->count++;
	snprintf(messages->last, sizeof(messages->last), "%s", line);
}

/* Asks for lines of a file with one section, and compares the messages. NULL: there is none. */
static void check(const struct elf_test_section *section, const char *reason)
{
	const struct elf_test_section sections[] = {
		{".debug_abbrev", "\1\x11", 3, 0, 0, 0, 0}, *section, {NULL, NULL, 0, 0, 0, 0, 0}};
	const struct elf_test test = {.machine = EM_AARCH64,
				      .address = TEXT,
				      .code = code,
				      .code_size = sizeof(code),
				      .sections = sections};
	struct messages messages = {.count = 0};
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct symbols *symbols;
	struct hwf_image *image;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/hwflow-unread-%d", getpid());
	elf_test_write(&test, path);
	assert_int_equal(hwf_image_new(&image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(image, NULL, NULL, &space), 0);
	assert_int_equal(hwf_image_add_file(image, path, NULL, &file), 0);
	assert_int_equal(hwf_image_map_elf(space, file, 0), 0);
	assert_int_equal(symbols_new(&symbols, NULL, false), 0);
	message_forward(take_message, &messages);
	for (uint64_t i = 0; i < sizeof(code); i += 4)
		assert_null(symbols_line(symbols, space, TEXT + i).file);
	message_forward(NULL, NULL);
	assert_int_equal(messages.count, reason ? 1 : 0);
	if (reason) {
		assert_non_null(strstr(messages.last, path));
		assert_non_null(strstr(messages.last, section->name));
		assert_non_null(strstr(messages.last, reason));
	}
	symbols_free(symbols);
	hwf_image_free(image);
	unlink(path);
}

static void a_compression_that_is_not_known_is_named(void **state)
{
	const Elf64_Chdr unknown = {.ch_type = 77, .ch_size = 64, .ch_addralign = 1};

	(void)state;
	check(&(struct elf_test_section){".debug_info", &unknown, sizeof(unknown), 0, 0, 0,
					 SHF_COMPRESSED},
	      "does not know compression 77");
	check(&(struct elf_test_section){".debug_line", &unknown, sizeof(unknown), 0, 0, 0,
					 SHF_COMPRESSED},
	      "does not know compression 77");
}

static void damaged_contents_are_reported(void **state)
{
	static const char old_form[] = "ZLIB\0\0\0\0\0\0\0\x10no zlib";
	const struct {
		Elf64_Chdr head;
		char bytes[16];
	} damaged = {{.ch_type = ELFCOMPRESS_ZLIB, .ch_size = 64, .ch_addralign = 1}, "no zlib"};

	(void)state;
	check(&(struct elf_test_section){".debug_info", &damaged, sizeof(damaged), 0, 0, 0,
					 SHF_COMPRESSED},
	      "its compressed contents are damaged");
	check(&(struct elf_test_section){".zdebug_info", old_form, sizeof(old_form), 0, 0, 0, 0},
	      "its compressed contents are damaged");
}

static void a_file_without_debug_information_has_no_message(void **state)
{
	static const char text[] = "a comment";
	const Elf64_Chdr unknown = {.ch_type = 77, .ch_size = 64, .ch_addralign = 1};

	(void)state;
	check(&(struct elf_test_section){".comment", text, sizeof(text), 0, 0, 0, 0}, NULL);
	check(&(struct elf_test_section){".other", &unknown, sizeof(unknown), 0, 0, 0,
					 SHF_COMPRESSED},
	      NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_compression_that_is_not_known_is_named),
		cmocka_unit_test(damaged_contents_are_reported),
		cmocka_unit_test(a_file_without_debug_information_has_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
