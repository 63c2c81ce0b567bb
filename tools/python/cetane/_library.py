"""The shared libraries libcetane and libcetane_rt, and the prototypes of what is called.

They are looked for in the folder that $CETANE_LIBRARY names, in the package, and
where the system looks for libraries. libcetane, the compiler, may be missing: programs
that were compiled elsewhere need libcetane_rt alone.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, Optional

from ._errors import Error, LaunchError

VERSION = "0"   # of the libraries' interface: libcetane.so.0
NO_CONTEXT, NOT_LOADED = 17, 19


class Message(ctypes.Structure):
    _fields_ = [("severity", c_int), ("number", c_int), ("line", c_int),
                ("column", c_int), ("text", c_char_p), ("rendered", c_char_p)]


class Output(ctypes.Structure):
    _fields_ = [("kind", c_char_p), ("suffix", c_char_p), ("data", c_void_p),
                ("size", c_size_t)]


class SignatureSize(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("fixed", c_int32), ("value", c_int64)]


class SignatureArray(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("role", c_int32),
                ("n_dim", c_int32), ("elem_bytes", c_int32),
                ("align", c_int32)]


class Signature(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("n_size", c_int32), ("n_array", c_int32),
                ("size", POINTER(SignatureSize)),
                ("array", POINTER(SignatureArray))]


def _declare(lib: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> None:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, list(arguments)


def _folders() -> "list[str]":
    package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib")
    given = os.environ.get("CETANE_LIBRARY")
    return [given] if given else [package, ""]


def _open(name: str) -> Optional[ctypes.CDLL]:
    for folder in _folders():
        path = os.path.join(folder, f"{name}.so.{VERSION}")
        if folder and not os.path.exists(path):
            continue
        try:
            return ctypes.CDLL(path)
        except OSError:
            if folder:
                raise
    return None


def _runtime() -> ctypes.CDLL:
    lib = _open("libcetane_rt")
    if lib is None:
        raise Error("libcetane_rt.so." + VERSION + " was not found in "
                    + " or ".join(f or "the system's folders"
                                  for f in _folders())
                    + "; set CETANE_LIBRARY to its folder")
    out = POINTER(c_void_p)
    _declare(lib, "cetane_last_error", c_char_p)
    _declare(lib, "cetane_status_text", c_char_p, c_int)
    _declare(lib, "cetane_cuda_count", c_int, POINTER(c_int))
    _declare(lib, "cetane_device_open", c_int, c_char_p, out)
    _declare(lib, "cetane_device_capability", c_int, c_void_p)
    _declare(lib, "cetane_device_name", c_char_p, c_void_p)
    _declare(lib, "cetane_device_use", c_int, c_void_p)
    _declare(lib, "cetane_device_synchronize", c_int, c_void_p)
    _declare(lib, "cetane_malloc", c_int, c_void_p, c_size_t, c_void_p)
    _declare(lib, "cetane_program_unload_all", None, c_void_p)
    _declare(lib, "cetane_program_open", c_int, c_char_p, c_size_t, out)
    _declare(lib, "cetane_program_close", None, c_void_p)
    _declare(lib, "cetane_program_load", c_int, c_void_p)
    _declare(lib, "cetane_program_unload", c_int, c_void_p)
    _declare(lib, "cetane_program_workspace", c_int64, c_void_p, c_void_p)
    _declare(lib, "cetane_program_launch", c_int, c_void_p, c_void_p,
             c_void_p, c_void_p, c_void_p, c_int32)
    _declare(lib, "cetane_program_launch_strided", c_int, c_void_p, c_void_p,
             c_void_p, c_void_p, c_void_p, c_void_p, c_int32)
    _declare(lib, "cetane_program_call", c_int, c_void_p, c_void_p, c_void_p,
             c_int32, c_char_p)
    _declare(lib, "cetane_signature_read", c_int, c_void_p,
             POINTER(POINTER(Signature)))
    _declare(lib, "cetane_signature_free", None, POINTER(Signature))
    _declare(lib, "cetane_signature_solve", c_int, POINTER(Signature),
             c_void_p, c_void_p)
    _declare(lib, "cetane_signature_extents", c_int, POINTER(Signature),
             c_int, c_void_p, c_void_p)
    _declare(lib, "cetane_signature_strides", c_int32, POINTER(Signature),
             c_int32)
    return lib


def _compiler() -> Optional[ctypes.CDLL]:
    lib = _open("libcetane")
    if lib is None:
        return None
    _declare(lib, "cetane_version", c_char_p)
    _declare(lib, "cetane_build_new", c_void_p, c_char_p, c_char_p, c_size_t)
    _declare(lib, "cetane_build_free", None, c_void_p)
    _declare(lib, "cetane_build_set", c_int, c_void_p, c_char_p, c_char_p)
    for verb in "run", "check", "inspect":
        _declare(lib, "cetane_build_" + verb, c_int, c_void_p)
    for what in "messages", "outputs":
        _declare(lib, "cetane_build_" + what, c_int, c_void_p)
    _declare(lib, "cetane_build_message", POINTER(Message), c_void_p, c_int)
    _declare(lib, "cetane_build_output", POINTER(Output), c_void_p, c_int)
    _declare(lib, "cetane_build_symbol", c_void_p, c_void_p, c_char_p)
    return lib


# In this order: libcetane uses the very same libcetane_rt.
rt = _runtime()
lib = _compiler()


def compiler() -> ctypes.CDLL:
    """libcetane, or an error that says where it was looked for."""
    if lib is None:
        raise Error("the compiler libcetane.so." + VERSION + " was not found; "
                    "programs that were compiled elsewhere can be loaded")
    return lib


def failure(status: int) -> LaunchError:
    """The error for what a call of libcetane_rt has returned."""
    said = rt.cetane_last_error().decode("utf-8", "replace")
    text = rt.cetane_status_text(status).decode()
    return LaunchError(status, said or text)


def must(status: int) -> None:
    if status:
        raise failure(status)
