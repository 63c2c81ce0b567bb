"""What manifest and inspect say that outputs promise of their numbers."""
import json
import os
import sys
import unittest

SOURCE = os.environ.get("CETANE_SOURCE", os.path.abspath("."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "tools"))
import command  # noqa: E402

# Text, options, and for each output its class, operations, ulp of functions, terms, and the
# functions that a GPU approximates, if there are any.
ROWS = [
    ("param N;\ntensor f32 x(N);\nout z(i) = x(i + 1);\n", [],
     {"z": ("exact", 0, 0, "")}),
    ("param N;\ntensor i32 x(N);\nout z(i) = x(i) * 3 + 7;\nout s() += x(i);\n",
     [], {"z": ("exact", 0, 0, ""), "s": ("exact", 0, 0, "")}),
    ("param N;\ntensor f32 x(N);\nout z(i) = x(i) / 3.0;\n", [],
     {"z": ("rounded once", 1, 0, "")}),
    ("param N;\ntensor f64 x(N);\nout z(i) = f32(x(i));\n"
     "out y(i) = -max(x(i), 0.0);\n", [],
     {"z": ("rounded once", 1, 0, ""), "y": ("exact", 0, 0, "")}),
    ("param N;\ntensor i16 x(N);\ntensor i32 y(N);\nout a(i) = f32(x(i));\n"
     "out b(i) = f32(y(i));\n", [],
     {"a": ("exact", 0, 0, ""), "b": ("rounded once", 1, 0, "")}),
    ("param N;\ntensor f32 x(N);\nout z(i) = exp(x(i));\n", [],
     {"z": ("rounded", 1, 2, "")}),
    ("param N;\ntensor f32 x(N);\ntensor f64 d(N);\n"
     "out z(i) = gelu(x(i)) + exp(x(i)) * sin(x(i));\nout y(i) = exp(d(i));\n"
     "out s(i) = tanh(x(i));\n", ["--fp=relaxed"],
     {"z": ("rounded", 5, 2, "", ["exp", "gelu"]), "y": ("rounded", 1, 2, ""),
      "s": ("rounded", 1, 2, "")}),
    ("Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\nMatrix C(N,N);\n"
     "D = A * B;\nE = D * C;\nCodeGen(FLOAT, {D, E});\n", [],
     {"D": ("sums in any order", 2, 0, "K"),
      "E": ("sums in any order", 4, 0, "N, K")}),
    ("Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\nC = A * B;\n",
     ["--fp=strict"], {"C": ("sums in order", 2, 0, "K")}),
    ("param N, M;\ntensor f32 x(N,M,5);\nout s(i) += x(i,j,k);\n", [],
     {"s": ("sums in any order", 1, 0, "M * 5")}),
    ("param N;\ntensor f32 x(N);\nout h(t) = case { t == 0: x(0); "
     "else: h(t-1) * 0.5 + x(t); };\n", [],
     {"h": ("repeated", 2, 0, "")}),
]


class Numbers(command.Case):
    def test_rows(self):
        for i, (text, args, outputs) in enumerate(ROWS):
            with self.subTest(text):
                name = f"row{i}"
                self.write(name + ".dsl", text)
                self.cetane("build", name + ".dsl", "--emit=object",
                            "--arch=sm_80", *args)
                found = json.loads(self.read(name + ".json"))
                said = self.cetane("inspect", name + ".o")[0].decode()
                seen = {a["name"]: a["numbers"] for a in found["arrays"]
                        if "numbers" in a}
                self.assertEqual({k: tuple(v.values())
                                  for k, v in seen.items()},
                                 {k: (*v[:4], list(v[4]) if v[4:] else [])
                                  for k, v in outputs.items()})
                for output, (kind, *_, last) in outputs.items():
                    self.assertIn(f"  {output}: {kind}", said)
                    if isinstance(last, list):
                        self.assertIn("a GPU approximates " +
                                      ", ".join(last) + ";", said)

    def test_no_provenance(self):
        """Nothing tells the compiler or the file, and the rest is as it was."""
        self.write("secret.dsl", "param N;\ntensor f32 x(N);\n"
                   "out z(i) = x(i + 1);\n")
        args = ["secret.dsl", "--emit=object", "--name=f", "-o", "f.o",
                "--arch=sm_80"]
        self.cetane("build", *args)
        for name in "f.o", "f.h", "f.json":
            self.assertTrue(b"secret.dsl" in self.read(name), name)
        whole = json.loads(self.read("f.json"))
        self.cetane("build", *args, "--no-provenance")
        for word in b"secret.dsl", b"made ", whole["source"]["sha256"].encode():
            self.assertFalse(word in self.read("f.o"), word)
        for name in "f.h", "f.json":
            for word in b"secret.dsl", b"LLVM", b"ptxas", b"made":
                self.assertNotIn(word, self.read(name), name)
        bare = json.loads(self.read("f.json"))
        self.assertEqual(set(whole) - {"made_by", "source"}, set(bare))
        self.assertEqual(whole["arrays"], bare["arrays"])
        said = self.cetane("inspect", "f.o")[0].decode()
        self.assertNotIn("by cetane", said)
        self.assertIn("z: exact", said)
        self.cetane("build", "secret.dsl", "--no-provenance", code=2,
                    says="--no-provenance needs")


if __name__ == "__main__":
    unittest.main()
