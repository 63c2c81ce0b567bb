/* nvptx: the table of hosts. A new one is a row of host.def. */
#include <elf.h>
#include <string.h>

#include "nvptx/nvptx.h"

static const struct nvptx_host host[] = {
#define HOST(name_, llvm, rounds_, records_, char_, machine_) { \
	.name = #name_ "-linux-gnu", .triple = #name_ "-unknown-linux-gnu", \
	.rounds = rounds_, .records = NVPTX_RECORDS_##records_, \
	.unsigned_char = char_, .machine = machine_ },
#include "nvptx/target/host.def"
#undef HOST
};

const struct nvptx_host *nvptx_host_at(int i)
{
	int n = sizeof(host) / sizeof(host[0]);

	return i >= 0 && i < n ? &host[i] : NULL;
}

/* Is "triple" the name of "h", with or without the word of a vendor?
 *
 *	aarch64-linux-gnu	aarch64-unknown-linux-gnu
 */
static bool is_named(const struct nvptx_host *h, const char *triple)
{
	const char *system = strchr(h->name, '-');
	size_t n = (size_t) (system - h->name);
	const char *vendor, *end;

	if (strncmp(triple, h->name, n))
		return false;
	if (!strcmp(triple + n, system))
		return true;
	vendor = triple + n;
	end = *vendor == '-' ? strchr(vendor + 1, '-') : NULL;
	return end && end > vendor + 1 && !strcmp(end, system);
}

const struct nvptx_host *nvptx_host_find(const char *triple)
{
	const struct nvptx_host *h;

	for (int i = 0; (h = nvptx_host_at(i)); i++)
		if (is_named(h, triple))
			return h;
	return NULL;
}

/* Only the head is read: 64 bits, in the order of this machine, which all rows have. */
const struct nvptx_host *nvptx_host_of(const void *object, size_t size)
{
	const struct nvptx_host *h = NULL;
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return NULL;
	memcpy(&head, object, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	for (int i = 0; (h = nvptx_host_at(i)); i++)
		if (h->machine == head.e_machine)
			break;
	return h;
}

const struct nvptx_host *nvptx_host_here(void)
{
#if defined(__x86_64__)
	return nvptx_host_find("x86_64-linux-gnu");
#elif defined(__aarch64__)
	return nvptx_host_find("aarch64-linux-gnu");
#else
	return NULL;
#endif
}
