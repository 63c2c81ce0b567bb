/* Names that the C function of an object can have.
 *
 * A word of C or C++ would break the header. A name that the C library has
 * would take the place of its function in all of the program that the object
 * is linked into, the object itself and the runtime included.
 */
#include <string.h>

#include "tools/lib/object/object.h"

/* Are the "len" bytes at "name" one of the "n" words? */
static bool is_one_of(const char *name, size_t len, const char *const *word,
	size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strlen(word[i]) == len && !memcmp(word[i], name, len))
			return true;
	return false;
}

/* Is it a keyword of C or C++, or "main"? */
static bool is_keyword(const char *name)
{
	static const char *const word[] = {
		"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand",
		"bitor", "bool", "break", "case", "catch", "char", "char16_t",
		"char32_t", "char8_t", "class", "co_await", "co_return",
		"co_yield", "compl", "concept", "const", "const_cast",
		"consteval", "constexpr", "constinit", "continue", "decltype",
		"default", "delete", "do", "double", "dynamic_cast", "else",
		"enum", "explicit", "export", "extern", "false", "float", "for",
		"friend", "goto", "if", "inline", "int", "long", "main",
		"mutable", "namespace", "new", "noexcept", "not", "not_eq",
		"nullptr", "operator", "or", "or_eq", "private", "protected",
		"public", "register", "reinterpret_cast", "requires",
		"restrict", "return", "short", "signed", "sizeof", "static",
		"static_assert", "static_cast", "struct", "switch", "template",
		"this", "thread_local", "throw", "true", "try", "typedef",
		"typeid", "typename", "typeof", "union", "unsigned", "using",
		"virtual", "void", "volatile", "wchar_t", "while", "xor",
		"xor_eq"
	};

	return is_one_of(name, strlen(name), word,
		sizeof(word) / sizeof(word[0]));
}

/* The library's, of the standard or what the runtime calls beside it. */
static bool is_library(const char *name)
{
	static const char *const word[] = {
		"NULL", "abort", "abs", "aligned_alloc", "alloca", "asctime",
		"at_quick_exit", "atexit", "atof", "atoi", "atol", "atoll",
		"bcmp", "bcopy", "bsearch", "bzero", "call_once", "calloc",
		"clearerr", "clock", "clock_gettime", "close", "ctime",
		"dcgettext", "dgettext", "difftime", "div", "dladdr", "dlclose",
		"dlerror", "dlopen", "dlsym", "errno", "execl", "execle",
		"execlp", "execv", "execve", "execvp", "exit", "fclose",
		"feclearexcept", "fegetenv", "fegetexceptflag", "fegetround",
		"feholdexcept", "feof", "feraiseexcept", "ferror", "fesetenv",
		"fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv",
		"fflush", "ffs", "ffsl", "ffsll", "fgetc", "fgetpos", "fgets",
		"fopen", "fork", "fprintf", "fprintf_unlocked", "fputc",
		"fputc_unlocked", "fputs", "fputs_unlocked", "fread", "free",
		"freopen", "fscanf", "fseek", "fsetpos", "ftell", "fwrite",
		"fwrite_unlocked", "getc", "getchar", "getcontext", "getenv",
		"gets", "gettext", "gmtime", "imaxabs", "imaxdiv", "index",
		"int16_t", "int32_t", "int64_t", "int8_t", "intptr_t",
		"isalnum", "isalpha", "isascii", "isblank", "iscntrl",
		"isdigit", "isgraph", "islower", "isprint", "ispunct",
		"isspace", "isupper", "isxdigit", "kill", "labs", "ldiv",
		"linux", "llabs", "lldiv", "localeconv", "localtime", "longjmp",
		"madvise", "makecontext", "malloc", "max_align_t", "mblen",
		"mbstowcs", "mbtowc", "memchr", "memcmp", "memcpy", "memmem",
		"memmove", "mempcpy", "memset", "mktime", "mmap", "mprotect",
		"munmap",
		"offsetof", "open", "perror", "pipe", "printf",
		"printf_unlocked", "ptrdiff_t", "putc", "putc_unlocked",
		"putchar", "putchar_unlocked", "puts", "puts_unlocked", "qsort",
		"quick_exit", "raise", "rand", "read", "realloc", "remove",
		"rename", "rewind", "rindex", "scanf", "sched_getaffinity",
		"sched_yield",
		"secure_getenv", "setbuf", "setjmp", "setlocale", "setvbuf",
		"sigfillset", "signal", "size_t", "snprintf", "sprintf",
		"srand", "sscanf", "stderr", "stdin", "stdout", "stpcpy",
		"stpncpy", "strcasecmp", "strcat", "strchr", "strcmp",
		"strcoll", "strcpy", "strcspn", "strdup", "strerror", "strfmon",
		"strftime", "strlen", "strncasecmp", "strncat", "strncmp",
		"strncpy", "strndup", "strpbrk", "strrchr", "strspn", "strstr",
		"strtod", "strtof", "strtoimax", "strtok", "strtol", "strtold",
		"strtoll", "strtoul", "strtoull", "strtoumax", "strxfrm",
		"swapcontext", "sysconf", "system", "time", "timespec_get",
		"tmpfile", "tmpnam", "toascii", "tolower", "toupper",
		"uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintptr_t",
		"ungetc", "unix", "vasprintf", "vfprintf", "vfscanf", "vprintf",
		"vscanf", "vsnprintf", "vsprintf", "vsscanf", "wait",
		"wcstombs", "wctomb", "write"
	};

	return is_one_of(name, strlen(name), word,
		sizeof(word) / sizeof(word[0])) ||
		!strncmp(name, "pthread_", 8);
}

/* Functions on double; with an "f" or "l" behind, on float or long double. */
static bool is_mathematical(const char *name)
{
	static const char *const word[] = {
		"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh",
		"cbrt", "ceil", "copysign", "cos", "cosh", "cospi",
		"drem", "erf",
		"erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim",
		"finite", "floor", "fma", "fmax", "fmin", "fmod", "frexp",
		"gamma", "hypot", "ilogb", "isinf", "isnan", "j0", "j1", "jn",
		"ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p",
		"log2", "logb", "lrint", "lround", "modf", "nan", "nearbyint",
		"nextafter", "nexttoward", "pow", "pow10", "remainder",
		"remquo", "rint", "round", "roundeven", "rsqrt", "scalb", "scalbln",
		"scalbn", "signbit", "significand", "sin", "sincos", "sinh",
		"sinpi",
		"sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn"
	};
	size_t n = sizeof(word) / sizeof(word[0]), len = strlen(name);

	return is_one_of(name, len, word, n) ||
		(len && strchr("fl", name[len - 1]) &&
		 is_one_of(name, len - 1, word, n));
}

/* Begins or ends like macros and types of the headers that ours includes, or
 * like what compilers keep for themselves.
 */
static bool is_reserved(const char *name)
{
	static const char *const end[] = { "_MAX", "_MIN", "_C", "_WIDTH" };
	static const char *const begin[] = { "INT", "UINT", "PTRDIFF", "SIZE",
		"SIG_ATOMIC", "WCHAR", "WINT" };
	size_t len = strlen(name), i, k, b, e;

	if (name[0] == '_' && (name[1] == '_' ||
	    (name[1] >= 'A' && name[1] <= 'Z')))
		return true;
	for (i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		for (k = 0; k < sizeof(end) / sizeof(end[0]); k++) {
			b = strlen(begin[i]);
			e = strlen(end[k]);
			if (len >= b + e && !memcmp(name, begin[i], b) &&
			    !memcmp(name + len - e, end[k], e))
				return true;
		}
	b = name[0] == 'u';
	return len > 2 && !strncmp(name + b, "int", 3) &&
		!strcmp(name + len - 2, "_t");
}

bool tool_is_function_name(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t len = strlen(name);

	return len && len <= 200 && strspn(name, letters) == len &&
		!(*name >= '0' && *name <= '9') && !is_keyword(name) &&
		!is_library(name) && !is_mathematical(name) &&
		!is_reserved(name) &&
		strncmp(name, "cetane_", 7) != 0;
}
