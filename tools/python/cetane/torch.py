"""Programs as operators of PyTorch, which torch.compile keeps as they are.

    softmax = cetane.compile("softmax.dsl")
    op = cetane.torch.register(softmax, "mine::softmax")
    torch.compile(lambda x: op(x) + 1)(x)
"""
from __future__ import annotations

from typing import Any, Callable

import torch

from ._arrays import TORCH
from ._program import Program


def register(program: Program, name: str) -> Callable[..., Any]:
    """Register "program" as the operator "NAMESPACE::NAME" and return it.

    It takes the inputs as tensors, of a GPU or of the host, and gives new tensors.
    A fake kernel tells torch.compile their shapes and types. Programs that change
    an input in place, or have sizes that shapes do not tell, are refused. There are
    no gradients: torch.library.register_autograd adds them.
    """
    if any(a.role == "inout" for a in program.arrays):
        raise ValueError(f"{program.name} changes an input in place")
    types = [getattr(torch, TORCH[a.type]) for a in program.outputs]
    single = len(types) == 1
    schema = "(%s) -> %s" % (
        ", ".join(f"Tensor x{i}" for i in range(len(program.inputs))),
        "Tensor" if single else
        "(" + ", ".join("Tensor" for _ in types) + ")")

    def run(*args: Any) -> Any:
        return program(*args)

    def fake(*args: Any) -> Any:
        shapes = program.output_shapes(*[tuple(x.shape) for x in args])
        new = [args[0].new_empty(shape, dtype=dtype)
               for shape, dtype in zip(shapes, types)]
        return new[0] if single else tuple(new)

    op: Callable[..., Any] = torch.library.custom_op(name, run, mutates_args=(), schema=schema)
    op.register_fake(fake)  # type: ignore[attr-defined]
    return op
