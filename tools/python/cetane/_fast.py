"""Calls with PyTorch's tensors of a GPU of which the like were seen before: what was
checked then is looked up by types, shapes and devices.
"""
from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _arrays, _library

# torch.Tensor and two functions of PyTorch, once a tensor was seen.
_Tensor: Any = ()
_raw_stream: Any = None
_current_device: Any = None


def _meet_torch() -> None:
    global _Tensor, _raw_stream, _current_device
    torch = sys.modules["torch"]
    c = getattr(torch, "_C")
    _current_device = getattr(c, "_cuda_getDevice", torch.cuda.current_device)
    _raw_stream = getattr(
        c, "_cuda_getCurrentRawStream",
        lambda device: torch.cuda.current_stream(device).cuda_stream)
    _Tensor = torch.Tensor


class _Plan(NamedTuple):
    """What calls with tensors of the same types, shapes and device share. "news" are
    the shapes and types of the outputs that are to be made.
    """
    sizes: Any
    sizes_at: Any           # their address
    workspace: int
    news: List[Tuple[Tuple[int, ...], Any]]
    device: int


class FastCalls:
    """Those of one program."""

    def __init__(self, program: Any) -> None:
        self.plans: Dict[Any, _Plan] = {}
        self.pointer = program._pointer
        self.order, self.returned = program._order, program._returned
        # Addresses as bytes take less time to make than an array of ctypes.
        self.pack = struct.Struct(f"{len(self.order)}P").pack
        self.aligned = [(i, a.alignment)
                        for i, a in enumerate(program.arrays)
                        if a.alignment > a.itemsize]
        # No address has a bit of this: all are aligned.
        self.mask = max((a for _, a in self.aligned), default=1) - 1
        # -1: a program without inputs is none of ours.
        self.n_in = len(program._in) or -1
        self.program = program.arrays, program._in, program._new
        # A function of its own, without prototype: each argument has its type.
        self.launch = _library.rt["cetane_program_launch"]
        self.at = ctypes.c_void_p(self.pointer)
        self.streams: Dict[int, Any] = {}

    def learn(self, given: Sequence[Any], device: int, sizes: Any) -> None:
        """Remember a call that went well."""
        module = type(given[0]).__module__.partition(".")[0] if given else ""
        if module == "torch" and _Tensor == ():
            _meet_torch()
        if not given or not all(isinstance(x, _Tensor) for x in given):
            return
        arrays, ins, news = self.program
        key = _key([given[i] for i in ins])
        size = _library.rt.cetane_program_workspace(self.pointer, sizes)
        torch = sys.modules["torch"]
        plan = _Plan(sizes, ctypes.c_void_p(ctypes.addressof(sizes)), size, [
            (tuple(given[i].shape),
             getattr(torch, _arrays.TORCH[arrays[i].type])) for i in news],
            device)
        if len(self.plans) > 1000:
            self.plans.clear()
        self.plans[key] = plan
        self.plans[key + _key([given[i] for i in news])] = plan

    def call(self, args: Tuple[Any, ...], out: Any,
             stream: Optional[int]) -> Tuple[bool, Any]:
        """(True, what is returned), or (False, None) if the like was not seen."""
        if len(args) != self.n_in or not isinstance(args[0], _Tensor):
            return False, None
        both = args
        if out is not None:
            both += tuple(out) if isinstance(out, (tuple, list)) else (out,)
        try:
            plan = self.plans.get(_key(both))
        except (AttributeError, TypeError):
            return False, None
        if plan is None or _current_device() != plan.device:
            return False, None
        if out is None:
            both += tuple([args[0].new_empty(shape, dtype=dtype)
                           for shape, dtype in plan.news])
        at = [both[k].data_ptr() for k in self.order]
        bits = 0
        for address in at:
            bits |= address
        if bits & self.mask:
            for i, alignment in self.aligned:
                if at[i] % alignment:
                    return False, None      # the slow way says so
        work, space = None, None
        if plan.workspace:
            space = args[0].new_empty(plan.workspace,
                                      dtype=sys.modules["torch"].uint8)
            work = ctypes.c_void_p(space.data_ptr())
        if stream is None:
            stream = _raw_stream(plan.device)
        on = self.streams.get(stream)
        if on is None:
            on = self._stream(stream)
        status = self.launch(
            self.at, on, plan.sizes_at, self.pack(*at), work, 0)
        if status == _library.NO_CONTEXT:
            return False, None
        if status:
            raise _library.failure(status)
        if len(self.returned) == 1:
            return True, both[self.returned[0]]
        return True, tuple([both[k] for k in self.returned])

    def _stream(self, stream: int) -> Any:
        """"stream" as an argument, which is kept."""
        if len(self.streams) > 1000:
            self.streams.clear()
        self.streams[stream] = ctypes.c_void_p(stream)
        return self.streams[stream]


def _key(tensors: Sequence[Any]) -> Tuple[Any, ...]:
    key: List[Any] = []
    for x in tensors:
        key += (x.shape, x.dtype, x.get_device(), x.is_contiguous())
    return tuple(key)
