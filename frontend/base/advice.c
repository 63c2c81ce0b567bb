/* Advice at the end of a message: what may have been meant by a word of another
 * notation, or by one that is misspelt.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "frontend/base/base.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define C_FILE "; a loop or a function in C is a program of its own, in a file .c"
#define CHOICE "; a choice is c ? a : b"
#define DEFINITION "; a definition is a name, its indices and a value, as in y(i) = 2*x(i);"
#define MEAN "; a mean is a sum divided by f32(N), the number of its terms"
#define OVER_INDEX "; a reduction names its indices, as in sum(j: x(i,j))"
#define PRODUCT "; a product is a sum over an index, as in sum(k: A(i,k) * B(k,j))"

/* Words that say by themselves what was meant: behind "did you mean", or, from the
 * semicolon on, as a sentence.
 */
static const struct {
	enum fe_place place;
	const char *word, *meant;
} known[] = {
	{ FE_AT_ITEM, "for", C_FILE }, { FE_AT_ITEM, "void", C_FILE },
	{ FE_AT_ITEM, "int", C_FILE }, { FE_AT_ITEM, "float", C_FILE },
	{ FE_AT_ITEM, "double", C_FILE }, { FE_AT_ITEM, "def", DEFINITION },
	{ FE_AT_ITEM, "let", DEFINITION }, { FE_AT_ITEM, "var", DEFINITION },
	{ FE_AT_ITEM, "const", DEFINITION },
	{ FE_AT_ITEM, "return", "; outputs are named by CodeGen(FLOAT, {C}); "
		"without it they are what nothing else uses" },
	{ FE_AT_TYPE, "float", "f32" }, { FE_AT_TYPE, "float32", "f32" },
	{ FE_AT_TYPE, "double", "f64" }, { FE_AT_TYPE, "float64", "f64" },
	{ FE_AT_TYPE, "half", "f16" }, { FE_AT_TYPE, "float16", "f16" },
	{ FE_AT_TYPE, "bfloat16", "bf16" }, { FE_AT_TYPE, "char", "i8" },
	{ FE_AT_TYPE, "short", "i16" }, { FE_AT_TYPE, "int", "i32" },
	{ FE_AT_TYPE, "long", "i64" }, { FE_AT_TYPE, "unsigned", "u32" },
	{ FE_AT_TYPE, "uint", "u32" }, { FE_AT_TYPE, "byte", "u8" },
	{ FE_AT_CALL, "sum", OVER_INDEX }, { FE_AT_CALL, "prod", OVER_INDEX },
	{ FE_AT_CALL, "argmin", OVER_INDEX }, { FE_AT_CALL, "argmax", OVER_INDEX },
	{ FE_AT_CALL, "if", CHOICE }, { FE_AT_CALL, "where", CHOICE },
	{ FE_AT_CALL, "clamp", "; clamp(x, a, b) is min(max(x, a), b)" },
	{ FE_AT_CALL, "clip", "; clip(x, a, b) is min(max(x, a), b)" },
	{ FE_AT_CALL, "mean", MEAN }, { FE_AT_CALL, "average", MEAN },
	{ FE_AT_CALL, "dot", PRODUCT }, { FE_AT_CALL, "matmul", PRODUCT },
	{ FE_AT_CALL, "einsum", PRODUCT },
	{ FE_AT_CALL, "softmax", "; a softmax is written with max, exp and sum "
		"over an index" },
	{ FE_AT_FOUND, "for", "; bounds stand in front of '=', as in y(i) for "
		"0 <= i < N = .., and those of all indices of a reduction behind "
		"the last one, as in sum(k, l for 0 <= k < 3, 0 <= l < 3: ..)" },
	{ FE_AT_FOUND, "in", "; a range is written as in y(i) for 0 <= i < N = .." },
	{ FE_AT_FOUND, "if", CHOICE }, { FE_AT_FOUND, "else", CHOICE },
	{ FE_AT_FOUND, "as", "; a type is converted to by its name, as in f16(x)" },
};

static const char *const first_words[] = {
	"Params", "Matrix", "CodeGen", "param", "tensor", "assume", "out",
};

/* The names of functions in their common spelling. */
static const char *const calls[] = {
#define FUNCTION(name, n_arg, op, integers) name,
#include "frontend/base/function.def"
#undef FUNCTION
};

/* The "n" words of "list" that are most like "word", or NULL. */
static const char *nearest(const char *word, const char *const *list, size_t n)
{
	struct fe_suggest near = fe_suggest_begin(word, strlen(word));
	const char *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (strlen(word) >= 3 && fe_suggest_try(&near, list[i]))
			best = list[i];
	return best;
}

/* The name of a type that is most like "word"; a letter makes one another. */
static const char *nearest_type(const char *word)
{
	for (int type = 0; type < POLY_N_TYPE; type++)
		if (!strcasecmp(word, poly_type_name((enum poly_type)type)))
			return poly_type_name((enum poly_type)type);
	return NULL;
}

const char *fe_advice(enum fe_place place, const char *word, char text[FE_ADVICE])
{
	const char *meant = place == FE_AT_FOUND ? NULL :
		place == FE_AT_TYPE ? nearest_type(word) :
		place == FE_AT_ITEM ? nearest(word, first_words, COUNT(first_words)) :
		nearest(word, calls, COUNT(calls));

	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].place == place && !strcasecmp(known[i].word, word))
			meant = known[i].meant;
	if (meant && *meant == ';')
		return meant;
	snprintf(text, FE_ADVICE, meant ? "; did you mean %s" : "%s",
		meant ? meant : "");
	return text;
}
