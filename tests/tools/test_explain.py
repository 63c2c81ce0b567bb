"""The verb explain knows every message of message.def, and no other."""
import os
import re

import command

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def rows(path, pattern):
    with open(os.path.join(ROOT, path)) as f:
        return re.findall(pattern, f.read(), re.M)


MESSAGES = rows("polyir/base/message.def",
                r'^MSG\((\d+), (\w+), (\w+), "(.*)"\)$')


class Explain(command.Case):
    def test_tables_agree(self):
        names = [name for _, name, _, _ in MESSAGES]
        self.assertGreater(len(names), 90)
        self.assertEqual(rows("tools/explain.def", r"^EXPLAIN\((\w+),$"),
                         names)

    def test_every_message(self):
        seen = set()
        for number, name, severity, _ in MESSAGES:
            out, _ = self.cetane("explain", number)
            head, meaning, advice = out.decode().split("\n\n")
            word = severity.lower()
            self.assertTrue(head.startswith(
                f"{word}[{severity[0]}{number}]: "), head)
            self.assertNotIn("%", head)
            for part in [meaning, advice]:
                self.assertGreater(len(part), 15, name)
            self.assertNotIn(meaning, seen)
            seen.add(meaning)
            for line in out.decode().splitlines():
                self.assertLessEqual(len(line), 79, line)

    def test_text(self):
        out, _ = self.cetane("explain", "E203")
        self.assertTrue(out.startswith(
            b"error[E203]: '...' is already declared in line N\n\n"))
        out, _ = self.cetane("explain", "601")
        self.assertTrue(out.startswith(
            b"error[E601]: unknown option ...\n\n"), out)
        out, _ = self.cetane("explain", "707")
        self.assertIn(b"... is ..., not ...: off by X where X", out)

    def test_spellings(self):
        out, _ = self.cetane("explain", "W231")
        for code in ["w231", "231"]:
            self.assertEqual(self.cetane("explain", code)[0], out)
        self.assertTrue(self.cetane("explain", "r902")[0].startswith(
            b"remark[R902]"))

    def test_list(self):
        """All messages, each with its text, in the order of their numbers."""
        out, _ = self.cetane("explain")
        lines = out.decode().splitlines()
        self.assertEqual(re.findall(r"(?m)^([EWR]\d+)  ", out.decode()), [
            severity[0] + number for number, _, severity, _ in MESSAGES])
        for line in lines:
            self.assertRegex(line, r"^([EWR]\d+  |      )\S")
            self.assertLessEqual(len(line), 79)
        text = " ".join(line.strip() for line in lines)
        for number in "203", "601", "901":
            one, _ = self.cetane("explain", number)
            self.assertIn(" ".join(one.decode().split("\n\n")[0].split())
                          .split("]: ", 1)[1], text)

    def test_advise(self):
        """Where the thesis of CUDA-CHiLL puts the arrays of its products."""
        programs = os.path.join(ROOT, "tests", "script", "programs")
        for name, wanted in [
                ("mv", ["a: register", "b: shared", "c: shared, padded"]),
                ("tmv", ["a: register", "b: shared", "c: global"]),
                ("mm", ["c: register", "a: shared", "b: global", "c: register"])]:
            out, said = self.cetane("explain", "--advise",
                                    os.path.join(programs, name + ".c"))
            self.assertEqual(re.findall(r"(?m)^  (.*)$", out.decode()), wanted)
            self.assertEqual(said, "")
        self.assertRegex(out, rb"(?m)^statement 1: blocks and threads i, j \(x\), "
                              rb"in a thread k$")

    def test_advise_refused(self):
        for words, says in [(["--advise"], "--advise needs a FILE"),
                            (["E203", "-D", "N=1"], "go with --advise FILE"),
                            (["E203", "--function=f"], "go with --advise FILE")]:
            self.cetane("explain", *words, code=2, says=says)

    def test_unknown(self):
        for code, part in [("E231", "E231; did you mean W231"),
                           ("E2O3", "did you mean E203"),
                           ("E99999", "no message E99999\n"),
                           ("", "error[E608]: there is no message"),
                           ("X", "no message X\n"),
                           ("-", "no message -\n"), ("2031", "no message"),
                           ("+203", "no message"), ("EE203", "no message"),
                           ("a" * 100, "no message")]:
            out, _ = self.cetane("explain", code, code=2, says=part)
            self.assertEqual(out, b"")

    def test_usage(self):
        self.cetane("explain", "E203", "E204", code=2,
                    says="more than one code")
        self.cetane("explain", "E203", "--emit=ptx", code=2, says="E601")


if __name__ == "__main__":
    command.main()
