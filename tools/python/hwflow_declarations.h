/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The part of the installed headers that hwflow.py uses, in the C that cffi reads.
 * tests/test_hwflow.py compares sizes, offsets and enumerators with the headers. Functions of a
 * consumer are void *.
 */
struct hwf_ete_regs {
	uint32_t trcconfigr, trctraceidr, trcidr0, trcidr1, trcidr2, trcidr8, trcauthstatus,
		trcdevarch;
	uint8_t protocol;
};

struct hwf_etm3_regs {
	uint32_t etmcr, etmidr, etmccer, etmtraceidr;
	bool armv7m;
};

struct hwf_riscv_params {
	uint8_t iaddress_width_p, iaddress_lsb_p, context_width_p, nocontext_p, privilege_width_p;
	uint8_t ecause_width_p, notval_p, itype_width_p, return_stack_size_p, call_counter_size_p;
	uint8_t time_width_p, bpred_size_p, cache_size_p, f0s_width_p, sijump_p, encoder_mode_width;
	uint8_t ioptions_width, doptions_width, data_width_p, daddress_width_p, dtype_width_p;
	uint8_t lrid_width_p, ddiff_width;
	bool mmacas, noaddr, nodata, full_daddress, full_data, full_address, irets, implicit_return;
	bool implicit_exception, branch_prediction, jump_target_cache;
	uint32_t max_resync;
	uint64_t tvec;
};

struct hwf_riscv_framing {
	uint8_t kind, srcid_width, type_width, time_bytes;
};

struct hwf_session_riscv {
	const struct hwf_riscv_params *params;
	const struct hwf_riscv_framing *framing;
	uint64_t branch_limit;
	uint32_t dialect, isa, source;
	bool one_source;
};

struct hwf_session_config {
	size_t size;
	uint32_t protocol, flags;
	const struct hwf_ete_regs *ete;
	const struct hwf_etm3_regs *etm3;
	const struct hwf_session_riscv *riscv;
	const void *code;
	void *sink, *taken_back, *steps;
	struct hwf_profile *profile;
	void *changes, *ctx, *graph;
	uint32_t graph_nodes, held_events, held_transaction;
};

struct hwf_insn {
	uint64_t target;
	uint8_t size, kind, sub, target_isa, call;
	bool conditional;
};

struct hwf_flow_range {
	uint64_t start, end;
	uint32_t instructions;
	uint8_t isa;
	bool taken, p0;
	uint8_t cycles;
	struct hwf_insn insn;
	const uint8_t *each;
};

struct hwf_flow_gap {
	uint64_t address;
	uint32_t p0_elements;
	uint8_t reason;
	bool has_address;
};

struct hwf_flow_exception {
	uint64_t ret;
	uint16_t type;
	bool has_ret, ret_is_target, imprecise;
	uint16_t number;
	bool after_gap;
};

/* Other members of the union are not read. */
struct hwf_flow_event {
	uint64_t offset;
	uint8_t kind;
	union {
		struct hwf_flow_range range;
		struct hwf_flow_gap gap;
		struct hwf_flow_exception exception;
		uint64_t address;
	} u;
};

struct hwf_packet {
	uint64_t offset;
	const char *name;
	uint32_t size;
	uint8_t protocol, type;
	bool valid, tentative;
	int error;
	void *u;
};

struct hwf_text {
	char *at, *end, *bytes;
	void *write, *ctx;
	uint64_t flushes;
	int error;
	bool by_line;
};

struct hwf_profile_edge {
	uint64_t from, to;
	const void *from_space, *to_space;
	uint64_t count;
	struct hwf_insn insn;
};

struct hwf_image_filter {
	uint8_t securities, els;
	bool has_cid, has_vmid;
	uint32_t cid, vmid;
};

struct hwf_session;
struct hwf_image;
struct hwf_image_file;
struct hwf_image_space;
struct hwf_image_view;

const char *hwf_version(void);
const char *hwf_err_text(int err);
int hwf_session_new(struct hwf_session **session, const struct hwf_session_config *config);
void hwf_session_free(struct hwf_session *session);
int hwf_session_push(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last,
		     size_t *taken);
int hwf_session_feed(struct hwf_session *session, const uint8_t *bytes, size_t length, bool last);
int hwf_session_next(struct hwf_session *session, const struct hwf_flow_event **event);
int hwf_session_next_packet(struct hwf_session *session, struct hwf_packet *packet);
int hwf_session_list(struct hwf_session *session, int format);
bool hwf_session_line(struct hwf_session *session, struct hwf_text *out);
void hwf_text_init(struct hwf_text *text, char *bytes, size_t size, void *write, void *ctx);
int hwf_session_seek(struct hwf_session *session, const uint8_t *bytes, size_t length, size_t from,
		     int seek, size_t *found);
struct hwf_profile *hwf_profile_new(void);
void hwf_profile_free(struct hwf_profile *profile);
bool hwf_profile_next_edge(const struct hwf_profile *profile, size_t *at,
			   struct hwf_profile_edge *edge);
void hwf_riscv_params_init(struct hwf_riscv_params *params, int dialect);
void hwf_riscv_framing_init(struct hwf_riscv_framing *framing, int kind);
int hwf_image_new(struct hwf_image **image, void *missing, void *missing_ctx);
void hwf_image_free(struct hwf_image *image);
int hwf_image_add_file(struct hwf_image *image, const char *path, const void *identity,
		       struct hwf_image_file **file);
int hwf_image_add_space(struct hwf_image *image, const struct hwf_image_filter *filter,
			const struct hwf_image_space *parent, struct hwf_image_space **result);
int hwf_image_map(struct hwf_image_space *space, uint64_t start, uint64_t length,
		  struct hwf_image_file *file, uint64_t offset);
int hwf_image_map_elf(struct hwf_image_space *space, struct hwf_image_file *file, uint64_t bias);
int hwf_image_view_new(struct hwf_image_view **result, struct hwf_image *image, bool wfx);
void hwf_image_view_free(struct hwf_image_view *view);
const void *hwf_image_view_code(const struct hwf_image_view *view);
