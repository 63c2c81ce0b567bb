"""The commands of the README and of the guide, in their order, where no GPU is needed."""
import os
import re
import shlex
import unittest

import command

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                    os.pardir)


def blocks():
    """The indented blocks, each a list of lines without the indentation."""
    text = ""
    for name in "README.md", "tools/pages/guide.md":
        with open(os.path.join(ROOT, name), encoding="utf-8") as f:
            text += f.read()
    return [[line[4:] for line in block.splitlines()] for block in re.findall(
        r"(?m)((?:^    .*\n)+)", text)]


class Readme(command.Case):
    def test_commands(self):
        ran = []
        for block in blocks():
            if block[0].startswith("Params"):
                self.write("gemm.dsl", "\n".join(block) + "\n")
            for line in block:
                words = shlex.split(line, comments=True)
                if words[:1] not in (["build/cetane"], ["cetane"]):
                    continue
                ran.append(words[1])
                self.run_line(words[1:])
        self.assertGreaterEqual(set(ran), {"build", "run", "inspect", "doctor",
                                           "explain", "bench", "test", "tune"})
        self.assertIn("gemm.o", self.files())
        self.assertIn("tree.svg", self.files())

    def run_line(self, words):
        """What needs a device says so where there is none."""
        out = None
        if ">" in words:
            words, out = words[:words.index(">")], words[-1]
        device = words[0] in ("bench", "tune", "doctor") or \
            "--device=cuda" in words
        # What tune writes, and what compiles for minutes.
        if "--tuning=tuned.db" in words or "--artifacts=art" in words:
            return
        p = self.run_raw(*words)
        self.assertIn(p.returncode, (0, 3) if device else (0,),
                      f"{words}: {p.stderr}")
        if out:
            self.write(out, p.stdout)


if __name__ == "__main__":
    unittest.main()
