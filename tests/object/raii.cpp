// D = A * B + C by cetane.hpp on the host device, against plain loops; failures are
// exceptions; moved objects let go once.
#include <cassert>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/cetane.hpp"
#include "mm.h"

static_assert(!std::is_copy_constructible_v<cetane::device>);
static_assert(!std::is_copy_constructible_v<cetane::buffer<float>>);
static_assert(!std::is_copy_constructible_v<cetane::stream>);

static void product(const cetane::device &dev, void *on)
{
	const int m = 9, k = 7, n = 11;
	std::vector<float> a(m * k), b(k * n), c(m * n), d(m * n);
	cetane::buffer<float> da(dev, a.size()), db(dev, b.size()),
		dc(dev, c.size()), dd(dev, d.size());
	cetane::workspace work(dev, mm_workspace_size(m, k, n));

	for (std::size_t i = 0; i < a.size(); i++)
		a[i] = static_cast<float>(i % 5);
	for (std::size_t i = 0; i < b.size(); i++)
		b[i] = static_cast<float>(i % 7) - 3;
	for (std::size_t i = 0; i < c.size(); i++)
		c[i] = static_cast<float>(i);
	da.write(a.data());
	db.write(b.data());
	dc.write(c.data());
	cetane::must(mm_checked(on, m, k, n, da, db, dc, dd, work));
	dev.wait();
	dd.read(d.data());
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float want = c[i * n + j];

			for (int l = 0; l < k; l++)
				want += a[i * k + l] * b[l * n + j];
			assert(d[i * n + j] == want);
		}
}

template <typename F> static cetane_status status_of(F f, const char *text)
{
	try {
		f();
	} catch (const cetane::error &e) {
		assert(std::strstr(e.what(), text));
		return e.status();
	}
	return CETANE_OK;
}

int main()
{
	cetane::device first("host"), dev(std::move(first));

	assert(first.get() == nullptr && dev.name().size());
	assert(status_of([] { cetane::device("none"); }, "none") != CETANE_OK);
	assert(status_of([] { cetane::must(mm_load()); }, "no CUDA") !=
		CETANE_OK);
	{
		cetane::use use(dev);
		cetane::stream one(dev), other(std::move(one));

		product(dev, nullptr);
		product(dev, other);
		other.wait();
		assert(status_of([&] { cetane::must(mm_checked(nullptr, 1, 1, 1,
			nullptr, nullptr, nullptr, nullptr, nullptr)); },
			"A is NULL") == CETANE_INVALID_VALUE);
		assert(status_of([&] { cetane::workspace(dev,
			mm_workspace_size(-1, 1, 1)); }, "size M") ==
			CETANE_INVALID_VALUE);
		cetane::buffer<float> x(dev, 3), y(std::move(x));
		assert(x.get() == nullptr && x.size() == 0 && y.size() == 3);
		x = std::move(y);
		assert(x.size() == 3 && !y.get());
	}
	assert(status_of([] { cetane::must(mm_load()); }, "no CUDA") !=
		CETANE_OK);
	std::puts("right");
}
