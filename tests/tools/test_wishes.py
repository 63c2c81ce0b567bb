"""tests/WISHES.md: the tests that it names are there, and options are options."""
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def read(*name):
    with open(os.path.join(ROOT, *name)) as f:
        return f.read()


def rows():
    """The cells of each row of a table, without heads."""
    for line in read("tests", "WISHES.md").splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] != "wish":
            yield cells


class Wishes(unittest.TestCase):
    def test_tests(self):
        """A function that is named is in the file that stands before it."""
        n = 0
        for cells in rows():
            self.assertEqual(len(cells), 3, cells)
            words = re.findall(r"`([^`]+)`", cells[2])
            self.assertTrue(words and "/" in words[0], cells)
            text = None
            for word in words:
                if "/" in word:
                    text = read("tests", *word.split("/"))
                    continue
                self.assertRegex(text, rf"(?m)^(    def|def|static void) "
                                 rf"{word}\(", cells[0])
                n += 1
        self.assertGreater(n, 30)

    def test_options(self):
        table = read("tools", "lib", "base", "option.def")
        options = set(re.findall(r'^OPTION\([^"]*"([\w-]+)"', table, re.M))
        verbs = set(re.findall(r'^VERB\(\w+, "(\w+)"', table, re.M))
        self.assertGreater(len(options), 50)
        for cells in rows():
            for code in re.findall(r"`([^`]+)`", cells[1]):
                for option in re.findall(r"--([a-z][\w-]*)", code):
                    if not code.startswith(("cmake ", "pip ")):
                        self.assertIn(option, options, code)
                verb = code.split()[0]
                self.assertTrue(
                    verb in verbs | {"cetane", "cmake", "pip"} or
                    verb.startswith(("--", "NAME", "cetane")), code)


if __name__ == "__main__":
    unittest.main()
