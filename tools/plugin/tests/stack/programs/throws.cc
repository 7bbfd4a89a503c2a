// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exceptions: through many frames with destructors that call, caught at varying levels of a
 * recursion, thrown again, nested, thrown by a destructor, and through functions whose handlers the
 * compiler puts elsewhere (.cold).
 */
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

static volatile int zero;
static int destroyed;

__attribute__((noinline)) static int leaf(int value)
{
	return value + zero;
}

struct noisy {
	explicit noisy(int v) : value(v)
	{
	}
	~noisy()
	{
		destroyed += leaf(1);
	}
	int value;
};

__attribute__((noinline)) static int down(int depth)
{
	noisy object(depth);

	if (!depth)
		throw depth;
	return down(depth - 1) + leaf(object.value);
}

/* Each third level catches, each sixth throws again. */
__attribute__((noinline)) static int levels(int depth)
{
	noisy object(depth);

	if (depth % 3)
		return leaf(1) + (depth ? levels(depth - 1) : 0);
	try {
		if (!depth)
			throw std::runtime_error("deep");
		return levels(depth - 1) + leaf(2);
	} catch (const std::runtime_error &error) {
		leaf(3);
		if (depth % 6 == 0)
			throw;
		throw std::runtime_error(std::string(error.what()) + ".");
	}
}

struct thrower {
	~thrower() noexcept(false)
	{
		leaf(1);
		throw 1.5;
	}
};

__attribute__((noinline)) static int from_destructor(int value)
{
	try {
		noisy object(value);
		thrower other;

		leaf(value);
	} catch (double) {
		return leaf(value + 1);
	}
	return 0;
}

/* An exception in a handler and in a destructor that is executed for another exception */
struct careful {
	~careful()
	{
		try {
			down(3);
		} catch (int) {
			leaf(1);
		}
	}
};

__attribute__((noinline)) static int nested(int depth)
{
	try {
		careful object;

		down(depth);
	} catch (int value) {
		try {
			down(2);
		} catch (int other) {
			return leaf(value + other + 7);
		}
	}
	return 0;
}

/* Cleanups only: each frame is resumed with _Unwind_Resume() and calls. */
__attribute__((noinline)) static void cleanups(int depth)
{
	noisy first(1), second(2);

	if (depth)
		cleanups(depth - 1);
	else
		down(1);
	leaf(first.value + second.value);
}

static void expect(bool good, int line)
{
	if (!good) {
		std::fprintf(stderr, "line %d\n", line);
		std::exit(1);
	}
}

#define EXPECT(x) expect(x, __LINE__)

int main()
{
	int caught = 0;

	for (int depth = 0; depth < 40; depth++) {
		try {
			down(depth);
		} catch (int) {
			caught += leaf(1);
		}
		try {
			levels(depth);
		} catch (const std::exception &) {
			caught += leaf(1);
		}
		try {
			cleanups(depth % 8);
		} catch (...) {
			caught += leaf(1);
		}
		EXPECT(from_destructor(depth) == depth + 1);
		EXPECT(nested(depth % 5) == 7);
	}
	EXPECT(caught == 120);
	EXPECT(destroyed > 0);
	std::puts("throws: good");
	return 0;
}
