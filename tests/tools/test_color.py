"""Messages are in colour on a terminal, or as --color says."""
import os
import pty
import re
import subprocess

import command

ESCAPE = re.compile(r"\033\[[0-9;]*m")


class Color(command.Case):
    def setUp(self):
        super().setUp()
        self.write("bad.dsl", "Params N;\nMatrix X(N,N);\nY = X + Z;\n")

    def on_terminal(self, *args, **env):
        """What "check bad.dsl" says on a terminal."""
        full = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        full.update({"TERM": "xterm"}, **env)
        master, slave = pty.openpty()
        p = subprocess.Popen([command.CETANE, "check", "bad.dsl", *args],
                             cwd=self.folder.name, env=full, stderr=slave,
                             stdout=subprocess.PIPE)
        p.communicate(timeout=command.PATIENCE)
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 4096):
                text += part
        except OSError:
            pass
        os.close(master)
        self.assertEqual(p.returncode, 1)
        return text.decode().replace("\r\n", "\n")

    def test_auto(self):
        _, plain = self.cetane("check", "bad.dsl", code=1, says="E201")
        self.assertNotIn("\033", plain)
        text = self.on_terminal()
        self.assertIn("\033", text)
        self.assertEqual(ESCAPE.sub("", text), plain)
        for args, env in [(["--color=never"], {}), ([], {"NO_COLOR": "1"}),
                          ([], {"TERM": "dumb"})]:
            self.assertEqual(self.on_terminal(*args, **env), plain)
        self.assertEqual(self.on_terminal(NO_COLOR=""), text)
        self.assertEqual(self.on_terminal("--color=always", NO_COLOR="1"),
                         text)

    def test_always(self):
        _, plain = self.cetane("check", "bad.dsl", code=1)
        _, text = self.cetane("check", "bad.dsl", "--color=always", code=1,
                              says="\033[1;31merror[E201]:\033[0m")
        self.assertEqual(ESCAPE.sub("", text), plain)
        self.assertIn("\033[1;32m^\033[0m\n", text)
        self.assertTrue(text.startswith("\033[1mbad.dsl:3:9:\033[0m "))

    def test_warning(self):
        self.write("w.dsl", "Params N, M;\nMatrix X(N,N);\nY = X + X;\n")
        self.cetane("check", "w.dsl", "--color=always",
                    says="\033[1;35mwarning[W232]:\033[0m")

    def test_of_the_command(self):
        self.cetane("check", "--color=always", "--bad", code=2,
                    says="\033[1mcetane:\033[0m \033[1;31merror[E601]")
        self.cetane("check", "absent", "--color=always", code=1,
                    says="\033[1;31merror[E551]")
        _, err = self.cetane("check", "x", "--color=alwys", code=2,
                             says="did you mean always")

    def test_outputs_have_none(self):
        for args in [["check", "fig2.dsl"], ["build", "fig2.dsl"],
                     ["explain", "E203"]]:
            out, _ = self.cetane(*args, "--color=always")
            self.assertNotIn(b"\033", out)


if __name__ == "__main__":
    command.main()
