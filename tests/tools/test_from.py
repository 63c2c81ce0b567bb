"""run and inspect of what --emit=poly and --emit=llvm wrote: the same bits, the
same launches and the same facts as of the program that it was made from.
"""
import json
import os
import re
import struct
import unittest

import command

FAKE_CUDA = os.environ.get("CETANE_FAKE_CUDA")
NO_ASSEMBLER = {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}
STEPS = """void steps(int n, int t, float a[n][n], float b[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j];
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				a[i][j] = b[i][j] * 0.25f;
	}
}
"""
INDEX = """param N, M;
tensor f32 x(N,M), w(M);
tensor i32 k(N);
s(i) += x(i,j) * w(j);
out y(i) = s(i) + f32(k(i));
out z(i) for 0 <= i < N = y(N-1-i);
"""
FOREIGN = """define ptx_kernel void @mine(ptr addrspace(1) %p) {
  store float 1.0, ptr addrspace(1) %p
  ret void
}
"""
# Text, -D of the build or of the run, and the outputs.
PROGRAMS = {
    "sizes.dsl": (command.FIG2, [], ["-DM=70", "-DK=33", "-DN=65"], "E"),
    "parts.dsl": (command.FIG2, ["-DM=32", "-DK=3000", "-DN=64"], [], "E"),
    "steps.c": (STEPS, [], ["-Dn=40", "-Dt=3"], "ab"),
    "index.dsl": (INDEX, [], ["-DN=50", "-DM=7"], "yz"),
}


class Case(command.Case):
    def make(self, name, kind, build=None):
        """The program "name" as text of "kind"."""
        self.write(name, PROGRAMS[name][0])
        build = PROGRAMS[name][1] if build is None else build
        to = name.split(".")[0] + "." + kind
        self.cetane("build", name, "--emit=" + {"ll": "llvm"}.get(kind, kind),
                    "-o", to, *build)
        return to


class Poly(Case):
    def arrays(self, *args, outputs):
        self.cetane("run", *args, *(f"-o{x}={x}.npy" for x in outputs))
        return [self.read(x + ".npy") for x in outputs]

    def test_run(self):
        """The same bits, from the same seeded inputs; without a claim."""
        for name, (_, build, run, outputs) in PROGRAMS.items():
            with self.subTest(name):
                text = self.make(name, "poly")
                args = [name, *(build or ["--parametric", *run])]
                want = self.arrays(*args, "--no-verify", outputs=outputs)
                got = self.arrays(text, "--from=poly", *run, "--seed=1",
                                  "--sanitize=all", "--host-orders=2",
                                  outputs=outputs)
                self.assertEqual(got, want)
                out, _ = self.cetane("run", text, "--from=poly", *run)
                self.assertEqual(len(out.splitlines()), len(outputs))
                for line in out.decode().splitlines():
                    self.assertTrue(line.endswith(": not verified"), line)

    def test_edited(self):
        """What the text says is run: a constant that was changed shows."""
        text = self.make("steps.c", "poly")
        poly = self.read(text).decode()
        self.assertIn("0.25", poly)
        self.write(text, poly.replace("0.25", "0"))
        a, _ = self.arrays(text, "--from=poly", "-Dn=3", "-Dt=1",
                           outputs="ab")
        self.assertEqual(abs(struct.unpack("<f", a[-20:-16])[0]), 0)

    def test_arrays(self):
        """Inputs are read, and have the shapes that sizes give them."""
        text = self.make("sizes.dsl", "poly")
        args = "run", text, "--from=poly", "-DM=3", "-DN=2", "-DK=4"
        self.cetane(*args, "-oE=e.npy")
        self.cetane(*args, "-iC=e.npy")
        self.cetane(*args, "-iA=e.npy", code=1, says="error[E704]")
        self.cetane(*args, "-iE=e.npy", code=2, says="error[E702]")

    def test_sizes(self):
        mixed, index = self.make("sizes.dsl", "poly", ["-DK=40"]), self.make(
            "index.dsl", "poly")
        poly = self.read(index).decode()
        self.write(index, re.sub(r'(context "\[N, M\] -> { *: )',
                                 r"\1N >= 5 and ", poly))
        for args, code, says in (
                ([mixed, "-DM=3"], 2, "error[E701]: the size N has no value"),
                ([mixed, "-DM=3", "-DN=3", "-DK=41"], 1,
                 "error[E721]: -D K=41: the program was compiled for 40"),
                ([mixed, "-DM=3", "-DN=3", "-DL=41"], 1, "error[E216]"),
                ([mixed, "-DM=-3", "-DN=3"], 1, "error[E553]"),
                ([mixed, "-DM=2147483647", "-DN=2147483647"], 3,
                 "error[E705]"),
                ([index, "-DN=4", "-DM=2"], 1,
                 "error[E722]: the program is not for these sizes: its "
                 "context is [N, M] ->")):
            self.cetane("run", *args, "--from=poly", code=code, says=says)
        self.cetane("run", index, "-DN=5", "-DM=2", "--from=poly")
        self.cetane("inspect", mixed, "-DK=41", "--from=poly", code=1,
                    says="error[E721]", env=NO_ASSEMBLER)
        self.cetane("inspect", mixed, "-DL=41", "--from=poly", code=1,
                    says="error[E216]", env=NO_ASSEMBLER)

    def check_inspect(self, name, *form):
        text, build = name.split(".")[0] + ".poly", PROGRAMS[name][1]
        want, _ = self.cetane("inspect", name, *build, *form,
                              env=NO_ASSEMBLER)
        got, _ = self.cetane("inspect", text, "--from=poly", *form,
                             env=NO_ASSEMBLER)
        self.assertEqual(self.facts(got), self.facts(want))

    def facts(self, out):
        """Without remarks, which are those of passes that have run before; isl
        names the sizes of a witness in any order.
        """
        out = re.sub(r"\[(\w+ = \d+(, )?)+\] ", "", out.decode())
        if out.startswith("{"):
            return {k: v for k, v in json.loads(out).items()
                    if k != "not_fused"}
        return out.split("\nnot fused")[0].rstrip()

    def test_inspect(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.make(name, "poly")
                self.check_inspect(name)
        self.check_inspect("parts.dsl", "--json")
        self.check_inspect("steps.c", "--schedule")
        self.check_inspect("steps.c", "--schedule", "--svg")
        self.check_inspect("steps.c", "--layout")
        out, _ = self.cetane("inspect", "steps.poly", "--from=poly", "-Dt=77",
                             env=NO_ASSEMBLER)
        self.assertIn(b"t = 77; 1024 where -D gives none", out)
        self.assertIn(b", 77 launches", out)

    def test_have(self):
        """A text may lack the facts of passes that only make programs faster, as one does
        that is older than a pass; not what the checks or later passes ask for.
        """
        optional = ("pieces private classes scans folds rows parts ranges chains shared "
                    "pipeline").split()
        text = self.read(self.make("parts.dsl", "poly")).decode()
        have, = re.findall(r"(?m)^have .*\n", text)
        build = "build", "x.poly", "--from=poly", "--emit=poly"
        for lacks in "deps schedule kernels mapping tiles registers".split():
            self.write("x.poly", text.replace(have, have.replace(" " + lacks, "")))
            self.cetane(*build, code=1, says="comes too late")
        self.write("x.poly", text.replace(have, " ".join(
            fact for fact in have.split() if fact not in optional) + "\n"))
        self.cetane(*build, "-o", "got")
        self.assertEqual(re.sub(r"(?m)^have .*\n", "", self.read("got").decode()),
                         text.replace(have, ""))

    def test_readme(self):
        """The program that polyir/README.md shows compiles."""
        path = os.path.join(os.path.dirname(__file__), *"../../polyir/README.md".split("/"))
        with open(path) as f:
            text = "cetane-poly 1" + f.read().split("```\ncetane-poly 1")[1].split("```")[0]
        self.write("x.poly", text)
        self.cetane("build", "x.poly", "--from=poly", "--emit=ptx", "-o", "ptx")
        self.assertIn(b".visible .entry k0(", self.read("ptx"))

    def test_damaged(self):
        self.write("x.poly", "cetane-poly 1\nprogram")
        for verb in "run", "inspect":
            self.cetane(verb, "x.poly", "--from=poly", code=1,
                        says="x.poly:2:8: error[E301]")
            self.cetane(verb, "x.poly", code=2, says="--from=poly")


class Llvm(Case):
    def launches(self, name, *args, code=0, says=None):
        """What a driver sees."""
        log = self.path("launches")
        self.write("launches", "")
        self.cetane("run", name, "--device=cuda", "--no-verify", *args,
                    code=code, says=says, env=dict(
                        NO_ASSEMBLER, CETANE_DRIVER=FAKE_CUDA,
                        FAKE_CUDA_CAPABILITY="90", FAKE_CUDA_LAUNCHES=log))
        return self.read("launches").decode().splitlines()

    @unittest.skipUnless(FAKE_CUDA, "no fake driver")
    def test_run(self):
        for name, (_, build, run, _) in PROGRAMS.items():
            with self.subTest(name):
                text = self.make(name, "ll")
                want = self.launches(name, *(build or [
                    "--parametric", *run]))
                self.assertTrue(want)
                self.assertEqual(self.launches(text, "--from=llvm", *run),
                                 want)

    @unittest.skipUnless(FAKE_CUDA, "no fake driver")
    def test_optimised(self):
        self.write("fig2.dsl", command.FIG2)
        sizes = "-DM=9", "-DK=9", "-DN=9"
        want = self.launches("fig2.dsl", *sizes, "--parametric")
        self.cetane("build", "fig2.dsl", "--emit=llvm-opt", "-o", "x.ll")
        self.assertEqual(self.launches("x.ll", "--from=llvm", *sizes), want)
        # The record goes along as often as the text is read.
        self.cetane("build", "x.ll", "--from=llvm", "--emit=llvm", "-o",
                    "y.ll")
        self.assertEqual(self.launches("y.ll", "--from=llvm", *sizes), want)

    def test_inspect(self):
        """All facts of the program but those of schedule and text."""
        for name, (_, build, _, _) in PROGRAMS.items():
            with self.subTest(name):
                text = self.make(name, "ll")
                env = {} if name == "steps.c" else NO_ASSEMBLER
                want = json.loads(self.cetane("inspect", name, "--json",
                                              *build, env=env)[0])
                got = json.loads(self.cetane("inspect", text, "--json",
                                             "--from=llvm", env=env)[0])
                for kernel in want["kernels"]:
                    for key in ("statements", "tile", "operations", "exact",
                                "bytes_read", "bytes_written", "loops",
                                "accesses", "parallel_iterations",
                                "predicted_us", "predicted_cycles"):
                        kernel.pop(key, None)
                del want["not_fused"], got["not_fused"]
                want.pop("predicted_us", None)
                self.assertEqual(got, want)
        out, _ = self.cetane("inspect", "steps.ll", "--from=llvm")
        whole, _ = self.cetane("inspect", "steps.c")
        self.assertLessEqual(set(out.decode().splitlines()),
                             set(whole.decode().splitlines()))
        self.assertEqual(out.count(b"  block  "), 2)

    def test_foreign(self):
        """LLVM IR from elsewhere has registers, and cannot be run."""
        self.write("x.ll", FOREIGN)
        out, _ = self.cetane("inspect", "x.ll", "--from=llvm")
        self.assertIn(b"kernel mine", out)
        if FAKE_CUDA:
            self.launches("x.ll", "--from=llvm", code=1, says="error[E724]: "
                          "x.ll does not say how its kernels are launched")

    def note(self, text):
        """Where the record stands in the text, as offsets of its escapes."""
        begin = text.index('!{!"\\89CETANE')
        return begin + 4, text.index('"}', begin)

    @unittest.skipUnless(FAKE_CUDA, "no fake driver")
    def test_damaged(self):
        """Whatever stands in the place of the record does no harm."""
        self.write("fig2.dsl", command.FIG2)
        self.cetane("build", "fig2.dsl", "--emit=llvm", "--map=naive", "-o",
                    "x.ll")
        text = self.read("x.ll").decode()
        begin, end = self.note(text)
        for bad in ("", "\\89CETANE", text[begin:end - 3],
                    text[begin:end].replace("f32", "f99"),
                    text[begin:end].replace("f32", "f64"),
                    text[begin:end].replace("\\05", "\\07", 1)):
            self.write("x.ll", text[:begin] + bad + text[end:])
            self.launches("x.ll", "--from=llvm", "-DM=2", "-DN=2", "-DK=2",
                          code=1, says="error[E723]: the launch record in "
                          "x.ll is damaged: ")
            self.cetane("inspect", "x.ll", "--from=llvm", code=1,
                        says="error[E723]", env=NO_ASSEMBLER)
        for bad in "", "!0", "!1", "!0, !0", "!2":
            self.write("x.ll", FOREIGN + "!cetane.note = !{" + bad + "}\n"
                       "!0 = !{}\n!1 = !{null}\n!2 = !{i32 1}\n")
            self.launches("x.ll", "--from=llvm", code=1, says="error[E724]")

    @unittest.skipUnless(FAKE_CUDA, "no fake driver")
    def test_any_byte(self):
        """A byte that is wrong: refused, or a launch of something else."""
        self.write("fig2.dsl", command.FIG2)
        self.cetane("build", "fig2.dsl", "--emit=llvm", "--map=naive", "-o",
                    "x.ll")
        text = self.read("x.ll").decode()
        begin, end = self.note(text)
        escapes = [m.start() for m in re.finditer(r"\\[0-9A-F]{2}",
                                                  text[begin:end])]
        every = 1 if os.environ.get("CETANE_TEST_SITES") else 97
        for at in escapes[::every]:
            at += begin
            self.write("x.ll", text[:at] + "\\7F" + text[at + 3:])
            p = self.run_raw("run", "x.ll", "--from=llvm", "--device=cuda",
                             "-DM=2", "-DN=2", "-DK=2", env=dict(
                                 NO_ASSEMBLER, CETANE_DRIVER=FAKE_CUDA,
                                 FAKE_CUDA_CAPABILITY="90"))
            self.assertIn(p.returncode, (0, 1, 2, 3, 5), p.stderr)


class Usage(Case):
    def test_too_early(self):
        """Options that are about what lies before the text are refused."""
        poly, llvm = self.make("sizes.dsl", "poly"), self.make(
            "sizes.dsl", "ll")
        self.write("blocks", "cetane-config 1\n")
        text_only = "--function=f", "--fp=strict", "--versions=2"
        program = "--map=naive", "--config=blocks", "--tuning=blocks"
        build = ("--dump-after=all", "--roundtrip", "--no-check",
                 "--no-contract")
        for name, kind, verb, options in (
                (poly, "poly", "build", text_only),
                (poly, "poly", "run", text_only + ("--parametric",)),
                (poly, "poly", "inspect", text_only + ("--parametric",)),
                (llvm, "llvm", "build", text_only + program + build),
                (llvm, "llvm", "inspect", text_only + program + (
                    "--schedule", "--layout", "--access", "--explain")),
                (llvm, "llvm", "run", text_only + program + build + (
                    "--device=cuda", "--semantics=ring"))):
            for option in options:
                more = ["--device=cuda"] if verb == "run" else []
                if option not in more:
                    self.cetane(verb, name, "--from=" + kind, option, *more,
                                code=2, says="error[E614]: " +
                                option.split("=")[0])
        self.cetane("run", llvm, "--from=llvm", code=2, says="--device=cuda")
        for how in "full", "sample", "both":
            self.cetane("run", poly, "--from=poly", "--verify=" + how,
                        code=2, says="nothing to verify against")
        self.cetane("run", poly, "--from=poly", "-DM=2", "-DN=2", "-DK=2",
                    "--verify=none")
        self.cetane("build", poly, "--from=poly", "-DM=2", code=2,
                    says="-D goes with --from=dsl only")


if __name__ == "__main__":
    command.main()
