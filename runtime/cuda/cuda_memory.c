/* Memory of a GPU, and copies. */
#include <string.h>
#include "runtime/cuda/context.h"

enum cetane_status cetane_rt_cuda_malloc(struct cetane_device *dev, size_t size,
	cetane_ptr *ptr)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;
	uint64_t p = 0;

	IN_CONTEXT(s, cd, "cuMemAlloc", mem_alloc(&p, size));
	if (s == CETANE_OK)
		*ptr = p;
	return s;
}

enum cetane_status cetane_rt_cuda_free(struct cetane_device *dev, cetane_ptr ptr)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuMemFree", mem_free(ptr));
	return s;
}

/* What the driver does not know is an error of the caller, not of the driver.
 *
 * The bytes from "ptr" to the end of its allocation.
 */
enum cetane_status cetane_rt_cuda_rest(struct cetane_device *dev, cetane_ptr ptr,
	size_t *rest)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;
	uint64_t base = 0;
	size_t size = 0;

	IN_CONTEXT(s, cd, "cuMemGetAddressRange",
		mem_range(&base, &size, ptr));
	if (s == CETANE_NOT_FOUND)
		return cetane_rt_fail(CETANE_INVALID_ADDRESS,
			"%s", cetane_status_text(CETANE_INVALID_ADDRESS));
	if (s == CETANE_OK)
		*rest = size - (size_t) (ptr - base);
	return s;
}

/* Asynchronous if "src" is pinned memory; else the driver has copied it before
 * it returns (CUDA driver API, "API synchronization behavior").
 */
enum cetane_status cetane_rt_cuda_copy_to(struct cetane_device *dev,
	cetane_ptr dst, const void *src, size_t size,
	struct cetane_stream *stream)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuMemcpyHtoDAsync",
		copy_to(dst, src, size, stream_handle(stream)));
	return s;
}

enum cetane_status cetane_rt_cuda_copy_from(struct cetane_device *dev,
	void *dst, cetane_ptr src, size_t size, struct cetane_stream *stream)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuMemcpyDtoHAsync",
		copy_from(dst, src, size, stream_handle(stream)));
	return s;
}

enum cetane_status cetane_rt_cuda_memset(struct cetane_device *dev,
	cetane_ptr dst, unsigned char value, size_t size,
	struct cetane_stream *stream)
{
	struct cuda_device *cd = to_cuda(dev);
	enum cetane_status s;

	IN_CONTEXT(s, cd, "cuMemsetD8Async",
		mem_set(dst, value, size, stream_handle(stream)));
	return s;
}
