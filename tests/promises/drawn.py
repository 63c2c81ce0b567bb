"""Random numbers that a counter tells: against Philox4x32-10 in Python."""
import math

from matrix import single
from programs import gives, makes, refuses, says

SEEDS = [0, 42, -1, 2 ** 40 + 7]
PLACES = [0, 1, 2, 3, 4, 1001, 2 ** 34 + 6, -3]


def block(counter, key):
    """What ten rounds make of four words with two words of a key."""
    a, b, c, d = counter
    low, high = key
    for turn in range(10):
        left, right = 0xD2511F53 * a, 0xCD9E8D57 * c
        k, m = low + turn * 0x9E3779B9, high + turn * 0xBB67AE85
        a, b, c, d = ((right >> 32 ^ b ^ k) % 2 ** 32, right % 2 ** 32,
                      (left >> 32 ^ d ^ m) % 2 ** 32, left % 2 ** 32)
    return a, b, c, d


def bits(seed, i):
    seed, i = seed % 2 ** 64, i % 2 ** 64
    at = i // 4
    return block((at % 2 ** 32, at >> 32, 0, 0),
                 (seed % 2 ** 32, seed >> 32))[i % 4]


def uniform(seed, i):
    return (bits(seed, i) >> 8) / 2 ** 24


def normal(seed, i):
    u = uniform(seed, i & -2) + 2. ** -24
    turn = 2 * math.pi * uniform(seed, i | 1)
    return math.sqrt(-2 * math.log(u)) * (
        math.sin(turn) if i & 1 else math.cos(turn))


# The authors of the generator published these.
assert block((2 ** 32 - 1,) * 4, (2 ** 32 - 1,) * 2) == (
    0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd)
assert block((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
             (0xa4093822, 0x299f31d0)) == (
    0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1)


def drawn(name, fn, near=0):
    """Seeds and numbers from memory, and literals with indices."""
    return [
        gives("tensor i64 s(4), p(8); y(i,j) = %s(s(i), p(j));" % name,
              {"y": [[fn(s, p) for p in PLACES] for s in SEEDS]},
              inputs={"s": SEEDS, "p": PLACES}, near=near),
        gives("param N; y(i) for 0 <= i < N = %s(5, 2*i + 1);" % name,
              {"y": [fn(5, 2 * i + 1) for i in range(150)]}, {"N": 150},
              near=near),
        gives("tensor u8 s(2); y(i,j) for 0 <= j < 300 = %s(s(i), j);" % name,
              {"y": [[fn(s, j) for j in range(300)] for s in (3, 255)]},
              inputs={"s": [3, 255]}, near=near),
        refuses("tensor f32 x(3); y(i) = %s(x(i), i);" % name, "E227 1:25"),
        refuses("tensor f32 x(3); y(i) = %s(1, x(i));" % name, "E227 1:25"),
        refuses("tensor bool x(3); y(i) = %s(1, x(i));" % name, "E227 1:26"),
        refuses("tensor i32 x(3); y(i) = %s(1.5, i) + x(i);" % name,
                "E227 1:25"),
        refuses("tensor i32 x(3); y(i) = %s(x(i));" % name, "E113 1:25"),
        refuses("tensor f32 %s(3); y(i) = %s(1, i);" % (name, name),
                "E204 1:12"),
    ]


def nested(n):
    """A normal number of another, "n" times."""
    return "y(i) = x(i) + " + "philox_normal(1, i64(" * n + "i" + "))" * n + ";"


NORMAL = ("- `philox_normal(seed, i)` has two numbers, of an even position and "
          "the next one, as `u = ((philox(seed, 2*k) >> 8) + 1) / 2^24` and "
          "`v = (philox(seed, 2*k + 1) >> 8) / 2^24`.")
EXAMPLE = """param N;
tensor f32 x(N);
out y(i) = philox_uniform(7, i) < 0.25 ? 0 : x(i) / 0.75;
out w(i,j) for 0 <= i < N, 0 <= j < 64 = 0.02 * philox_normal(8, 64*i + j);"""
NAMES = ("philox", "philox_uniform", "philox_normal")
NEST = """void f(int n, unsigned b[n], float u[n], double z[n])
{
	for (int i = 0; i < n; i++) {
		b[i] = philox(42, i - 3);
		u[i] = philox_uniform(-1, i);
		z[i] = philox_normal(3, 5 * i + 1);
	}
}
"""

PROMISES = [
    ("| `philox(seed, i)`, 32 random bits as a `u32` | 2 | integers |",
     *drawn("philox", bits),
     says("y(i) for 0 <= i < 9 = philox(1, i);", "1 output: u32 y[9]")),
    ("| `philox_uniform(seed, i)`, an `f32` from 0 up to 1 without 1 | 2 | "
     "integers |", *drawn("philox_uniform", uniform),
     says("y(i) for 0 <= i < 9 = philox_uniform(1, i);", "1 output: f32 y[9]")),
    ("| `philox_normal(seed, i)`, an `f32` of mean 0 and variance 1 | 2 | "
     "integers |", *drawn("philox_normal", normal, 2e-6),
     gives("param N; m() = sum(i for 0 <= i < N: f64(philox_normal(9, i))) / "
           "65536 + 1; v() = sum(i for 0 <= i < N: f64(philox_normal(9, i)) * "
           "f64(philox_normal(9, i))) / 65536;", {"m": 1, "v": 1},
           {"N": 65536}, near=.02)),
    ("**Random numbers** are functions of a seed and a number, which are taken "
     "as 64 bits: the bits are the same in any order and on every device.",
     gives("tensor i8 s(1); tensor i64 p(2); y(i) = philox(s(0), p(i)); "
           "",
           {"y": [bits(-7, 2 ** 33), bits(-7, 2 ** 63 - 1)]},
           inputs={"s": [-7], "p": [2 ** 33, 2 ** 63 - 1]})),
    ("- `philox(seed, i)` is number `i`, the first being 0, of Philox4x32-10 "
     "with the key `seed`.",
     gives("y(i) for 0 <= i < 4 = philox(0, i);",
           {"y": [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]})),
    ("- `philox_uniform(seed, i)` is `philox(seed, i) >> 8`, divided by 2^24; "
     "nothing is rounded.",
     gives("y(i) for 0 <= i < 99 = philox_uniform(3, i) * 16777216 == "
           "f32(philox(3, i) >> 8);", {"y": [True] * 99})),
    (NORMAL, gives("y(i) for 0 <= i < 99 = philox_normal(3, i);",
                   {"y": [normal(3, i) for i in range(99)]}, near=2e-6)),
    ("It is `sqrt(-2*log(u)) * cospi(2*v)` for `i = 2*k`, and with `sinpi` for "
     "`i = 2*k + 1`; in `f32`, and never beyond 5.77.",
     gives("u(k) for 0 <= k < 99 = f32((philox(3, 2*k) >> 8) + 1) / 16777216; "
           "v(k) for 0 <= k < 99 = f32(philox(3, 2*k + 1) >> 8) / 16777216; "
           "a(k) = sqrt(-2*log(u(k))) * cospi(2*v(k)) == "
           "philox_normal(3, 2*k); "
           "b(k) = sqrt(-2*log(u(k))) * sinpi(2*v(k)) == "
           "philox_normal(3, 2*k + 1);",
           {"a": [True] * 99, "b": [True] * 99}, how=["--no-verify"]),
     refuses("tensor f32 x(3); " + nested(7), "E119")),
    (EXAMPLE,
     gives(EXAMPLE, {
         "y": [0. if uniform(7, i) < .25 else single(x / .75)
               for i, x in enumerate([1., 2., 3., 4., 5., 6.])],
         "w": [[.02 * normal(8, 64 * i + j) for j in range(64)]
               for i in range(6)]}, {"N": 6},
           {"x": [1., 2., 3., 4., 5., 6.]}, near=2e-6)),
    ("- `philox`, `philox_uniform` and `philox_normal` are those of index "
     "notation, unless the file defines such a function.",
     gives(NEST, {"b": [bits(42, i - 3) for i in range(50)],
                  "u": [uniform(-1, i) for i in range(50)],
                  "z": [normal(3, 5 * i + 1) for i in range(50)]},
           {"n": 50}, suffix=".c", near=2e-6),
     gives("static int philox(int a) { return a + 1; }\n"
           "void f(int b[3]) { for (int i = 0; i < 3; i++) "
           "b[i] = philox(i); }\n", {"b": [1, 2, 3]}, suffix=".c",
           options=["--function=f"])),
    ("They take two `unsigned long long`.",
     gives("void f(unsigned b[3]) { for (int i = 0; i < 3; i++) "
           "b[i] = philox(7.9, i + 0.5); }\n",
           {"b": [bits(7, i) for i in range(3)]}, suffix=".c"),
     *[refuses("void f(float b[3])\n{ b[0] =\n%s(1); }\n" % name,
               "E113 3:1", suffix=".c") for name in NAMES]),
]
NOTHING = ["drops a quarter of `x`, and makes random weights."]
ELSEWHERE = [
    ("cuRAND's `curand()` gives these numbers in this order after "
     "`curand_init(seed, 0, 0, &state)` of a `curandStatePhilox4_32_10_t`.",
     "nvptx/test_ops"),
]
