"""As much of PyTorch as calls of programs touch, over NumPy, on a GPU that is not
there.
"""
import types

import numpy as np


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


float32, float64, uint8 = dtype("float32"), dtype("float64"), dtype("uint8")
strided = "strided"


class Device:
    def __init__(self, kind, index):
        self.type, self.index = kind, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))


class Tensor:
    """The "values" are its memory, which "cuda:0" is said to have."""
    layout = strided
    made = 0

    def __init__(self, values, device=("cuda", 0)):
        self.values, self.device = values, Device(*device)
        self.dtype = dtype_of[values.dtype]
        self.shape = values.shape

    negative = False

    def is_conj(self):
        return False

    def is_neg(self):
        return self.negative

    def double(self):
        return Tensor(self.values.astype(np.float64),
                      (self.device.type, self.device.index))

    def __getitem__(self, part):
        return Tensor(self.values[part],
                      (self.device.type, self.device.index))

    def numel(self):
        return self.values.size

    def stride(self):
        return tuple(s // self.values.itemsize for s in self.values.strides)

    def get_device(self):
        return self.device.index if self.device.type == "cuda" else -1

    def is_contiguous(self):
        return self.values.flags.c_contiguous

    def data_ptr(self):
        return self.values.ctypes.data

    def new_empty(self, shape, dtype):
        Tensor.made += 1
        return Tensor(np.zeros(shape, dtype.name),
                      (self.device.type, self.device.index))


def empty_strided(shape, strides, dtype, device):
    assert np.zeros(shape, np.uint8).strides == tuple(strides)
    Tensor.made += 1
    return Tensor(np.zeros(shape, dtype.name), (device.type, device.index))


dtype_of = {np.dtype(t.name): t for t in (float32, float64, uint8)}
stream = 77
queried = []    # called by a query of a stream
cuda = types.SimpleNamespace(
    device_count=lambda: 2,
    current_device=lambda: 0,
    current_stream=lambda device: types.SimpleNamespace(
        cuda_stream=stream, query=lambda: [f() for f in queried]))
nn = types.SimpleNamespace(Parameter=type("Parameter", (Tensor,), {}))


class TensorGuards:
    """Are tensors like those of which it was made?"""
    asked = 0

    def __init__(self, *tensors, dynamic_dims_sizes, dynamic_dims_strides):
        self.form = self.form_of(tensors)

    @staticmethod
    def form_of(tensors):
        return [(type(x), x.negative, x.dtype, x.device, x.shape, x.stride())
                for x in tensors]

    def check(self, *tensors):
        TensorGuards.asked += 1
        return all(isinstance(x, Tensor) for x in tensors) and \
            self.form_of(tensors) == self.form


def empty(n):
    return Tensor(np.zeros(n, np.float32), ("cpu", None))


_C = types.SimpleNamespace(
    _cuda_getCurrentRawStream=lambda device: stream,
    _dynamo=types.SimpleNamespace(guards=types.SimpleNamespace(
        TensorGuards=TensorGuards)))
