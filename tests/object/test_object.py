"""Objects: what build writes, how it fails, and programs that link it."""
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

import linked
from linked import CC, CHAIN, HERE, RUNTIME, SANITIZE, SOURCE, command

CXX = shutil.which("g++") or shutil.which("clang++")
FAKE = os.environ.get("CETANE_FAKE_CUDA", "build/tests/runtime/libfake_cuda.so")
WARNINGS = "-Wall -Wextra -Werror -Wstrict-prototypes".split()

FATBINARY = shutil.which("fatbinary", path=os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
needs_ptxas = unittest.skipUnless(command.PTXAS, "no ptxas")


def image_of(manifest, kind, arch=None):
    found = [im for im in manifest["images"]
             if im["kind"] == kind and im.get("arch") == arch]
    assert len(found) == 1, (kind, arch)
    return found[0]


@needs_ptxas
class Object(linked.Case):
    def setUp(self):
        super().setUp()
        self.write("chain.dsl", CHAIN)
        self.before = self.files()

    def build(self, *args, **more):
        return self.cetane("build", *args, "--emit=object", **more)

    def nothing_new(self):
        self.assertEqual(self.files(), self.before)

    def cc(self, *args, compiler=CC):
        words = [compiler, *WARNINGS, "-I", self.folder.name, "-I", SOURCE,
                 *args]
        p = subprocess.run(words, cwd=self.folder.name, capture_output=True,
                           text=True)
        self.assertEqual(p.returncode, 0, shlex.join(words) + p.stderr)

    # ---------------------------------------------------------------- files

    def test_three_files(self):
        self.build("fig2.dsl")
        self.assertEqual(self.files(), sorted(
            self.before + ["fig2.h", "fig2.json", "fig2.o"]))
        text = subprocess.run(["nm", "-g", self.path("fig2.o")], text=True,
                              capture_output=True, check=True).stdout
        defined = re.findall(r"(?m)^[0-9a-f]+ \w (\S+)$", text)
        self.assertEqual(sorted(defined), [
            "fig2", "fig2_checked", "fig2_load", "fig2_program",
            "fig2_unload", "fig2_workspace_size"])
        wanted = set(re.findall(r"(?m)^ +U (\S+)$", text))
        self.assertEqual(wanted - {"memcpy", "memset"}, {
            "cetane_host_barrier", "cetane_host_fmaf",
            "cetane_program_launch", "cetane_program_load",
            "cetane_program_unload", "cetane_program_workspace"})

    def test_lengths(self):
        """NAME_checked refuses lengths that would be cut."""
        self.write("lengths.dag", "int[] lengths(int[] xs, int k) { "
                   "return for (int i : range(k)) { return xs[2 * i]; }; }\n")
        self.build("lengths.dag")
        done = subprocess.run([self.link("lengths.c", "lengths.o")], text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"))

    def test_places(self):
        os.mkdir(self.path("out"))
        self.build("fig2.dsl", "-o", "out/x.o")
        self.build("fig2.dsl", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), [
            "fig2.h", "fig2.json", "fig2.o", "x.h", "x.json", "x.o"])
        self.assertEqual(self.read("out/x.o"), self.read("out/fig2.o"))

    def test_header(self):
        """The header stands alone in C89 and C++, and says what counts."""
        self.write("half.dsl", "Params N;\nMatrix int(N,N);\nMatrix stream("
                   "N,N);\nY = int * stream;\nCodeGen(HALF, {Y});\n")
        self.build("half.dsl", "-D", "N=32")
        self.write("use.c", '#define N 7\n#define Y ?\n#include "half.h"\n'
                   '#include "half.h"\nint use(void);\n'
                   'int use(void) { return half_load() + '
                   '(int) half_workspace_size(32); }\n')
        self.cc("-std=c89", "-pedantic-errors", "-c", "use.c")
        if CXX:
            p = subprocess.run([CXX, "-Wall", "-Werror", "-x", "c++", "-c",
                                "use.c"], cwd=self.folder.name)
            self.assertEqual(p.returncode, 0)
        text = self.read("half.h").decode()
        self.assertIn("size_N\tonly 32: fixed", text)
        self.assertIn("in_stream\tf16[32][32]", text)
        self.assertIn("const uint16_t *in_int,", text)
        self.assertIn("class reassoc", text)

    def test_header_checks(self):
        """What a caller's compiler refuses: elements of other sizes, an output that
        is given twice.
        """
        self.write("pair.dsl", "param N;\ntensor f32 x(N);\ntensor i16 k(N);\n"
                   "out y(i) = x(i);\nout z(i) = x(i) * f32(k(i));\n")
        self.build("pair.dsl")
        use = ('#include "pair.h"\nint use(float *p, float *q, int16_t *k);\n'
               "int use(float *p, float *q, int16_t *k)\n{ return pair(0, 4, "
               "p, k, q, %s, 0); }\n")
        flags = ["-O1", "-Wrestrict", "-Werror", "-c", "use.c"]
        self.write("use.c", use % "q + 4")
        self.cc("-std=c11", *flags)
        self.cc("-std=c89", *flags)
        for text, more, says in (
                ("q", [], "restrict"),
                ("q + 4", ["-Dfloat=double"], "pair_needs_in_x_of_4_bytes"),
                ("q + 4", ["-Dint16_t=int32_t"], "pair_needs_in_k_of_2_bytes")):
            self.write("use.c", use % text)
            p = subprocess.run(["gcc", "-std=c11", *more, *flags], text=True,
                               cwd=self.folder.name, capture_output=True)
            self.assertNotEqual(p.returncode, 0)
            self.assertIn(says, p.stderr)

    def test_manifest(self):
        self.build("chain.dsl", "--arch=sm_80,sm_90a,sm_80")
        m = json.loads(self.read("chain.json"))
        self.assertEqual(m["program"], "chain")
        self.assertEqual([s["name"] for s in m["sizes"]], ["M", "K", "N"])
        self.assertEqual([a["name"] for a in m["arrays"]],
                         ["W", "X", "Y", "Z"])
        self.assertEqual(m["arrays"][0]["extents"], ["N", "K"])
        self.assertEqual(m["source"]["sha256"],
                         hashlib.sha256(CHAIN.encode()).hexdigest())
        self.assertEqual([(im["kind"], im.get("arch"))
                          for im in m["images"]],
                         [("cubin", "sm_80"), ("ptx", "sm_80"),
                          ("cubin", "sm_90a"), ("host", None)])
        for kind, arch in (("cubin", "sm_80"), ("ptx", "sm_80"),
                           ("cubin", "sm_90a")):
            image = image_of(m, kind, arch)
            self.cetane("build", "chain.dsl", "--emit=" + kind,
                        "--arch=" + arch, "-o", "alone")
            alone = self.read("alone")
            self.assertEqual(image["bytes"], len(alone))
            self.assertEqual(image["sha256"],
                             hashlib.sha256(alone).hexdigest())
            self.assertIn(alone, self.read("chain.o"))
        self.assertTrue(image["temporaries"])
        self.assertEqual(len(image["kernels"]), 2)
        self.assertGreater(image["kernels"][0]["registers"], 0)

    @unittest.skipUnless(FATBINARY, "no fatbinary")
    def test_fatbin(self):
        """The images are those of the object; nothing else is written."""
        archs = "--arch=sm_80,sm_90a,sm_100a"
        self.cetane("build", "chain.dsl", "--emit=fatbin", archs)
        self.assertEqual(self.files(), sorted(self.before + ["chain.fatbin"]))
        fat = self.read("chain.fatbin")
        for arch in "sm_80", "sm_90a", "sm_100a":
            self.cetane("build", "chain.dsl", "--emit=cubin", "-o", "alone",
                        "--arch=" + arch)
            self.assertIn(self.read("alone"), fat)
        text = self.cetane("inspect", "chain.fatbin")[0].decode()
        self.assertEqual(re.findall(
            r"(?m)^  entry \d: (cubin|PTX) (?:\d\.\d for )?(\w+)", text),
                         [("cubin", "sm_80"), ("PTX", "sm_80"),
                          ("cubin", "sm_90a"), ("cubin", "sm_100a")])
        os.mkdir(self.path("two"))
        self.cetane("build", self.path("chain.dsl"), "--emit=fatbin", archs,
                    "-o", "two", env={"TMPDIR": self.path("two")})
        self.assertEqual(self.read("two/chain.fatbin"), fat)
        self.assertNotIn(self.folder.name.encode(), fat)

    def test_no_fatbinary(self):
        for path, says in ("none", "E504"), ("/nonexistent", "E502"):
            self.cetane("build", "chain.dsl", "--emit=fatbin", code=3,
                        says=says, env={"CETANE_FATBINARY": path})
            self.nothing_new()
        self.cetane("build", "chain.dsl", "--emit=fatbin,ptx", code=2,
                    says="without other kinds")

    def test_odd_file(self):
        """Any name of a file gives files that can be read."""
        name = os.fsencode(self.path("")) + b'q"\\\xc3\xbc\xe2\x82\xff*.dsl'
        shutil.copy(self.path("fig2.dsl"), name)
        self.build(name, "--arch=sm_80", "--name=odd", "-o", "odd.o")
        m = json.loads(self.read("odd.json").decode("utf-8"))
        self.assertEqual(m["source"]["name"],
                         'q"\\\u00fc\ufffd\ufffd\ufffd*.dsl')
        self.cc("-std=c11", "-x", "c", "-c", "-o", "h.o", "odd.h")

    def test_base_of_a_chip(self):
        """Without a base in the list, PTX is made for that of the oldest."""
        self.build("scale.dsl", "--arch=sm_100a,sm_90a")
        m = json.loads(self.read("scale.json"))
        self.assertEqual([(im["kind"], im.get("arch"))
                          for im in m["images"]],
                         [("cubin", "sm_100a"), ("cubin", "sm_90a"),
                          ("ptx", "sm_90"), ("host", None)])

    # -------------------------------------------------------- reproducible

    def test_same_bytes(self):
        """Folders, temporary folders and absolute names leave no trace."""
        first, second = self.path("one/deep"), self.path("two")
        for folder in first, second:
            os.makedirs(folder)
            shutil.copy(self.path("chain.dsl"), folder)
        self.build(first + "/chain.dsl", "-o", first + "/chain.o",
                   "--arch=sm_80,sm_90a")
        self.cetane("build", "two/chain.dsl", "--emit=object", "-o", "two",
                    "--arch=sm_80,sm_90a", env={"TMPDIR": second})
        for suffix in "o", "h", "json":
            a = self.read("one/deep/chain." + suffix)
            self.assertEqual(a, self.read("two/chain." + suffix))
            for trace in self.folder.name, "/deep", "two/", "/tmp":
                self.assertNotIn(trace.encode(), a)

    # -------------------------------------------------------------- errors

    def test_usage(self):
        for args, says in (
                (["--arch=sm_80,sm_91"], "sm_91"),
                (["--arch=,"], "--arch needs"),
                (["-o", "-"], "three files"),
                (["--emit=ptx"], "without other kinds"),
                (["--from=llvm"], "how it is launched"),
                (["--name=for"], '"for"'),
                (["--name=1st"], '"1st"'),
                (["--name=a-b"], '"a-b"'),
                (["--name=powl"], '"powl"'),
                (["--name=int64_t"], '"int64_t"'),
                (["--name=cetane_x"], '"cetane_x"')):
            self.build("fig2.dsl", *args, code=2, says=says)
            self.nothing_new()
        self.cetane("build", "fig2.dsl", "--arch=sm_80,sm_90a", code=2,
                    says="--emit=object")
        self.cetane("build", "fig2.dsl", "--name=x", code=2,
                    says="--emit=object")
        shutil.copy(self.path("fig2.dsl"), self.path("while.dsl"))
        self.build("while.dsl", code=2, says='"while"')
        self.build("while.dsl", "--name=loop")
        self.assertIn("int loop(void *stream,",
                      self.read("while.h").decode())

    def test_nothing_half_written(self):
        fails = {"CETANE_PTXAS": "/bin/false", "CETANE_NVJITLINK": "none"}
        self.build("fig2.dsl", env=fails, code=3, says="cannot run")
        self.nothing_new()
        self.write("bad.dsl", "Params N;\nMatrix A(N,N);\nB = A * C;\n")
        self.before = self.files()
        self.build("bad.dsl", code=1, says="bad.dsl:3:9")
        self.nothing_new()
        self.build("fig2.dsl", "-o", "missing/fig2.o", code=3)
        for suffix in "o", "h", "json":
            os.mkdir(self.path("fig2." + suffix))
            self.build("fig2.dsl", code=3, says="fig2." + suffix)
            os.rmdir(self.path("fig2." + suffix))
            self.nothing_new()
        for stage in "nvptx_assemble", "nvptx_object":
            self.build("fig2.dsl", code=70, says=stage,
                       env={"CETANE_TEST_CRASH": stage + ":signal"})
            for name in self.files():
                if name.startswith("cetane-crash"):
                    os.remove(self.path(name))
            self.nothing_new()

    # ------------------------------------------------------------ programs

    def test_program(self):
        """Two objects in one program, which needs nothing but libc."""
        self.build("fig2.dsl", "--arch=sm_80")
        self.build("chain.dsl", "--arch=sm_75,sm_90a")
        program = self.link("two_programs.c", "fig2.o", "chain.o")
        env = dict(os.environ, CETANE_DRIVER="/nonexistent/libcuda.so")
        p = subprocess.run([program], capture_output=True, text=True, env=env)
        self.assertEqual((p.returncode, p.stdout), (0, "right\n"), p.stderr)
        if SANITIZE:
            return
        text = subprocess.run(["ldd", program], capture_output=True,
                              text=True, check=True).stdout
        names = {os.path.basename(line.split()[0])
                 for line in text.splitlines()}
        self.assertEqual({n for n in names if not re.match(
            r"(libc|ld-linux|linux-vdso)\b", n)}, set())

    def test_runtime_sources(self):
        """A program of nothing but what the command has written."""
        self.build("fig2.dsl", "--arch=sm_80")
        self.build("chain.dsl", "--arch=sm_75,sm_90a")
        os.mkdir(self.path("rt"))
        self.cetane("build", "--emit=runtime", "-o", "rt")
        self.assertEqual(sorted(os.listdir(self.path("rt"))),
                         ["cetane_rt.c", "cetane_rt.h"])
        with open(os.path.join(HERE, "two_programs.c")) as f:
            main = f.read().replace('"runtime/', '"')
        self.write("main.c", main)
        for name in "rt/cetane_rt.c", "rt/cetane_rt.h":
            self.assertNotIn(SOURCE.encode(), self.read(name))
        p = subprocess.run(
            [CC, "-std=c11", "-D_GNU_SOURCE", *WARNINGS, "-Wextra", "-I",
             "rt", "-o", "program", "main.c", "rt/cetane_rt.c", "fig2.o",
             "chain.o", "-lpthread", "-ldl"], text=True,
            capture_output=True, cwd=self.folder.name)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        p = subprocess.run([self.path("program")], capture_output=True,
                           text=True)
        self.assertEqual((p.returncode, p.stdout), (0, "right\n"), p.stderr)

    def test_runtime_usage(self):
        self.cetane("build", "--emit=runtime", "-o", "x.c", code=2,
                    says="FOLDER")
        self.cetane("build", "fig2.dsl", "--emit=runtime", code=2,
                    says="takes no file")
        self.cetane("build", "fig2.dsl", "--emit=runtime,ptx", code=2,
                    says="other kinds")
        self.cetane("build", "--emit=ptx", code=2, says="no file")
        self.nothing_new()

    def test_from_poly(self):
        self.cetane("build", "chain.dsl", "--emit=poly", "-o", "c.poly")
        self.build("c.poly", "--from=poly", "--name=chain", "-o", "chain.o")
        self.build("fig2.dsl")
        program = self.link("two_programs.c", "fig2.o", "chain.o")
        p = subprocess.run([program], capture_output=True, text=True)
        self.assertEqual(p.stdout, "right\n")

    def test_picked(self):
        """The driver gets the bytes that the manifest promises."""
        archs = "sm_80", "sm_86", "sm_90a", "sm_100", "sm_103a", "sm_120"
        self.build("fig2.dsl", "--arch=" + ",".join(archs))
        m = json.loads(self.read("fig2.json"))
        program = self.link("picked.c", "fig2.o")
        for capability, kind, arch in (
                (80, "cubin", "sm_80"), (86, "cubin", "sm_86"),
                (87, "cubin", "sm_86"), (89, "cubin", "sm_86"),
                (90, "cubin", "sm_90a"), (100, "cubin", "sm_100"),
                (101, "cubin", "sm_100"), (103, "cubin", "sm_103a"),
                (110, "ptx", "sm_80"), (120, "cubin", "sm_120"),
                (121, "cubin", "sm_120")):
            image = image_of(m, kind, arch)
            env = dict(os.environ, CETANE_DRIVER=os.path.abspath(FAKE),
                       FAKE_CUDA_CAPABILITY=str(capability))
            p = subprocess.run([program, str(image["bytes"])], env=env,
                               capture_output=True)
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(hashlib.sha256(p.stdout).hexdigest(),
                             image["sha256"], capability)
        env["FAKE_CUDA_CAPABILITY"] = "75"
        p = subprocess.run([program, "0"], env=env, capture_output=True,
                           text=True)
        self.assertEqual(p.returncode, 18)
        self.assertIn("no image for a device of capability 7.5; there are: "
                      "sm_80 (cubin), sm_80 (PTX), sm_86 (cubin), sm_90a "
                      "(cubin)", p.stderr)


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
    unittest.main()
