"""Reading and writing .npy: every type, both versions, wrong files."""
import ast
import struct

import command

TYPES = [("INT8", "|i1", "b", [-128, 0, 127, 5]),
         ("INT", "<i4", "i", [-2**31, 0, 2**31 - 1, 5]),
         ("HALF", "<f2", "e", [-65504, 0, 0.5, 2.0**-24]),
         ("BFLOAT16", "<u2", "H", [0xbf80, 0, 0x7f80, 1]),
         ("FLOAT", "<f4", "f", [-1.5, 0, 3.25, 2.0**-149]),
         ("DOUBLE", "<f8", "d", [-1.5, 0, 1e300, 5e-324])]

TENSORS = [("i8", "|i1", "b", [-128, 0, 127]),
           ("i16", "<i2", "h", [-2**15, 2**15 - 1, 5]),
           ("i64", "<i8", "q", [-2**63, 2**63 - 1, 2**53 + 1]),
           ("u8", "|u1", "B", [0, 255, 128]),
           ("u16", "<u2", "H", [0, 2**16 - 1, 0x3f80]),
           ("u32", "<u4", "I", [0, 2**32 - 1, 2**31]),
           ("u64", "<u8", "Q", [2**53 + 1, 2**64 - 1, 2**63]),
           ("bool", "|b1", "?", [True, False, True]),
           ("bf16", "<u2", "H", [0xbf80, 0x7f80, 1]),
           ("f8e4m3", "|u1", "B", [0xb8, 0x7e, 1]),
           ("f8e5m2", "|u1", "B", [0xbc, 0x7b, 1]),
           ("tf32", "<f4", "f", [-1.5, 1 + 2.**-10, 2.0**-136]),
           ("f64", "<f8", "d", [-1.5, 1e300, 5e-324])]

COPY = """Params M, N;
Matrix X(M,N);
Y = X;
CodeGen(%s, {Y});
"""


def header(descr, shape, order="False", version=1, extra=""):
    text = (f"{{'descr': '{descr}', 'fortran_order': {order}, "
            f"'shape': {shape!r}, {extra}}}").encode()
    fixed = 10 if version == 1 else 12
    text += b" " * (-(len(text) + 1 + fixed) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text


def save(path, descr, shape, code, values, version=1):
    with open(path, "wb") as f:
        f.write(header(descr, shape, version=version))
        f.write(struct.pack(f"<{len(values)}{code}", *values))


def load(path):
    """descr, shape and values; strict about version 1 and its padding."""
    with open(path, "rb") as f:
        text = f.read()
    assert text[:8] == b"\x93NUMPY\x01\x00", text[:8]
    size, = struct.unpack("<H", text[8:10])
    assert (10 + size) % 64 == 0 and text[9 + size:10 + size] == b"\n"
    d = ast.literal_eval(text[10:10 + size].decode())
    assert d["fortran_order"] is False
    code = {t[1]: t[2] for t in TYPES + TENSORS}[d["descr"]]
    values = struct.iter_unpack("<" + code, text[10 + size:])
    return d["descr"], d["shape"], [v for v, in values]


class Npy(command.Case):
    def copy(self, word, shape, code=0, says=None, path="x.npy"):
        self.write("copy.dsl", COPY % word)
        return self.cetane("run", "copy.dsl", f"-DM={shape[0]}",
                           f"-DN={shape[1]}", f"-iX={path}", "-oY=y.npy",
                           code=code, says=says)

    def test_round_trip(self):
        for word, descr, code, values in TYPES:
            for version in [1, 2]:
                for shape in [(1, 4), (4, 1), (2, 2)]:
                    save(self.path("x.npy"), descr, shape, code, values,
                         version)
                    self.copy(word, shape)
                    self.assertEqual(load(self.path("y.npy")),
                                     (descr, shape, values))

    def test_tensors(self):
        """Every type and several ranks, exactly; no dimension: a scalar."""
        for word, descr, code, values in TENSORS:
            for shape in [(3,), (1, 3, 1), (1, 1, 1, 1, 3, 1, 1, 1)]:
                at = ",".join("abcdefgh"[:len(shape)])
                size = ",".join(map(str, shape))
                self.write("t.dsl", f"tensor {word} X({size}), s();\n"
                           f"out Y({at}) = X({at});\nout z() = s();\n")
                save(self.path("x.npy"), descr, shape, code, values)
                save(self.path("s.npy"), descr, (), code, values[1:2])
                self.cetane("run", "t.dsl", "-iX=x.npy", "-is=s.npy",
                            "-oY=y.npy", "-oz=z.npy")
                self.assertEqual(load(self.path("y.npy")),
                                 (descr, shape, values))
                self.assertEqual(load(self.path("z.npy")),
                                 (descr, (), values[1:2]))

    def test_empty(self):
        save(self.path("x.npy"), "<f4", (0, 3), "f", [])
        self.copy("FLOAT", (0, 3))
        self.assertEqual(load(self.path("y.npy")), ("<f4", (0, 3), []))

    def test_vectors(self):
        save(self.path("x.npy"), "<f4", (3,), "f", [1, 2, 3])
        self.copy("FLOAT", (1, 3))
        self.copy("FLOAT", (3, 1))
        save(self.path("x.npy"), "<f4", (), "f", [7])
        self.copy("FLOAT", (1, 1))
        self.assertEqual(load(self.path("y.npy"))[2], [7])

    def test_bfloat16_of_ml_dtypes(self):
        save(self.path("x.npy"), "|V2", (1, 2), "H", [0x3f80, 0x4000])
        self.copy("BFLOAT16", (1, 2))
        self.assertEqual(load(self.path("y.npy"))[2], [0x3f80, 0x4000])

    def test_keys_in_any_order(self):
        text = b'{"shape":(1,1),"fortran_order":False,"descr":"<f4"}\n'
        self.write("x.npy", b"\x93NUMPY\x01\x00" +
                   struct.pack("<H", len(text)) + text +
                   struct.pack("<f", 3))
        self.copy("FLOAT", (1, 1))
        self.assertEqual(load(self.path("y.npy"))[2], [3])

    def test_wrong_shape(self):
        save(self.path("x.npy"), "<f4", (2, 3), "f", [0] * 6)
        for shape in [(3, 2), (1, 6), (6, 1), (2, 4)]:
            self.copy("FLOAT", shape, code=1, says="error[E704]: x.npy holds "
                      f"f32[2,3], but X is f32[{shape[0]},{shape[1]}]")

    def test_wrong_files(self):
        data = struct.pack("<4f", 1, 2, 3, 4)
        good = header("<f4", (2, 2)) + data
        for text, says in [
                (b"", "no .npy file"),
                (b"\x93NUMPY", "no .npy file"),
                (good[:9], "no .npy file"),
                (good[:40], "cut off"),
                (good[:-1], "length"),
                (good + b"x", "length"),
                (good.replace(b"Y\x01", b"Y\x03"), "version"),
                (header("<f8", (2, 2)) + data, "another type"),
                (header("<u2", (2, 2)) + data, "another type"),
                (header(">f4", (2, 2)) + data, "does not know"),
                (header("<f4", (2, 2), "True") + data, "Fortran"),
                (header("<f4", (-2, -2)) + data, "shape"),
                (header("<f4", (2**62, 2**62)) + data, "length"),
                (header("<f4", (10**30, 1)) + data, "shape"),
                (header("<f4", (1,) * 9) + data, "shape"),
                (header("<f4", (2, 2), extra="'x': 1") + data, "unknown"),
                (header("<f4", (2, 2)).replace(b"{", b"[") + data, "diction"),
                (header("<f4", (2, 2)).replace(b"'descr': '<f4', ", b"")
                 + data, "")]:
            self.write("x.npy", text)
            self.copy("FLOAT", (2, 2), code=1, says="error[E703]: x.npy: ")
            self.copy("FLOAT", (2, 2), code=1, says=says)
        self.copy("FLOAT", (2, 2), code=1, says="E551", path="absent.npy")
        self.assertNotIn("y.npy", self.files())


if __name__ == "__main__":
    command.main()
