"""--help, the manual page and the completions name exactly the options of
option.def, verb by verb; what is installed is what the command prints.
"""
import os
import re
import shutil
import subprocess
import unittest

import command

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read_table():
    """Verb -> its options, as "-o" and "--output"."""
    with open(os.path.join(ROOT, "tools", "lib", "base", "option.def")) as f:
        text = f.read()
    ids = dict(re.findall(r'(?m)^VERB\((\w+), "([\w-]+)"', text))
    table = {verb: [] for verb in ids.values()}
    rows = re.findall(r"(?m)^OPTION\(([A-Z |]+), (0|'.'), \"([\w-]+)\"", text)
    assert len(rows) == len(re.findall(r"(?m)^OPTION\(", text))
    for verbs, letter, name in rows:
        verbs = ids if verbs == "ALL" else verbs.split(" | ")
        for verb in verbs:
            if letter != "0":
                table[ids[verb]].append("-" + letter[1])
            table[ids[verb]].append("--" + name)
    return table


TABLE = read_table()
CHOICES = {"--map": ["tiled", "naive"], "--semantics": ["ieee", "ring"],
            "--from": ["dsl", "poly", "llvm"],
           "--color": ["auto", "always", "never"]}


class Generate(command.Case):
    def generate(self, kind):
        return self.cetane(f"--generate={kind}")[0].decode()

    def check_shell(self, shell, text):
        """Let the shell itself parse "text", if it is there."""
        if shutil.which(shell):
            self.write("text", text)
            subprocess.run([shell, "-n", self.path("text")], check=True)

    def test_table(self):
        self.assertGreater(len(TABLE), 4)
        self.assertIn("--emit", TABLE["build"])
        self.assertNotIn("--emit", TABLE["run"])

    def test_help(self):
        for verb, options in TABLE.items():
            text = self.cetane(verb, "--help")[0].decode()
            found = []
            for letter, name in re.findall(
                    r"(?m)^  (?:(-.), |    )(--[a-z-]+)", text):
                found += [letter] * bool(letter) + [name]
            self.assertEqual(found, options, verb)
        out = self.cetane("--help")[0].decode()
        verbs = out.split("\nCETANE_DEBUG=")[0]
        self.assertEqual(re.findall(r"(?m)^  (\w+) +(?:FILE|CODE)? ", verbs),
                         list(TABLE))
        for line in out.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_man(self):
        text = self.generate("man")
        parts = re.split(r'(?m)^\.SS "cetane (\w+)[^\n]*\n', text)
        self.assertEqual(parts[1::2], list(TABLE))
        for verb, part in zip(parts[1::2], parts[2::2]):
            part = part.split("\n.SH")[0].replace("\\-", "-")
            found = []
            for line in re.findall(r"(?m)^\.TP\n(\\fB-.*)$", part):
                found += re.findall(r"\\fB(-[\w-]+)\\fR", line)
            self.assertEqual(found, TABLE[verb])
        for word in [".TH CETANE 1", ".SH NAME", ".SH \"EXIT STATUS\"",
                     "CETANE_DRIVER", "llvm\\-opt"]:
            self.assertIn(word, text)
        if shutil.which("groff"):
            p = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"],
                               input=text.encode(), capture_output=True)
            self.assertEqual((p.returncode, p.stderr), (0, b""))

    def complete(self, script, *words):
        """What bash offers for the last of "words"."""
        self.write("completion", script)
        p = subprocess.run(
            ["bash", "-c", 'set -u; . "$0"; COMP_WORDS=("$@"); '
             "COMP_CWORD=$(($# - 1)); _cetane; "
             'printf "%s\\n" "${COMPREPLY[@]-}"',
             self.path("completion"), "cetane", *words],
            capture_output=True, check=True)
        self.assertEqual(p.stderr, b"")
        return p.stdout.decode().split()

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash(self):
        script = self.generate("bash")
        self.check_shell("bash", script)
        self.assertEqual(self.complete(script, ""),
                         [*TABLE, "--help", "--version"])
        self.assertEqual(self.complete(script, "bu"), ["build"])
        for verb, options in TABLE.items():
            self.assertEqual(self.complete(script, verb, "-"), options)
        for option, words in CHOICES.items():
            self.assertEqual(self.complete(script, "build", option, "="),
                             words)
            self.assertEqual(self.complete(script, "build", option, ""),
                             words)
            self.assertEqual(
                self.complete(script, "build", option, "=", words[0][:2]),
                [words[0]])
        self.assertIn("sm_90a", self.complete(script, "run", "--arch", "=",
                                              "sm_9"))
        self.assertEqual(self.complete(script, "build", "fig"), [])
        self.assertEqual(self.complete(script, "nothing", "-"), [])

    def test_zsh(self):
        text = self.generate("zsh")
        self.check_shell("zsh", text)
        parts = re.split(r"(?m)^(\w+)\)\n\tspecs=\(\n", text)
        self.assertEqual(parts[1::2], list(TABLE))
        for verb, part in zip(parts[1::2], parts[2::2]):
            found = []
            for line in part.split("\n\t)\n")[0].splitlines():
                found += re.findall(r"(?:\{|,|'\*'|^\t\t)(--?\w[\w-]*)\+?"
                                    r"(?==|'\[|,|\})", line.split("[")[0] +
                                    "[")
            self.assertEqual(found, TABLE[verb], part)
        for option, words in CHOICES.items():
            self.assertRegex(text, rf"\t\t{option}='\[.*\({' '.join(words)}\)")
        self.assertEqual(re.findall(r"(?m)^\t'(\w+):", text), list(TABLE))

    def test_fish(self):
        text = self.generate("fish")
        self.check_shell("fish", text)
        found = {}
        for line in text.splitlines():
            m = re.match(r"complete -c cetane -n '__fish_seen_subcommand_from "
                         r"(\w+)'(?: -s (\w))? -l ([\w-]+)", line)
            if m:
                verb, letter, name = m.groups()
                found.setdefault(verb, []).extend(
                    (["-" + letter] if letter else []) + ["--" + name])
        self.assertEqual(found, TABLE)
        self.assertEqual(re.findall(r"subcommand -a (\w+) ", text),
                         list(TABLE))
        for option, words in CHOICES.items():
            self.assertIn(f" -l {option[2:]} -x -a '{' '.join(words)}'", text)

    def test_unknown(self):
        self.cetane("--generate=mann", code=2, says="did you mean man")
        self.cetane("--generate=", code=2, says="man, bash, zsh or fish")
        self.cetane("--generate", code=2, says="E601")

    @unittest.skipUnless(os.environ.get("CETANE_BUILD"), "no build folder")
    def test_install(self):
        subprocess.run([os.environ["CMAKE"], "--install",
                        os.environ["CETANE_BUILD"], "--prefix",
                        self.path("tree")], check=True, capture_output=True)
        for kind, path in [
                ("man", "man/man1/cetane.1"),
                ("bash", "bash-completion/completions/cetane"),
                ("zsh", "zsh/site-functions/_cetane"),
                ("fish", "fish/vendor_completions.d/cetane.fish")]:
            self.assertEqual(self.read("tree/share/" + path).decode(),
                             self.generate(kind))
        version = subprocess.run([self.path("tree/bin/cetane"), "--version"],
                                 capture_output=True, check=True).stdout
        self.assertEqual(version, self.cetane("--version")[0])


if __name__ == "__main__":
    command.main()
