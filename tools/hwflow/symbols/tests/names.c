/* SPDX-License-Identifier: GPL-2.0-only */
/* For names.sh: functions that are called as those of a C++ program. */
#define CALLED(name) __asm__(name) __attribute__((noinline))

static volatile int sum;

/* space::add(int) */
void add(int value) CALLED("_ZN5space3addEi");
void add(int value)
{
	sum += value;
}

/* Pair<Pair<int, char>, Pair<int, char> >::first() */
void first(void) CALLED("_ZN4PairIS_IicES0_E5firstEv");
void first(void)
{
	add(2);
}

/* no name of C++ */
void plain(void) CALLED("_Zero");
void plain(void)
{
	add(3);
}

int main(void)
{
	first();
	plain();
	return sum != 5;
}
