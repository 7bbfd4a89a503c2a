/* SPDX-License-Identifier: GPL-2.0-only */
/* For autofdo.sh: templates, methods and lambdas that are inlined, and calls by way of a virtual table. */
extern "C" int printf(const char *, ...);
extern "C" void __cxa_pure_virtual() { __builtin_trap(); }

namespace space {
template <typename T> struct sum {
	T all;
	inline __attribute__((always_inline)) sum &add(T x)
	{
		all += x; if (all > 1000) all -= 777;
		return *this;
	}
};

struct shape {
	virtual int area(int n) const = 0;
};

struct square : shape {
	int area(int n) const override
	{
		sum<int> a{n};
		for (int i = 0; i < n; i++)
			a.add(i).add(n);
		return a.all;
	}
};

struct circle : shape {
	int area(int n) const override;
};

int circle::area(int n) const
{
	auto twice = [&](int k) { sum<long> a{k}; return int(a.add(n).add(k).all); };
	return twice(3) + twice(n);
}
}

int main(int argc, char **)
{
	space::square s;
	space::circle c;
	const space::shape *const shapes[] = {&s, &c};
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += shapes[(i + argc) % 3 == 0]->area(i % 17);
	printf("%d\n", sum);
	return 0;
}
