/* Runs of checked kernels. */
#include "checked.h"

const char *const site[7] = { "a.dsl:1: A", "a.dsl:2: B", "a.dsl:3: C",
	"a.dsl:4: D", "a.dsl:5: E in S1", "S1", "T" };

struct run run(const char *name, cetane_host_kernel kernel,
	unsigned checks, uint64_t seed, unsigned blocks, unsigned threads,
	unsigned shared)
{
	const struct rt_kernel k = { name, kernel, 2 };
	const unsigned grid[3] = { blocks, 1, 1 }, block[3] = { threads, 1, 1 };
	struct run r = { .dev = rt_open(checks, seed) };
	int32_t in[N];
	void *args[2] = { &r.a, &r.b };
	int i;

	for (i = 0; i < N; i++)
		in[i] = i;
	r.fn = rt_function(r.dev, &k, site, 7);
	OK(cetane_malloc(r.dev, sizeof(in), &r.a));
	OK(cetane_malloc(r.dev, sizeof(in), &r.b));
	OK(cetane_copy_to_device(r.dev, r.a, in, sizeof(in), NULL));
	if (!strncmp(name, "together", 8))
		OK(cetane_rt_launch_together(r.fn, grid, block, shared, NULL,
			args, r.b + sizeof(in) - 4));
	else
		OK(cetane_launch(r.fn, grid, block, shared, NULL, args));
	r.status = cetane_stream_synchronize(r.dev, NULL);
	OK(cetane_copy_from_device(r.dev, r.out, r.b, sizeof(in), NULL));
	OK(cetane_stream_synchronize(r.dev, NULL));
	return r;
}

void done(struct run *r)
{
	struct cetane_module *mod = *(struct cetane_module **) r->fn;

	cetane_module_unload(mod);
	cetane_device_close(r->dev);
}

/* One finding, whose text contains all of the parts. */
void expect(const char *name, cetane_host_kernel kernel,
	unsigned checks, unsigned blocks, unsigned threads, unsigned shared,
	const char *const *part)
{
	struct run r = run(name, kernel, checks, 0, blocks, threads, shared);

	OK(r.status);
	for (; *part; part++)
		HAS(rt_finding(r.dev), *part);
	assert_int_equal(cetane_host_findings(r.dev), 1);
	cetane_host_clear(r.dev);
	assert_int_equal(cetane_host_findings(r.dev), 0);
	done(&r);
}

/* Nothing is found, with several orders. */
void clean(const char *name, cetane_host_kernel kernel,
	unsigned blocks, unsigned threads, unsigned shared)
{
	uint64_t seed;

	for (seed = 0; seed < 5; seed++) {
		struct run r = run(name, kernel, ALL, seed, blocks, threads,
			shared);

		OK(r.status);
		assert_string_equal(rt_finding(r.dev), "");
		done(&r);
	}
}
