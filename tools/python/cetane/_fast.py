"""Calls with PyTorch's tensors of a GPU of which the like were seen before: what was
checked then is looked up by types, shapes and devices.

The function for such calls is written for each program, without loops over its arrays,
since every step of the interpreter counts beside a launch of some microseconds.
"""
from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Dict, List, Sequence, Tuple

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
# program that runs, its bytes of workspace, the bits that no address may have, the
# address of the sizes, the device's number, if tensors may be lazy negatives (of one
# element: others have gaps), and of what is asked more rarely shape, strides, type and
# device of each output that is to be made, what tells that other tensors are like the
# inputs, and like all, what is kept, and the first three of the program that takes the
# addresses that this one does not. The one of the last call is tried first.
TEXT = """def __call__(self, *args, out=None, stream=None, **named):
    global last_in, last_all
    plan = None
    try:
        if named:
            pass
        elif out is None:
            {inputs}, = args
            like, plan = last_in
            if not like({inputs}):
                plan = plans.get(({key_in}, type({first})))
                if plan is not None:
                    last_in = plan[6][1], plan
            if plan is not None:
                news = plan[6][0]
                {made}
        else:
            {inputs}, = args
            {given}
            like, plan = last_all
            if not like({all}):
                {given_again}
                plan = plans.get(({key_all}))
                if plan is not None:
                    last_all = plan[6][2], plan
    except (AttributeError, TypeError, ValueError):
        plan = None
    if plan is None:
        return self._call(args, out, stream, named)
    program, work, mask, sizes, device, single, rest = plan
    if {elsewhere}single and ({negative}):
        return self._call(args, out, stream, named)
    {addresses}
    if ({bits}) & mask:
        program, work, mask = rest[4]
        if mask is None or ({bits}) & mask:
            return self._call(args, out, stream, named)
    if work:
        space = {first}.new_empty(work, dtype=uint8)
        work = space.data_ptr()
    status = launch(pack(program, raw_stream(device) if stream is None else
                         number_of(stream), sizes, work, {order}))
    if status:
        if status in {again}:
            return self._call(args, out, stream, named)
        raise failure(status)
    return {returned}
"""


class FastCalls:
    """Those of one program."""

    def __init__(self, program: Any) -> None:
        self.plans: Dict[Any, Tuple[Any, ...]] = {}
        self.written = False
        self.order, self.returned = program._order, program._returned
        self.arrays = program.arrays
        self.ins, self.news = program._in, program._new

    def learn(self, program: Any, chosen: Any, given: Sequence[Any],
              device: int, sizes: Any) -> None:
        """Remember a call of "program" that went well; "chosen" is itself, or the one
        for these sizes. With the first call it becomes of a class whose calls look for
        those that are remembered: calls go by the class, and each function in between
        takes time.
        """
        module = type(given[0]).__module__.partition(".")[0] if given else ""
        if module == "torch" and _torch is None:
            _meet_torch()
        if not self.ins or _torch is None or not all(
                isinstance(x, _torch.Tensor) for x in given):
            return
        if not self.written:
            kind = type(program)
            call = self._write()
            call.__doc__ = kind.__call__.__doc__
            program.__class__ = type(kind.__name__, (kind,), {
                "__call__": call, "__module__": kind.__module__,
                "__qualname__": kind.__qualname__, "__doc__": kind.__doc__})
            self.written = True
        ins = [given[i] for i in self.ins]
        news = [given[i] for i in self.news]
        plan = (*_launched(chosen, sizes), ctypes.addressof(sizes), device,
                any(1 == x.numel() for x in given),
                ([self._form(i, given) for i in self.news],
                 self._like_these(ins), self._like_these(ins + news), sizes,
                 _launched(program, sizes) if _is_even(chosen)
                 else (0, 0, None)))
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
        several = (", ".join(news) + ("," if news else "()") +
                   " = out if isinstance(out, (tuple, list)) else (out,)")
        text = TEXT.format(
            inputs=", ".join(ins), all=", ".join(names), first=ins[0],
            key_in=_key_text(ins), key_all=_key_text(names),
            made="; ".join(
                f"s = news[{k}]; {x} = empty(s[0], s[1], dtype=s[2], "
                "device=s[3])" for k, x in enumerate(news)) or "pass",
            given=f"{news[0]} = out" if len(news) == 1 else several,
            given_again=several,
            elsewhere="current_device() != device or "
            if _torch.cuda.device_count() > 1 else "",
            negative=" or ".join(x + ".is_neg()" for x in names),
            addresses="; ".join(f"p{x} = {x}.data_ptr()" for x in names),
            bits=" | ".join("p" + x for x in names),
            order=", ".join("p" + names[k] for k in self.order),
            again=(_library.NO_CONTEXT, _library.NOT_LOADED),
            returned=back[0] if len(back) == 1 else f"({', '.join(back)})")
        scope = {
            "last_in": (_never, None), "last_all": (_never, None),
            "plans": self.plans, "number_of": _arrays.stream_number,
            "raw_stream": _raw_stream, "current_device": _current_device,
            "uint8": _torch.uint8, "empty": _torch.empty_strided,
            # One argument, of bytes, without a prototype, takes the least time.
            "launch": _library.rt["cetane_program_launch_record"],
            "pack": struct.Struct(f"{4 + len(names)}P").pack,
            "failure": _library.failure}
        exec(text, scope)
        return scope["__call__"]


def _launched(program: Any, sizes: Any) -> Tuple[int, int, int]:
    """The program, its bytes of workspace, and the bits that are 0 in addresses of each
    array; elements are aligned in any case.
    """
    most = max((a.alignment for a in program.arrays if a.alignment > a.itemsize),
               default=1)
    return program._pointer, program._workspace(sizes), most - 1


def _is_even(program: Any) -> bool:
    """Do all arrays begin at multiples of the same number?"""
    return len({a.alignment for a in program.arrays}) == 1


def _key(tensors: Sequence[Any]) -> Tuple[Any, ...]:
    key: List[Any] = []
    for x in tensors:
        key += (x.shape, x.dtype, x.get_device(), x.is_contiguous())
    return tuple(key)


def _key_text(names: Sequence[str]) -> str:
    """The same for variables of these names."""
    return ", ".join(f"{x}.shape, {x}.dtype, {x}.get_device(), "
                     f"{x}.is_contiguous()" for x in names)
