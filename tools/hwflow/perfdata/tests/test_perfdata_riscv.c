// SPDX-License-Identifier: GPL-2.0-only
/* perf.data with RISC-V trace: parameters are read as they were written, or not at all. */
#include "tests/perfdata_test.h"

#include "hwflow/rv_insn.h"

/* Each field has a value of its own, as far as the values allow that. */
static struct perfdata_cpu make_cpu(void)
{
	struct perfdata_cpu made = {
		.cpu = 3,
		.protocol = PERFDATA_RISCV,
		.riscv = {.framing = {.kind = HWF_RISCV_ENCAP,
				      .srcid_width = 6,
				      .type_width = 2,
				      .time_bytes = 4},
			  .dialect = HWF_RISCV_V2,
			  .isa = HWF_RV_64 | HWF_RV_ZCM},
	};
	struct hwf_riscv_params *params = &made.riscv.params;

	hwf_riscv_params_init(params, HWF_RISCV_V2);
	params->iaddress_width_p = 57;
	params->iaddress_lsb_p = 0;
	params->context_width_p = 20;
	params->nocontext_p = 0;
	params->privilege_width_p = 3;
	params->ecause_width_p = 9;
	params->itype_width_p = 4;
	params->return_stack_size_p = 5;
	params->time_width_p = 40;
	params->bpred_size_p = 7;
	params->cache_size_p = 8;
	params->f0s_width_p = 1;
	params->sijump_p = 1;
	params->encoder_mode_width = 2;
	params->ioptions_width = 6;
	params->doptions_width = 10;
	params->full_address = true;
	params->implicit_return = true;
	params->branch_prediction = true;
	params->jump_target_cache = true;
	params->max_resync = 70000;
	params->tvec = 0x8000000000000101;
	return made;
}

/* A recording of one thread with one session */
static struct contents record(const struct perfdata_cpu *made)
{
	static const uint8_t trace[] = {0x41, 0x1f};
	const struct perfdata_stamp stamp = {.time = 5, .pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	const struct perfdata_recording recording = {
		.argv = words, .argc = 1, .cpus = made, .cpu_count = 1, .exclude_kernel = true};
	char path[] = "/tmp/hwflow-perfdata-riscv-XXXXXX";
	const int fd = mkstemp(path);
	struct perfdata_writer *writer;
	struct contents file;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_write_session(writer, &stamp, &area, 0, trace, sizeof(trace), 0),
			 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	unlink(path);
	return file;
}

static void what_is_written_is_read(void **state)
{
	const struct perfdata_cpu made = make_cpu();
	struct contents file = record(&made);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_riscv *is = &info->cpus[0].riscv;

	(void)state;
	assert_int_equal(info->cpu_count, 1);
	assert_int_equal(info->cpus[0].cpu, 3);
	assert_int_equal(info->cpus[0].protocol, PERFDATA_RISCV);
	assert_string_equal(info->arch, "riscv64");
	/* field by field: a structure has padding */
	for (size_t i = 0; i < offsetof(struct hwf_riscv_params, jump_target_cache) + 1; i++)
		assert_int_equal(((const uint8_t *)&is->params)[i],
				 ((const uint8_t *)&made.riscv.params)[i]);
	assert_int_equal(is->params.max_resync, made.riscv.params.max_resync);
	assert_int_equal(is->params.tvec, made.riscv.params.tvec);
	assert_memory_equal(&is->framing, &made.riscv.framing, sizeof(is->framing));
	assert_int_equal(is->dialect, made.riscv.dialect);
	assert_int_equal(is->isa, made.riscv.isa);
	assert_int_equal(info->session_count, 1);
	assert_ptr_equal(info->sessions[0].unit, &info->cpus[0]);
	assert_int_equal(info->note_count, 0);
	perfdata_close(data);
	free(file.bytes);
}

/* Where the words of the block are in a file */
static size_t find_words(const struct contents *file)
{
	const uint64_t magic = PERFDATA_MAGIC_RISCV;

	for (size_t i = 0; i + sizeof(magic) <= file->size; i++)
		if (!memcmp(file->bytes + i, &magic, sizeof(magic)))
			return i;
	fail();
	return 0;
}

static void expect_refused(const struct contents *file)
{
	struct perfdata *data = open_bytes(file->bytes, file->size);
	const struct perfdata_info *info = perfdata_info(data);
	bool said = false;

	assert_int_equal(info->cpu_count, 0);
	for (size_t i = 0; i < info->note_count; i++)
		said |= strstr(info->notes[i].text, "RISC-V trace encoder is damaged") != NULL;
	assert_true(said);
	perfdata_close(data);
}

/* The magic, the number of words, and each word with a value that no encoder has */
static void what_no_encoder_has_is_refused(void **state)
{
	const struct perfdata_cpu made = make_cpu();
	struct contents file = record(&made);
	const size_t at = find_words(&file);
	const uint64_t none = UINT64_MAX;

	(void)state;
	for (size_t i = 0; i < 3 + PERFDATA_REGS_RISCV; i++) {
		uint64_t kept;

		/* the CPU's number may be any; so may where handlers are */
		if (i == 1 || i == 2 + PERFDATA_REGS_RISCV)
			continue;
		memcpy(&kept, file.bytes + at + 8 * i, sizeof(kept));
		memcpy(file.bytes + at + 8 * i, &none, sizeof(none));
		expect_refused(&file);
		memcpy(file.bytes + at + 8 * i, &kept, sizeof(kept));
	}
	/* addresses of no bits: iaddress_width_p, the tenth word */
	memset(file.bytes + at + 72, 0, 8);
	expect_refused(&file);
	free(file.bytes);
}

static void other_trace_units_are_not_beside_it(void **state)
{
	const struct perfdata_cpu both[] = {two_cpus[0], make_cpu()};
	const struct perfdata_recording recording = {
		.argv = words, .argc = 1, .cpus = both, .cpu_count = 2};
	struct perfdata_writer *writer;

	(void)state;
	assert_int_equal(perfdata_writer_open(&writer, "/dev/null", &recording), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_no_encoder_has_is_refused),
		cmocka_unit_test(other_trace_units_are_not_beside_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
