/* nvptx: kernels that do the same to their arguments, such as the layers of a network, or
 * those that add the parts of a sum in each of several versions: they are one, which is
 * launched several times.
 *
 * Two functions are the same if their text is, but for the names of functions, of
 * blocks and of values, for places in the source, and for the numbers of loops.
 */
#include <stdlib.h>
#include <string.h>

#include "nvptx/llvm/llvm.h"
#include "nvptx/kernel/kernel.h"

/* A text, and the names in it, each with a number in the order in which they come. "slot"
 * is a table of 1 + numbers, 0 where it is free, that has "size" entries, a power of two.
 */
struct names {
	const char **name;
	size_t *length;
	int *slot;
	int n, size;
};

/* Characters of names that have no quotes. */
static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9') || c == '-' || c == '$' || c == '.' || c == '_';
}

/* The length of the name at "p", in quotes or not; 0: there is none. */
static size_t name_at(const char *p)
{
	const char *end;
	size_t n = 0;

	if (*p == '"') {
		end = strchr(p + 1, '"');
		return end ? (size_t)(end + 1 - p) : 0;
	}
	while (is_name(p[n]))
		n++;
	return n;
}

/* The length of what stands at "p" and tells a place or a loop, or 0. */
static size_t number_at(const char *p)
{
	static const char *const what[] = { "!dbg !", "!llvm.loop !" };

	for (int i = 0; i < 2; i++) {
		size_t n = strlen(what[i]);

		if (!strncmp(p, what[i], n))
			return n + strspn(p + n, "0123456789");
	}
	return 0;
}

/* The number of the name of "n" bytes at "p". */
static int number_of(struct names *t, const char *p, size_t n)
{
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char) p[i]) * 16777619u;
	for (hash &= t->size - 1; t->slot[hash]; hash = (hash + 1) & (t->size - 1)) {
		int k = t->slot[hash] - 1;

		if (t->length[k] == n && !memcmp(t->name[k], p, n))
			return k;
	}
	t->name[t->n] = p;
	t->length[t->n] = n;
	t->slot[hash] = ++t->n;
	return t->n - 1;
}

/* Room for the names of "text"; false without memory. */
static bool names_alloc(struct names *t, const char *text)
{
	size_t most = 2;

	for (const char *p = text; *p; p++)
		most += *p == '%' || *p == ':';
	t->n = 0;
	for (t->size = 4; (size_t) t->size < 2 * most; t->size *= 2)
		;
	t->name = calloc(most, sizeof(*t->name));
	t->length = calloc(most, sizeof(*t->length));
	t->slot = calloc(t->size, sizeof(*t->slot));
	return t->name && t->length && t->slot;
}

static void names_free(struct names *t)
{
	free(t->name);
	free(t->length);
	free(t->slot);
}

/* Append to "out" what stands at "p", a name as its number, and return how long it is. A
 * name follows "%", or begins a line and ends in ":". What is in quotes otherwise, as
 * inline assembly is, stays.
 */
static size_t add_token(struct names *t, const char *p, bool begins, struct poly_str *out)
{
	bool value = *p == '%';
	size_t n = number_at(p);

	if (n)
		return n;
	n = value || begins ? name_at(p + value) : *p == '"' ? name_at(p) : 0;
	if (n && (value || (begins && p[n] == ':'))) {
		poly_str_printf(out, "%%%d", number_of(t, p + value, n));
		return n + value;
	}
	n = *p == '"' && n ? n : 1;
	poly_str_addn(out, p, n);
	return n;
}

/* The text of "fn" behind its name, without its own names; "out" has failed without
 * memory.
 */
static void text_of(LLVMValueRef fn, struct poly_str *out)
{
	char *text = LLVMPrintValueToString(fn);
	const char *p = strchr(text, '(');
	struct names t = { NULL, NULL, NULL, 0, 0 };

	if (!p || !names_alloc(&t, p)) {
		out->failed = true;
		p = "";
	}
	for (const char *from = p; *p; )
		p += add_token(&t, p, p > from && p[-1] == '\n', out);
	names_free(&t);
	LLVMDisposeMessage(text);
}

/* Have "a" and "b" as many blocks, and these the same instructions? */
static bool are_alike(LLVMValueRef a, LLVMValueRef b)
{
	LLVMBasicBlockRef x = LLVMGetFirstBasicBlock(a), y = LLVMGetFirstBasicBlock(b);

	if (LLVMCountParams(a) != LLVMCountParams(b))
		return false;
	for (; x && y; x = LLVMGetNextBasicBlock(x), y = LLVMGetNextBasicBlock(y)) {
		LLVMValueRef i = LLVMGetFirstInstruction(x);
		LLVMValueRef k = LLVMGetFirstInstruction(y);

		for (; i && k; i = LLVMGetNextInstruction(i), k = LLVMGetNextInstruction(k))
			if (LLVMGetInstructionOpcode(i) != LLVMGetInstructionOpcode(k))
				return false;
		if (i || k)
			return false;
	}
	return !x && !y;
}

/* Is "text" that of the function "one", too? */
static bool are_same(LLVMValueRef one, const struct poly_str *text)
{
	struct poly_str other = { 0 };
	bool same;

	text_of(one, &other);
	same = !text->failed && !other.failed && text->len == other.len &&
		!memcmp(text->s, other.s, other.len);
	poly_str_free(&other);
	return same;
}

/* An earlier function that does the same as "fn", or NULL. */
static LLVMValueRef find_same(LLVMModuleRef module, LLVMValueRef fn)
{
	LLVMValueRef one = LLVMGetFirstFunction(module);
	struct poly_str text = { 0 };

	for (; one; one = LLVMGetNextFunction(one)) {
		if (one == fn || LLVMIsDeclaration(one) || !are_alike(one, fn))
			continue;
		if (!text.len)
			text_of(fn, &text);
		if (are_same(one, &text))
			break;
	}
	poly_str_free(&text);
	return one;
}

void nvptx_share(struct nvptx_ir *ir, struct nvptx_launch *launch)
{
	LLVMValueRef one = find_same(ir->m->module, ir->fn);

	if (!one)
		return;
	LLVMDeleteFunction(ir->fn);
	ir->fn = NULL;
	free(launch->kernel);
	launch->kernel = strdup(LLVMGetValueName(one));
	if (!launch->kernel)
		nvptx_fail(ir, nvptx_i32(ir), "out of memory");
}
