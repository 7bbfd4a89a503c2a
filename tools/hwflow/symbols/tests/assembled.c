/* SPDX-License-Identifier: GPL-2.0-only */
/* For stripped.sh: two parts in assembler, which the unwind table does not have. */
__asm__(".text\n"
	".balign 4\n"
	".type called_part, %function\n"
	"called_part:\n"
	"	subs x0, x0, #1\n"
	"	b.ne called_part\n"
	"	ret\n"
	".size called_part, . - called_part\n"
	".type pointed_part, %function\n"
	"pointed_part:\n"
	"	add x0, x0, #1\n"
	"	cmp x0, #90\n"
	"	b.lt pointed_part\n"
	"	ret\n"
	".size pointed_part, . - pointed_part\n");

void called_part(long times);
void pointed_part(long from);

static void (*const volatile parts[])(long) = {pointed_part};

int main(void)
{
	called_part(70);
	parts[0](20);
	called_part(5);
	return 0;
}
