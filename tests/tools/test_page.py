"""--emit=html: the page is parsed, its texts are those that other kinds of output have, and
its links those that a reader of LLVM IR and PTX in this test finds. Where there is
Chromium, a line is clicked.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import unittest

import command

PROGRAM = """# <sizes> & "inputs" \u00e4
param T, N;
tensor f32 u0(N);
u(t,i) for 0 <= t <= T, 0 <= i < N = case {
	t == 0: u0(i);
	i == 0 or i == N-1: u(t-1,i);
	else: 0.25*u(t-1,i-1) + 0.5*u(t-1,i) + 0.25*u(t-1,i+1);
};
out mean() = sum(i: u(T,i)) / f32(N);
"""
PRODUCT = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
"""
SUMS = "param N;\ntensor f32 x(N,200);\nout y(i) += x(i,j);\n"
# What it has beside these depends on the machine.
NONE = {"CETANE_NVDISASM": "none"}
TOOLKIT = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
NVDISASM = command.PTXAS and shutil.which("nvdisasm", path=TOOLKIT)
# A disassembler that tells three instructions, and talks.
FAKE = """#!/bin/sh
echo "fake warning : of no account" >&2
test "$1" = -g && test "$2" = -c && test -s "$3" || exit 1
printf '\t.section\t.text.f\n'
printf '\t//## File "heat.dsl", line 6\n'
printf '        /*0000*/  MOV R1, R2 ;\n        /*0010*/  <X> & Y ;\n'
printf '.L_x_1:\n\t//## File "heat.dsl", line 9 inlined at "a.c", line 3\n'
printf '        /*0020*/  EXIT ;\n'
printf '\t.section\t.text.g\n        /*0000*/  NOP ;\n'
"""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Page(html.parser.HTMLParser):
    """sections: id -> [(text of a line, lines of the source)]"""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.sections, self.open, self.now, self.in_line = {}, [], None, False
        self.attributes = []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.attributes += attrs.items()
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "section":
            self.now = self.sections.setdefault(attrs["id"], [])
        elif tag == "span":
            self.in_line = True
            self.now.append(["", {int(n) for n in attrs.get(
                "data-l", "").split()}])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "span":
            self.in_line = False

    def handle_data(self, data):
        if self.in_line:
            self.now[-1][0] += data

    def text(self, section):
        return "".join(line for line, _ in self.sections[section])

    def links(self, section):
        return [lines for _, lines in self.sections[section]]


def links_of_ptx(text):
    now, found = 0, []
    for line in text.splitlines():
        m = re.match(r"\s*\.loc\s+\d+\s+(\d+)\s", line)
        if m:
            now = int(m.group(1))
            found.append({now} - {0})
        elif line.startswith("}"):
            found.append(set())
            now = 0
        else:
            code = re.match(r"\t[^.]", line)
            found.append({now} - {0} if code else set())
    return found


def links_of_llvm(text):
    lines = {int(m[0]): int(m[1]) for m in re.findall(
        r"(?m)^!(\d+) = .*?\bline: (\d+)", text)}
    return [{lines[int(m.group(1))]} - {0}
            if (m := re.search(r"!dbg !(\d+)", line)) and
            int(m.group(1)) in lines else set()
            for line in text.splitlines()]


class Test(command.Case):
    def make(self, text=PROGRAM, *args, env=NONE):
        self.write("heat.dsl", text)
        self.cetane("build", "heat.dsl", "--emit=html", "-o", "heat.html",
                    *args, env=env)
        return self.read("heat.html").decode()

    def kind(self, kind, *args):
        return self.cetane("build", "heat.dsl", "--emit=" + kind, "-o", "-",
                           *args)[0].decode()

    def test_texts(self):
        page = Page(self.make())
        self.assertEqual(list(page.sections),
                         ["source", "schedule", "llvm", "ptx", "times", "kernels"])
        self.assertEqual(page.text("source"), PROGRAM)
        for section, kind in (("schedule", "schedule"), ("ptx", "ptx")):
            self.assertEqual(page.text(section), self.kind(kind))
        # As a kind of its own, LLVM IR has a note on how it is launched.
        want = [line for line in self.kind("llvm-opt").splitlines()
                if "!dbg" in line]
        have = [line for line in page.text("llvm").splitlines()
                if "!dbg" in line]
        self.assertEqual(len(have), len(want))

    def test_links(self):
        page = Page(self.make())
        self.assertEqual(page.links("source"),
                         [{i + 1} for i in range(PROGRAM.count("\n"))])
        for section, links in (("ptx", links_of_ptx), ("llvm", links_of_llvm)):
            want = links(page.text(section))
            self.assertEqual(len(page.sections[section]), len(want))
            for (line, have), one in zip(page.sections[section], want):
                self.assertEqual(have, one, line)
        # Each line that computes is in all of the four.
        for section in "schedule", "llvm", "ptx":
            self.assertLessEqual({6, 7, 9}, set().union(*page.links(section)))
        # A statement is of the piece that it stands for.
        for line, links in page.sections["schedule"]:
            if "u_def[" in line and "{" in line:
                self.assertIn(5, links)

    def test_alone(self):
        """It names nothing outside, and may load nothing."""
        text = self.make()
        page = Page(text)
        for name, value in page.attributes:
            self.assertNotIn(name, ("src", "href", "srcset", "action",
                                    "background", "style"))
            self.assertNotIn("//", value or "")
        self.assertNotRegex(text, r"url\(|@import|fetch\(|XMLHttp|import\(")
        self.assertIn("default-src 'none'", text)
        self.assertEqual(text, self.make())
        self.assertNotIn(self.folder.name, text)

    def test_source_that_is_no_text(self):
        self.write("heat.dsl", b"# \xff\xfe \x01 <script>\r\n" +
                   PROGRAM.encode())
        self.cetane("build", "heat.dsl", "--emit=html", "-o", "heat.html")
        text = self.read("heat.html").decode()
        self.assertEqual(text.count("<script>"), 1)
        self.assertTrue(Page(text).text("source").startswith(
            "# \ufffd\ufffd \ufffd <script>\n"))

    def test_with_other_kinds(self):
        self.write("heat.dsl", PROGRAM)
        os.mkdir(self.path("out"))
        self.cetane("build", "heat.dsl", "--emit=html,ptx", "-o", "out/")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["heat.html", "heat.ptx"])
        for kind in "poly", "llvm":
            self.write("x", self.kind(kind))
            self.cetane("build", "x", "--from=" + kind, "--emit=html", code=2,
                        says="comes too late")
        self.cetane("build", "heat.dsl", "--emit=html,object", code=2)

    def test_c(self):
        self.write("f.c", "void f(int n, float x[n])\n{\n"
                   "\tfor (int i = 0; i < n; i++)\n\t\tx[i] *= 2;\n}\n")
        self.cetane("build", "f.c", "--emit=html", "-o", "f.html")
        page = Page(self.read("f.html").decode())
        for section in "schedule", "llvm", "ptx":
            self.assertIn({4}, page.links(section), section)

    @unittest.skipUnless(command.PTXAS, "no ptxas")
    def test_machine_code(self):
        """What a disassembler says, linked by its comments."""
        self.write("fake", FAKE)
        os.chmod(self.path("fake"), 0o755)
        page = Page(self.make(env={"CETANE_NVDISASM": self.path("fake")}))
        self.assertEqual(list(page.sections)[-3:], ["sass", "times", "kernels"])
        self.assertEqual(page.links("sass"), [
            set(), {6}, {6}, {6}, set(), {9}, {9}, set(), set()])
        self.assertIn("<X> & Y ;", page.text("sass"))
        self.assertNotIn("fake warning", page.text("sass"))
        # One that fails says why, and the page is whole.
        self.write("fake", "#!/bin/sh\necho it is too old; exit 3\n")
        page = Page(self.make(env={"CETANE_NVDISASM": self.path("fake")}))
        self.assertIn("it is too old", page.text("sass"))
        self.assertTrue(page.text("times"))
        # Nothing to show without an assembler, which is no error either.
        self.write("fake", FAKE)
        page = Page(self.make(env={"CETANE_NVDISASM": self.path("fake"),
                                   "CETANE_PTXAS": "none",
                                   "CETANE_NVJITLINK": "none"}))
        self.assertIn("there is no ptxas", page.text("sass"))

    @unittest.skipUnless(NVDISASM, "no nvdisasm")
    def test_disassembler(self):
        page = Page(self.make(env=None))
        self.assertIn("/*0000*/", page.text("sass"))
        self.assertLessEqual({6, 9}, set().union(*page.links("sass")))
        # All but those in front of what has the first line.
        linked = [bool(links) for line, links in page.sections["sass"]
                  if re.match(r"\s+/\*[0-9a-f]{4}\*/", line)]
        self.assertGreater(sum(linked), .8 * len(linked))

    def test_cuobjdump(self):
        """Where there is no nvdisasm: without links."""
        if not command.PTXAS:
            self.skipTest("no ptxas")
        self.write("cuobjdump", "#!/bin/sh\ntest $1 = -sass && test -s $2 && "
                   "printf '        /*0000*/ EXIT ;\\n'\n")
        os.chmod(self.path("cuobjdump"), 0o755)
        page = Page(self.make(env={"CETANE_NVDISASM":
                                   self.path("cuobjdump")}))
        self.assertEqual(page.sections["sass"],
                         [["        /*0000*/ EXIT ;\n", set()]])

    def test_times(self):
        """What kernels are expected to take, and what a profile has."""
        self.write("p.json", json.dumps({
            "device": "Some <GPU>", "host": False, "kernels": [
                {"name": "heat_C", "ms": .125, "roof": .5, "bytes_read": 2e6,
                 "predicted_ms": .25}, {"name": "other", "ms": 3}]}))
        sizes = ["-DM=512", "-DK=256", "-DN=384"]
        page = Page(self.make(PRODUCT, *sizes, "--profile=p.json"))
        head, row, *rest = [line for line, _ in page.sections["times"]]
        self.assertEqual(row.split()[0], "heat_C")
        self.assertEqual(row.split()[2:], ["0.2500", "0.1250", "50%", "2", "-",
                                           "-"])
        self.assertIn("Some <GPU>", "".join(rest))
        self.assertNotIn("other", "".join(rest))
        self.assertEqual(page.links("times")[1], {4})
        # The cycles are those that inspect tells of the kernel.
        said = json.loads(self.cetane("inspect", "heat.dsl", "--json",
                                      *sizes)[0])
        self.assertEqual(int(row.split()[1]),
                         said["kernels"][0]["predicted_cycles"]["all"])
        page = Page(self.make(PRODUCT, *sizes))
        self.assertEqual(page.sections["times"][1][0].split()[2:], ["-"] * 6)
        # Kernels without a product have a price, too; unknown sizes have none.
        page = Page(self.make(SUMS, "-DN=640"))
        self.assertRegex(page.sections["times"][1][0], r"^heat_y +[1-9]\d* ")
        page = Page(self.make(SUMS))
        self.assertEqual(page.sections["times"][1][0].split()[1:], ["-"] * 7)

    def test_kernels(self):
        """What inspect says of each kernel, accesses linked by line."""
        for text, sizes in (PRODUCT, ["-DM=512", "-DK=256", "-DN=384"]), (
                PROGRAM, ["-DT=3", "-DN=100"]):
            page = Page(self.make(text, *sizes))
            said = self.cetane("inspect", "heat.dsl", "--explain",
                               *sizes)[0].decode()
            self.assertEqual(page.text("kernels"), said)
            for line, links in page.sections["kernels"]:
                found = re.match(r"    line (\d+) ", line)
                self.assertEqual(links, {int(found.group(1))} if found else
                                 set())
        self.assertIn("sectors", said)
        if command.PTXAS:
            self.assertRegex(said, r"registers +\d+, \d+ bytes of stack, \d+ "
                             "bytes of spills")
        # Without an assembler there are no registers, and that is no error.
        page = Page(self.make(PRODUCT, env=dict(
            NONE, CETANE_PTXAS="none", CETANE_NVJITLINK="none")))
        self.assertNotRegex(page.text("kernels"), r"registers +\d")
        self.assertIn("tile ", page.text("kernels"))

    def test_profile(self):
        """What the verb profile prints is read."""
        self.write("heat.dsl", PRODUCT)
        sizes = ["-DM=8", "-DK=8", "-DN=8"]
        p = self.run_raw("profile", "heat.dsl", "--device=host",
                         "--format=json", *sizes)
        self.write("p.json", p.stdout)
        page = Page(self.make(PRODUCT, *sizes, "--profile=p.json"))
        ms = json.loads(p.stdout)["kernels"][0]["ms"]
        self.assertEqual(page.sections["times"][1][0].split()[3],
                         "%.4f" % ms)
        self.assertIn("nothing of a GPU", page.text("times"))
        out, _ = self.cetane("build", "heat.dsl", "--emit=html", "-o",
                             "x.html", "--profile=p.json", "--depfile=x.d")
        self.assertIn(b" p.json", self.read("x.d"))
        for text in "", "{}", "[]", '{"device": "d", "kernels": 3}':
            self.write("p.json", text)
            self.cetane("build", "heat.dsl", "--emit=html", "-o", "x.html",
                        "--profile=p.json", code=1, says="error[E729]")
        self.cetane("build", "heat.dsl", "--emit=html", "-o", "x.html",
                    "--profile=absent", code=1, says="error[E551]")
        self.cetane("build", "heat.dsl", "--profile=p.json", code=2,
                    says="goes with --emit=html")

    def test_click(self):
        """A click on the source marks the same line everywhere."""
        if not CHROMIUM:
            self.skipTest("no Chromium")
        self.write("p.json", '{"device": "d", "kernels": []}')
        text = self.make(PROGRAM, "--profile=p.json", env=None)
        click = ("<script>document.querySelector('#source "
                 "[data-l=\"7\"]').click();</script>")
        self.write("clicked.html", text.replace("</body>", click + "</body>"))
        p = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
             "--user-data-dir=" + self.path("profile"), "--dump-dom",
             "file://" + self.path("clicked.html")], capture_output=True)
        found = p.stdout.decode()
        if p.returncode or "<section" not in found:
            self.skipTest("Chromium does not run here")
        for part in found.split("<section")[1:]:
            marked = re.findall(r'<span data-l="([\d ]+)" class="on"', part)
            linked = [m for m in re.findall(r'<span data-l="([\d ]+)"', part)
                      if "7" in m.split()]
            self.assertTrue(marked)
            self.assertEqual(marked, linked)


if __name__ == "__main__":
    command.main()
