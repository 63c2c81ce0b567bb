"""The verb fmt: what it writes has the same tokens and comments as before, by a lexer of
this test, compiles to the same PTX, and is formatted.

With --all each program under tests is compiled, else a few that compile fast.
"""
import glob
import os
import random
import re
import sys

import command
from mutations import mutations, solid

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ALL = "--all" in sys.argv
PROGRAMS = sorted(p for folder in (
    "tests/programs", "tests/examples", "tests/frontend/accept",
    "tools/examples/*") for p in
    glob.glob(os.path.join(ROOT, folder, "*.dsl")))
FEW = {"fig2.dsl", "index_only.dsl", "banded.dsl"}
# A comment (nested in the third), a number, a name, a mark.
PART = re.compile(r"(//[^\n]*|\#[^\n]*)|(/\*)|"
                  r"(\d+(?:\.(?!\*)\d*)?(?:[eE][+-]?\d+)?|"
                  r"\.\d+(?:[eE][+-]?\d+)?)|(\w+)|"
                  r"(\.\*|\*=|\+=|==|!=|<<|<=|>>|>=|&&|\|\||\^T(?!\w)|\S)")


def parts(text):
    """The tokens and comments of a program."""
    text = text.removeprefix("\ufeff")
    at, found = 0, []
    while True:
        m = re.compile(r"\s*").match(text, at)
        at = m.end()
        if at == len(text):
            return found
        m = PART.match(text, at)
        end = m.end()
        if m.group(2):
            depth = 1
            while depth:
                close, begin = text.index("*/", end), text.find("/*", end)
                depth += 1 if -1 < begin < close else -1
                end = (begin if -1 < begin < close else close) + 2
        found.append(text[at:end].rstrip().replace("\r\n", "\n"))
        at = end


class Format(command.Case):
    def format(self, text):
        return self.cetane("fmt", "-", stdin=text.encode())[0].decode()

    def check(self, text):
        """The text formatted, if that is what it has to be."""
        new = self.format(text)
        self.assertEqual(parts(new), parts(text))
        self.assertEqual(self.format(new), new)
        self.assertNotIn("\n\n\n", new)
        for line in new.split("\n"):
            self.assertEqual(line, line.rstrip())
        return new

    def test_programs(self):
        self.assertGreater(len(PROGRAMS), 40)
        for path in PROGRAMS:
            with open(path, encoding="utf-8", newline="") as f:
                text = f.read()
            with self.subTest(path):
                if "nest " not in text and "{" not in re.sub(
                        r"case\s*\{|,\s*\{|\{\w", "", text):
                    self.check(text)

    def test_the_same_code(self):
        few = [p for p in PROGRAMS if os.path.basename(p) in FEW]
        self.assertEqual(len(few), len(FEW))
        for path in PROGRAMS if ALL else few:
            with open(path, "rb") as f:
                text = f.read()
            compiled = []
            for _ in range(2):
                self.write("p.dsl", text)
                p = self.run_raw("build", "p.dsl", "-o-")
                compiled.append((p.returncode, re.sub(
                    rb"(?m)^\s*\.loc.*\n", b"", p.stdout)))
                if self.run_raw("fmt", "p.dsl").returncode:
                    break
                text = self.read("p.dsl")
            else:
                self.assertEqual(*compiled, path)

    def test_mutations(self):
        """Of what is malformed nothing is lost, nor of what is not."""
        changed = 0
        texts = list(mutations(1, 2000 if ALL else 100))
        for begin in range(0, len(texts), 50):
            names = []
            for i, text in enumerate(texts[begin:begin + 50]):
                names.append(f"m{i}.dsl")
                self.write(names[-1], text)
            self.assertIn(self.run_raw("fmt", *names).returncode, (0, 1))
            for name, text in zip(names, texts[begin:]):
                new = self.read(name)
                changed += new != text
                self.assertEqual(solid(new), solid(text))
        self.assertGreater(changed, len(texts) // 4)

    def test_layout(self):
        for text, want in (
                ("Params  M , K;Matrix X(M,K) ;Y=X*2.0;\n",
                 "Params M, K;\nMatrix X(M,K);\nY = X*2.0;\n"),
                ("Y = X  *W+ b ;", "Y = X * W + b;\n"),
                ("y( i )=x( i-1 )*x(i , 1)-  -z (i);",
                 "y(i) = x(i-1)*x(i, 1) - -z(i);\n"),
                ("D = A^T*B' ; CodeGen( FLOAT,{ D , E } ) ;",
                 "D = A^T*B'; CodeGen(FLOAT,{D , E});\n".replace("; C", ";\nC")
                 .replace("D , E", "D, E")),
                ("out y(i)=i<2?a(i):b(i)==c(i)?1:2;",
                 "out y(i) = i < 2 ? a(i) : b(i) == c(i) ? 1 : 2;\n"),
                ("y(i)min=x(i); z(i) min = x(i);",
                 "y(i) min= x(i);\nz(i) min = x(i);\n"),
                ("u(i) for 0<=i<N=case{i==0:1;else:u(i-1);};",
                 "u(i) for 0 <= i < N = case {\n\ti == 0: 1;\n"
                 "\telse: u(i-1);\n};\n"),
                ("# a\n\n\n\nParams M; // b\n// c\nParams K;/* d\n e */",
                 "# a\n\nParams M; // b\n// c\nParams K; /* d\n e */\n"),
                ("s() = sum ( i,j for i<j,not (i==2) : x(i) );",
                 "s() = sum(i,j for i < j,not (i == 2): x(i));\n"),
                ("y(i) = ! flag(i) and ~k(i)>>1==0;",
                 "y(i) = !flag(i) and ~k(i)>>1 == 0;\n"),
                ("A = 2.*B; C = 2. * B; D = 2 . * B;", None),
                ("", ""), ("\n\n", ""), ("// only\n", "// only\n")):
            if want is None:
                self.assertEqual(self.run_raw("fmt", "-", stdin=text.encode())
                                 .returncode, 1)
                continue
            if "min =" not in text:
                self.assertEqual(self.check(text), want)
            else:
                self.assertEqual(self.format(text), want)

    def test_long_lines(self):
        term = "alpha(i) * beta(i)"
        text = self.check("y(i) = " + " + ".join([term] * 12) + ";")
        lines = text.splitlines()
        self.assertGreater(len(lines), 2)
        for line in lines[1:]:
            self.assertTrue(line.startswith("\t"))
        for line in lines:
            self.assertLessEqual(len(line.expandtabs(8)), 80)
        # Not between factors, where a break between terms is possible.
        self.assertNotRegex(text, r"\*\n|\n\t\*")

    def test_comments_within(self):
        text = self.check("Y = X // first\n + W /* in */ * 2 # last\n ;\n")
        self.assertEqual(text, "Y = X // first\n\t+ W /* in */ * 2 # last\n"
                         "\t;\n".replace("\n\t;", "\n\t;"))

    def test_any_blanks(self):
        """However a program is spread, its parts stay."""
        rng = random.Random(3)
        for path in PROGRAMS[::5]:
            with open(path, encoding="utf-8", newline="") as f:
                found = parts(f.read())
            if not 10 < len(found) < 800 or any("nest" in p for p in found):
                continue
            text = "".join(p + ("\n" if p[0] == "#" or p[:2] == "//" else "") +
                           rng.choice([" ", "\n", "\n\n", "\t", " /* c */ ",
                                       " // c\n"]) for p in found)
            self.check(text)

    def test_functions_of_other_notations(self):
        """They stay as they are written."""
        body = ("nest f(int n, float x[n])\n{\n\tfor (int i=0;i<n;i++)\n"
                "\t\tx[i] +=1;   /* as it is */\n}\n")
        text = "param N;tensor f32 x(N);\n\n\n" + body + "\nout y( i )=x(i);\n"
        p = self.run_raw("fmt", "-", stdin=text.encode())
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn(body, p.stdout.decode())
        self.assertIn("\nout y(i) = x(i);\n", p.stdout.decode())

    def test_files(self):
        good, bad = "Params M;\nMatrix X(M,M);\nY = X;\n", "Params  M;\n"
        self.write("good.dsl", good)
        self.write("bad.dsl", bad)
        os.chmod(self.path("bad.dsl"), 0o640)
        before = os.stat(self.path("good.dsl"))
        self.cetane("fmt", "--check", "good.dsl")
        _, err = self.cetane("fmt", "--check", "good.dsl", "bad.dsl", code=1,
                             says="error[E731]: bad.dsl is not formatted")
        self.assertNotIn("good.dsl", err)
        self.assertEqual(self.read("bad.dsl").decode(), bad)
        self.cetane("fmt", "good.dsl", "bad.dsl")
        self.assertEqual(self.read("bad.dsl"), b"Params M;\n")
        self.assertEqual(os.stat(self.path("bad.dsl")).st_mode & 0o777, 0o640)
        # What is formatted is not written.
        after = os.stat(self.path("good.dsl"))
        self.assertEqual((before.st_ino, before.st_mtime_ns),
                         (after.st_ino, after.st_mtime_ns))

    def test_refused(self):
        for name, text in (("a.c", "int x;\n"), ("a.dag", "f32 f(f32 x) "
                                                 "{ return x; }\n")):
            self.write(name, text)
            self.cetane("fmt", name, code=1, says="error[E730]")
        for text in ("Params M $;\n", "Y = 2.5.1;\n", "/* open\n",
                     "Params \xe9;\n"):
            self.write("a.dsl", text)
            _, err = self.cetane("fmt", "a.dsl", code=1)
            self.assertRegex(err, r"a\.dsl:1:\d+: error\[E")
            self.assertEqual(self.read("a.dsl").decode(), text)
        self.cetane("fmt", code=2)
        self.cetane("fmt", "absent.dsl", code=1, says="error[E551]")


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--all"]
    command.main()
