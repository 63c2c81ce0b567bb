"""Objects that stand in the place of functions in C: --drop-in."""
import json
import os
import re
import subprocess

from linked import CC, CXX, FAKE, RUNTIME, SANITIZE, command, needs_ptxas

# A file of kernels, and a program that uses them: twice the same text, once
# with cc's object and once with ours.
KERNELS = """#include <stddef.h>
typedef double real;
extern int scale;
real kept[10];
static const real weight[3] = { 0.25, 0.5, 0.25 };

float smooth(size_t n, short m, real A[n][m], const float x,
	float *restrict odd, signed char c, unsigned char *flags)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		for (int j = 1; j < m - 1; j++) {
			A[i][j] = weight[0] * A[i][j - 1] +
				weight[1] * A[i][j] + weight[2] * A[i][j + 1];
			sum += A[i][j] * x + scale;
		}
	for (int i = 0; i < (int)n; i++)
		odd[2 * i + 1] = i * x + c;
	for (int i = 0; i < 10; i++)
		kept[i] += i * x;
	for (unsigned i = 1; i < n - 1; i++)
		flags[i] += flags[i - 1];
	return sum;
}
"""

MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "HEADER"
int scale = 3;
extern double kept[10];
int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 7, i;
	short m = 5;
	double (*A)[m] = calloc(n * m + 1, sizeof(double));
	float *odd = calloc(2 * n + 2, sizeof(*odd));
	unsigned char *flags = calloc(n + 1, 1);

	for (i = 0; i < n * m; i++)
		A[0][i] = i * 0.37;
	for (i = 0; i < n; i++)
		flags[i] = 77 * i;
	printf("%a\\n", (double) smooth(n, m, A, 1.5f, odd, -3, flags));
	for (i = 0; i < n * m; i++)
		printf("%a\\n", A[0][i]);
	for (i = 0; i < 2 * n; i++)
		printf("%a\\n", (double) odd[i]);
	for (i = 0; i < 10; i++)
		printf("%a\\n", kept[i]);
	for (i = 0; i < n; i++)
		printf("%d\\n", flags[i]);
	free(A);
	free(odd);
	free(flags);
	return 0;
}
"""

PROTOTYPE = """#include <stddef.h>
float smooth(size_t n, short m, double A[n][m], const float x, float *odd,
	signed char c, unsigned char *flags);
"""

WILD = """void wild(int n, int m, const unsigned char k[n], const float x[m], float y[n])
{
#pragma cetane assume 0 <= k < m
	for (int i = 0; i < n; i++)
		y[i] += x[k[i]];
}
"""

WILD_MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "wild.h"
void wild_failed(int status, const char *why);
void wild_failed(int status, const char *why)
{
	printf("%d %s\\n", status, why);
}
int main(void)
{
	unsigned char k[4] = { 0, 2, 1, 2 };
	float x[3] = { 1, 2, 3 }, y[4] = { 0 };

	wild(4, 3, k, x, y);
	k[3] = 200;
	wild(4, 3, k, x, y);
	printf("%g %g %g %g\\n", y[0], y[1], y[2], y[3]);
	return 0;
}
"""

STRUCTURES = """
struct point { double x, y[2], z; };
typedef struct pixel { unsigned char r, g, b; } pixel;
typedef struct { short first, last; } range;
struct part {
	char tag;
	double x;
	struct { short a; float b[2]; } in[2];
	unsigned char last;
};
extern struct point origin;
void move(int n, struct point p[n], const pixel *restrict c, range r[n][2],
	  struct part *q, const struct part *by);
"""

MOVE = """
void move(int n, struct point p[n], const pixel *restrict c, range r[n][2],
	  struct part *q, const struct part *by)
{
	for (int i = 0; i < n; i++) {
		q[i].x += by[i].in[1].b[0] + by[i].tag;
		q[i].in[1].b[1] = by[i].in[0].b[1] + q[i].in[0].a;
		q[i].last++;
		for (int k = 0; k < 2; k++)
			q[i].in[k].a -= by[i].in[1 - k].a;
	}
	for (int i = 0; i < n; i++) {
		p[i].y[1] += p[i].x + c[i].g + origin.z;
		r[i][1].last = r[i][0].first - c[n - 1 - i].b;
	}
	origin.x += p[0].y[1];
}
"""

USE_STRUCTURES = """
#include <stdio.h>
#include <stdlib.h>
struct point origin = { 1, { 2, 3 }, 4 };
int main(int argc, char **argv)
{
	struct point p[5];
	pixel c[5];
	range r[5][2];
	struct part q[5], by[5];

	for (int i = 0; i < 5; i++) {
		p[i] = (struct point){ i, { 2 * i, 3 * i }, 4 * i };
		c[i] = (pixel){ i, 10 + i, 20 + i };
		for (int k = 0; k < 2; k++)
			r[i][k] = (range){ 30 * i + k, 40 * i + k };
	}
	for (int i = 0; i < (int)sizeof(q); i++) {
		((unsigned char *)q)[i] = i % 61;
		((unsigned char *)by)[i] = i % 53;
	}
	for (int i = 0; i < 5; i++) {
		q[i].x = i;
		by[i].in[0].b[1] = 3 * i;
		by[i].in[1].b[0] = 5 * i;
	}
	move(5, p, c, r, q, by);
	for (int i = 0; i < (int)sizeof(q); i++)
		printf("%d ", ((unsigned char *)q)[i]);
	if (argc > 1)
		move(2, p, c, r, q, &q[atoi(argv[1])]);
	for (int i = 0; i < 5; i++)
		printf("%g %g %g %g %d %d %d %d\\n", p[i].x, p[i].y[0], p[i].y[1],
		       p[i].z, r[i][0].first, r[i][0].last, r[i][1].first,
		       r[i][1].last);
	printf("%g %g %g %g\\n", origin.x, origin.y[0], origin.y[1], origin.z);
	return 0;
}
"""

GRID = "struct grid { int n; double h; };\n"

BY_VALUE = GRID + """void by_value(struct grid g, double a[g.n][g.n])
{
	for (int i = 0; i < g.n; i++)
		a[i][0] *= g.h;
}
"""

USE_BY_VALUE = GRID + """#include <stdio.h>
#include "by_value.h"
int main(void)
{
	double a[2][2] = { { 1, 2 }, { 3, 4 } };

	by_value((struct grid){ 2, 1.5 }, a);
	printf("%g %g %g %g", a[0][0], a[0][1], a[1][0], a[1][1]);
	return 0;
}
"""


@needs_ptxas
class DropIn(command.Case):
    def setUp(self):
        super().setUp()
        self.write("by_value.c", BY_VALUE)
        self.write("smooth.c", KERNELS)
        self.write("main.c", MAIN.replace("HEADER", "proto.h"))
        self.write("proto.h", PROTOTYPE)

    def build(self, *args, **more):
        return self.cetane("build", *args, "--emit=object", "--drop-in",
                           "--no-contract", "--arch=sm_80", **more)

    def cc(self, *args):
        flags = ["-fsanitize=" + SANITIZE] if SANITIZE else []
        p = subprocess.run([CC, "-O1", "-ffp-contract=off", *flags, *args],
                           cwd=self.folder.name, capture_output=True,
                           text=True)
        self.assertEqual(p.returncode, 0, p.stderr)

    def both(self):
        self.build("smooth.c")
        self.cc("-o", "theirs", "main.c", "smooth.c")
        self.cc("-o", "ours", "main.c", "smooth.o", RUNTIME, "-lpthread",
                "-ldl", "-lm")

    def output(self, program, *args, status=0, **env):
        p = subprocess.run([self.path(program), *args], text=True,
                           env=dict(os.environ, CETANE_DRIVER="/none", **env),
                           capture_output=True)
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stdout if status == 0 else p.stderr

    def test_same_output(self):
        self.both()
        for n in "7", "1", "2", "40":
            self.assertEqual(self.output("ours", n),
                             self.output("theirs", n), n)

    def test_structures(self):
        """C's layout, members that are left alone among them."""
        self.write("points.h", STRUCTURES)
        self.write("move.c", '#include "points.h"\n' + MOVE)
        self.write("use.c", '#include "points.h"\n' + USE_STRUCTURES)
        self.write("header.c", '#include "move.h"\nstruct point { double x, '
                   "y[2], z; };\nvoid f(int n, struct point *p, void *other);"
                   "\nvoid f(int n, struct point *p, void *other)\n"
                   "{ move(n, p, other, other, 0, 0); }\n")
        self.build("move.c")
        self.cc("-Wall", "-Werror", "-o", "theirs", "use.c", "move.c")
        self.cc("-Wall", "-Werror", "-o", "ours", "use.c", "move.o", RUNTIME,
                "-lpthread", "-ldl", "-lm")
        self.assertEqual(self.output("ours"), self.output("theirs"))
        self.output("ours", "2")
        for distance in "0", "1":
            self.assertRegex(self.output("ours", distance, status=-6),
                             "move: (by_x|q_x).* and .* overlap")
        self.cc("-Wall", "-Wextra", "-Werror", "-c", "header.c")

    def test_by_value(self):
        """Whose header needs no members; random_records.py has more."""
        self.write("use.c", USE_BY_VALUE)
        self.build("by_value.c")
        self.cc("-Wall", "-Wextra", "-Werror", "-o", "use", "use.c",
                "by_value.o", RUNTIME, "-lpthread", "-ldl", "-lm")
        self.assertEqual(self.output("use"), "1.5 2 4.5 4")
        self.write("alone.c", '#include "by_value.h"\nint alone;\n')
        self.cc("-Wall", "-Wextra", "-Werror", "-c", "alone.c")
        if CXX:
            self.write("alone.cc", '#include "by_value.h"\nint alone;\n')
            p = subprocess.run([CXX, "-Wall", "-Werror", "-c", "alone.cc"],
                               cwd=self.folder.name)
            self.assertEqual(p.returncode, 0)
        self.write("no_tag.c", BY_VALUE.replace(GRID, "typedef struct { int n; "
                                                "double h; } grid;\n").replace(
                                                    "struct grid g", "grid g"))
        self.build("no_tag.c", code=1, says="has no tag")
        self.write("no_name.c", GRID + "void no_name(struct grid, int a[2]) "
                   "{ a[0] = 1; }\n")
        self.build("no_name.c", code=1, says="cannot be passed on")
        self.write("own.c", GRID + "struct grid g = { 1, 2 };\n"
                   "void own(int a[2]) { a[0] = g.n + g.h; }\n")
        self.build("own.c", code=1, says="declare it extern")

    def test_wild_position(self):
        """What a pragma says that an array holds is looked at, and then nothing is
        written.
        """
        self.write("wild.c", WILD)
        self.write("use.c", WILD_MAIN)
        self.build("wild.c")
        self.cc("-Wall", "-Werror", "-o", "use", "use.c", "wild.o", RUNTIME,
                "-lpthread", "-ldl", "-lm")
        said, values = self.output("use").splitlines()
        self.assertIn("wild: k[3] is 200, but the program assumes that it is from 0 "
                      "to 2", said)
        self.assertEqual(values, "1 3 2 3")

    def test_failure_is_told(self):
        """Sizes that the program assumes away, and the program's own way."""
        self.both()
        self.assertRegex(self.output("ours", "0", status=-6),
                         "smooth: an argument is invalid: smooth: was "
                         "compiled for sizes with .*0 < n <= ")
        self.assertIn("unknown device", self.output(
            "ours", status=-6, CETANE_DEVICE="abacus"))
        self.write("own.c", "#include <stdlib.h>\n"
                   "void smooth_failed(int status, const char *why);\n"
                   "void smooth_failed(int status, const char *why)\n"
                   "{ (void) why; exit(40 + status); }\n")
        self.cc("-o", "ours", "main.c", "own.c", "smooth.o", RUNTIME,
                "-lpthread", "-ldl", "-lm")
        self.output("ours", "0", status=41)

    def test_header(self):
        """The header agrees with the source, and serves C++."""
        self.build("smooth.c")
        self.write("use.c", '#include "proto.h"\n#include "smooth.h"\n'
                   '#include "smooth.h"\nint use;\n')
        self.cc("-Wall", "-Wextra", "-Werror", "-c", "use.c")
        if CXX:
            self.write("use.cc", '#include "smooth.h"\nfloat use(double *a, '
                       "float *o, unsigned char *f) { return smooth(1, 1, a, "
                       "1, o, 1, f); }\n")
            p = subprocess.run([CXX, "-Wall", "-Werror", "-c", "use.cc"],
                               cwd=self.folder.name)
            self.assertEqual(p.returncode, 0)
        m = json.loads(self.read("smooth.json"))
        self.assertEqual((m["entry"], m["floating_point"], m["contract"]),
                         ("drop-in", "strict", False))

    def test_symbols(self):
        self.build("smooth.c")
        text = subprocess.run(["nm", "-g", self.path("smooth.o")], text=True,
                              capture_output=True, check=True).stdout
        self.assertEqual(sorted(re.findall(r"(?m)^[0-9a-f]+ (\w) (\S+)$",
                                           text)),
                         [("T", "smooth"), ("V", "kept"),
                          ("W", "smooth_failed")])

    def test_on_gpu(self):
        """Copies and launches reach the driver, whose kernels do nothing."""
        self.write("add.c", "void add(int n, int a[n], const int b[n]) { for "
                   "(int i = 0; i < n; i++) a[i] = a[i] + b[i]; }\n")
        self.write("use.c", "#include <stdio.h>\n#include \"add.h\"\n"
                   "int main(void) { int a[2] = { 1, 2 }, b[2] = { 4, 5 }; "
                   "add(2, a, b); printf(\"%d %d\", a[0], a[1]); "
                   "return 0; }\n")
        self.build("add.c")
        self.cc("-o", "use", "use.c", "add.o", RUNTIME, "-lpthread", "-ldl",
                "-lm")
        self.assertEqual(self.output("use"), "5 7")
        p = subprocess.run([self.path("use")], text=True, env=dict(
            os.environ, CETANE_DRIVER=os.path.abspath(FAKE),
            FAKE_CUDA_CAPABILITY="80"), capture_output=True)
        self.assertEqual((p.returncode, p.stdout), (0, "1 2"), p.stderr)

    REGIONS = ("float total(float a[1000])\n{\n\tfloat s = 0;\n"
               "#pragma scop\n\tfor (int i = 0; i < 1000; i++)\n"
               "\t\ts += a[i];\n#pragma endscop\n\treturn s;\n}\n",
               "long count(int n, const short *x, int y[n])\n{\n"
               "\tint below = 1, t[n], k = 3;\n"
               "#pragma scop\n\tfor (int i = 0; i < n; i++) {\n"
               "\t\tt[i] = x[i] * k;\n\t\ty[i] = t[i] + 1;\n"
               "\t\tbelow += x[i] < 0;\n\t}\n#pragma endscop\n;"
               "\treturn below * 5l - n;\n}\n")

    def test_region_returns(self):
        """What a function returns behind its region is computed, too."""
        for name, text in zip(["total", "count"], self.REGIONS):
            self.write(name + ".c", text)
            self.build(name + ".c")
        self.write("use.c", "#include <stdio.h>\n"
                   "float total(float a[1000]);\n"
                   "long count(int n, const short *x, int y[n]);\n"
                   "int main(void) { static float a[1000]; int y[5];\n"
                   "short x[5] = { 3, -4, -5, 0, -32768 };\n"
                   "for (int i = 0; i < 1000; i++) a[i] = i * 0.37f;\n"
                   "printf(\"%a %ld\", (double)total(a), count(5, x, y));\n"
                   "for (int i = 0; i < 5; i++) printf(\" %d\", y[i]);\n"
                   "return 0; }\n")
        self.cc("-o", "theirs", "use.c", "total.c", "count.c")
        self.cc("-o", "ours", "use.c", "total.o", "count.o", RUNTIME,
                "-lpthread", "-ldl", "-lm")
        self.assertEqual(self.output("ours"), self.output("theirs"))
        text = self.REGIONS[0].replace("#pragma scop", "s += 1;\n"
                                       "#pragma scop")
        self.write("first.c", text)
        self.build("first.c", code=1, says="is outside of the region")
        self.write("later.c", self.REGIONS[0].replace("return s", "a[0] = 1;"
                                                      "return s"))
        self.build("later.c", code=1, says="is outside of the region")

    def test_refused(self):
        self.build("chain.dsl", code=2, says="--drop-in needs a file of C")
        self.build("smooth.c", "--name=x", code=2,
                   says="keeps the function's name")
        self.cetane("build", "smooth.c", "--drop-in", code=2,
                    says="--drop-in needs --emit=object")


if __name__ == "__main__":
    command.main()
