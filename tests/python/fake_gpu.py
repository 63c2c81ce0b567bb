"""Arrays of a GPU that is not there: their memory is NumPy's, the driver is the fake
one of tests/runtime, and what a launch does is a function of the test.
"""
import ctypes
import os

import numpy as np


class Launch(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 32), ("grid", ctypes.c_uint * 3),
                ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("ctx", ctypes.c_void_p), ("stream", ctypes.c_void_p),
                ("arg", ctypes.c_uint64 * 8)]


KERNEL = ctypes.CFUNCTYPE(None, ctypes.POINTER(Launch))


class Fake(ctypes.Structure):
    """The first members of struct fake_cuda."""
    _fields_ = [("fail_at", ctypes.c_int), ("fail_name", ctypes.c_char_p),
                ("result", ctypes.c_int), ("sticky", ctypes.c_int),
                ("device_count", ctypes.c_int), ("current", ctypes.c_void_p),
                ("context_id", ctypes.c_ulonglong),
                ("capturing", ctypes.c_int), ("log", ctypes.c_char_p),
                ("page", ctypes.c_size_t), ("any_memory", ctypes.c_int),
                ("n_arg", ctypes.c_int), ("kernel", KERNEL)]


class Gpu:
    """The fake driver with a context that is current everywhere. "run" is called
    with each launch, of which "n_arg" arguments are read.
    """
    n_arg = 3

    def __init__(self, run):
        lib = ctypes.CDLL(os.environ["CETANE_DRIVER"])
        self.fake = Fake.in_dll(lib, "fake_cuda")
        self.mark = ctypes.c_int()
        self.run, self.launches = run, 0
        self.callback = KERNEL(self.called)

    def called(self, launch):
        self.launches += 1
        self.run(launch.contents)

    def __enter__(self):
        self.fake.current = ctypes.addressof(self.mark)
        self.fake.n_arg = self.n_arg
        self.fake.kernel = self.callback
        return self

    def __exit__(self, *_):
        self.fake.current = None
        self.fake.kernel = KERNEL()


class Interface:
    """An array with __cuda_array_interface__."""

    def __init__(self, values, stream=None, **changes):
        self.values = values
        self.__cuda_array_interface__ = dict(
            values.__array_interface__, version=3, stream=stream, **changes)


class DLPack:
    """An array with DLPack, on a GPU as it says."""

    def __init__(self, values, device=(2, 0)):
        self.values, self.device = values, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.values.__dlpack__()


def at(address, shape, kind=np.float32):
    """The array at an address."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address),
                         kind).reshape(shape)
