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
from linked import (CC, CHAIN, CXX, FAKE, HERE, SANITIZE, SOURCE, WARNINGS,
                    command, needs_ptxas)

FATBINARY = shutil.which("fatbinary", path=os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))


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

    def test_within(self):
        """NAME_checked looks at positions on the device, those of rows with gaps, too;
        NAME does not, and reads nothing outside.
        """
        self.write("within.dsl", "param T, V, R, C;\nassume 0 <= id < V, -1 < at, "
                   "at < V, V > at;\ntensor i32 id(T), at(R,C);\n"
                   "tensor f32 x(V);\nout y(t) = x(id(t));\n"
                   "out z(r,c) = x(at(r,c));\n")
        self.build("within.dsl", "--pitched")
        done = subprocess.run([self.link("within.c", "within.o")], text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"))
        arrays = json.loads(self.read("within.json"))["arrays"]
        self.assertEqual([a.get("within") for a in arrays],
                         [["0", "V - 1"]] * 2 + [None] * 3)

    def test_within_bytes(self):
        """Positions without a sign, of which half look negative, are told as they are."""
        self.write("narrow.dsl", "param T, V;\nassume 0 <= id < V;\n"
                   "tensor u8 id(T);\ntensor f32 x(V);\nout y(t) = x(id(t));\n")
        self.build("narrow.dsl")
        self.write("narrow.c", """#include <stdio.h>
#include "on_host.h"
#include "narrow.h"
int main(void)
{
	static unsigned char id[9] = { 0, 199, 3, 4, 5, 6, 7, 200, 9 };
	unsigned char *in_id;
	float *in_x, *out_y;

	open_host();
	in_id = room(9);
	in_x = room(4 * 200);
	out_y = room(4 * 9);
	check(cetane_copy_to_device(dev, (cetane_ptr) (uintptr_t) in_id, id, 9,
		NULL) == CETANE_OK, "copy");
	narrow_checked(NULL, 9, 200, in_id, in_x, out_y, NULL);
	puts(cetane_last_error());
	return 0;
}
""")
        done = subprocess.run([self.link(
            self.path("narrow.c"), "-I", os.path.dirname(__file__), "narrow.o")], text=True,
                              capture_output=True)
        self.assertIn("id[7] is 200, but the program assumes that it is from 0 "
                      "to 199", done.stdout)

    def test_places(self):
        os.mkdir(self.path("out"))
        self.build("scale.dsl", "-o", "out/x.o")
        self.build("scale.dsl", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), [
            "scale.h", "scale.json", "scale.o", "x.h", "x.json", "x.o"])
        self.assertEqual(self.read("out/x.o"), self.read("out/scale.o"))

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
        self.cetane("build", "scale.dsl", "--emit=fatbin", archs)
        self.assertEqual(self.files(), sorted(self.before + ["scale.fatbin"]))
        fat = self.read("scale.fatbin")
        for arch in "sm_80", "sm_90a", "sm_100a":
            self.cetane("build", "scale.dsl", "--emit=cubin", "-o", "alone",
                        "--arch=" + arch)
            self.assertIn(self.read("alone"), fat)
        text = self.cetane("inspect", "scale.fatbin")[0].decode()
        self.assertEqual(re.findall(
            r"(?m)^  entry \d: (cubin|PTX) (?:\d\.\d for )?(\w+)", text),
                         [("cubin", "sm_80"), ("PTX", "sm_80"),
                          ("cubin", "sm_90a"), ("cubin", "sm_100a")])
        os.mkdir(self.path("two"))
        self.cetane("build", self.path("scale.dsl"), "--emit=fatbin", archs,
                    "-o", "two", env={"TMPDIR": self.path("two")})
        self.assertEqual(self.read("two/scale.fatbin"), fat)
        self.assertNotIn(self.folder.name.encode(), fat)

    def test_no_fatbinary(self):
        for path, says in ("none", "E504"), ("/nonexistent", "E502"):
            self.cetane("build", "scale.dsl", "--emit=fatbin", code=3,
                        says=says, env={"CETANE_FATBINARY": path})
            self.nothing_new()
        self.cetane("build", "scale.dsl", "--emit=fatbin,ptx", code=2,
                    says="without other kinds")

    def test_odd_file(self):
        """Any name of a file gives files that can be read."""
        name = os.fsencode(self.path("")) + b'q"\\\xc3\xbc\xe2\x82\xff*.dsl'
        shutil.copy(self.path("scale.dsl"), name)
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

    def test_same_bytes(self):
        """Folders, temporary folders and absolute names leave no trace."""
        first, second = self.path("one/deep"), self.path("two")
        for folder in first, second:
            os.makedirs(folder)
            shutil.copy(self.path("scale.dsl"), folder)
        self.build(first + "/scale.dsl", "-o", first + "/scale.o",
                   "--arch=sm_80,sm_90a")
        self.cetane("build", "two/scale.dsl", "--emit=object", "-o", "two",
                    "--arch=sm_80,sm_90a", env={"TMPDIR": second})
        for suffix in "o", "h", "json":
            a = self.read("one/deep/scale." + suffix)
            self.assertEqual(a, self.read("two/scale." + suffix))
            for trace in self.folder.name, "/deep", "two/", "/tmp":
                self.assertNotIn(trace.encode(), a)

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
        shutil.copy(self.path("scale.dsl"), self.path("while.dsl"))
        self.build("while.dsl", code=2, says='"while"')
        self.build("while.dsl", "--name=loop")
        self.assertIn("int loop(void *stream,",
                      self.read("while.h").decode())

    def test_nothing_half_written(self):
        fails = {"CETANE_PTXAS": "/bin/false", "CETANE_NVJITLINK": "none"}
        self.build("scale.dsl", env=fails, code=3, says="cannot run")
        self.nothing_new()
        self.write("bad.dsl", "Params N;\nMatrix A(N,N);\nB = A * C;\n")
        self.before = self.files()
        self.build("bad.dsl", code=1, says="bad.dsl:3:9")
        self.nothing_new()
        self.build("scale.dsl", "-o", "missing/scale.o", code=3)
        for suffix in "o", "h", "json":
            os.mkdir(self.path("scale." + suffix))
            self.build("scale.dsl", code=3, says="scale." + suffix)
            os.rmdir(self.path("scale." + suffix))
            self.nothing_new()
        for stage in "nvptx_assemble", "nvptx_object":
            self.build("scale.dsl", code=70, says=stage,
                       env={"CETANE_TEST_CRASH": stage + ":signal"})
            for name in self.files():
                if name.startswith("cetane-crash"):
                    os.remove(self.path(name))
            self.nothing_new()

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
        self.build("scale.dsl", "--name=fig2", "-o", "fig2.o", "--arch=" + ",".join(archs))
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


if __name__ == "__main__":
    command.main()
