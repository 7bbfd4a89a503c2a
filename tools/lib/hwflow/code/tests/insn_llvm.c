/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The instruction classes against LLVM: writes encodings for llvm-mc to disassemble, then compares
 * what LLVM says of each with what we say. Driven by insn-llvm.sh.
 *
 *	insn_llvm gen ISA SEED > INPUT
 *	llvm-mc -disassemble < INPUT > TEXT 2> ERRORS
 *	(insn-llvm.sh makes CLASSES of TEXT)
 *	insn_llvm check ISA KNOWN INPUT CLASSES ERRORS
 *
 * A line of INPUT is one [bracketed] run of bytes: one instruction, or an IT instruction, its block
 * and one instruction behind. llvm-mc names in ERRORS the lines it does not decode, and writes
 * nothing for them; every other instruction makes one line of TEXT and of CLASSES: the mnemonic,
 * our name of the class, whether it is conditional, whether it changes the instruction set, and the
 * offset of a direct branch.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwflow/insn.h"
#include "insn_llvm_patterns.h"

#define MAX_LINE   256
#define MAX_NAME   32
#define MAX_RUN    8
#define MAX_KNOWN  64
#define MAX_CLASS  32
#define MAX_SHOWN  20
#define MAX_WORDS  4000000u
#define NR_SAMPLES 9000u /* random fillings of a pattern */
#define NR_FLIPPED 150u  /* of these have every single bit flipped */
#define NR_FILL    6u    /* fillings of the other fields for each value of a field */
#define NR_RANDOM  200000u

struct isa_info {
	const char *name;
	enum hwf_isa isa;
	unsigned int pc_ahead;
	const char *const *patterns;
	unsigned int min_patterned; /* distinct encodings from patterns */
	const char *classes;        /* each must have been compared */
};

static const struct isa_info isa_table[] = {
	{"a64", HWF_ISA_A64, 0, a64_patterns, 200000,
	 "direct,direct-link,indirect,indirect-link,indirect-ret,indirect-eret,isb,barrier,wfx,"
	 "svc,hvc,smc,brk,hlt,udf,other,invalid"},
	{"a32", HWF_ISA_A32, 8, a32_patterns, 100000,
	 "direct,direct-link,indirect,indirect-link,indirect-eret,indirect-implied,isb,barrier,wfx,"
	 "svc,hvc,smc,brk,hlt,udf,other,invalid"},
	{"t32", HWF_ISA_T32, 4, t32_patterns, 100000,
	 "direct,direct-link,indirect,indirect-link,indirect-eret,indirect-implied,isb,barrier,wfx,"
	 "svc,hvc,smc,brk,hlt,udf,other,invalid"},
};

static _Noreturn void die(const char *what, const char *name)
{
	fprintf(stderr, "insn_llvm: %s: %s\n", what, name);
	exit(2);
}

/* xorshift64*: the same encodings for a seed on every machine. */
static uint64_t rng_state;

static uint64_t rng_next(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return rng_state * 0x2545f4914f6cdd1d;
}

/* Generation */

static uint32_t *words;
static size_t nr_words;

static void word_add(uint32_t word)
{
	if (nr_words == MAX_WORDS)
		die("too many encodings", "MAX_WORDS");
	words[nr_words++] = word;
}

static uint32_t pattern_fill(const char *pattern)
{
	uint32_t random = (uint32_t)(rng_next() >> 32);
	uint32_t word = 0;

	for (unsigned int i = 0; i < 32; i++) {
		uint32_t bit = 1u << (31 - i);

		if (pattern[i] == '1' || (pattern[i] != '0' && (random & bit) != 0))
			word |= bit;
	}
	return word;
}

static void field_set(const char *pattern, unsigned int low, unsigned int width, uint32_t value)
{
	uint32_t mask = ((1u << width) - 1) << low;

	for (unsigned int i = 0; i < NR_FILL; i++)
		word_add((pattern_fill(pattern) & ~mask) | (value << low & mask));
}

/* Every value of a narrow field; the ends, the sign change and each bit of a wide one. */
static void field_walk(const char *pattern, unsigned int low, unsigned int width)
{
	if (width <= 6) {
		for (uint32_t value = 0; value < 1u << width; value++)
			field_set(pattern, low, width, value);
		return;
	}
	for (unsigned int bit = 0; bit < width; bit++) {
		uint32_t weight = 1u << bit;

		field_set(pattern, low, width, weight);
		field_set(pattern, low, width, weight - 1);
		field_set(pattern, low, width, ~weight);
		field_set(pattern, low, width, 0u - weight);
	}
}

static void pattern_generate(const char *pattern)
{
	unsigned int start = 0;

	if (strlen(pattern) != 32)
		die("pattern is not of 32 bits", pattern);
	for (unsigned int i = 1; i <= 32; i++) {
		if (i < 32 && pattern[i] == pattern[start])
			continue;
		if (pattern[start] != '0' && pattern[start] != '1')
			field_walk(pattern, 32 - i, i - start);
		start = i;
	}
	for (unsigned int i = 0; i < NR_SAMPLES; i++) {
		uint32_t word = pattern_fill(pattern);

		word_add(word);
		for (unsigned int bit = 0; i < NR_FLIPPED && bit < 32; bit++)
			word_add(word ^ 1u << bit);
	}
}

static int word_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void words_unique(void)
{
	size_t kept = 0;

	qsort(words, nr_words, sizeof(*words), word_compare);
	for (size_t i = 0; i < nr_words; i++)
		if (kept == 0 || words[i] != words[kept - 1])
			words[kept++] = words[i];
	nr_words = kept;
}

static void half_print(uint16_t half)
{
	printf("0x%02x 0x%02x ", half & 0xff, half >> 8);
}

static bool half_is_it(uint16_t half)
{
	return (half & 0xff00) == 0xbf00 && (half & 0xf) != 0;
}

/* T32 words are printed whole when wide; the narrow ones are printed exhaustively elsewhere. */
static void word_print(const struct isa_info *isa, uint32_t word)
{
	if (isa->isa == HWF_ISA_T32 && !hwf_insn_t32_is_wide((uint16_t)(word >> 16)))
		return;
	putchar('[');
	half_print((uint16_t)(isa->isa == HWF_ISA_T32 ? word >> 16 : word));
	half_print((uint16_t)(isa->isa == HWF_ISA_T32 ? word : word >> 16));
	puts("]");
}

static void member_print(unsigned int member)
{
	half_print(it_members[member][0]);
	if (it_members[member][1] != 0)
		half_print(it_members[member][1]);
}

/* One block: @member in place @at, NOPs elsewhere, and @member again behind the block. */
static void it_block_print(uint16_t it, unsigned int length, unsigned int at, unsigned int member)
{
	putchar('[');
	half_print(it);
	for (unsigned int i = 0; i < length; i++) {
		if (i == at)
			member_print(member);
		else
			half_print(0xbf00);
	}
	member_print(member);
	puts("]");
}

/* All narrow encodings, and every IT instruction with a block: LLVM keeps the IT state. */
static void narrow_print(void)
{
	const unsigned int nr = sizeof(it_members) / sizeof(it_members[0]);

	for (uint32_t half = 0; half < 0xe800; half++) {
		if (half_is_it((uint16_t)half))
			continue;
		putchar('[');
		half_print((uint16_t)half);
		puts("]");
	}
	for (uint16_t it = 0xbf00; it < 0xbff0; it++) {
		unsigned int length = (it & 1) != 0 ? 4 : (it & 2) != 0 ? 3 : (it & 4) != 0 ? 2 : 1;
		bool never = it > 0xbfe0 && (it & (it - 1) & 0xf) != 0; /* else of AL */

		for (unsigned int i = 0; half_is_it(it) && !never && i < nr * length; i++)
			it_block_print(it, length, i / nr, i % nr);
	}
}

static int generate(const struct isa_info *isa, const char *seed)
{
	size_t nr_patterned;

	rng_state = strtoull(seed, NULL, 0) * 2 + 1;
	words = malloc(MAX_WORDS * sizeof(*words));
	if (words == NULL)
		die("no memory", isa->name);
	for (const char *const *pattern = isa->patterns; *pattern != NULL; pattern++)
		pattern_generate(*pattern);
	words_unique();
	nr_patterned = nr_words;
	if (nr_patterned < isa->min_patterned)
		die("too few encodings", isa->name);
	for (unsigned int i = 0; i < NR_RANDOM; i++) {
		uint32_t word = (uint32_t)(rng_next() >> 32);

		if (isa->isa == HWF_ISA_T32 && !hwf_insn_t32_is_wide((uint16_t)(word >> 16)))
			word |= 0xe8000000;
		word_add(word);
	}
	for (size_t i = 0; i < nr_words; i++)
		word_print(isa, words[i]);
	if (isa->isa == HWF_ISA_T32)
		narrow_print();
	fprintf(stderr, "%s: %zu encodings from patterns, %u random\n", isa->name, nr_patterned,
		NR_RANDOM);
	free(words);
	return 0;
}

/* Comparison */

/* What LLVM says of one instruction. */
struct ref {
	char name[MAX_NAME];
	char class[MAX_NAME];
	unsigned int conditional;
	unsigned int switches;
	int64_t offset;
};

/*
 * A difference with its reason: encodings where LLVM prints @name and we say @ours. Name "invalid":
 * LLVM does not decode it; "unpredictable": LLVM warns of it.
 */
struct known {
	uint32_t mask;
	uint32_t value;
	char name[MAX_NAME];
	char ours[MAX_NAME];
	unsigned int uses;
};

struct class_count {
	char name[MAX_NAME];
	unsigned int same;
	unsigned int known;
	unsigned int different;
};

struct checker {
	const struct isa_info *isa;
	struct known known[MAX_KNOWN];
	unsigned int nr_known;
	struct class_count classes[MAX_CLASS];
	unsigned int nr_classes;
	unsigned int different;
	unsigned long line;
	bool invalid; /* what ERRORS says of this line */
	bool warned;
	unsigned long error_line; /* the next line it says something of */
	bool error_invalid;
	FILE *input;
	FILE *text;
	FILE *errors;
};

static const char *insn_class(const struct hwf_insn *insn)
{
	static const char *const calls[] = {"", "svc", "hvc", "smc", "brk", "hlt", "udf"};
	static const char *const kinds[] = {"other", "", "", "isb", "barrier", "wfx", "tstart"};
	static const char *const direct[] = {"direct", "direct-link", "", "", "", "direct-loop"};
	static const char *const indirect[] = {"indirect", "indirect-link", "indirect-ret",
					       "indirect-eret", "indirect-implied"};

	if (insn->call != HWF_CALL_NONE)
		return calls[insn->call];
	if (insn->kind == HWF_INSN_DIRECT)
		return direct[insn->sub];
	if (insn->kind == HWF_INSN_INDIRECT)
		return indirect[insn->sub];
	return kinds[insn->kind];
}

static bool insn_same(const struct isa_info *isa, uint64_t pc, const struct ref *ref,
		      const struct hwf_insn *ours)
{
	enum hwf_isa target_isa = isa->isa;
	uint64_t target = 0;

	if (strcmp(ref->class, insn_class(ours)) != 0)
		return false;
	if (ours->kind == HWF_INSN_DIRECT) {
		if (ref->switches != 0) {
			pc &= ~(uint64_t)3;
			target_isa = isa->isa == HWF_ISA_A32 ? HWF_ISA_T32 : HWF_ISA_A32;
		}
		target = pc + isa->pc_ahead + (uint64_t)ref->offset;
		if (isa->isa != HWF_ISA_A64)
			target &= 0xffffffff;
	}
	return ours->target == target && ours->target_isa == target_isa &&
	       (!hwf_insn_is_p0(ours, true) || ours->conditional == (ref->conditional != 0));
}

static struct class_count *class_find(struct checker *c, const char *name)
{
	struct class_count *class = c->classes;

	while (class < c->classes + c->nr_classes && strcmp(class->name, name) != 0)
		class ++;
	if (class == c->classes + c->nr_classes) {
		if (c->nr_classes++ == MAX_CLASS)
			die("too many classes", name);
		snprintf(class->name, sizeof(class->name), "%s", name);
	}
	return class;
}

static bool known_use(struct checker *c, uint32_t word, const char *name, const char *ours)
{
	for (struct known *k = c->known; k < c->known + c->nr_known; k++) {
		if ((word & k->mask) == k->value && strcmp(k->ours, ours) == 0 &&
		    (strcmp(k->name, name) == 0 ||
		     (c->warned && !c->invalid && strcmp(k->name, "unpredictable") == 0))) {
			k->uses++;
			return true;
		}
	}
	return false;
}

static void compare(struct checker *c, uint32_t word, uint64_t pc, const struct ref *ref,
		    const struct hwf_insn *ours)
{
	struct class_count *class = class_find(c, c->invalid ? "invalid" : ref->class);

	if (insn_same(c->isa, pc, ref, ours)) {
		class->same++;
	} else if (known_use(c, word, ref->name, insn_class(ours))) {
		class->known++;
	} else {
		class->different++;
		if (c->different++ < MAX_SHOWN)
			printf("%s %08" PRIx32 " at %" PRIx64 ": llvm %s%s: %s%s by %" PRIi64
			       ", ours %s%s to %" PRIx64 "\n",
			       c->isa->name, word, pc, c->warned ? "unpredictable " : "", ref->name,
			       ref->class, ref->conditional ? " conditional" : "", ref->offset,
			       insn_class(ours), ours->conditional ? " conditional" : "",
			       ours->target);
	}
}

static void errors_next(struct checker *c)
{
	char text[MAX_LINE];

	c->error_line = 0;
	while (c->error_line == 0 && fgets(text, sizeof(text), c->errors) != NULL) {
		c->error_invalid = strstr(text, "invalid instruction encoding") != NULL;
		if (c->error_invalid || strstr(text, "potentially undefined") != NULL)
			c->error_line = strtoul(strchr(text, ':') + 1, NULL, 10);
	}
}

/* Random, with every fourth close to where addresses wrap. */
static uint64_t pc_choose(const struct isa_info *isa)
{
	uint64_t random = rng_next();
	uint64_t pc = (random & 3) != 0 ? random : (random & 4) != 0 ? 0 : ~(uint64_t)0;

	pc &= isa->isa == HWF_ISA_T32 ? ~(uint64_t)1 : ~(uint64_t)3;
	return isa->isa == HWF_ISA_A64 ? pc : pc & 0xffffffff;
}

static void ref_read(struct checker *c, struct ref *ref)
{
	char text[MAX_LINE];

	*ref = (struct ref){.name = "invalid", .class = "other"};
	if (c->invalid)
		return;
	if (fgets(text, sizeof(text), c->text) == NULL ||
	    sscanf(text, "%31s %31s %u %u %" SCNi64, ref->name, ref->class, &ref->conditional,
		   &ref->switches, &ref->offset) != 5)
		die("CLASSES has no line for an instruction of", c->isa->name);
}

/*
 * One instruction of a run. @always: the IT instruction before it has condition AL. All we know is
 * that it is in a block, hence conditional. Returns its half-words.
 */
static unsigned int run_step(struct checker *c, const uint16_t *half, bool always,
			     unsigned int *it_left)
{
	bool in_block = *it_left != 0;
	uint32_t word = (uint32_t)half[1] << 16 | half[0];
	uint64_t pc = pc_choose(c->isa);
	unsigned int size = 4;
	struct hwf_insn ours;
	struct ref ref;

	if (c->isa->isa == HWF_ISA_A64) {
		hwf_insn_a64(word, pc, &ours);
	} else if (c->isa->isa == HWF_ISA_A32) {
		hwf_insn_a32(word, pc, &ours);
	} else {
		size = hwf_insn_t32_is_wide(half[0]) ? 4 : 2;
		word = size == 4 ? (uint32_t)half[0] << 16 | half[1] : half[0];
		hwf_insn_t32(half[0], half[1], pc, it_left, &ours);
	}
	if (ours.size != size)
		die("wrong size in", c->isa->name);
	ref_read(c, &ref);
	if (always && in_block)
		ref.conditional = 1;
	compare(c, word, pc, &ref, &ours);
	return size / 2;
}

static void run_check(struct checker *c, char *text)
{
	uint16_t half[2 * MAX_RUN] = {0};
	unsigned int it_left = 0;
	unsigned int nr = 0;

	for (char *byte = strtok(text, "[] \n"); byte != NULL; byte = strtok(NULL, "[] \n")) {
		unsigned long low = strtoul(byte, NULL, 16);
		unsigned long high = strtoul(strtok(NULL, "[] \n"), NULL, 16);

		half[nr++] = (uint16_t)(high << 8 | low);
	}
	c->invalid = false;
	c->warned = false;
	for (; c->error_line == c->line; errors_next(c)) {
		c->invalid |= c->error_invalid;
		c->warned |= !c->error_invalid;
	}
	if (c->invalid && nr > 2)
		die("not decoded by llvm", "an IT block");
	for (unsigned int i = 0; i < nr;)
		i += run_step(c, &half[i], half[0] >> 4 == 0xbfe, &it_left);
	if (it_left != 0)
		die("open at the end of its line", "an IT block");
}

static void known_read(struct checker *c, const char *path)
{
	FILE *file = fopen(path, "r");
	char text[MAX_LINE];

	if (file == NULL)
		die("cannot open", path);
	while (fgets(text, sizeof(text), file) != NULL) {
		struct known *k = &c->known[c->nr_known];
		char isa[8];

		if (text[0] == '#' || text[0] == '\n')
			continue;
		if (c->nr_known == MAX_KNOWN ||
		    sscanf(text, "%7s %" SCNx32 " %" SCNx32 " %31s %31s", isa, &k->mask, &k->value,
			   k->name, k->ours) != 5)
			die("cannot read", text);
		if (strcmp(isa, c->isa->name) == 0)
			c->nr_known++;
	}
	fclose(file);
}

/* Every class must have been seen, every known difference used. */
static int report(struct checker *c)
{
	int status = c->different != 0;
	char classes[MAX_LINE];

	for (unsigned int i = 0; i < c->nr_classes; i++)
		printf("%s %-16s %8u same %6u known %6u different\n", c->isa->name,
		       c->classes[i].name, c->classes[i].same, c->classes[i].known,
		       c->classes[i].different);
	snprintf(classes, sizeof(classes), "%s", c->isa->classes);
	for (char *name = strtok(classes, ","); name != NULL; name = strtok(NULL, ",")) {
		if (class_find(c, name)->same == 0) {
			printf("%s %s: nothing compared\n", c->isa->name, name);
			status = 1;
		}
	}
	for (unsigned int i = 0; i < c->nr_known; i++) {
		if (c->known[i].uses == 0) {
			printf("%s %08" PRIx32 " %08" PRIx32 " %s: known but not seen\n",
			       c->isa->name, c->known[i].mask, c->known[i].value, c->known[i].name);
			status = 1;
		}
	}
	return status;
}

static int check(const struct isa_info *isa, char **paths)
{
	static struct checker c;
	char text[MAX_LINE];

	c.isa = isa;
	rng_state = 1;
	known_read(&c, paths[0]);
	c.input = fopen(paths[1], "r");
	c.text = fopen(paths[2], "r");
	c.errors = fopen(paths[3], "r");
	if (c.input == NULL || c.text == NULL || c.errors == NULL)
		die("cannot open the files of", isa->name);
	errors_next(&c);
	while (fgets(text, sizeof(text), c.input) != NULL) {
		c.line++;
		run_check(&c, text);
	}
	if (fgets(text, sizeof(text), c.text) != NULL || c.error_line != 0)
		die("more than we asked for", isa->name);
	return report(&c);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(isa_table) / sizeof(isa_table[0]); i++) {
		if (argc < 4 || strcmp(argv[2], isa_table[i].name) != 0)
			continue;
		if (argc == 4 && strcmp(argv[1], "gen") == 0)
			return generate(&isa_table[i], argv[3]);
		if (argc == 7 && strcmp(argv[1], "check") == 0)
			return check(&isa_table[i], argv + 3);
	}
	die("usage", "gen ISA SEED | check ISA KNOWN INPUT OUTPUT ERRORS");
}
