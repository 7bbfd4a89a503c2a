// SPDX-License-Identifier: GPL-2.0-only
/* A program with a fault: the list does not end where its last node is. */
#include <stdio.h>

struct node {
	struct node *next;
	int value;
};

static volatile int sum;

__attribute__((noinline)) static int fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static int total(const struct node *list)
{
	int value = 0;

	for (; list; list = list->next) {
		value += list->value;
		for (int i = 0; i < 10; i++)
			sum += i;
		sum += fib(4);
	}
	return value;
}

int main(void)
{
	struct node nodes[20];

	for (int i = 0; i < 20; i++) {
		nodes[i].value = i;
		nodes[i].next = &nodes[i + 1];
	}
	nodes[19].next = (struct node *)8;
	printf("%d\n", total(nodes));
	return 0;
}
