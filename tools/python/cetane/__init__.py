"""Cetane: tensor programs compiled to GPU kernels, as Python callables.

    import cetane, numpy
    gemm = cetane.compile("Params M, K, N; Matrix A(M,K); Matrix B(K,N); C = A * B;")
    c = gemm(a, b)

Arrays of NumPy run on a GPU or, without one, on the host device; those of PyTorch,
CuPy and others on a GPU stay where they are. See README.md beside this package.
"""
from __future__ import annotations

import json
import os
from collections import OrderedDict
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from . import _library
from ._build import (Arch, Build, Source, Text, check_words, is_text,
                     option_words, read_source, whole)
from ._errors import CompileError, Error, LaunchError, Message
from ._program import (Array, Program, Size, check_device, device_named,
                       gpu_count, linked, load)
from ._special import Special

__all__ = ["Array", "CompileError", "Error", "LaunchError", "Message",
           "Program", "Size", "check", "clear_cache", "compile", "emit",
           "gpu_count", "inspect", "load", "version"]

# Programs that compile keeps, and sets of sizes that each is compiled for.
MOST_KEPT, MOST_SPECIAL = 256, 8
_kept: "OrderedDict[Any, Program]" = OrderedDict()


def version() -> str:
    """That of the compiler, such as "0.1.0"."""
    return str(_library.compiler().cetane_version().decode())


def _arch_of(arch: Arch, device: Optional[str]) -> Arch:
    """"arch", or that of the device, or what the compiler takes by default."""
    if arch is not None or device == "host" or not gpu_count():
        return arch
    name = device if device and device.startswith("cuda") else "cuda"
    capability = device_named(name).capability
    return f"sm_{capability}" + ("a" if capability >= 90 else "")


def compile(source: Source, sizes: Optional[Mapping[str, int]] = None,
            arch: Arch = None, device: Optional[str] = None, *,
            name: Optional[str] = None, cache: bool = True,
            specialize: Optional[int] = None, **options: Any) -> Program:
    """Compile a program, a text or the path of a file, to a callable.

    "sizes" fixes sizes. "arch" is a GPU architecture, such as "sm_90a", or
    several; by default that of the GPU. "device" is where arrays of the host run:
    "host", "cuda" or "cuda:N"; by default a GPU if there is one. "name" is what
    messages call the file; its suffix tells the notation (.dsl, .c, .dag).
    "options" are further ones of "cetane build", such as fp="strict".
    Where sizes are not fixed, the first call with arrays of a GPU that has other
    sizes compiles the program for these, as they are faster: "specialize" times,
    which is 8 unless there are versions; further ones run the program of open
    sizes. With versions=16 products and softmaxes of open sizes are nearly as fast
    as those of fixed sizes, and take some seconds to compile. The same arguments
    give the same program as long as it is in the cache. Raises CompileError.
    """
    check_device(device)
    check_words(options, ("sizes", "arch", "device", "name", "cache", "specialize"))
    text = read_source(source, name)
    words = option_words(sizes, _arch_of(arch, device), options)
    if specialize is None:
        specialize = MOST_SPECIAL if str(options.get("versions", 1)) == "1" else 0
    specialize = whole("specialize", specialize)
    key = text, words, device, specialize
    if cache and key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    program = _compiled(text, words, device)
    program._special = _special(program, specialize)
    if cache:
        _kept[key] = program
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return program


def _compiled(text: Text, words: Any, device: Optional[str]) -> Program:
    build = Build(text)
    build.run("run", words + (("emit", "object"),))
    made = build.outputs()
    return linked(build, json.loads(made["manifest"])["program"], device,
                  made=made, messages=build.messages(), source=(text, words))


def _special(program: Program, most: int) -> Optional[Special]:
    """What compiles "program" for sizes of calls, if it has open ones."""
    if most <= 0 or all(s.value is not None for s in program.sizes):
        return None
    open_ = [i for i, s in enumerate(program.sizes) if s.value is None]
    names = [s.name for s in program.sizes]
    (text, words), device = program._source, program._device

    def make(sizes: Tuple[int, ...]) -> Program:
        return _compiled(text, words + tuple(
            ("define", f"{names[i]}={sizes[i]}") for i in open_), device)

    return Special(make, most)


def clear_cache() -> None:
    """Forget the programs that compile has kept."""
    _kept.clear()


def emit(source: Source, kind: str,
         sizes: Optional[Mapping[str, int]] = None, arch: Arch = None, *,
         name: Optional[str] = None, **options: Any) -> Union[str, bytes]:
    """What "cetane build --emit=KIND" writes: "ptx", "llvm", "poly", "schedule" and
    others as text, "cubin" and "fatbin" as bytes. Raises CompileError.
    """
    build = Build(read_source(source, name))
    build.run("run", option_words(sizes, arch, options) + (("emit", kind),))
    return build.outputs()[kind]


def check(source: Source, sizes: Optional[Mapping[str, int]] = None, *,
          name: Optional[str] = None, **options: Any) -> str:
    """Check a program; its sizes, inputs and outputs as text. Raises CompileError."""
    build = Build(read_source(source, name))
    build.run("check", option_words(sizes, None, options))
    return str(build.outputs()["check"])


def inspect(source: Union[Source, Program],
            sizes: Optional[Mapping[str, int]] = None, arch: Arch = None, *,
            name: Optional[str] = None, **options: Any) -> Any:
    """What "cetane inspect --json" says of a program: kernels, grids, blocks, registers,
    occupancy, accesses, as a dictionary. With one of the options schedule, layout,
    svg, resources, access or explain, what that prints, as text. An object, cubin, fat
    binary or PTX in a file, or a Program that was compiled, is told of as text.
    Raises CompileError.
    """
    if isinstance(source, Program):
        text = Text(source.name + ".o", source.object)
    elif not is_text(source):
        with open(source, "rb") as f:
            text = Text(name or os.fspath(source), f.read())
    else:
        text = read_source(source, name)
    as_text = isinstance(source, Program) or text.data[:4] == b"\x7fELF" or \
        text.name.endswith((".ptx", ".cubin", ".fatbin")) or bool(options)
    words = option_words(sizes, arch, options)
    build = Build(text)
    build.run("inspect", words if as_text else words + (("json", None),))
    said = str(build.outputs()["inspect"])
    return said if as_text else json.loads(said)
