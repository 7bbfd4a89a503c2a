/* SPDX-License-Identifier: GPL-2.0-only */
/* For stripped.sh: two functions, and one that only the other calls. */
static volatile int sum;

__attribute__((noinline)) static void first_part(int times)
{
	for (int i = 0; i < times; i++)
		sum += i;
}

__attribute__((noinline)) static void second_part(int times)
{
	for (int i = 0; i < times; i++)
		sum ^= i;
	first_part(7);
}

int main(void)
{
	first_part(500);
	second_part(300);
	return 0;
}
