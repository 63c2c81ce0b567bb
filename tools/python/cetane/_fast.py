"""Calls with PyTorch's tensors of a GPU of which the like were seen before: what was
checked then is looked up by types, shapes and devices.

The function for such calls is written for each program, without loops over its arrays,
since every step of the interpreter counts beside a launch of some microseconds.
"""
from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import _arrays, _library

# PyTorch, once a tensor was seen, and what is used of it.
_torch: Any = None
_raw_stream: Any = None
_current_device: Any = None
_guards: Any = None


def _meet_torch() -> None:
    global _torch, _raw_stream, _current_device, _guards
    torch = sys.modules["torch"]
    c = getattr(torch, "_C")
    _current_device = getattr(c, "_cuda_getDevice", torch.cuda.current_device)
    _raw_stream = getattr(
        c, "_cuda_getCurrentRawStream",
        lambda device: torch.cuda.current_stream(device).cuda_stream)
    _torch = torch
    _guards = _find_guards(c)


def _find_guards(c: Any) -> Any:
    """The class whose objects tell with one call if tensors are like others, which is
    PyTorch's own and may change; None if it does not do so.
    """
    found = getattr(getattr(getattr(c, "_dynamo", None), "guards", None),
                    "TensorGuards", None)
    try:
        x, y, z = (_torch.empty(n) for n in (2, 2, 3))
        like = _guard(found, [x, y])
        right = like(x, y) and like(y, x) and not (
            like(x, z) or like(x, x.double()) or like(x, z[::2]) or
            like(x, None))
    except Exception:
        return None
    return found if right else None


def _guard(guards: Any, tensors: Sequence[Any]) -> Any:
    """A function that tells if others are like these."""
    return guards(*tensors, dynamic_dims_sizes=None,
                  dynamic_dims_strides=None).check


def _never(*tensors: Any) -> bool:
    return False


# A plan is what calls with tensors of the same types, shapes and device share: the
# address of the sizes, the bytes of workspace, shape, strides, type and device of each
# output that is to be made, the device's number, if tensors may be lazy negatives (of
# one element: others have gaps), what tells that other tensors are like the inputs, and
# like all, and what is kept. The one of the last call is tried first.
TEXT = """def call(args, out, stream):
    global last_in, last_all
    try:
        {inputs}, = args
        if out is None:
            like, plan = last_in
            if not like({inputs}):
                plan = plans.get(({key_in}, type({first})))
                if plan is None:
                    return None
                last_in = plan[5], plan
            news = plan[2]
            {made}
        else:
            {given} = {out}
            like, plan = last_all
            if not like({all}):
                plan = plans.get(({key_all}))
                if plan is None:
                    return None
                last_all = plan[6], plan
    except (AttributeError, TypeError, ValueError):
        return None
    sizes, bytes, _, device, single, _, _, _ = plan
    if current_device() != device or single and ({negative}):
        return None
    {addresses}
    if {misaligned}:
        return None
    work = space = None
    if bytes:
        space = {first}.new_empty(bytes, dtype=uint8)
        work = pointer_of(space.data_ptr())
    if stream is None:
        stream = raw_stream(device)
    on = streams.get(stream)
    if on is None:
        on = new_stream(stream)
    status = launch(program, on, sizes, pack({order}), work, 0)
    if status:
        if status == {no_context}:
            return None
        raise failure(status)
    return {returned}
"""


def _unseen(args: Tuple[Any, ...], out: Any, stream: Any) -> Any:
    """The function before any call."""
    return None


class FastCalls:
    """Those of one program. "call" has the inputs, "out" and the stream of a call, and
    gives what that returns, or None if the like was not seen or may be wrong.
    """

    def __init__(self, program: Any) -> None:
        self.call: Callable[[Tuple[Any, ...], Any, Any], Any] = _unseen
        self.plans: Dict[Any, Tuple[Any, ...]] = {}
        self.streams: Dict[Any, Any] = {}
        self.pointer = program._pointer
        self.order, self.returned = program._order, program._returned
        self.arrays = program.arrays
        self.ins, self.news = program._in, program._new

    def learn(self, given: Sequence[Any], device: int, sizes: Any) -> None:
        """Remember a call that went well."""
        module = type(given[0]).__module__.partition(".")[0] if given else ""
        if module == "torch" and _torch is None:
            _meet_torch()
        if not self.ins or _torch is None or not all(
                isinstance(x, _torch.Tensor) for x in given):
            return
        if self.call is _unseen:
            self.call = self._write()
        size = _library.rt.cetane_program_workspace(self.pointer, sizes)
        ins = [given[i] for i in self.ins]
        news = [given[i] for i in self.news]
        plan = (ctypes.c_void_p(ctypes.addressof(sizes)), size,
                [self._form(i, given) for i in self.news], device,
                any(1 == x.numel() for x in given),
                self._like_these(ins), self._like_these(ins + news), sizes)
        if len(self.plans) > 1000:
            self.plans.clear()
        if type(ins[0]) in (_torch.Tensor, _torch.nn.Parameter):
            self.plans[_key(ins) + (type(ins[0]),)] = plan
        if news:
            self.plans[_key(ins + news)] = plan

    def _like_these(self, tensors: Sequence[Any]) -> Any:
        try:
            return _never if _guards is None else _guard(_guards, tensors)
        except Exception:
            return _never

    def _form(self, i: int, given: Sequence[Any]) -> Tuple[Any, ...]:
        """What an output like given[i] is made of."""
        shape = tuple(given[i].shape)
        return (shape, tuple(given[i].stride()),
                getattr(_torch, _arrays.TORCH[self.arrays[i].type]),
                given[i].device)

    def _write(self) -> Any:
        """The function for this program."""
        names = [f"a{i}" for i in range(len(self.order))]
        ins, news = names[:len(self.ins)], names[len(self.ins):]
        back = [names[k] for k in self.returned]
        text = TEXT.format(
            inputs=", ".join(ins), all=", ".join(names), first=ins[0],
            key_in=_key_text(ins), key_all=_key_text(names),
            made="; ".join(
                f"s = news[{k}]; {x} = empty(s[0], s[1], dtype=s[2], "
                "device=s[3])" for k, x in enumerate(news)) or "pass",
            given=", ".join(news) + ("," if news else "()"),
            out="(out if isinstance(out, (tuple, list)) else (out,))",
            negative=" or ".join(x + ".is_neg()" for x in names),
            addresses="; ".join(f"p{x} = {x}.data_ptr()" for x in names),
            misaligned=self._misaligned(names),
            order=", ".join("p" + names[k] for k in self.order),
            no_context=_library.NO_CONTEXT,
            returned=back[0] if len(back) == 1 else f"({', '.join(back)})")
        scope = {
            "last_in": (_never, None), "last_all": (_never, None),
            "plans": self.plans, "streams": self.streams,
            "new_stream": self._stream, "raw_stream": _raw_stream,
            "current_device": _current_device, "uint8": _torch.uint8,
            "empty": _torch.empty_strided, "pointer_of": ctypes.c_void_p,
            # Without a prototype, so that each argument has its own type.
            "launch": _library.rt["cetane_program_launch"],
            "program": ctypes.c_void_p(self.pointer),
            # Addresses as bytes take less time than an array of ctypes.
            "pack": struct.Struct(f"{len(names)}P").pack,
            "failure": _library.failure}
        exec(text, scope)
        return scope["call"]

    def _misaligned(self, names: Sequence[str]) -> str:
        """If an address has less than the alignment of its array, as a condition."""
        places: Dict[int, List[str]] = {}
        for a, k in zip(self.arrays, self.order):
            if a.alignment > a.itemsize:
                places.setdefault(a.alignment - 1, []).append("p" + names[k])
        return " or ".join(f"({' | '.join(x)}) & {mask}"
                           for mask, x in places.items()) or "False"

    def _stream(self, stream: Any) -> Any:
        """"stream" as an argument, which is kept."""
        number = _arrays.stream_number(stream)
        if len(self.streams) > 1000:
            self.streams.clear()
        self.streams[stream] = ctypes.c_void_p(number)
        return self.streams[stream]


def _key(tensors: Sequence[Any]) -> Tuple[Any, ...]:
    key: List[Any] = []
    for x in tensors:
        key += (x.shape, x.dtype, x.get_device(), x.is_contiguous())
    return tuple(key)


def _key_text(names: Sequence[str]) -> str:
    """The same for variables of these names."""
    return ", ".join(f"{x}.shape, {x}.dtype, {x}.get_device(), "
                     f"{x}.is_contiguous()" for x in names)
