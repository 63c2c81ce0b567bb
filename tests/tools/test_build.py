"""The verbs build and check: what they print, and resuming from text."""
import re
import unittest

import command

FIXED = ["-D", "M=64", "-D", "K=64", "-D", "N=64"]
KINDS = ["dag", "deps", "schedule", "poly", "ast", "llvm", "llvm-opt", "ptx"]
PASSES = {"tiled": ["cut", "privatise", "classes", "deps", "scans", "schedule",
                    "fold", "rows", "split", "cut_loops", "map_points",
                    "map_tiles", "chain",
                    "promote_registers", "promote_shared", "pipeline", "sync",
                    "shrink"],
          "naive": ["deps", "order", "map_one"]}


class Build(command.Case):
    def test_check(self):
        out, _ = self.cetane("check", "fig2.dsl")
        self.assertIn(b"3 params", out)
        self.assertIn(b"3 inputs", out)
        self.assertIn(b"D[M,N] E[M,N]", out)

    def test_check_wrong_program(self):
        self.write("bad.dsl", "Params N;\nMatrix A(N,N);\nB = A * C;\n")
        out, err = self.cetane("check", "bad.dsl", code=1)
        self.assertRegex(err, r"(?m)^bad\.dsl:3:9: error\[E2\d\d\]: ")
        self.assertIn("    B = A * C;\n            ^", err)
        self.assertEqual(out, b"")

    def test_define(self):
        self.cetane("check", "fig2.dsl", "-D", "Q=1", code=1, says="Q")
        self.cetane("check", "fig2.dsl", "-D", "M=-1", code=1, says="M=-1")
        self.cetane("check", "fig2.dsl", "-DM=2147483648", code=1, says="M=")

    def test_each_kind(self):
        """Text of each, twice the same."""
        for kind in KINDS:
            out, _ = self.cetane("build", "fig2.dsl", f"--emit={kind}")
            again, _ = self.cetane("build", "fig2.dsl", f"--emit={kind}")
            self.assertGreater(len(out), 100, kind)
            self.assertEqual(out, again, kind)
        self.assertEqual(self.files(), ["fig2.dsl", "scale.dsl"])

    def test_default_is_ptx(self):
        out, _ = self.cetane("build", "fig2.dsl")
        self.assertIn(b".target sm_90a", out)
        out, _ = self.cetane("build", "fig2.dsl", "--arch=sm_80")
        self.assertIn(b".target sm_80", out)

    def test_standard_input(self):
        out, _ = self.cetane("build", "-", "--emit=dag",
                             stdin=command.FIG2.encode())
        self.assertEqual(out, self.cetane("build", "fig2.dsl",
                                          "--emit=dag")[0])
        _, err = self.cetane("check", "-", stdin=b"?", code=1)
        self.assertRegex(err, r"^<stdin>:1:1: error")

    def test_fixed_sizes_leave_the_signature(self):
        free, _ = self.cetane("build", "fig2.dsl")
        fixed, _ = self.cetane("build", "fig2.dsl", *FIXED)
        self.assertEqual(free.count(b".param .u64 .ptr") +
                         free.count(b".param .u64 fig2") -
                         fixed.count(b".param .u64 .ptr") -
                         fixed.count(b".param .u64 fig2"), 3)

    def test_config(self):
        self.write("two.dsl", "Params M, K, N;\nMatrix A(M,K);\n"
                   "Matrix B(K,N);\nC = A * B;\nCodeGen(FLOAT, {C});\n")
        block = "thread 4 16 tile 16 64 16 vec 1 4 steps 4 stages 3"
        self.write("a.cfg", "# for any program\ncetane-config 1\n"
                   f"kernel two_C {block}\nprogram other\n"
                   "kernel missing thread 1 1 tile 1 1 1\n")
        self.cetane("build", "two.dsl", "--emit=poly", "--config=a.cfg",
                    "-o", "two.poly", "--depfile=d")
        self.assertIn(f"kernel two_C tiled {block} grid".encode(),
                      self.read("two.poly"))
        self.assertIn(b" a.cfg", self.read("d"))
        sizes = "-DM=17", "-DK=70", "-DN=33"
        self.write("b.cfg", "cetane-config 1\nprogram two\nparts C 3\n"
                   f"kernel two_C_part {block}\n")
        out, _ = self.cetane("build", "two.dsl", "--emit=poly", *sizes,
                             "--config=b.cfg", "-o", "-")
        self.assertIn(f"kernel two_C_part tiled {block} grid", out.decode())
        self.assertIn('batch "{ [(3)] }"', out.decode())
        self.cetane("run", "two.dsl", *sizes, "--config=b.cfg",
                    "--sanitize=all")
        self.write("c.cfg", "cetane-config 1\nparts C 1\n")
        long = "-DM=8", "-DK=9000", "-DN=8"
        for config, count in ([], 2), (["--config=c.cfg"], 1):
            out, _ = self.cetane("build", "two.dsl", "--emit=poly", *long,
                                 *config, "-o", "-")
            self.assertEqual(out.count(b"\nkernel "), count)

    def test_config_refused(self):
        for text, says in (
                ("kernel fig2_E thread 8 16 tile 64 100 16", "is no multiple"),
                ("kernel fig2_E thread 64 32 tile 64 32 8", "1024 threads"),
                ("kernel fig2_E thread 8 16 tile 64 64 6 steps 4",
                 "no multiple of a run of steps"),
                ("kernel fig2_E thread 1 8 tile 64 64 8", "accumulates more"),
                ("kernel fig2_E thread 1 1 tile 65536 65536 8",
                 "accumulates more"),
                ("kernel none thread 1 1 tile 1 1 1", "no kernel of this"),
                ("parts B 4", "no sum of a product goes"),
                ("kernel fig2_E thread 8", "bad.cfg:2:"),
                ("copies some", "bad.cfg:2:"),
                ("tile fig2_E 8", "bad.cfg:2:")):
            self.write("bad.cfg", f"cetane-config 1\n{text}\n")
            self.cetane("build", "fig2.dsl", "--config=bad.cfg", code=2,
                        says=says)
        for text in "", "# nothing\n", "cetane-config 2\n":
            self.write("bad.cfg", text)
            self.cetane("build", "fig2.dsl", "--config=bad.cfg", code=2,
                        says='expected "cetane-config 1"')
        self.cetane("build", "fig2.dsl", "--config=none", code=2,
                    says="E610")

    def test_naive_mapping(self):
        tiled, _ = self.cetane("build", "fig2.dsl")
        naive, _ = self.cetane("build", "fig2.dsl", "--map=naive")
        self.assertIn(b"bar.sync", tiled)
        self.assertNotIn(b"bar.sync", naive)

    def test_roundtrip(self):
        for how in ["tiled", "naive"]:
            plain, _ = self.cetane("build", "fig2.dsl", f"--map={how}")
            trip, _ = self.cetane("build", "fig2.dsl", f"--map={how}",
                                  "--roundtrip")
            self.assertEqual(plain, trip)

    def test_dump_and_times(self):
        _, err = self.cetane("build", "fig2.dsl", "--emit=ptx",
                             "--dump-after=schedule", "--time-passes")
        self.assertEqual(err.count("# after "), 1)
        self.assertIn("# after schedule\n", err)
        for name in ["fe_read", "poly_compile", "nvptx_lower", "nvptx_opt",
                     "nvptx_emit_ptx"]:
            self.assertRegex(err, rf"\d+\.\d+ ms  {name}\n")
        _, err = self.cetane("build", "fig2.dsl", "--dump-after=all")
        self.assertGreater(err.count("# after "), 3)

    @unittest.skipUnless(command.PTXAS, "no ptxas here")
    def test_cubin_reports_resources(self):
        _, err = self.cetane("build", "fig2.dsl", "--emit=cubin")
        self.assertEqual(self.read("fig2.cubin")[:4], b"\x7fELF")
        line, = [s for s in err.splitlines() if "remark" in s]
        self.assertRegex(line, r"^fig2\.dsl: remark\[R458\]: fig2_E: [1-9]\d* "
                         r"registers, 0 bytes stack, 0 bytes spill stores, "
                         r"0 bytes spill loads, [1-9]\d* bytes shared, ")

    def test_no_assembler(self):
        _, err = self.cetane("build", "fig2.dsl", "--emit=cubin", code=3,
                             env={"CETANE_PTXAS": "none",
                                  "CETANE_NVJITLINK": "none"})
        self.assertRegex(err, r"error\[E5\d\d\]")
        self.assertNotIn("fig2.cubin", self.files())

    def test_in_process(self):
        out, _ = self.cetane("build", "fig2.dsl", "--in-process")
        self.assertEqual(out, self.cetane("build", "fig2.dsl")[0])


class Resume(command.Case):
    def test_from_poly(self):
        for how in ["tiled", "naive"]:
            poly, _ = self.cetane("build", "fig2.dsl", "--emit=poly",
                                  f"--map={how}")
            self.write("fig2.poly", poly)
            out, _ = self.cetane("build", "fig2.poly", "--from=poly",
                                 f"--map={how}")
            self.assertEqual(out, self.cetane("build", "fig2.dsl",
                                              f"--map={how}")[0])

    def test_from_poly_runs_remaining_passes(self):
        _, err = self.cetane("build", "fig2.dsl", "--dump-after=schedule")
        text = err[err.index("cetane-poly"):]
        self.write("half.poly", text)
        out, _ = self.cetane("build", "half.poly", "--from=poly")
        self.assertEqual(out, self.cetane("build", "fig2.dsl")[0])

    def test_stop_and_resume_at_each_pass(self):
        for how, passes in PASSES.items():
            args = [f"--map={how}"]
            whole, err = self.cetane("build", "fig2.dsl", *args,
                                     "--dump-after=all", "--time-passes")
            self.assertEqual(re.findall(r"(?m)^# after (\w+)$", err), passes)
            self.assertEqual([name for name in re.findall(
                r"(?m) ms  (\w+)(?:, checked in .*)?$", err)
                if name in passes], passes)
            texts = re.split(r"(?m)^# after (\w+)\n",
                             re.sub(r"(?m)^ *\d+\.\d+ ms  .*\n", "", err))[1:]
            texts = dict(zip(texts[::2], texts[1::2]))
            for name in passes:
                self.write("half.poly", texts[name])
                if name in passes[::6]:
                    self.cetane("build", "fig2.dsl", *args, "--emit=poly", "-o",
                                "stopped.poly", f"--stop-after={name}")
                    self.assertEqual(self.read("stopped.poly").decode(), texts[name])
                out, err = self.cetane("build", "half.poly", "--from=poly",
                                       *args, "--dump-after=all")
                self.assertEqual(out, whole, name)
                rest = passes[passes.index(name) + 1:]
                self.assertEqual(re.findall(r"(?m)^# after (\w+)$", err),
                                 rest)

    def test_from_poly_hostile(self):
        for text in ["{ domain: 5 }", "", "cetane-poly 1\n{ domain: 5 }\n",
                     "cetane-poly 1\n" + "(" * 200000, "\0\0\0"]:
            self.write("bad.poly", text)
            p = self.run_raw("build", "bad.poly", "--from=poly")
            self.assertIn(p.returncode, [1, 70], text[:40])
            self.assertEqual(p.stdout, b"")
            self.assertIn(b"error[E", p.stderr)

    def test_from_poly_isl_text(self):
        poly, _ = self.cetane("build", "fig2.dsl", "--emit=poly")
        lines = poly.decode().splitlines()
        at = next(i for i, s in enumerate(lines) if s.startswith("context"))
        lines[at] = 'context "{ domain: 5 }"'
        self.write("bad.poly", "\n".join(lines) + "\n")
        p = self.run_raw("build", "bad.poly", "--from=poly")
        self.assertIn(p.returncode, [1, 70])
        self.assertIn(b"error[E", p.stderr)

    def test_from_llvm_unchanged(self):
        llvm, _ = self.cetane("build", "scale.dsl", "--emit=llvm")
        self.write("scale.ll", llvm)
        out, _ = self.cetane("build", "scale.ll", "--from=llvm")
        self.assertEqual(out, self.cetane("build", "scale.dsl")[0])

    def test_from_llvm_to_llvm(self):
        """The first kind of output that can be made of it."""
        self.cetane("build", "scale.dsl", "--emit=llvm", "-o", "scale.ll")
        once, _ = self.cetane("build", "scale.ll", "--from=llvm",
                              "--emit=llvm")
        self.write("again.ll", once)
        again, _ = self.cetane("build", "again.ll", "--from=llvm",
                               "--emit=llvm")
        self.assertEqual(once.split(b"\n")[2:], again.split(b"\n")[2:])
        self.write("bad.ll", command.SCALE)
        self.cetane("build", "bad.ll", "--from=llvm", "--emit=llvm", code=1)

    def test_loops_need_a_schedule(self):
        self.cetane("build", "fig2.dsl", "--stop-after=deps", "--emit=ast",
                    code=2, says="error[E607]: --emit=ast needs a schedule")
        self.cetane("build", "fig2.dsl", "--stop-after=schedule",
                    "--emit=ast")

    def test_from_llvm_edited_constant(self):
        llvm, _ = self.cetane("build", "scale.dsl", "--emit=llvm")
        edited = re.sub(rb"5\.0+e-01", b"2.500000e-01", llvm)
        self.assertNotEqual(llvm, edited)
        self.write("scale.ll", edited)
        before, _ = self.cetane("build", "scale.dsl")
        after, _ = self.cetane("build", "scale.ll", "--from=llvm")
        self.assertIn(b"0f3F000000", before)
        self.assertIn(b"0f3E800000", after)
        self.assertNotIn(b"0f3F000000", after)

    def test_from_llvm_malformed(self):
        self.write("bad.ll", "define void @f( {\n")
        _, err = self.cetane("build", "bad.ll", "--from=llvm", code=1)
        self.assertIn("bad.ll:", err)

    def test_schedule_tree_opens_the_llvm_ir(self):
        llvm, _ = self.cetane("build", "fig2.dsl", "--emit=llvm")
        self.assertRegex(llvm, rb"(?m)^; *domain")
        self.assertIn(b"mark kernel:", llvm)


if __name__ == "__main__":
    command.main()
