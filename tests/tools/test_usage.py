"""Wrong command lines: exit code 2, a message with the nearest spelling."""
import re

import command


class Usage(command.Case):
    def test_no_verb(self):
        self.cetane(code=2, says="error[E606]")

    def test_unknown_verb(self):
        self.cetane("biuld", "fig2.dsl", code=2, says="did you mean build")
        out, err = self.cetane("frobnicate", code=2, says="error[E602]")
        self.assertNotIn("did you mean", err)

    def test_unknown_option(self):
        self.cetane("build", "fig2.dsl", "--emt=ptx", code=2,
                    says="unknown option --emt=ptx; did you mean --emit")
        self.cetane("build", "fig2.dsl", "-q", code=2, says="E601")
        out, err = self.cetane("build", "fig2.dsl", "--zzzzzz", code=2)
        self.assertNotIn("did you mean", err)

    def test_option_of_another_verb(self):
        self.cetane("check", "fig2.dsl", "--emit=ptx", code=2, says="E601")
        self.cetane("build", "fig2.dsl", "--seed=1", code=2, says="E601")

    def test_values(self):
        for args, part in [
                (["--emit=ptxx"], "did you mean ptx"),
                (["--emit="], "E603"),
                (["--arch=sm_90b"], "did you mean sm_90"),
                (["--map=tilde"], "did you mean tiled"),
                (["--from=c"], "dsl, poly or llvm"),
                (["-D", "M"], "NAME=NUMBER"),
                (["-D", "M=1x"], "NAME=NUMBER"),
                (["-D", "M="], "NAME=NUMBER"),
                (["-D", "M= 1"], "NAME=NUMBER"),
                (["-D", "=1"], "NAME=NUMBER"),
                (["-D", "M=99999999999999999999"], "NAME=NUMBER"),
                (["--time-limit=soon"], "seconds"),
                (["--memory-limit=8Q"], "bytes"),
                (["--memory-limit=99999999999T"], "bytes"),
                (["--in-process=1"], "error[E605]: option --in-process"),
                (["--emit"], "error[E604]: option --emit needs"),
                (["-o"], "needs an argument"),
                (["--dump-after=nothing"], "a pass that runs")]:
            self.cetane("build", "fig2.dsl", *args, code=2, says=part)
        for args, part in [
                (["--seed=-1"], "a number"),
                (["--device=gpu"], "host, cuda or cuda:N"),
                (["--verify=al"], "auto, full, sample"),
                (["--sanitize=bounds,leak"], "all, bounds, uninit or race"),
                (["--sanitize="], "all, bounds, uninit or race"),
                (["--device=cuda", "--sanitize=all"], "--sanitize needs")]:
            self.cetane("run", "fig2.dsl", *args, code=2, says=part)

    def test_files(self):
        self.cetane("build", code=2, says="no file given")
        self.cetane("build", "a", "b", code=2, says="more than one file")
        self.cetane("build", "absent.dsl", code=1, says="error[E551]")
        self.cetane("build", ".", code=1, says="error[E551]")
        self.cetane("build", "--", "--absent", code=1, says="--absent")

    def test_conflicts(self):
        self.write("x.ll", "")
        self.cetane("build", "x.ll", "--from=llvm", "--emit=dag", code=2,
                    says="error[E607]")
        self.cetane("build", "x.ll", "--from=poly", "--emit=deps", code=2,
                    says="error[E607]")
        self.cetane("build", "x.ll", "--from=llvm", "-D", "M=1", code=2,
                    says="error[E607]")
        self.cetane("build", "fig2.dsl", "--emit=poly", "--versions=4", code=2,
                    says="--emit=poly goes without --versions")

    def test_names_of_files(self):
        """A text of a stage, or an artifact, is not read as a program."""
        for name, emit in ("x.poly", "poly"), ("x.ll", "llvm"):
            self.cetane("build", "fig2.dsl", f"--emit={emit}", "-o", name)
            for verb in "build", "check", "run", "tune", "inspect":
                _, err = self.cetane(verb, name, code=2)
                self.assertRegex(err, rf"\A{name}: error\[E612\]: [^\n]* "
                                 rf"--from={emit}\n\Z")
        self.cetane("build", "fig2.dsl", "-o", "x.ptx")
        for verb in "build", "check", "run", "tune":
            _, err = self.cetane(verb, "x.ptx", code=2)
            self.assertRegex(err, r"\Ax.ptx: error\[E613\]: [^\n]*cetane "
                             r"inspect[^\n]*\n\Z")
        self.cetane("inspect", "x.ptx")
        for name in "x.o", "x.cubin", "x.fatbin":
            self.write(name, "?")
            self.cetane("build", name, code=2, says="error[E613]")
        self.write("y.ll", self.read("fig2.dsl"))
        self.cetane("build", "y.ll", "--from=dsl")

    def test_help(self):
        out, _ = self.cetane("--help")
        for verb in ["build", "check", "run"]:
            self.assertIn(verb.encode(), out)
            text, _ = self.cetane(verb, "--help")
            names = re.findall(rb"(?m)^  (?:-., |    )(--[a-z-]+)", text)
            self.assertEqual(len(names), len(set(names)))
            self.assertIn(b"--in-process", names)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)
        self.assertEqual(self.cetane("build", "-h")[0],
                         self.cetane("build", "--help")[0])

    def test_help_of_verbs(self):
        out, _ = self.cetane("--help")
        self.assertEqual(self.cetane("help")[0], out)
        verbs = re.findall(rb"(?m)^  ([a-z]+) ",
                           out.split(b"\nCETANE_DEBUG=")[0])
        self.assertIn(b"help", verbs)
        for verb in verbs:
            text, _ = self.cetane("help", verb.decode())
            self.assertEqual(text, self.cetane(verb.decode(), "--help")[0])
            self.assertRegex(text, rb"\AUsage: cetane " + verb +
                             rb"[^\n]*\n\n[A-Z][a-z]")
        for verb, usage, notations in (
                ("build", b"FILE", True), ("bench", b"[FILE]", True),
                ("test", b"FILE...", True), ("tune", b"[FILE]", True),
                ("benchcmp", b"FILE...", False), ("fmt", b"FILE...", False),
                ("cache", b"ACTION", False), ("explain", b"[CODE]", False)):
            text, _ = self.cetane("help", verb)
            self.assertIn(verb.encode() + b" " + usage + b" [OPTION...]\n", text)
            self.assertEqual(b"\nNotations:\n" in text, notations, verb)
        self.cetane("help", "biuld", code=2, says="did you mean build")
        self.cetane("help", "build", "run", code=2, says="more than one verb")

    def test_top(self):
        """What stands where the verb does."""
        for word, says in (("--hlep", "did you mean --help"),
                           ("--verison", "did you mean --version"),
                           ("hlep", "did you mean help"),
                           ("--emit=ptx", "stand behind it"),
                           ("-x", "unknown option -x")):
            self.cetane(word, code=2, says=says)
        self.cetane("build", "--hlep", code=2, says="did you mean --help")

    def test_version(self):
        out, _ = self.cetane("--version")
        for words in ["-V"], ["build", "-V"], ["doctor", "--version"]:
            self.assertEqual(self.cetane(*words)[0], out)
        self.assertRegex(out, rb"^cetane [0-9]+\.[0-9]+\.[0-9]+\n$")
        self.assertEqual(self.cetane("run", "--version")[0], out)


if __name__ == "__main__":
    command.main()
