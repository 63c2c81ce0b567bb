/* Read a cubin: a 64-bit little-endian ELF file for the machine 190, with
 *
 *	symbols		functions that are global are the kernels
 *	.nv.info	attributes: format, kind, size, then a symbol's number
 *			and a value; kind 0x2f registers, 0x11 stack frame
 *	.nv.shared.K	static shared memory of kernel K
 *	.nv.constant0.K	parameters and constants
 *	.note.nv.tkinfo	text: the assembler's release and its arguments
 *
 * The bytes may be anything: each read is inside of them or gives zero.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "tools/lib/inspect/cubin.h"

enum { MACHINE = 190, FRAME_SIZE = 0x11, REGISTERS = 0x2f, HAS_VALUE = 4 };

/* An ELF file of 64 bits, and where its sections are described. */
struct elf {
	const unsigned char *p;
	size_t size;
	uint64_t table;		/* of section headers */
	unsigned n_section, names;
};

/* What the header of a section says. */
struct section {
	const char *name;
	uint32_t type, link;
	uint64_t at, size;
};

/* The little-endian number of so many bytes at "at"; 0 outside of the file. */
static uint64_t number(const struct elf *e, uint64_t at, int bytes)
{
	uint64_t v = 0;

	if (at > e->size || e->size - at < (uint64_t)bytes)
		return 0;
	while (bytes--)
		v = v << 8 | e->p[at + (uint64_t)bytes];
	return v;
}

/* The text at "at" if it ends inside of [from, from + size), else "". */
static const char *text(const struct elf *e, uint64_t from, uint64_t size,
	uint64_t at)
{
	if (from > e->size || size > e->size - from || at >= size ||
	    !memchr(e->p + from + at, '\0', (size_t)(size - at)))
		return "";
	return (const char *)e->p + from + at;
}

/* Section "i"; its bytes are inside of the file, or it has none. */
static struct section section(const struct elf *e, unsigned i)
{
	uint64_t at = e->table + (uint64_t)i * sizeof(Elf64_Shdr);
	uint64_t names = e->table + (uint64_t)e->names * sizeof(Elf64_Shdr);
	struct section s = {
		.type = (uint32_t)number(e, at + 4, 4),
		.at = number(e, at + 24, 8),
		.size = number(e, at + 32, 8),
		.link = (uint32_t)number(e, at + 40, 4),
	};

	s.name = text(e, number(e, names + 24, 8), number(e, names + 32, 8),
		number(e, at, 4));
	if (s.type != SHT_NOBITS &&
	    (s.at > e->size || s.size > e->size - s.at))
		s.size = 0;
	return s;
}

bool tool_is_cubin(const void *data, size_t size)
{
	const unsigned char *p = data;

	return size >= sizeof(Elf64_Ehdr) && !memcmp(p, ELFMAG, SELFMAG) &&
		p[EI_CLASS] == ELFCLASS64 && p[EI_DATA] == ELFDATA2LSB &&
		p[18] == MACHINE && p[19] == 0;
}

/* ---------------------------------------------------------------- kernels */

/* Note the kernels of a symbol table: functions with global binding. */
static void read_symbols(const struct elf *e, const struct section *s,
	struct tool_cubin *c)
{
	struct section names = section(e, s->link);
	uint64_t i, n = s->size / sizeof(Elf64_Sym);

	for (i = 0; i < n && c->n_kernel < TOOL_CUBIN_KERNELS; i++) {
		uint64_t at = s->at + i * sizeof(Elf64_Sym);
		unsigned info = (unsigned)number(e, at + 4, 1);
		struct tool_cubin_kernel *k = &c->kernel[c->n_kernel];

		if (ELF64_ST_TYPE(info) != STT_FUNC ||
		    ELF64_ST_BIND(info) != STB_GLOBAL)
			continue;
		*k = (struct tool_cubin_kernel){ .index = (unsigned)i,
			.registers = -1, .stack = -1, .constant = -1 };
		snprintf(k->name, sizeof(k->name), "%s", text(e, names.at,
			names.size, number(e, at, 4)));
		c->n_kernel++;
	}
}

/* Read the attributes in ".nv.info" that belong to a kernel. Only those of the
 * format HAS_VALUE have a size behind them.
 */
static void read_info(const struct elf *e, const struct section *s,
	struct tool_cubin *c)
{
	uint64_t at = s->at, end = s->at + s->size;
	int i;

	while (at + 4 <= end) {
		unsigned format = (unsigned)number(e, at, 1);
		unsigned kind = (unsigned)number(e, at + 1, 1);
		uint64_t symbol = number(e, at + 4, 4);
		int64_t value = (int64_t)number(e, at + 8, 4);

		for (i = 0; i < c->n_kernel && format == HAS_VALUE; i++) {
			if (c->kernel[i].index != symbol)
				continue;
			if (kind == REGISTERS)
				c->kernel[i].registers = value;
			else if (kind == FRAME_SIZE)
				c->kernel[i].stack = value;
		}
		at += 4 + (format == HAS_VALUE ? number(e, at + 2, 2) : 0);
	}
}

/* A section that belongs to one kernel by its name. */
static void read_memory(const struct section *s, struct tool_cubin *c)
{
	static const char shared[] = ".nv.shared.";
	static const char constant[] = ".nv.constant0.";
	int i;

	for (i = 0; i < c->n_kernel; i++) {
		struct tool_cubin_kernel *k = &c->kernel[i];

		if (!strncmp(s->name, shared, sizeof(shared) - 1) &&
		    !strcmp(s->name + sizeof(shared) - 1, k->name))
			k->shared = (int64_t)s->size;
		if (!strncmp(s->name, constant, sizeof(constant) - 1) &&
		    !strcmp(s->name + sizeof(constant) - 1, k->name))
			k->constant = (int64_t)s->size;
	}
}

/* ---------------------------------------------------------------- the note */

/* Copy the word behind "key" in the note to "word". */
static void find_word(const struct elf *e, const struct section *s,
	const char *key, char *word, size_t size)
{
	const char *p = (const char *)e->p + s->at;
	const char *found = memmem(p, (size_t)s->size, key, strlen(key));
	size_t left, n;

	if (!found)
		return;
	found += strlen(key);
	left = (size_t)(p + s->size - found);
	for (n = 0; n < left && n + 1 < size && found[n] > ' ' &&
			found[n] != ',' && found[n] <= '~'; n++)
		word[n] = found[n];
	word[n] = '\0';
}

/* Read a section if its name is one of those that tell something. */
static void read_section(const struct elf *e, const struct section *s,
	struct tool_cubin *c)
{
	if (!strcmp(s->name, ".nv.info"))
		read_info(e, s, c);
	else if (!strcmp(s->name, ".note.nv.tkinfo")) {
		find_word(e, s, "release ", c->release, sizeof(c->release));
		find_word(e, s, "-arch ", c->arch, sizeof(c->arch));
	} else {
		read_memory(s, c);
	}
}

bool tool_cubin_read(const void *data, size_t size, struct tool_cubin *c)
{
	struct elf e = { .p = data, .size = size };
	unsigned i, flags;

	memset(c, 0, sizeof(*c));
	if (!tool_is_cubin(data, size))
		return false;
	e.table = number(&e, 40, 8);
	e.n_section = (unsigned)number(&e, 60, 2);
	e.names = (unsigned)number(&e, 62, 2);
	flags = (unsigned)number(&e, 48, 4);
	c->capability = e.p[EI_ABIVERSION] >= 8 ? flags >> 8 & 0xffff :
		flags & 0xff;
	if (!e.n_section || e.table > size ||
	    (size - e.table) / sizeof(Elf64_Shdr) < e.n_section)
		return false;
	for (i = 0; i < e.n_section; i++) {
		struct section s = section(&e, i);

		if (s.type == SHT_SYMTAB)
			read_symbols(&e, &s, c);
	}
	for (i = 0; i < e.n_section; i++) {
		struct section s = section(&e, i);

		read_section(&e, &s, c);
	}
	return true;
}
