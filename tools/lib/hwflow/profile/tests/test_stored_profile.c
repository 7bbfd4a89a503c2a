// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Stored profiles: sums do not depend on order or grouping, and a damaged file is an error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stored_test.h"

/* Recordings that are summed up, and how often they are split and summed up again */
enum { RECORDINGS = 200, SPLITS = 1000 };

/* Program, library and so on of the recordings */
enum { FILES = 5 };

static const struct hwf_profile_file *a_file(struct hwf_stored_profile *stored, uint32_t number)
{
	/* one file has several names, and one no identity */
	static const char *const names[] = {"/bin/b", "/bin/a", "/lib/x.so", "/lib/y.so", "/z"};
	struct hwf_profile_file file = {.name = names[random_below(FILES)], .machine = 183};

	if (number == FILES - 1) {
		file.name = "/opt/nameless";
		return hwf_stored_profile_file(stored, &file);
	}
	file.id_kind = number & 1 ? HWF_FILE_ID_BUILD : HWF_FILE_ID_CONTENT;
	file.id_size = 16;
	memset(file.id, (int)number + 1, file.id_size);
	return hwf_stored_profile_file(stored, &file);
}

static void add_block(struct hwf_stored_profile *stored)
{
	struct hwf_profile_block block = {
		.start = 0x1000 + UINT64_C(16) * random_below(40),
		.space = a_file(stored, random_below(FILES)),
		.insn = {.kind = HWF_INSN_DIRECT, .size = 4, .target_isa = HWF_ISA_A64},
		.taken = random_below(1000),
		.not_taken = random_below(1000),
		.isa = HWF_ISA_A64,
		.p0 = true,
	};

	block.instructions = 1 + random_below(4);
	block.end = block.start + UINT64_C(4) * block.instructions;
	block.insn.target = block.start - UINT64_C(16) * random_below(3);
	block.insn.conditional = true;
	block.first.order = 1 + random_below(5);
	block.first.time = state;
	hwf_profile_add_block(hwf_stored_profile_counts(stored), &block);
}

static void add_edge(struct hwf_stored_profile *stored)
{
	const uint32_t from = random_below(FILES + 1), to = random_below(FILES + 1);
	struct hwf_profile_edge edge = {
		.insn = {.kind = HWF_INSN_INDIRECT, .size = 4, .target_isa = HWF_ISA_A64},
		.count = random_below(1000),
	};

	/* one of both may be in no file */
	if (from < FILES || to == FILES) {
		edge.from_space = a_file(stored, from % FILES);
		edge.from = 0x100c + UINT64_C(16) * random_below(40);
	}
	if (to < FILES) {
		edge.to_space = a_file(stored, to);
		edge.to = 0x1000 + UINT64_C(16) * random_below(40);
	}
	hwf_profile_add_edge(hwf_stored_profile_counts(stored), &edge);
}

/* A recording of its own, which is the same whenever it is made */
static struct hwf_stored_profile *a_recording(uint32_t number)
{
	static const char *const texts[] = {"trace was lost", "code is missing", "overflow"};
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	struct hwf_recording_id id = {{(uint8_t)number, (uint8_t)(number >> 8)}};

	assert_non_null(stored);
	state = number;
	for (uint32_t i = random_below(20); i; i--)
		add_block(stored);
	for (uint32_t i = random_below(10); i; i--)
		add_edge(stored);
	for (uint32_t i = random_below(3); i; i--)
		hwf_stored_profile_note(
			stored, &(struct hwf_profile_note){.text = texts[random_below(3)],
							   .count = 1 + random_below(9),
							   .bytes = random_below(99),
							   .kind = (uint8_t)random_below(2)});
	assert_int_equal(hwf_stored_profile_recording(stored, &id), 0);
	return stored;
}

/* A recording with groups, of which one has the name of no process */
static struct hwf_stored_profile *a_split_recording(uint32_t number)
{
	static const char *const names[] = {"make", "cc1", ""};
	struct hwf_stored_profile *stored = a_recording(number), *part;
	size_t count, at = 0;
	const char *name;

	hwf_stored_profile_split(stored, HWF_PROFILE_BY_PROCESS);
	for (uint32_t i = 1 + random_below(6); i; i--) {
		part = hwf_stored_profile_group(stored, names[random_below(3)]);
		assert_non_null(part);
		add_block(part);
		add_edge(part);
	}
	while ((part = hwf_stored_profile_next_group(stored, &at, &name)))
		assert_int_equal(hwf_stored_profile_recording(
					 part, hwf_stored_profile_recordings(stored, &count)),
				 0);
	return stored;
}

/* Adds a group to a sum, sometimes by way of a file. */
static void add(struct hwf_stored_profile *sum, struct hwf_stored_profile *part)
{
	if (random_below(2)) {
		const struct packed packed = pack(part);
		struct hwf_stored_profile *read = unpack(&packed);

		assert_int_equal(hwf_stored_profile_add(sum, read), 0);
		hwf_stored_profile_free(read);
		free(packed.bytes);
		return;
	}
	assert_int_equal(hwf_stored_profile_add(sum, part), 0);
}

/* Sums up recordings in an order of chance, in groups of chance. */
static struct packed sum_up(struct hwf_stored_profile *const *recordings, uint32_t seed)
{
	struct hwf_stored_profile *sum = hwf_stored_profile_new(), *group = NULL;
	struct packed packed;
	uint32_t order[RECORDINGS];

	random_order(order, RECORDINGS, seed);
	for (uint32_t i = 0; i < RECORDINGS; i++) {
		group = group ? group : hwf_stored_profile_new();
		assert_int_equal(hwf_stored_profile_add(group, recordings[order[i]]), 0);
		if (i + 1 < RECORDINGS && random_below(20))
			continue;
		add(sum, group);
		hwf_stored_profile_free(group);
		group = NULL;
	}
	packed = pack(sum);
	hwf_stored_profile_free(sum);
	return packed;
}

static void check_sums(struct hwf_stored_profile *(*make)(uint32_t number), uint32_t splits)
{
	struct hwf_stored_profile *recordings[RECORDINGS];
	struct packed first;

	for (uint32_t i = 0; i < RECORDINGS; i++)
		recordings[i] = make(i);
	first = sum_up(recordings, 0);
	for (uint32_t i = 1; i <= splits; i++) {
		const struct packed other = sum_up(recordings, i);

		assert_same(&first, &other);
		free(other.bytes);
	}
	free(first.bytes);
	for (uint32_t i = 0; i < RECORDINGS; i++)
		hwf_stored_profile_free(recordings[i]);
}

static void order_and_grouping_make_no_difference(void **unused)
{
	(void)unused;
	check_sums(a_recording, SPLITS);
}

static void groups_are_summed_by_name(void **unused)
{
	struct hwf_stored_profile *sum = a_split_recording(1), *other = a_split_recording(2), *part;
	size_t at = 0, count, parts = 0;
	const char *name;

	(void)unused;
	check_sums(a_split_recording, SPLITS / 10);
	assert_int_equal(hwf_stored_profile_add(sum, other), 0);
	while ((part = hwf_stored_profile_next_group(sum, &at, &name))) {
		assert_ptr_equal(part, hwf_stored_profile_group(sum, name));
		hwf_stored_profile_recordings(part, &count);
		assert_in_range(count, 1, 2);
		parts++;
	}
	assert_in_range(parts, 2, 3);
	hwf_stored_profile_free(sum);
	hwf_stored_profile_free(other);
}

/* Else the groups would not add up to the profile. */
static void groups_of_two_kinds_are_not_summed(void **unused)
{
	struct hwf_stored_profile *split = a_split_recording(1), *whole = a_recording(2);
	struct hwf_stored_profile *threads = hwf_stored_profile_new();
	const struct packed before = pack(split);
	struct packed after;

	(void)unused;
	assert_int_equal(hwf_stored_profile_add(split, whole), -EINVAL);
	assert_int_equal(hwf_stored_profile_add(whole, split), -EINVAL);
	hwf_stored_profile_split(threads, HWF_PROFILE_BY_THREAD);
	assert_int_equal(hwf_stored_profile_recording(threads, &(struct hwf_recording_id){{3, 1}}),
			 0);
	assert_int_equal(hwf_stored_profile_add(split, threads), -EINVAL);
	after = pack(split);
	assert_same(&before, &after);
	free(before.bytes);
	free(after.bytes);
	hwf_stored_profile_free(split);
	hwf_stored_profile_free(whole);
	hwf_stored_profile_free(threads);
}

/* A file without groups ends where the kind of groups and their number follow in one with groups.
 */
static void groups_take_no_place_in_a_profile_without_them(void **unused)
{
	struct hwf_stored_profile *whole = a_recording(7), *split = a_recording(7);
	const struct packed a = pack(whole);
	struct packed b;

	(void)unused;
	hwf_stored_profile_split(split, HWF_PROFILE_BY_THREAD);
	b = pack(split);
	assert_int_equal(a.bytes[24] + 2, b.bytes[24]);
	hwf_stored_profile_free(split);
	split = unpack(&b);
	assert_int_equal(hwf_stored_profile_by(split), HWF_PROFILE_BY_THREAD);
	free(a.bytes);
	free(b.bytes);
	hwf_stored_profile_free(whole);
	hwf_stored_profile_free(split);
}

/* A group has some of the recordings of the profile, one at least. */
static void a_group_of_other_recordings_is_refused(void **unused)
{
	static const struct hwf_recording_id ids[] = {{{1}}, {{2}}};

	(void)unused;
	for (int i = 0; i < 3; i++) {
		struct hwf_stored_profile *stored = hwf_stored_profile_new(), *part;
		struct packed packed;

		hwf_stored_profile_split(stored, HWF_PROFILE_BY_PROCESS);
		part = hwf_stored_profile_group(stored, "make");
		add_block(part);
		assert_int_equal(hwf_stored_profile_recording(stored, &ids[0]), 0);
		if (i)
			assert_int_equal(hwf_stored_profile_recording(part, &ids[i - 1]), 0);
		packed = pack(stored);
		assert_int_equal(unpacks(packed.bytes, packed.size), i == 1 ? 0 : -EINVAL);
		free(packed.bytes);
		hwf_stored_profile_free(stored);
	}
}

static void a_file_is_read_as_it_was_written(void **unused)
{
	struct hwf_stored_profile *stored = a_recording(7), *read;
	const struct packed written = pack(stored);
	const struct hwf_profile_block *block;
	struct packed again;
	uint64_t taken[2] = {0, 0}, count[2] = {0, 0};
	struct hwf_profile_edge edge;
	size_t at = 0;

	(void)unused;
	read = unpack(&written);
	again = pack(read);
	assert_same(&written, &again);
	while ((block = hwf_profile_next_block(hwf_stored_profile_counts(stored), &at)))
		taken[0] += block->taken;
	for (at = 0; (block = hwf_profile_next_block(hwf_stored_profile_counts(read), &at));)
		taken[1] += block->taken;
	for (at = 0; hwf_profile_next_edge(hwf_stored_profile_counts(stored), &at, &edge);)
		count[0] += edge.count;
	for (at = 0; hwf_profile_next_edge(hwf_stored_profile_counts(read), &at, &edge);)
		count[1] += edge.count;
	assert_int_not_equal(taken[0], 0);
	assert_int_not_equal(count[0], 0);
	assert_int_equal(taken[0], taken[1]);
	assert_int_equal(count[0], count[1]);
	hwf_stored_profile_free(stored);
	hwf_stored_profile_free(read);
	free(written.bytes);
	free(again.bytes);
}

static void each_bit_and_each_byte_counts(void **unused)
{
	struct hwf_stored_profile *stored = a_split_recording(7);
	const struct packed packed = pack(stored);
	uint8_t *longer = malloc(packed.size + 1);

	(void)unused;
	for (size_t i = 0; i < 8 * packed.size; i++) {
		packed.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_int_not_equal(unpacks(packed.bytes, packed.size), 0);
		packed.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	for (size_t i = 0; i < packed.size; i++)
		assert_int_equal(unpacks(packed.bytes, i), -EINVAL);
	memcpy(longer, packed.bytes, packed.size);
	longer[packed.size] = 0;
	assert_int_equal(unpacks(longer, packed.size + 1), -EINVAL);
	packed.bytes[7]++;
	assert_int_equal(unpacks(packed.bytes, packed.size), -EOPNOTSUPP);
	packed.bytes[7]--;
	assert_int_equal(unpacks(packed.bytes, packed.size), 0);
	free(longer);
	free(packed.bytes);
	hwf_stored_profile_free(stored);
}

static void a_recording_is_counted_once(void **unused)
{
	struct hwf_stored_profile *sum = a_recording(1), *other = a_recording(2), *same;
	struct packed before, after;
	size_t count;

	(void)unused;
	assert_int_equal(hwf_stored_profile_add(sum, other), 0);
	before = pack(sum);
	same = a_recording(2);
	assert_int_equal(hwf_stored_profile_add(sum, same), -EEXIST);
	after = pack(sum);
	assert_same(&before, &after);
	hwf_stored_profile_recordings(sum, &count);
	assert_int_equal(count, 2);
	free(before.bytes);
	free(after.bytes);
	hwf_stored_profile_free(sum);
	hwf_stored_profile_free(other);
	hwf_stored_profile_free(same);
}

/* A block at an offset of a file, executed first at this time and in this order */
static void execute(struct hwf_stored_profile *stored, uint64_t offset, uint64_t time,
		    uint64_t order)
{
	const struct hwf_profile_file file = {.name = "/a"};

	hwf_profile_add_block(hwf_stored_profile_counts(stored),
			      &(struct hwf_profile_block){
				      .start = offset,
				      .end = offset + 4,
				      .space = hwf_stored_profile_file(stored, &file),
				      .insn = {.size = 4},
				      .taken = 1,
				      .first = {.time = time, .order = order},
				      .instructions = 1,
			      });
}

static void assert_ranks(struct hwf_stored_profile *stored, uint64_t offset, uint64_t recordings,
			 uint64_t ranks)
{
	const struct hwf_profile *counts = hwf_stored_profile_counts(stored);
	const struct hwf_profile_block *block;
	size_t at = 0, found = 0;

	while ((block = hwf_profile_next_block(counts, &at))) {
		if (block->start != offset)
			continue;
		found++;
		assert_int_equal(block->recordings, recordings);
		assert_int_equal(block->ranks, ranks);
		assert_int_equal(block->first.order, 0);
	}
	assert_int_equal(found, 1);
}

static void first_executions_become_ranks(void **unused)
{
	struct hwf_stored_profile *sum = hwf_stored_profile_new(), *other;
	struct packed packed;

	(void)unused;
	execute(sum, 0x100, 20, 1);
	execute(sum, 0x200, 10, 3);
	execute(sum, 0x300, 20, 2);
	/* executed earlier on another processor */
	execute(sum, 0x300, 10, 2);
	assert_int_equal(hwf_stored_profile_recording(sum, &(struct hwf_recording_id){{1}}), 0);
	assert_ranks(sum, 0x300, 1, 1);
	assert_ranks(sum, 0x200, 1, 2);
	assert_ranks(sum, 0x100, 1, 3);
	other = hwf_stored_profile_new();
	execute(other, 0x400, 5, 5);
	execute(other, 0x100, 5, 6);
	assert_int_equal(hwf_stored_profile_recording(other, &(struct hwf_recording_id){{2}}), 0);
	assert_int_equal(hwf_stored_profile_add(sum, other), 0);
	hwf_stored_profile_free(other);
	packed = pack(sum);
	hwf_stored_profile_free(sum);
	sum = unpack(&packed);
	assert_ranks(sum, 0x100, 2, 5);
	assert_ranks(sum, 0x400, 1, 1);
	assert_ranks(sum, 0x300, 1, 1);
	hwf_stored_profile_free(sum);
	free(packed.bytes);
}

static void a_file_has_the_first_of_its_names(void **unused)
{
	struct hwf_stored_profile *stored = hwf_stored_profile_new();
	struct hwf_profile_file file = {
		.name = "/b", .id = {1}, .id_size = 1, .id_kind = HWF_FILE_ID_BUILD};
	const struct hwf_profile_file *first = hwf_stored_profile_file(stored, &file), *other;

	(void)unused;
	assert_string_equal(first->name, "/b");
	file.name = "/c";
	assert_ptr_equal(hwf_stored_profile_file(stored, &file), first);
	assert_string_equal(first->name, "/b");
	file.name = "/a";
	assert_ptr_equal(hwf_stored_profile_file(stored, &file), first);
	assert_string_equal(first->name, "/a");
	/* another build of the same name is another file */
	file.id[0] = 2;
	other = hwf_stored_profile_file(stored, &file);
	assert_ptr_not_equal(other, first);
	/* and so is one whose contents have the checksum that is a build id elsewhere */
	file.id_kind = HWF_FILE_ID_CONTENT;
	assert_ptr_not_equal(hwf_stored_profile_file(stored, &file), other);
	hwf_stored_profile_free(stored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_grouping_make_no_difference),
		cmocka_unit_test(groups_are_summed_by_name),
		cmocka_unit_test(groups_of_two_kinds_are_not_summed),
		cmocka_unit_test(groups_take_no_place_in_a_profile_without_them),
		cmocka_unit_test(a_group_of_other_recordings_is_refused),
		cmocka_unit_test(a_file_is_read_as_it_was_written),
		cmocka_unit_test(each_bit_and_each_byte_counts),
		cmocka_unit_test(a_recording_is_counted_once),
		cmocka_unit_test(first_executions_become_ranks),
		cmocka_unit_test(a_file_has_the_first_of_its_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
