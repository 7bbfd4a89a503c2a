/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of names for code made at run time: whole, cut and damaged; and which code counts when. */
#include <time.h>

#include "tests/perfdata_test.h"

#include "program/jit_read.h"
#include "program/perfmaps.h"
#include "symbols/symbols_jit.h"

#define CODE UINT64_C(0x7f0000001000)

/* struct bytes - a file as it is put together */
struct bytes {
	uint8_t at[2048];
	size_t size;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
	memcpy(bytes->at + bytes->size, &value, size);
	bytes->size += size;
}

static void put_text(struct bytes *bytes, const char *text)
{
	memcpy(bytes->at + bytes->size, text, strlen(text) + 1);
	bytes->size += strlen(text) + 1;
}

static void put_head(struct bytes *bytes, uint64_t flags)
{
	put(bytes, 0x4a695444, 4);
	put(bytes, 1, 4);
	put(bytes, 40, 4);
	put(bytes, 183, 4);
	put(bytes, 0, 4);
	put(bytes, 70, 4);
	put(bytes, 100, 8);
	put(bytes, flags, 8);
}

/* LOAD of code whose bytes are all @fill */
static void put_load(struct bytes *bytes, uint64_t time, const char *name, uint64_t address,
		     size_t size, uint64_t index, uint8_t fill)
{
	put(bytes, 0, 4);
	put(bytes, 56 + strlen(name) + 1 + size, 4);
	put(bytes, time, 8);
	put(bytes, 70, 4);
	put(bytes, 71, 4);
	put(bytes, address, 8);
	put(bytes, address, 8);
	put(bytes, size, 8);
	put(bytes, index, 8);
	put_text(bytes, name);
	memset(bytes->at + bytes->size, fill, size);
	bytes->size += size;
}

static void put_move(struct bytes *bytes, uint64_t time, uint64_t to, size_t size, uint64_t index)
{
	put(bytes, 1, 4);
	put(bytes, 64, 4);
	put(bytes, time, 8);
	put(bytes, 70, 4);
	put(bytes, 71, 4);
	put(bytes, to, 8);
	put(bytes, 0, 8);
	put(bytes, to, 8);
	put(bytes, size, 8);
	put(bytes, index, 8);
}

/* Three lines of the code at an address; the third in the file of the second */
static void put_lines(struct bytes *bytes, uint64_t address)
{
	put(bytes, 2, 4);
	put(bytes, 32 + 3 * 16 + 5 + 5 + 2, 4);
	put(bytes, 0, 8);
	put(bytes, address, 8);
	put(bytes, 3, 8);
	put(bytes, address + 16, 8);
	put(bytes, 3, 8);
	put_text(bytes, "b.js");
	put(bytes, address, 8);
	put(bytes, 1, 8);
	put_text(bytes, "a.js");
	put(bytes, address + 8, 8);
	put(bytes, 2, 8);
	put_text(bytes, "\xff");
}

static struct bytes make_dump(uint64_t flags)
{
	struct bytes bytes = {.size = 0};

	put_head(&bytes, flags);
	put_lines(&bytes, CODE);
	put_load(&bytes, 1000, "first", CODE, 64, 1, 0xaa);
	put_load(&bytes, 1500, "beside", CODE + 64, 32, 2, 0xbb);
	put_move(&bytes, 2000, CODE + 0x200, 64, 1);
	/* of an index that nothing has, and of another size than the code has */
	put_move(&bytes, 2000, CODE + 0x600, 64, 9);
	put_move(&bytes, 2000, CODE + 0x600, 32, 1);
	put_load(&bytes, 3000, "second", CODE + 32, 16, 3, 0xcc);
	/* an identifier of later versions; end */
	put(&bytes, 77, 4);
	put(&bytes, 16, 4);
	put(&bytes, 0, 8);
	put(&bytes, 3, 4);
	put(&bytes, 16, 4);
	put(&bytes, 0, 8);
	put_load(&bytes, 1, "behind the end", CODE, 64, 4, 0xaa);
	return bytes;
}

/* struct world - a recording of process 70 in a folder of its own */
struct world {
	char folder[32];
	char file[PATH_MAX];
	struct perfdata_mapping mapping;
	struct perfdata_event event;
	struct perfdata_info info;
	uint32_t next_id;
	struct jit *jit;
};

static void world_open(struct world *world, const char *name, const void *contents, size_t size)
{
	static char recording[64];
	FILE *file;

	*world = (struct world){.folder = "/tmp/hwflow-jit-XXXXXX"};
	assert_non_null(mkdtemp(world->folder));
	snprintf(recording, sizeof(recording), "%s/data", world->folder);
	snprintf(world->file, sizeof(world->file), "%s/%s", world->folder, name);
	file = fopen(world->file, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(contents, 1, size, file), size);
	fclose(file);
	world->mapping.path = "/nowhere/jit-70.dump";
	world->event = (struct perfdata_event){
		.kind = PERFDATA_MMAP, .pid = 70, .tid = 70, .u.mapping = &world->mapping};
	world->info = (struct perfdata_info){.path = recording, .events = &world->event};
	world->info.event_count = !strcmp(name, "jit-70.dump");
	assert_int_equal(jit_new(&world->jit, &world->info, "", &world->next_id), 0);
}

static void world_close(const struct world *world)
{
	jit_free(world->jit);
	unlink(world->file);
	rmdir(world->folder);
}

/* The name of an address in a time, where @fill was executed, or the time alone counts (0) */
static const char *name_at(const struct world *world, uint64_t since, uint64_t time,
			   uint64_t address, uint8_t fill)
{
	struct jit_query query = {.pid = 70, .since = since, .time = time, .address = address};
	struct place_name place;
	uint8_t bytes[16];

	memset(bytes, fill, sizeof(bytes));
	if (fill) {
		query.bytes = bytes;
		query.size = sizeof(bytes);
	}
	jit_find(world->jit, &query, &place);
	assert_true(place.first <= address && address <= place.last);
	return place.function ? place.function->name : "-";
}

static void times_choose_code(void **state)
{
	const struct bytes dump = make_dump(0);
	struct world world;

	(void)state;
	world_open(&world, "jit-70.dump", dump.at, dump.size);
	assert_string_equal(name_at(&world, 0, 999, CODE, 0), "-");
	assert_string_equal(name_at(&world, 0, 1000, CODE, 0), "first");
	assert_string_equal(name_at(&world, 1000, 1999, CODE + 63, 0), "first");
	assert_string_equal(name_at(&world, 1000, 1999, CODE + 64, 0), "beside");
	assert_string_equal(name_at(&world, 1000, 1999, CODE + 96, 0), "-");
	assert_string_equal(name_at(&world, 1000, 1999, CODE - 1, 0), "-");
	assert_string_equal(name_at(&world, 1000, 1999, CODE + 0x200, 0), "-");
	/* it was moved within the time; then before it */
	assert_string_equal(name_at(&world, 1500, 2500, CODE, 0), "first");
	assert_string_equal(name_at(&world, 1500, 2500, CODE + 0x23f, 0), "first");
	assert_string_equal(name_at(&world, 2000, 2500, CODE, 0), "-");
	assert_string_equal(name_at(&world, 2000, 2500, CODE + 0x200, 0), "first");
	assert_string_equal(name_at(&world, 2000, 2500, CODE + 0x600, 0), "-");
	assert_string_equal(name_at(&world, 3000, 9000, CODE + 32, 0), "second");
	assert_string_equal(name_at(&world, 3000, 9000, CODE, 0), "-");
	world_close(&world);
}

static void bytes_choose_code(void **state)
{
	const struct bytes dump = make_dump(0);
	struct world world;

	(void)state;
	world_open(&world, "jit-70.dump", dump.at, dump.size);
	assert_string_equal(name_at(&world, 0, 9000, CODE + 32, 0xaa), "first");
	assert_string_equal(name_at(&world, 0, 9000, CODE + 32, 0xcc), "second");
	/* code that was changed since: the code that was there at the beginning */
	assert_string_equal(name_at(&world, 1500, 9000, CODE + 32, 0x11), "first");
	world_close(&world);
}

/* The times of a recording may be of another clock, or it may have none. */
static void executed_bytes_name_code_at_another_time(void **state)
{
	const struct bytes dump = make_dump(0);
	struct world world;

	(void)state;
	world_open(&world, "jit-70.dump", dump.at, dump.size);
	assert_string_equal(name_at(&world, 0, 0, CODE, 0xaa), "first");
	assert_string_equal(name_at(&world, 0, 0, CODE + 32, 0xcc), "second");
	assert_string_equal(name_at(&world, 2000, 2500, CODE, 0xaa), "first");
	assert_string_equal(name_at(&world, 0, 0, CODE, 0x11), "-");
	assert_string_equal(name_at(&world, 0, 0, CODE + 96, 0xaa), "-");
	world_close(&world);
}

static void other_clocks_do_not_choose(void **state)
{
	const struct bytes dump = make_dump(1);
	struct world world;

	(void)state;
	world_open(&world, "jit-70.dump", dump.at, dump.size);
	assert_string_equal(name_at(&world, 0, 1, CODE, 0), "first");
	assert_string_equal(name_at(&world, 0, 1, CODE + 32, 0), "second");
	assert_string_equal(name_at(&world, 0, 1, CODE + 0x200, 0), "first");
	world_close(&world);
}

static void lines_are_found(void **state)
{
	const struct bytes dump = make_dump(0);
	struct jit_query query = {.pid = 70, .since = 1000, .time = 1400, .address = CODE + 4};
	struct source_line line;
	struct world world;

	(void)state;
	world_open(&world, "jit-70.dump", dump.at, dump.size);
	line = jit_line(world.jit, &query);
	assert_string_equal(line.file, "a.js");
	assert_int_equal(line.line, 1);
	query.address = CODE + 12;
	line = jit_line(world.jit, &query);
	assert_string_equal(line.file, "a.js");
	assert_int_equal(line.line, 2);
	/* after the move */
	query = (struct jit_query){
		.pid = 70, .since = 2000, .time = 2400, .address = CODE + 0x200 + 20};
	line = jit_line(world.jit, &query);
	assert_string_equal(line.file, "b.js");
	assert_int_equal(line.line, 3);
	query.address = CODE + 64;
	assert_null(jit_line(world.jit, &query).file);
	world_close(&world);
}

/* The first byte of code at an address in a process; 0 if there is none */
static uint8_t code_at(struct perfmaps *maps, int32_t pid, uint64_t address)
{
	static const struct perfmaps_time time = {10, 20};
	static const struct hwf_context context;
	const struct hwf_code *code = perfmaps_code(maps, &time, pid, false);
	uint8_t byte = 0;

	code->read(code->ctx, code->space(code->ctx, &context), address, &byte, 1);
	return byte;
}

/* Code for the decoder: where memory without a file was mapped, unless the code was replaced */
static void code_of_a_dump_is_mapped(void **state)
{
	const struct bytes dump = make_dump(0);
	struct perfdata_mapping memory = {
		.address = CODE, .length = 0x300, .prot = 7, .path = "//anon"};
	struct perfdata_mapping file = {
		.address = CODE + 0x200, .length = 0x1000, .prot = 5, .path = "/nowhere/data.code"};
	struct perfdata_event events[5];
	struct perfmaps *maps;
	struct world world;

	(void)state;
	world_open(&world, "jit-70.dump", dump.at, dump.size);
	for (size_t i = 0; i < 5; i++)
		events[i] = world.event;
	/* the file was mapped before the memory; its record is repeated */
	events[1].u.mapping = &memory;
	events[2].u.mapping = &memory;
	events[2].pid = events[2].tid = 71;
	events[4].u.mapping = &file;
	world.info.events = events;
	world.info.event_count = 4;
	assert_int_equal(perfmaps_new(&maps, &world.info, ""), 0);
	assert_int_equal(code_at(maps, 70, CODE + 64), 0xbb);
	assert_int_equal(code_at(maps, 70, CODE + 95), 0xbb);
	assert_int_equal(code_at(maps, 70, CODE + 96), 0);
	assert_int_equal(code_at(maps, 70, CODE + 0x200), 0xaa);
	/* "second" is where "first" was */
	assert_int_equal(code_at(maps, 70, CODE), 0);
	assert_int_equal(code_at(maps, 70, CODE + 32), 0);
	assert_int_equal(code_at(maps, 71, CODE + 64), 0);
	perfmaps_free(maps);
	/* a file has the code itself */
	world.info.event_count = 5;
	assert_int_equal(perfmaps_new(&maps, &world.info, ""), 0);
	assert_int_equal(code_at(maps, 70, CODE + 64), 0xbb);
	assert_int_equal(code_at(maps, 70, CODE + 0x200), 0);
	perfmaps_free(maps);
	world_close(&world);
}

static void maps_have_names(void **state)
{
	static const char map[] = "1000 20 first\n"
				  "0X1020 0x10 a name with spaces\n"
				  "nothing\n"
				  "1030\n"
				  "1030 10\n"
				  "1030 10 \n"
				  "10300000000000000 10 too large\n"
				  "fffffffffffffff0 20 around the end\n"
				  "1040 0 empty\n"
				  "1008 8 later line\n"
				  "1050 10 no end of line";
	struct world world;
	struct place_name place;
	struct jit_query query = {.pid = 70, .address = 0x1004};

	(void)state;
	world_open(&world, "perf-70.map", map, sizeof(map) - 1);
	jit_find(world.jit, &query, &place);
	assert_string_equal(place.function->name, "first");
	assert_int_equal(place.offset, 4);
	assert_int_equal(place.last, 0x1007);
	/* where there is no name, too */
	query.address = 0x1038;
	jit_find(world.jit, &query, &place);
	assert_null(place.function);
	assert_int_equal(place.first, 0x1030);
	assert_int_equal(place.last, 0x104f);
	query.address = 0x10;
	jit_find(world.jit, &query, &place);
	assert_int_equal(place.first, 0);
	assert_int_equal(place.last, 0xfff);
	query.address = 0x1060;
	jit_find(world.jit, &query, &place);
	assert_int_equal(place.first, 0x1060);
	assert_int_equal(place.last, UINT64_MAX);
	assert_string_equal(name_at(&world, 0, 1, 0x1008, 0), "later line");
	assert_string_equal(name_at(&world, 0, 1, 0x1010, 0), "first");
	assert_string_equal(name_at(&world, 0, 1, 0x102f, 0), "a name with spaces");
	assert_string_equal(name_at(&world, 0, 1, 0x1030, 0), "-");
	assert_string_equal(name_at(&world, 0, 1, 0x1040, 0), "-");
	assert_string_equal(name_at(&world, 0, 1, 0x105f, 0), "no end of line");
	assert_string_equal(name_at(&world, 0, 1, 0xfffffffffffffff8, 0), "-");
	query.pid = 71;
	jit_find(world.jit, &query, &place);
	assert_null(place.function);
	world_close(&world);
}

/* Tabs between columns, carriage returns and blanks at the end are no part of a name. */
static void columns_of_a_map_are_apart_by_blanks(void **state)
{
	static const char map[] = "1000\t10\ttabs\n"
				  "  1010 \t 10 \t blanks before and after \t \n"
				  "1020 10 of DOS\r\n"
				  "1030 10 tab\tin it\r\n"
				  "1040 10 \t\r\n"
				  "\r\n"
				  "1050 10 no end of line\r";
	struct world world;

	(void)state;
	world_open(&world, "perf-70.map", map, sizeof(map) - 1);
	assert_string_equal(name_at(&world, 0, 1, 0x1000, 0), "tabs");
	assert_string_equal(name_at(&world, 0, 1, 0x1010, 0), "blanks before and after");
	assert_string_equal(name_at(&world, 0, 1, 0x1020, 0), "of DOS");
	assert_string_equal(name_at(&world, 0, 1, 0x1030, 0), "tab\tin it");
	assert_string_equal(name_at(&world, 0, 1, 0x1040, 0), "-");
	assert_string_equal(name_at(&world, 0, 1, 0x1050, 0), "no end of line");
	world_close(&world);
}

/* CPU time of the process in seconds */
static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* What a look-up takes does not depend on the length of the name: a budget, which copies of it
 * would exceed fivefold. */
static void long_names_are_compared_once(void **state)
{
	static char map[100000];
	const int head = snprintf(map, sizeof(map), "1000 1000 ");
	struct world world;
	double begin;

	(void)state;
	memset(map + head, 'n', sizeof(map) - (size_t)head);
	map[sizeof(map) - 1] = '\n';
	world_open(&world, "perf-70.map", map, sizeof(map));
	begin = cpu_seconds();
	for (unsigned int i = 0; i < 500000; i++)
		assert_int_equal(name_at(&world, 0, 1, 0x1000 + i % 0x1000, 0)[0], 'n');
	assert_true(cpu_seconds() - begin < 2);
	world_close(&world);
}

static unsigned int read_damaged(const struct bytes *bytes, bool is_map)
{
	struct jit_codes codes = {.count = 0};
	/* in memory of its own, so that a read behind its end is reported */
	uint8_t *copy = malloc(bytes->size ? bytes->size : 1);
	unsigned int total = 0;
	size_t at = 0;

	memcpy(copy, bytes->at, bytes->size);
	if (is_map)
		jit_read_map(&codes, (const char *)copy, bytes->size);
	else if (!jit_read_dump(&codes, copy, bytes->size, &at))
		assert_true(at <= bytes->size);
	jit_sort(&codes);
	for (size_t i = 0; i < codes.count; i++) {
		const struct jit_code *code = &codes.codes[i];
		struct jit_lines lines;
		uint8_t sum = 0;

		assert_true(code->start < code->end && code->highest >= code->end);
		for (size_t j = 0; j < code->name_size; j++)
			sum ^= (uint8_t)code->name[j];
		for (uint64_t j = 0; code->bytes && j < code->end - code->start; j++)
			sum ^= code->bytes[j];
		jit_lines_read(code, &lines);
		for (uint64_t j = 0; j < 64; j += 4) {
			const struct jit_line line = jit_line_of(&lines, code, code->start + j);

			sum ^= line.file ? (uint8_t)strlen(line.file) : 0;
		}
		free(lines.entries);
		total += sum;
	}
	free(codes.codes);
	free(copy);
	return total;
}

static void damage(const struct bytes *whole, bool is_map)
{
	uint32_t seed = 2463534242;

	for (size_t size = 0; size <= whole->size; size++) {
		struct bytes bytes = *whole;

		bytes.size = size;
		read_damaged(&bytes, is_map);
	}
	for (int round = 0; round < 20000; round++) {
		struct bytes bytes = *whole;

		for (int i = 0; i <= round % 5; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes.at[(seed >> 8) % bytes.size] = (uint8_t)(round % 3 ? seed : 0xff);
		}
		read_damaged(&bytes, is_map);
	}
}

static void damaged_dumps_are_survived(void **state)
{
	const struct bytes whole = make_dump(0);

	(void)state;
	damage(&whole, false);
}

static void damaged_maps_are_survived(void **state)
{
	struct bytes whole = {.size = 0};

	(void)state;
	put_text(&whole, "7f0000001000 20 first\n0x7f0000001020 8 b\nffffffffffffffff 1 c\n");
	whole.size--;
	damage(&whole, true);
}

static void damage_has_an_offset(void **state)
{
	struct bytes dump = make_dump(0);
	struct jit_codes codes = {.count = 0};
	size_t at;

	(void)state;
	dump.size = 40 + 92 + 20;
	assert_non_null(strstr(jit_read_dump(&codes, dump.at, dump.size, &at), "cut"));
	assert_int_equal(at, 40 + 92);
	dump.at[40 + 4] = 7;
	assert_non_null(strstr(jit_read_dump(&codes, dump.at, dump.size, &at), "too short"));
	assert_int_equal(at, 40);
	dump.at[4] = 2;
	assert_non_null(strstr(jit_read_dump(&codes, dump.at, dump.size, &at), "version"));
	free(codes.codes);
}

/* One entry over all others: an address before its end is between them and it. */
static void many_entries_take_no_time(void **state)
{
	const size_t lines = 200000, room = lines * 32;
	char *text = malloc(room);
	struct world world;
	size_t size;

	(void)state;
	assert_non_null(text);
	size = (size_t)snprintf(text, room, "1000 fffffff all\n");
	for (size_t i = 0; i < lines; i++)
		size += (size_t)snprintf(text + size, room - size, "%zx 1 x\n", 0x2000 + 4 * i);
	world_open(&world, "perf-70.map", text, size);
	for (uint64_t i = 0; i < lines; i++)
		name_at(&world, 0, 1, 0x2002 + 4 * i, 0);
	assert_string_equal(name_at(&world, 0, 1, 0x1fff, 0), "all");
	assert_string_equal(name_at(&world, 0, 1, 0x2002, 0), "all");
	world_close(&world);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_choose_code),
		cmocka_unit_test(bytes_choose_code),
		cmocka_unit_test(executed_bytes_name_code_at_another_time),
		cmocka_unit_test(other_clocks_do_not_choose),
		cmocka_unit_test(lines_are_found),
		cmocka_unit_test(code_of_a_dump_is_mapped),
		cmocka_unit_test(maps_have_names),
		cmocka_unit_test(damaged_dumps_are_survived),
		cmocka_unit_test(damaged_maps_are_survived),
		cmocka_unit_test(damage_has_an_offset),
		cmocka_unit_test(many_entries_take_no_time),
		cmocka_unit_test(columns_of_a_map_are_apart_by_blanks),
		cmocka_unit_test(long_names_are_compared_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
