"""Names that a program may use, sorted by what they could clash with."""
import string

LETTERS = list(string.ascii_letters) + ["_"]
DIGITS = [a + b for a in string.ascii_letters for b in string.digits]

C = """auto break case char const continue default do double else enum extern
float for goto if inline int long register restrict return short signed sizeof
static struct switch typedef union unsigned void volatile while _Alignas
_Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert
_Thread_local asm typeof""".split()
CXX = """alignas alignof and and_eq asm bitand bitor bool catch char8_t
char16_t char32_t class co_await co_return co_yield compl concept const_cast
consteval constexpr constinit decltype delete dynamic_cast explicit export
false friend mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public reinterpret_cast requires static_assert
static_cast template this thread_local throw true try typeid typename using
virtual wchar_t xor xor_eq""".split()
PTX = """abs activemask add addc address align alias applypriority atom bar
barrier bfe bfi bfind bmsk bra branchtargets brev brkpt brx call callprototype
clusterlaunchcontrol clz cnot common const copysign cos cp createpolicy cvt
cvta discard div dp2a dp4a elect entry ex2 exit explicitcluster extern file
fence fma fns func getctarank global griddepcontrol isspacep istypep ld
ldmatrix ldu lg2 lmem loc local lop3 mad mad24 madc mapa match max
maxclusterrank maxnctapersm maxnreg maxntid mbarrier membar min minnctapersm
mma mov movmatrix mul mul24 multimem nanosleep neg noreturn not or param pmevent
popc pragma pred prefetch prefetchu prmt rcp red redux reg rem reqnctapercluster
reqntid ret rsqrt sad section selp set setmaxnreg setp sharedp shared shf shfl
shl shr sin slct sqrt sreg st stackrestore stacksave stmatrix sub subc suld
suq sured surfref sust szext tanh target tcgen05 testp tex texref tld4 trap txq
version visible vote warpsize weak wgmma wmma xor tid ntid laneid warpid ctaid
nctaid smid gridid clock b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f32
f64 bf16 tf32 v2 v4 WARP_SZ""".split()
LLVM = """alloca define declare entry label ptr undef poison zeroinitializer
null void opaque getelementptr phi select unreachable half bfloat x86_fp80 token
metadata attributes source_filename nounwind convergent kernel i1 i128""".split()
ISL = """exists and or implies not infty infinity nan min max rat true false
ceild floord mod ceil floor EXISTS And OR Not NaN INFTY Infinity Rat True FALSE
Mod Ceil FloorD""".split()
LUA = """and break do else elseif end false for function goto if in local nil
not or repeat return then true until while self _G _ENV _VERSION print""".split()
LIBC = """abort abs atan2 bcmp bcopy bzero calloc close dlopen dlsym environ
errno erf exit exp expf fabs ffs fopen fork free gamma getenv getpid index
isnan j0 j1 jn kill ldexp lgamma link log longjmp lrand48 main malloc memcpy
memset mmap mprotect nearbyint open optarg pause pipe poll pow printf puts
pthread_create qsort raise rand read realloc recv remainder rindex round scalb
select send signal sin sinf sleep socket sqrt stat stderr stdin strcmp strlen
strtol sync syscall time times timezone tzname tgamma truncate umask wait write
y0 y1 yn yf j0f drem exp10 finite isinf pow10 roundeven significand signbit
sincos sincosf alloca ffsl gettext index isascii mempcpy stpcpy strcasecmp
strfmon toascii execve puts_unlocked INT8_MAX UINT64_C SIZE_MAX WCHAR_MIN
max_align_t offsetof uint_fast8_t linux unix NULL EOF size_t int64_t uint8_t ptrdiff_t FILE int8_t""".split()
RUNTIME = """cetane_launch cetane_device_use cetane_last_error cetane_version
cetane_rt_launch cetane_rt_program cetane_rt_checked cetane_stream cetane_size0
cetane_size1 cetane_arg0 cetane_arg1 cetane_call cetane_none cetane_result
cetane_0 CETANE_PROGRAM cuLaunchKernel cuInit fe_names poly_tile nvptx_hw
size_N in_x out_y inout_x stream workspace result status reason""".split()
LANGUAGE = """param tensor assume out for case else sum prod and or not true
false Params params Matrix matrix CodeGen codegen nest FLOAT INT HALF DOUBLE T
f16 bf16 tf32 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool relu ReLU Sigmoid tanh exp
log sqrt abs min max elementwise_mul transpose lerp fma xor select floor ceil
trunc round pow atan2 hypot copysign erf log1p GELU silu softplus sinpi fmin scop
endscop""".split()
LONG = ["L" * 64, "L" * 63 + "x", "_" * 64, "a1" * 32, "A_0" * 21 + "b",
        "x" * 60 + "_add", "n" * 63]
# What the compiler makes of a name, and names that it has made up at one time
# or another.
SUFFIXES = """0 1 2 acc add copy copy_element cut def def_1 fold init keep last
least max min most mul part parts prod relu rest round shared steps first sub
sum sum_add sum_init sync tile wait arg""".split()
MADE = ["S1", "S2", "N1", "N2", "k0", "k1", "kk", "T0", "T1", "Tk", "tk", "pk",
        "at_0", "at_1", "tile", "leave", "entry", "loop", "points", "threads",
        "kernel", "_1", "_0", "_acc", "_sum", "b0_1", "t0_1", "h0_1", "h1_1",
        "i_1", "i_n", "i_n_", "mod_1", "result_1", "x_1", "x_2", "program",
        "shared", "unroll", "separate", "none"]

WORDS = {"letters": LETTERS, "digits": DIGITS, "C": C, "C++": CXX, "PTX": PTX,
         "LLVM": LLVM, "isl": ISL, "Lua": LUA, "libc": LIBC,
         "runtime": RUNTIME, "language": LANGUAGE, "long": LONG, "made": MADE}


def all_names():
    """Every name once, in the order of the lists."""
    return list(dict.fromkeys(n for names in WORDS.values() for n in names))


def function_names():
    """What matrix notation has as functions, in any case."""
    return {"relu", "sigmoid", "tanh", "exp", "log", "sqrt", "abs", "min",
            "max", "elementwise_mul", "transpose", "rsqrt", "cbrt", "expm1",
            "log1p", "erf", "erfc", "erfinv", "sinpi", "cospi", "sinc",
            "gelu", "silu", "softplus", "mish"}


def is_free(name, notation):
    """Whether the reference lets "name" be a name there."""
    if notation in TYPES and (name in C or name in TYPES[notation]):
        return False
    if notation == "c":
        return True
    if name in ("Params", "Matrix", "CodeGen"):
        return False
    if notation == "nest":
        return True
    if name.lower() in function_names():
        return False
    return notation == "matrix" or name not in SCALARS


SCALARS = set("""exp2 log2 log10 sin cos tan asin acos atan sinh cosh asinh
acosh atanh atan2 pow hypot copysign nextafter fma lerp fmin fmax floor ceil trunc round
xor clz select philox philox_uniform philox_normal and or not true false i8 i16 i32 i64 u8 u16 u32 u64 bool f16 bf16 tf32 f32
f64""".split())
NEST = "nest param f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool".split()
TYPES = {"c": [], "nest": NEST, "mixed": NEST}


def is_likely(name):
    """Is it like names that the compiler makes up, or that its parts read?"""
    return name in LETTERS or (name in DIGITS and name[0] in "bhtick") or \
        any(name in WORDS[k] for k in ("isl", "made"))
