/* The runtime for C++17: devices, streams and memory that let go of themselves, and
 * failures as exceptions. It is made of cetane_rt.h alone, and needs no library more.
 *
 *	cetane::device host("host");		// or "cuda", "cuda:1"
 *	cetane::use use(host);			// for this thread, until it ends
 *	cetane::buffer<float> a(host, m * k), b(host, k * n), c(host, m * n);
 *	cetane::workspace work(host, gemm_workspace_size(m, k, n));
 *
 *	a.write(values);
 *	cetane::must(gemm(nullptr, m, k, n, a, b, c, work));
 *	host.wait();
 *	c.read(result);
 *
 * What is destroyed must outlive what was made of it: buffers and streams before their
 * device. Objects can be moved, not copied.
 */
#ifndef CETANE_HPP
#define CETANE_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "cetane_rt.h"

namespace cetane {

/* A call that failed; status() is that of cetane_rt.h. */
class error : public std::runtime_error {
public:
	explicit error(int status) :
		std::runtime_error(std::string(cetane_status_text(
			static_cast<cetane_status>(status))) + ": " +
			cetane_last_error()), status_(status) {}
	cetane_status status() const noexcept
	{
		return static_cast<cetane_status>(status_);
	}
private:
	int status_;
};

/* Throw unless "status", of the runtime or of a function of an object, is success. */
inline void must(int status)
{
	if (status != CETANE_OK)
		throw error(status);
}

/* A device by its name: "host", "cuda" or "cuda:N". */
class device {
public:
	explicit device(const char *name) { must(cetane_device_open(name, &dev_)); }
	device(device &&other) noexcept : dev_(std::exchange(other.dev_, nullptr)) {}
	device &operator=(device &&other) noexcept
	{
		std::swap(dev_, other.dev_);
		return *this;
	}
	~device() { cetane_device_close(dev_); }
	cetane_device *get() const noexcept { return dev_; }
	std::string name() const { return cetane_device_name(dev_); }
	/* Wait for all that was queued on it. */
	void wait() const { must(cetane_device_synchronize(dev_)); }
private:
	cetane_device *dev_ = nullptr;
};

/* Functions of objects that this thread calls run on the device while it lives. */
class use {
public:
	explicit use(const device &dev) { must(cetane_device_use(dev.get())); }
	use(const use &) = delete;
	use &operator=(const use &) = delete;
	~use() { cetane_device_use(nullptr); }
};

/* A queue of launches and copies. */
class stream {
public:
	explicit stream(const device &dev) : dev_(dev.get())
	{
		must(cetane_stream_create(dev_, &stream_));
	}
	stream(stream &&other) noexcept : dev_(other.dev_),
		stream_(std::exchange(other.stream_, nullptr)) {}
	stream &operator=(stream &&other) noexcept
	{
		std::swap(dev_, other.dev_);
		std::swap(stream_, other.stream_);
		return *this;
	}
	~stream()
	{
		if (stream_)
			cetane_stream_destroy(stream_);
	}
	operator cetane_stream *() const noexcept { return stream_; }
	void wait() const { must(cetane_stream_synchronize(dev_, stream_)); }
private:
	cetane_device *dev_;
	cetane_stream *stream_ = nullptr;
};

/* Elements in memory of a device; where a function of an object takes a pointer, one can
 * be given. Copies wait until they are done.
 */
template <typename T> class buffer {
public:
	buffer(const device &dev, std::size_t n) : dev_(dev.get()), n_(n)
	{
		must(cetane_malloc(dev_, n * sizeof(T), &at_));
	}
	buffer(buffer &&other) noexcept : dev_(other.dev_),
		n_(std::exchange(other.n_, 0)),
		at_(std::exchange(other.at_, 0)) {}
	buffer &operator=(buffer &&other) noexcept
	{
		std::swap(dev_, other.dev_);
		std::swap(n_, other.n_);
		std::swap(at_, other.at_);
		return *this;
	}
	~buffer()
	{
		if (at_)
			cetane_free(dev_, at_);
	}
	std::size_t size() const noexcept { return n_; }
	T *get() const noexcept
	{
		return reinterpret_cast<T *>(static_cast<std::uintptr_t>(at_));
	}
	operator T *() const noexcept { return get(); }
	/* Copy all elements from "from", or to "to", which have as many. */
	void write(const T *from)
	{
		must(cetane_copy_to_device(dev_, at_, from, n_ * sizeof(T),
			nullptr));
		must(cetane_stream_synchronize(dev_, nullptr));
	}
	void read(T *to) const
	{
		must(cetane_copy_from_device(dev_, to, at_, n_ * sizeof(T),
			nullptr));
		must(cetane_stream_synchronize(dev_, nullptr));
	}
private:
	cetane_device *dev_;
	std::size_t n_;
	cetane_ptr at_ = 0;
};

/* The memory that NAME_workspace_size(..) asks for; throws if that is -1. */
class workspace {
public:
	workspace(const device &dev, std::int64_t bytes) :
		bytes_(dev, checked(bytes)) {}
	operator void *() const noexcept { return bytes_.get(); }
private:
	static std::size_t checked(std::int64_t bytes)
	{
		if (bytes < 0)
			throw error(CETANE_INVALID_VALUE);
		return static_cast<std::size_t>(bytes);
	}
	buffer<unsigned char> bytes_;
};

}

#endif
