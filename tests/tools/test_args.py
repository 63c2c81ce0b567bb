"""Files of arguments (@FILE), and the versions."""
import os
import re

import command

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class Args(command.Case):
    def dag(self, *args):
        return self.cetane("build", "fig2.dsl", "--emit=dag", *args)[0]

    def test_words(self):
        want = self.dag()
        for text in ["build fig2.dsl --emit=dag",
                     "build\nfig2.dsl\n--emit=dag\n",
                     "'build' \"fig2.dsl\"\t--em'it=d'ag", "\r\n",
                     "build \\\n\\\n fig2.dsl --emit=\\\ndag \\\n",
                     "b\\uild fig2\\.dsl \"--e\\\nmit=dag\""]:
            self.write("args", text)
            if text.strip():
                self.assertEqual(self.cetane("@args")[0], want, text)
            else:
                self.cetane("@args", code=2, says="no verb given")

    def test_quotes(self):
        self.write("a b", command.FIG2)
        self.write("q\"'\\$", command.FIG2)
        self.write("n\\x", command.FIG2)
        for text in ["'a b'", '"a b"', "a\\ b", "a' 'b", "''a\\ b\"\"",
                     "\"q\\\"'\\\\\\$\"", "q\\\"\\'\\\\$", '"n\\x"']:
            self.write("args", "check " + text)
            self.cetane("@args")
        self.write("args", "check ''")
        self.cetane("@args", code=1, says="error[E551]: cannot read :")

    def test_mixed(self):
        self.write("args", "-D M=3 -D")
        self.write("more", "@args K=4 -o")
        self.cetane("build", "@more", "x.ptx", "fig2.dsl")
        self.assertIn("x.ptx", self.files())
        self.assertEqual(self.cetane("check", "-", "@-", code=2,
                                     stdin=b"--bad")[0], b"")

    def test_at_is_a_letter(self):
        self.write("@x", command.FIG2)
        self.cetane("check", "--", "@x")
        self.cetane("check", "./@x")
        for text in ["check '@x'", "check \\@x", 'check "@"x', "check -- @x"]:
            self.write("args", text)
            self.cetane("@args")
        self.cetane("check", "@", code=1, says="cannot read @:")

    def test_errors(self):
        self.cetane("check", "@absent", code=1, says="error[E551]")
        self.cetane("check", "@.", code=1, says="error[E551]")
        for text in ["check 'fig2.dsl", 'check "fig2.dsl', "a '\\'x'",
                     '"\\"']:
            self.write("args", text)
            self.cetane("@args", code=2,
                        says="error[E609]: args: a quote is not closed")
        self.write("args", b"check fig2.dsl\0--bad")
        self.cetane("@args", code=2, says="error[E609]: args: it holds a NUL")

    def test_no_end(self):
        self.write("a", "@b")
        self.write("b", "@a")
        self.cetane("check", "@a", code=2, says="too deeply")
        self.write("a0", "fig2.dsl")
        for i in range(30):
            self.write(f"a{i + 1}", f"@a{i}")
        self.cetane("check", "@a15")
        self.cetane("check", "@a16", code=2, says="too deeply")
        self.write("many", "x " * 200000)
        self.cetane("check", "@many", code=2, says="too many arguments")

    def test_reproducer_holds_the_words(self):
        self.write("args", "build fig2.dsl '-D' M=3")
        _, err = self.cetane("@args", code=70, env={
            "CETANE_TEST_CRASH": "nvptx_opt:abort"})
        crash = [f for f in self.files() if f.startswith("cetane-crash")]
        self.assertIn(b"'build' 'fig2.dsl' '-D' 'M=3'", self.read(crash[0]))

    def test_debug_words(self):
        """The words of CETANE_DEBUG are those of the table, which --help shows."""
        table = os.path.join(SOURCE, "tools", "lib", "base",
                             "debug.def")
        with open(table, encoding="ascii") as f:
            words = re.findall(r'^DEBUG\(\w+, "(.*?)"', f.read(), re.M)
        self.assertGreater(len(words), 8)
        shown = self.cetane("--help")[0].decode()
        for word in words:
            self.assertRegex(shown, r"(?m)^  %s  " % re.escape(word))
            self.cetane("check", "fig2.dsl",
                        env={"CETANE_DEBUG": word.replace("%d", "3") + ",few"})
        for word in ["roundtrp", "few,x", "version", "version1000", "few few"]:
            bad = word.split(",")[-1]
            self.cetane("check", "fig2.dsl", code=2,
                        says='error[E615]: CETANE_DEBUG has no word "%s"' % bad,
                        env={"CETANE_DEBUG": word})

    def test_versions(self):
        short, _ = self.cetane("--version")
        out, _ = self.cetane("--version", "--verbose")
        self.assertTrue(out.startswith(short))
        self.assertRegex(out, rb"\nLLVM 22\.\d+\.\d+\n"
                         rb"isl %s(-GMP|-IMath\S*|)\nptxas " % command.os.environ[
                             "CETANE_ISL"].encode())
        self.assertEqual(self.cetane("build", "-v", "--version")[0], out)
        none, _ = self.cetane("--version", "-v", env={"CETANE_PTXAS": "none"})
        self.assertTrue(none.endswith(b"\nptxas none\n"), none)
        self.write("ptxas", "#!/bin/sh\necho 'release 99.1, V99.1.23'\n"
                   "echo \"$@\" >said\n")
        self.write("mute", "#!/bin/sh\n")
        for name, version in [("ptxas", b"99.1.23"), ("mute", b"unknown")]:
            command.os.chmod(self.path(name), 0o755)
            out, _ = self.cetane("--version", "-v", env={
                "CETANE_PTXAS": self.path(name)})
            self.assertIn(b"\nptxas %s, /" % version, out)
        self.assertEqual(self.read("said"), b"--version\n")
        self.cetane("check", "fig2.dsl", "-v", code=2, says="error[E607]")


if __name__ == "__main__":
    command.main()
