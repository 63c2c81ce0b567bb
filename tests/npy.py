"""Files of arrays as NumPy writes them (.npy, version 1), without NumPy.

Types have the names of the language. What the command reads and writes is tested
by tools/test_npy.py, which makes its bytes itself.
"""
import ast
import struct

MAGIC = b"\x93NUMPY\1\0"
# Type -> the letters of struct and of .npy.
TYPES = {"f64": ("d", "<f8"), "f32": ("f", "<f4"), "f16": ("e", "<f2"),
         "tf32": ("f", "<f4"),
         "i8": ("b", "|i1"), "i16": ("h", "<i2"), "i32": ("i", "<i4"),
         "i64": ("q", "<i8"), "u8": ("B", "|u1"), "u16": ("H", "<u2"),
         "u32": ("I", "<u4"), "u64": ("Q", "<u8"), "bool": ("?", "|b1")}


def pack(descr, shape, body):
    """The bytes of a file: "descr" is the type's word in .npy."""
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (
        descr, "".join("%d, " % n for n in shape))
    head += " " * (-(len(MAGIC) + 2 + len(head) + 1) % 64) + "\n"
    return MAGIC + struct.pack("<H", len(head)) + head.encode() + body


def split(data):
    """(word of the type, extents, bytes of the elements)"""
    size, = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10:10 + size].decode().strip())
    return head["descr"], list(head["shape"]), data[10 + size:]


def dump(kind, shape, values):
    """The bytes of a file with these numbers."""
    letter, descr = TYPES[kind]
    return pack(descr, shape, struct.pack("<%d%s" % (len(values), letter),
                                          *values))


def load(data):
    """(extents, numbers) of the bytes of a file"""
    descr, shape, body = split(data)
    letter = next(a for a, b in TYPES.values() if b == descr)
    return shape, list(struct.unpack("<%d%s" % (
        len(body) // struct.calcsize(letter), letter), body))


def write(path, kind, shape, values):
    with open(path, "wb") as f:
        f.write(dump(kind, shape, values))


def read(path):
    """(extents, numbers)"""
    with open(path, "rb") as f:
        return load(f.read())
