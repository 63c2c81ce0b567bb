"""The reference that is installed: pages of HTML and manual pages. They have every word of
what they are made from, by a reader of this test; they are well formed; and each link leads
somewhere.
"""
import collections
import html.parser
import os
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ["CETANE_BUILD"]
CMAKE = os.environ["CMAKE"]
PAGES = os.path.join(BUILD, "cetane_pages")
GROFF = shutil.which("groff")

# Page -> section of the manual, what it is made from.
MADE = {
    "cetane-guide": ("7", "tools/pages/guide.md"),
    "cetane-language": ("7", "frontend/README.md"),
    "cetane-parallel": ("7", "frontend/parallel/README.md"),
    "cetane-script": ("7", "polyir/script/README.md"),
    "cetane-script-tutorial": ("7", "polyir/script/TUTORIAL.md"),
    "cetane": ("3", "tools/lib/cetane.h"),
    "cetane_rt": ("3", "runtime/cetane_rt.h"),
    "cetane_program": ("3", "runtime/program.h"),
    "limits": (None, ".github/LIMITS.md"),
    "changelog": (None, ".github/CHANGELOG.md"),
    "index": (None, "tools/pages/index.md"),
}
VOID = {"meta", "br"}
BLOCK = {"td", "th", "li", "p", "pre", "h1", "h2", "h3", "title"}


def words(text):
    return collections.Counter(re.findall(r"\w{3,}", text))


def source_words(name, manual):
    """The words of a README without its tables of files and the targets of its
    links, or those of a header's comments and declarations. The manual has no
    title of a README, and no name of the first column of a table.
    """
    with open(os.path.join(SOURCE, name), encoding="utf-8") as f:
        text = f.read()
    if name.endswith(".h"):
        text = re.sub(r"(?m)^#.*\n|^extern \"C\" \{$|^\}$", "", text)
    else:
        text = re.sub(r"(?m)^\| file \|.*\n(\|.*\n)*", "", text)
        text = re.sub(r"(?m)^```.*$", "", text)
        text = re.sub(r"\]\([^)]*\)", "]", text)
        # `size`s is a word.
        text = text.replace("`", "")
    if manual:
        text = re.sub(r"\A# .*", "", text)
        text = re.sub(r"(?m)^\|([^|\n]*)(.*)(?=\n\|-)", r"\2", text)
    return words(text)


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.text = [], set(), [], ""
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())
        self.close()
        assert not self.open, (path, self.open)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert "src" not in attrs and tag not in ("link", "script", "img")
        if "id" in attrs:
            self.ids.add(attrs["id"])
        if "href" in attrs:
            self.links.append(attrs["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        self.text += " " if tag in BLOCK else ""

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = os.path.join(cls.folder.name, "prefix")
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix],
                       check=True, capture_output=True)
        cls.found = {}
        for folder, _, files in os.walk(cls.prefix):
            for name in files:
                cls.found.setdefault(name, os.path.join(folder, name))
        cls.pages = {name: Page(cls.found[name + ".html"]) for name in MADE}

    def covers(self, text, name, source, manual=False):
        """Each word of the source is there, as often."""
        left = source_words(source, manual) - words(text)
        self.assertEqual(left, collections.Counter(), name)

    def test_words(self):
        for name, (_, source) in MADE.items():
            self.covers(self.pages[name].text, name, source)

    def test_links(self):
        """Of every page; and each page is found from the first."""
        folder = os.path.dirname(self.found["index.html"])
        for name, page in self.pages.items():
            for link in page.links:
                path, _, part = link.partition("#")
                if link.startswith("https://"):
                    continue
                self.assertTrue(not path or os.path.exists(
                    os.path.join(folder, path)), (name, link))
                to = self.pages[path[:-5]] if path else page
                self.assertTrue(not part or part in to.ids, (name, link))
        self.assertEqual({link[:-5] for link in self.pages["index"].links} |
                         {"index"}, set(MADE))
        # A link of a README to another page leads to that page.
        self.assertIn("cetane-parallel.html",
                      self.pages["cetane-language"].links)
        self.assertIn("cetane-script-tutorial.html",
                      self.pages["cetane-script"].links)

    def test_manual(self):
        for name, (section, source) in MADE.items():
            if not section:
                continue
            path = self.found[f"{name}.{section}"]
            self.assertTrue(path.endswith(
                f"man/man{section}/{name}.{section}"), path)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            self.assertIn(f'.TH "{name.upper()}" "{section}"', text)
            self.assertRegex(text, r"\.SH NAME\n.+ \\- .+\n")
            if not GROFF:
                continue
            p = subprocess.run([GROFF, "-man", "-Tutf8", "-ww", "-P-c", path,
                                "-rLL=400n", "-rHY=0"], capture_output=True, text=True)
            self.assertEqual((p.returncode, p.stderr), (0, ""), path)
            plain = re.sub(".\b", "", p.stdout).replace("\u00ad", "-")
            # Words are not broken at ends of lines that are so long.
            self.covers(plain + "\n" + name.replace("-", " "), name, source,
                        True)

    def test_functions(self):
        """Each that a header declares has an entry of its name, or stands with
        others in one.
        """
        for name in "cetane", "cetane_rt", "cetane_program":
            with open(os.path.join(SOURCE, MADE[name][1])) as f:
                text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
            declared = set(re.findall(r"\b(cetane_\w+)\s*\((?!\*)", text))
            self.assertGreater(len(declared), 4)
            page = self.pages[name]
            for function in declared:
                self.assertRegex(page.text, rf"\b{function}\(")
            self.assertGreater(len(page.ids & declared), len(declared) / 2)

    def convert(self, kind, text, name="x.md", *links):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as f:
            f.write(text)
        return subprocess.run([PAGES, kind, "x", "7", "the x", *links, path],
                              capture_output=True, text=True, check=True
                              ).stdout

    def test_marks(self):
        text = self.convert(
            "html", "# T\n\nA **b `*` c** *i* a*b 2 * 3 `x|y` <&> \\*.\n"
            "second line\n\n- one\n  more\n- `two`\n\n3. three\n\n"
            "| a | `b` |\n|---|---|\n| `x \\| y` | p\\|q |\n| last | |\n\n"
            "| file | what it has |\n|---|---|\n| `gone.c` | x |\n\n"
            "```c\n*p* = `q`;\n```\n\n    in = 1;\n\n    of = 2;\n\n"
            "[here](#t) [page](a.md) [no](b.md#x) [w](https://w)\n",
            "x.md", "--link=a.md=a.html")
        body = text[text.index("<h1"):]
        for part in ('<h1 id="t">T</h1>',
                     "<p>A <b>b <code>*</code> c</b> <i>i</i> a*b 2 * 3 "
                     "<code>x|y</code> &lt;&amp;&gt; *. second line</p>",
                     "<ul>\n<li>one more</li>\n<li><code>two</code></li>\n"
                     "</ul>", "<ol>\n<li>three</li>\n</ol>",
                     "<th>a</th><th><code>b</code></th>",
                     "<td><code>x | y</code></td><td>p|q</td>",
                     "<td>last</td><td></td>",
                     "<pre>*p* = `q`;\n</pre>",
                     "<pre>in = 1;\n\nof = 2;\n</pre>",
                     '<a href="#t">here</a> <a href="a.html">page</a> no '
                     '<a href="https://w">w</a>'):
            self.assertIn(part, body)
        self.assertNotIn("gone.c", body)

    def test_header(self):
        text = self.convert("html", """/* About it.
 *
 *\tx = f(1);
 *
 *\ty = g();
 *
 * The end, *as* it is.
 */
#ifndef X_H
#define X_H
/* What f does. */
int f(int a);
int g(void);

/* A thing. */
struct s {
	int n;	/* how many */
};

int h(int (*call)(void *user, int n), void *user);
#endif
""", "x.h")
        body = text[text.index("<h1"):]
        self.assertIn("<p>About it.</p>\n<pre>x = f(1);\n\ny = g();\n</pre>"
                      "\n<p>The end, *as* it is.</p>", body)
        self.assertIn('<h3 id="f">f</h3>\n<pre>int f(int a);\nint g(void);'
                      "</pre>\n<p>What f does.</p>", body)
        self.assertIn('<h3 id="s">s</h3>\n<pre>struct s {\n\tint n;\t/* how '
                      "many */\n};</pre>\n<p>A thing.</p>", body)
        self.assertIn('<h3 id="h">h</h3>', body)
        self.assertNotIn("X_H", body)

    def test_points(self):
        """Nothing of the text is a request of roff."""
        text = self.convert("man", ".TH is \\fB\n'so it is\n\n- .PP\n\n"
                            "```\n.fi\n'x\\n\n```\n\n| a | b |\n|---|---|\n"
                            "| .x | 'y |\n")
        body = text[text.index(".SH DESCRIPTION"):]
        for line in body.splitlines():
            self.assertRegex(line, r"^[^.']|^\.(SH|SS|PP|IP|TP|RS|RE|nf|fi|"
                             r"BR)\b|^$")
        self.assertIn("\\e", body)
        self.assertIn("\\[u03C0]\\[u1F600]", self.convert(
            "man", "\u03c0\U0001f600\n"))

    def test_usage(self):
        for words_ in ([], ["html"], ["pdf", "x", "7", "x", "x.md"],
                       ["html", "x", "7", "x", "--link=a", "x.md"],
                       ["html", "x", "7", "x", "--other", "x.md"]):
            p = subprocess.run([PAGES, *words_], capture_output=True)
            self.assertEqual((p.returncode, p.stdout), (2, b""), words_)
        p = subprocess.run([PAGES, "html", "x", "7", "x", "absent.md"],
                           capture_output=True)
        self.assertEqual((p.returncode, p.stdout), (1, b""))
        self.assertIn(b"absent.md", p.stderr)


if __name__ == "__main__":
    unittest.main()
