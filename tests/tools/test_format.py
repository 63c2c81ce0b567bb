"""--format=json: messages as diagnostics of the Language Server Protocol."""
import json
import unittest

import command

BAD = ("# \u00e9\U0001f600\nParams N;\nMatrix A(N,N);\n"
       "/* \u00e9\U0001f600 */ B = A * X;\nC = Y;\n")


class Format(command.Case):
    def messages(self, *args, code):
        out, err = self.cetane(*args, "--format=json", code=code)
        self.assertEqual(out, b"")
        return [json.loads(line) for line in err.splitlines()]

    def test_program(self):
        """Of every verb that compiles; characters count in UTF-16."""
        self.write("bad.dsl", BAD)
        for verb in "build", "check", "run", "inspect":
            one, two = self.messages(verb, "bad.dsl", code=1)
            self.assertEqual(one, {
                "file": "bad.dsl", "severity": 1, "code": "E201",
                "source": "cetane", "message": "'X' is not defined",
                "range": {"start": {"line": 3, "character": 18},
                          "end": {"line": 3, "character": 19}}})
            self.assertEqual(two["range"]["start"],
                             {"line": 4, "character": 4})

    def test_without_place(self):
        one, = self.messages("check", "none.dsl", code=1)
        self.assertEqual((one["code"], one["range"]["end"]),
                         ("E551", {"line": 0, "character": 0}))
        one, = self.messages("build", "x\".dsl", "--fp=none", code=2)
        self.assertEqual(one["code"], "E603")

    def test_warnings(self):
        self.write("warn.dsl", "Params N, M;\nMatrix A(N,N);\nB = A;\n"
                   "CodeGen(FLOAT, {B});\n")
        _, err = self.cetane("check", "warn.dsl", "--format=json")
        one, = [json.loads(line) for line in err.splitlines()]
        self.assertEqual((one["severity"], one["code"]), (2, "W232"))

    def test_words(self):
        _, err = self.cetane("check", "x.dsl", "--format=jsn", code=2)
        self.assertIn("did you mean json", err)
        self.write("bad.dsl", BAD)
        _, err = self.cetane("check", "bad.dsl", "--format=text", code=1)
        self.assertIn("bad.dsl:4:", err)


if __name__ == "__main__":
    unittest.main()
