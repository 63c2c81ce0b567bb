"""Arrays of others: NumPy, PyTorch, CuPy and whatever has an array interface or
DLPack. Each becomes a View: where its memory is, and what lies there.
"""
from __future__ import annotations

import ctypes
import numbers
from ctypes import (POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8,
                    c_uint16, c_uint64, c_void_p, py_object)
from typing import Any, Callable, NamedTuple, Optional, Tuple

# Our names of element types, and NumPy's kind and size.
NUMPY = {"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1",
         "u16": "u2", "u32": "u4", "u64": "u8", "bool": "b1", "f16": "f2",
         "f32": "f4", "f64": "f8"}
OF_NUMPY = {v: k for k, v in NUMPY.items()}
# tf32 is f32 with digits less.
NUMPY["tf32"] = "f4"
OF_TORCH = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
            "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
            "bool": "bool", "float16": "f16", "bfloat16": "bf16",
            "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2",
            "float32": "f32", "float64": "f64"}
TORCH = {v: k for k, v in OF_TORCH.items()} | {"tf32": "float32"}
# Types that NumPy has from the package ml_dtypes alone, and those of their bits.
OF_ML_DTYPES = {"bfloat16": "bf16", "float8_e4m3fn": "f8e4m3",
                "float8_e5m2": "f8e5m2"}
ML_DTYPES = {v: k for k, v in OF_ML_DTYPES.items()}
BITS_OF = {"bf16": "u16", "f8e4m3": "u8", "f8e5m2": "u8"}
# What an array of a type may have instead of that.
ALSO = BITS_OF | {"tf32": "f32"}


class NoArray(TypeError):
    """What an argument is instead of an array."""


class View(NamedTuple):
    """"device" is -1 for memory of the host, else the number of the GPU. "strides"
    count elements; None: row-major without gaps. "keep" must live as long as the
    memory is used. "stream" is that of the owner, if it tells.
    """
    type: str
    shape: Tuple[int, ...]
    strides: Optional[Tuple[int, ...]]
    device: int
    address: int
    writable: bool
    keep: Any
    stream: Optional[int] = None


def is_contiguous(shape: Tuple[int, ...],
                  strides: Optional[Tuple[int, ...]]) -> bool:
    """Row-major without gaps; strides of extents of 1 do not count."""
    if strides is None or 0 in shape:
        return True
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _numpy_type(dtype: Any) -> str:
    if dtype.name in OF_ML_DTYPES:
        return OF_ML_DTYPES[dtype.name]
    if not dtype.isnative:
        return f"swapped {dtype.str}"
    return OF_NUMPY.get(dtype.str[1:], str(dtype.name))


def _of_numpy(x: Any) -> View:
    if hasattr(x, "mask"):
        raise NoArray("an array with a mask")
    size = x.dtype.itemsize
    return View(_numpy_type(x.dtype), x.shape,
                None if x.flags.c_contiguous else
                tuple(s // size for s in x.strides),
                -1, x.ctypes.data, x.flags.writeable, x)


def _of_torch(x: Any) -> View:
    kind = x.device.type
    if kind not in ("cuda", "cpu"):
        raise NoArray(f"a tensor on {kind}")
    if x.layout is not _torch().strided:
        raise NoArray(f"a tensor of layout {x.layout}")
    if x.is_conj() or x.is_neg():
        raise NoArray("a lazy conjugate or negative of a tensor")
    return View(OF_TORCH.get(str(x.dtype).rpartition(".")[2], str(x.dtype)),
                tuple(x.shape), tuple(x.stride()),
                -1 if kind == "cpu" else x.device.index, x.data_ptr(), True, x)


def _torch() -> Any:
    import torch
    return torch


def _of_interface(x: Any) -> View:
    """Version 2 or 3 of the CUDA array interface."""
    face = x.__cuda_array_interface__
    if face.get("mask") is not None:
        raise NoArray("an array with a mask")
    address, read_only = face["data"]
    order, kind = face["typestr"][0], face["typestr"][1:]
    name = OF_NUMPY.get(kind, face["typestr"])
    if kind == "V2" and "bfloat16" in str(getattr(x, "dtype", "")):
        name = "bf16"
    if order == ">":
        name = "swapped " + name
    strides, shape = face.get("strides"), tuple(face["shape"])
    if any(n < 0 for n in shape) or len(strides or shape) != len(shape):
        raise ValueError(f"shape {shape}, strides {strides}")
    if strides is not None:
        size = int(kind[1:])
        strides = tuple(s // size for s in strides)
    return View(name, shape, strides, _device_of(x),
                address or 0, not read_only, x, face.get("stream"))


def _device_of(x: Any) -> int:
    """The number of the GPU that has "x", which the interface does not tell."""
    if hasattr(x, "__dlpack_device__"):
        return int(x.__dlpack_device__()[1])
    return 0


# ------------------------------------------------------------------- DLPack

class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32),
                ("device", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_CODE = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "bool"}
_WHOLE_CODE = {10: "f8e4m3", 12: "f8e5m2"}
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [py_object, c_char_p]


def _of_dlpack(x: Any) -> View:
    """The capsule keeps the memory: nobody consumes it, so that it frees what it
    has when it dies.
    """
    device, number = x.__dlpack_device__()
    if device not in (_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED):
        raise NoArray(f"an array on DLPack's device {device}")
    capsule = x.__dlpack__()
    t = ctypes.cast(_pointer(capsule, b"dltensor"), POINTER(_DLTensor))[0]
    name = _CODE.get(t.code, f"code {t.code}, ") + (
        "" if t.code == 6 else str(t.bits))
    name = _WHOLE_CODE.get(t.code, name)
    if t.lanes != 1:
        name += f" x {t.lanes}"
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = tuple(t.strides[i] for i in range(t.ndim)) if t.strides else None
    return View(name, shape, strides,
                number if device in (_CUDA, _CUDA_MANAGED) else -1,
                (t.data or 0) + t.byte_offset, True, capsule)


def _told(read: Callable[[Any], View], x: Any, by: str) -> View:
    """What "x" tells of itself, which may be anything."""
    try:
        v = read(x)
    except NoArray:
        raise
    except Exception as e:
        raise NoArray(f"an array whose {by} cannot be used: "
                      f"{type(e).__name__}: {e}") from None
    if not v.address and 0 not in v.shape:
        raise NoArray("an array at address 0")
    return v


def view(x: Any) -> View:
    """What "x" is; NoArray if it is no array."""
    module = type(x).__module__.partition(".")[0]
    if module == "numpy" and hasattr(x, "ctypes"):
        return _of_numpy(x)
    if module == "torch" or hasattr(x, "data_ptr") and hasattr(x, "is_conj"):
        return _of_torch(x)
    if hasattr(x, "__cuda_array_interface__"):
        return _told(_of_interface, x, "__cuda_array_interface__")
    if hasattr(x, "__dlpack__"):
        return _told(_of_dlpack, x, "__dlpack__")
    raise NoArray("no array: " + type(x).__name__ + (
        "; numpy.array makes one" if isinstance(x, (list, tuple, int, float))
        else ""))


def is_number(x: Any) -> bool:
    """One of Python or of NumPy."""
    return isinstance(x, numbers.Real) or (
        type(x).__module__ == "numpy" and type(x).__name__.startswith("bool"))


def of_number(x: Any, type_: str) -> Any:
    """An array without dimensions of "x"."""
    new = new_numpy(type_, ())
    try:
        new[...] = x
    except (OverflowError, TypeError, ValueError) as e:
        raise NoArray(f"{x}, which {type_} cannot be: {e}") from None
    return new


def has_rows(v: View) -> bool:
    """Are neighbours of the last dimension neighbours in memory?"""
    return v.strides is None or not v.shape or v.shape[-1] <= 1 or \
        v.strides[-1] == 1


def whole_strides(v: View) -> "list[int]":
    """The strides of all dimensions; those of extents of 1, which may be anything, as
    without gaps.
    """
    found: "list[int]" = []
    step = 1
    for d in reversed(range(len(v.shape))):
        if v.strides is not None and v.shape[d] > 1:
            step = v.strides[d]
        found.append(step)
        step *= max(v.shape[d], 1)
    return found[::-1]


def are_apart(v: View) -> bool:
    """Has each index an element of its own? It does if each stride passes all that
    shorter ones reach.
    """
    if 0 in v.shape:
        return True
    reach = 0
    for step, extent in sorted((abs(s), n) for s, n in
                               zip(whole_strides(v), v.shape) if n > 1):
        if step <= reach:
            return False
        reach += step * (extent - 1)
    return True


def span(v: View, itemsize: int) -> Tuple[int, int]:
    """Where the first element in memory begins, and where the last one ends."""
    if 0 in v.shape:
        return v.address, v.address
    reach = [s * (n - 1) * itemsize for s, n in zip(whole_strides(v), v.shape)]
    return (v.address + sum(r for r in reach if r < 0),
            v.address + sum(r for r in reach if r > 0) + itemsize)


def _as_bytes(v: View, itemsize: int) -> Any:
    """The elements as NumPy's array of bits."""
    import numpy

    class Holder:
        __array_interface__ = {
            "data": (v.address, not v.writable), "typestr": f"|V{itemsize}",
            "shape": v.shape, "version": 3,
            "strides": tuple(s * itemsize for s in whole_strides(v))}

    return numpy.asarray(Holder())


def copy_in(v: View, itemsize: int, alignment: int) -> Tuple[int, Any]:
    """Address and owner of a copy of memory of the host, row-major without gaps."""
    size = itemsize
    for n in v.shape:
        size *= n
    owner = ctypes.create_string_buffer(size + alignment)
    at = -(-ctypes.addressof(owner) // alignment) * alignment
    if is_contiguous(v.shape, v.strides):
        ctypes.memmove(at, v.address, size)
    else:
        _as_bytes(v._replace(address=at, strides=None, writable=True),
                  itemsize)[...] = _as_bytes(v, itemsize)
    return at, owner


def copy_out(v: View, itemsize: int, at: int) -> None:
    """Copy what lies at "at" without gaps to where the elements of "v" are."""
    plain = v._replace(address=at, strides=None)
    if is_contiguous(v.shape, v.strides):
        low, high = span(v, itemsize)
        ctypes.memmove(v.address, at, high - low)
    else:
        _as_bytes(v, itemsize)[...] = _as_bytes(plain, itemsize)


# ------------------------------------------------------------------ new arrays

def _of_ml_dtypes(type_: str) -> Any:
    """NumPy's type for "type_", of the package ml_dtypes, or the bits."""
    import numpy
    try:
        import ml_dtypes
    except ImportError:
        return numpy.dtype(NUMPY[BITS_OF[type_]])
    return numpy.dtype(getattr(ml_dtypes, ML_DTYPES[type_]))


def new_like(x: Any, type_: str, shape: Tuple[int, ...]) -> Any:
    """An array of the library that has made "x", on the same device; None if that is
    not one that is known here.
    """
    module = type(x).__module__.partition(".")[0]
    if module == "torch" or hasattr(x, "new_empty"):
        return x.new_empty(shape, dtype=getattr(_torch(), TORCH[type_]))
    if module == "cupy" and type_ in NUMPY:
        import cupy
        with cupy.cuda.Device(x.device.id):
            return cupy.empty(shape, NUMPY[type_])
    if module == "numba" and type_ in NUMPY:
        from numba import cuda
        return cuda.device_array(shape, NUMPY[type_])
    return None


def new_numpy(type_: str, shape: Tuple[int, ...]) -> Any:
    import numpy
    return numpy.empty(shape, _of_ml_dtypes(type_) if type_ in BITS_OF
                       else numpy.dtype(NUMPY[type_]))


def stream_number(stream: Any) -> int:
    """The CUstream of "stream", which may be one of PyTorch or CuPy."""
    for name in "cuda_stream", "ptr":
        stream = getattr(stream, name, stream)
    if not isinstance(stream, int):
        raise TypeError(f"stream is {stream!r}, not a CUstream")
    if not 0 <= stream < 1 << 64:
        raise ValueError(f"stream is {stream}, not a CUstream")
    return stream


def current_stream(x: Any, v: View) -> int:
    """The stream that the library of "x" queues work on now."""
    module = type(x).__module__.partition(".")[0]
    if module == "torch":
        return int(_torch().cuda.current_stream(v.device).cuda_stream)
    if module == "cupy":
        import cupy
        return int(cupy.cuda.get_current_stream().ptr)
    return v.stream or 0


def make_current(x: Any, device: int) -> None:
    """Let the library of "x" make its CUDA context that of this thread, which may not
    have called it yet.
    """
    if type(x).__module__.partition(".")[0] == "torch":
        _torch().cuda.current_stream(device).query()
