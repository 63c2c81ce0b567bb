"""The library from Python: ctypes alone.

usage: build.py LIBRARY FILE.dsl

Prints a line of JSON: what the outputs are, and how a wrong program fails.
"""
import ctypes
import json
import sys


class Message(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("number", ctypes.c_int),
                ("line", ctypes.c_int), ("column", ctypes.c_int),
                ("text", ctypes.c_char_p), ("rendered", ctypes.c_char_p)]


class Output(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("suffix", ctypes.c_char_p),
                ("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


lib = ctypes.CDLL(sys.argv[1])
lib.cetane_version.restype = ctypes.c_char_p
lib.cetane_build_new.restype = ctypes.c_void_p
lib.cetane_build_new.argtypes = [ctypes.c_char_p, ctypes.c_char_p,
                                 ctypes.c_size_t]
lib.cetane_build_free.argtypes = [ctypes.c_void_p]
lib.cetane_build_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                 ctypes.c_char_p]
lib.cetane_build_run.argtypes = [ctypes.c_void_p]
lib.cetane_build_outputs.argtypes = [ctypes.c_void_p]
lib.cetane_build_output.restype = ctypes.POINTER(Output)
lib.cetane_build_output.argtypes = [ctypes.c_void_p, ctypes.c_int]
lib.cetane_build_messages.argtypes = [ctypes.c_void_p]
lib.cetane_build_message.restype = ctypes.POINTER(Message)
lib.cetane_build_message.argtypes = [ctypes.c_void_p, ctypes.c_int]


def build(text, **options):
    """Status, kind -> bytes, and the messages."""
    b = lib.cetane_build_new(b"text.dsl", text, len(text))
    for name, value in options.items():
        lib.cetane_build_set(b, name.encode(), value.encode())
    status = lib.cetane_build_run(b)
    outputs, messages = {}, []
    for i in range(lib.cetane_build_outputs(b)):
        out = lib.cetane_build_output(b, i).contents
        outputs[out.kind.decode()] = ctypes.string_at(out.data, out.size)
    for i in range(lib.cetane_build_messages(b)):
        m = lib.cetane_build_message(b, i).contents
        messages.append([m.severity, m.number, m.line, m.column,
                         m.text.decode()])
    lib.cetane_build_free(b)
    return status, outputs, messages


with open(sys.argv[2], "rb") as f:
    good = build(f.read(), emit="ptx,cubin", arch="sm_80")
bad = build(b"Params N;\nMatrix A(N,N);\nB = A * X;\nCodeGen(FLOAT, {B});\n")
print(json.dumps({
    "version": lib.cetane_version().decode(), "status": good[0],
    "ptx": good[1]["ptx"].decode().split("\n"),
    "cubin": good[1]["cubin"][:4].hex(), "bad": [bad[0], bad[2]]}))
