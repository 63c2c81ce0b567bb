"""Compiled programs as callables."""
from __future__ import annotations

import ctypes
import difflib
import math
import os
import re
import threading
import weakref
from ctypes import POINTER, byref, c_int, c_int64, c_uint64, c_void_p
from typing import (Any, Dict, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple, Union)

from . import _arrays, _library
from ._arrays import View
from ._build import Build, Text, whole
from ._errors import Error, Message
from ._fast import FastCalls
from ._special import Special

ROLE = {0: "input", 1: "output", 3: "inout"}
INVALID_VALUE = 1


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _conversion(x: Any, type_: str) -> str:
    """How "x" becomes an array of another type, as the end of a message."""
    module = type(x).__module__.partition(".")[0]
    if module == "torch" and type_ in _arrays.TORCH:
        return f": x.to(torch.{_arrays.TORCH[type_]})"
    if module == "numpy" and type_ in _arrays.NUMPY:
        return f': x.astype("{_arrays.NUMPY[type_]}")'
    return ""


class Size(NamedTuple):
    """A size of a program; "value" if it was fixed when that was compiled."""
    name: str
    value: Optional[int]


class Array(NamedTuple):
    """An array of a program. "type" is such as "f32", "role" "input", "output" or
    "inout" (its values count, and are replaced), "alignment" in bytes.
    """
    name: str
    type: str
    role: str
    ndim: int
    itemsize: int
    alignment: int


# ------------------------------------------------------------------- devices

class _Device:
    """A device of libcetane_rt; arrays of the host run there, one call at a time."""

    def __init__(self, name: str) -> None:
        self.handle = c_void_p()
        _library.must(_library.rt.cetane_device_open(
            name.encode(), byref(self.handle)))
        self.lock = threading.Lock()

    @property
    def capability(self) -> int:
        return int(_library.rt.cetane_device_capability(self.handle))


_devices: Dict[str, _Device] = {}
_devices_lock = threading.Lock()


def gpu_count() -> int:
    """The number of CUDA devices; 0 without a driver."""
    n = c_int()
    return n.value if _library.rt.cetane_cuda_count(byref(n)) == 0 else 0


def check_device(name: Any) -> None:
    """The name of a device, which may be missing on this machine."""
    if name is not None and not (isinstance(name, str) and
                                 re.fullmatch(r"host|cuda(:\d+)?", name)):
        said = f'"{name}"' if isinstance(name, str) else repr(name)
        raise (ValueError if isinstance(name, str) else TypeError)(
            f"device {said} is none of host, cuda and cuda:N")


def device_named(name: Optional[str]) -> _Device:
    """"host", "cuda" or "cuda:N". None: $CETANE_DEVICE, or a GPU if there is one."""
    if name is None:
        name = os.environ.get("CETANE_DEVICE") or (
            "cuda" if gpu_count() else "host")
    with _devices_lock:
        if name not in _devices:
            _devices[name] = _Device(name)
        return _devices[name]


# --------------------------------------------------------------------- programs

def _release(pointer: int, owner: Any, gpus: "set[int]") -> None:
    """Unload a program that nobody has any more, once its kernels have ended."""
    for gpu in gpus:
        device = device_named(f"cuda:{gpu}")
        _library.rt.cetane_device_synchronize(device.handle)
    _library.rt.cetane_program_unload_all(pointer)
    if isinstance(owner, c_void_p):
        _library.rt.cetane_program_close(owner)


class Program:
    """A compiled program, which is called with its inputs in the order of "inputs".

    Arrays of the host (NumPy) run on "device", and the call waits. Arrays of a GPU run
    there, without copies, on the current stream of their library, and nothing
    waits. Outputs are returned: one, or a tuple in the order of "outputs". They
    are made by the library that the first input is of, unless "out" gives them.
    """

    def __init__(self, pointer: int, owner: Any, device: Optional[str] = None,
                 made: Optional[Mapping[str, Union[str, bytes]]] = None,
                 messages: Sequence[Message] = (),
                 source: Any = None) -> None:
        """"owner" keeps the struct cetane_program at "pointer"; "made" has the
        compiler's outputs, "source" the text and the options that it was given.
        """
        rt = _library.rt
        self._pointer, self._owner, self._device = pointer, owner, device
        self._signature = POINTER(_library.Signature)()
        _library.must(rt.cetane_signature_read(pointer,
                                               byref(self._signature)))
        s = self._signature.contents
        self.name: str = s.name.decode()
        self.sizes = tuple(
            Size(s.size[i].name.decode(),
                 s.size[i].value if s.size[i].fixed else None)
            for i in range(s.n_size))
        self.arrays = tuple(
            Array(a.name.decode(), a.type.decode(), ROLE[a.role], a.n_dim,
                  a.elem_bytes, a.align)
            for a in (s.array[i] for i in range(s.n_array)))
        #: Those that a call takes, and those that it gives back.
        self.inputs = tuple(a for a in self.arrays if a.role != "output")
        self.outputs = tuple(a for a in self.arrays if a.role != "input")
        self.messages = list(messages)
        self._made = dict(made or {})
        self._source = source
        self._find_places()
        self._fast = FastCalls(self)
        self._special: Optional[Special] = None
        self._gpus: "set[int]" = set()
        self._work: Dict[Any, Any] = {}
        weakref.finalize(self, _release, pointer, owner,
                         self._gpus).atexit = False
        weakref.finalize(self, rt.cetane_signature_free,
                         self._signature).atexit = False

    def _find_places(self) -> None:
        self._in = [i for i, a in enumerate(self.arrays)
                    if a.role != "output"]
        self._new = [i for i, a in enumerate(self.arrays)
                     if a.role == "output"]
        self._back = [i for i, a in enumerate(self.arrays)
                      if a.role != "input"]
        self._place = {a.name: i for i, a in enumerate(self.arrays)}
        given = self._in + self._new
        # The number of each array, and of each that is returned, among the inputs
        # and the new outputs behind them.
        self._order = [given.index(i) for i in range(len(self.arrays))]
        self._returned = [given.index(i) for i in self._back]
        self._addresses: Any = c_void_p * len(self.arrays)
        # How many strides each array takes; 0: it has no gaps.
        self._strides = [int(_library.rt.cetane_signature_strides(
            self._signature, i)) for i in range(len(self.arrays))]

    def __repr__(self) -> str:
        extents = {a["name"]: a["extents"] for a in self.manifest["arrays"]} \
            if "manifest" in self._made else {}

        def told(arrays: Sequence[Array]) -> str:
            return ", ".join(
                f"{a.name}: {a.type}" + ("[%s]" % ", ".join(
                    str(n) for n in extents.get(a.name, ":" * a.ndim))
                    if a.ndim else "") for a in arrays)

        return "<cetane.Program %s(%s) -> %s>" % (
            self.name, told(self.inputs), told(self.outputs))

    # ------------------------------------------------------------- what was made

    def _output(self, kind: str) -> Any:
        if kind not in self._made:
            raise Error(f"{self.name} was loaded, not compiled: "
                        f"there is no {kind}")
        return self._made[kind]

    @property
    def object(self) -> bytes:
        """The object to link, NAME.o."""
        data: bytes = self._output("object")
        return data

    @property
    def header(self) -> str:
        """Its header, NAME.h."""
        text: str = self._output("header")
        return text

    @property
    def manifest(self) -> Any:
        """What it holds, NAME.json: sizes, arrays, images, kernels."""
        import json
        return json.loads(self._output("manifest"))

    def inspect(self, **options: Any) -> Any:
        """What "cetane inspect" says of the object, as text; with one of the options
        schedule, layout, resources, access or explain, what that prints of the
        program.
        """
        if options:
            return self._again("inspect", tuple(
                (k, None if v is True else str(v)) for k, v in options.items()))
        build = Build(Text(self.name + ".o", self.object))
        build.run("inspect", ())
        return str(build.outputs()["inspect"])

    def emit(self, kind: str) -> Union[str, bytes]:
        """A stage of this program, compiled again with the same options: "ptx", "llvm",
        "schedule" and the others of cetane.emit.
        """
        text: Union[str, bytes] = self._again("run", (("emit", kind),))
        return text

    def _again(self, verb: str, words: Any) -> Any:
        if self._source is None:
            raise Error(f"{self.name} was loaded, not compiled: its program is "
                        "not there")
        text, options = self._source
        build = Build(text)
        build.run(verb, options + words)
        made = build.outputs()
        return made["inspect" if verb == "inspect" else dict(words)["emit"]]

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        """Write NAME.o, NAME.h and NAME.json into "folder"."""
        for kind, suffix in (("object", ".o"), ("header", ".h"),
                             ("manifest", ".json")):
            data = self._output(kind)
            with open(os.path.join(folder, self.name + suffix), "wb") as f:
                f.write(data if isinstance(data, bytes) else data.encode())

    # --------------------------------------------------------------------- sizes

    def specialized(self, **sizes: int) -> "Program":
        """The program that calls on a GPU with these sizes run, compiled now if that
        was not done: this one, or one of fixed sizes.
        """
        found = self._solve([None] * len(self.arrays), self._known(sizes))
        return self._special_for(found) or self

    def _special_for(self, sizes: Any) -> "Optional[Program]":
        found: Optional[Program] = self._special.find(
            tuple(sizes[:len(self.sizes)])) if self._special else None
        return found

    def _solve(self, shapes: Sequence[Optional[Tuple[int, ...]]],
               named: Mapping[str, int]) -> Any:
        """The sizes, as int64_t[], for the shapes of arrays that are known."""
        sizes = (c_int64 * (len(self.sizes) + 1))(
            *[whole(f"{self.name}: size {s.name}", named.get(s.name, -1))
              for s in self.sizes])
        extents = [None if shape is None else (c_int64 * (len(shape) + 1))(
            *shape) for shape in shapes]
        known = self._addresses(*[
            None if e is None else ctypes.addressof(e) for e in extents])
        status = _library.rt.cetane_signature_solve(self._signature, known,
                                                    sizes)
        if status == INVALID_VALUE:
            raise ValueError(str(_library.failure(status)))
        _library.must(status)
        return sizes

    def _shape(self, i: int, sizes: Any) -> Tuple[int, ...]:
        extent = (c_int64 * (self.arrays[i].ndim + 1))()
        _library.must(_library.rt.cetane_signature_extents(
            self._signature, i, sizes, extent))
        return tuple(extent[:self.arrays[i].ndim])

    def shapes(self, **sizes: int) -> Dict[str, Tuple[int, ...]]:
        """The shape of each array for values of the sizes."""
        found = self._solve([None] * len(self.arrays), self._known(sizes))
        return {a.name: self._shape(i, found)
                for i, a in enumerate(self.arrays)}

    def output_shapes(self, *shapes: Sequence[int],
                      **sizes: int) -> List[Tuple[int, ...]]:
        """The shapes of the outputs for those of the inputs."""
        all_: List[Optional[Tuple[int, ...]]] = [None] * len(self.arrays)
        if len(shapes) != len(self._in):
            raise TypeError(f"{self.name} takes "
                            f"{_count(len(self._in), 'input')}, "
                            f"not {len(shapes)}")
        for i, shape in zip(self._in, shapes):
            self._check_rank(i, shape)
            all_[i] = tuple(int(n) for n in shape)
        found = self._solve(all_, self._known(sizes))
        return [self._shape(i, found) for i in self._back]

    def _known(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        for name in sizes:
            if name not in {s.name for s in self.sizes}:
                raise TypeError(f"{self.name} has no size or array {name}"
                                + self._meant(name))
        return sizes

    def _meant(self, name: str) -> str:
        """The end of a message about a name that is none: the one most like it."""
        names = [s.name for s in self.sizes] + [a.name for a in self.arrays]
        like = [n for n in names if n.lower() == name.lower()] or \
            difflib.get_close_matches(name, names, 1)
        return f"; did you mean {like[0]}" if like else ""

    def workspace_size(self, **sizes: int) -> int:
        """Bytes of memory that a launch needs beside the arrays."""
        return self._workspace(self._solve([None] * len(self.arrays),
                                           self._known(sizes)))

    def _workspace(self, sizes: Any) -> int:
        n = _library.rt.cetane_program_workspace(self._pointer, sizes)
        if n < 0:
            raise _library.failure(INVALID_VALUE)
        return int(n)

    # --------------------------------------------------------------------- calls

    def load(self) -> None:
        """Load for the CUDA context that is current, before a graph is captured; the
        first call does it otherwise.
        """
        _library.must(_library.rt.cetane_program_load(self._pointer))

    def __call__(self, *args: Any, out: Any = None,
                 stream: Optional[int] = None, **named: Any) -> Any:
        """Run. "named" has inputs and outputs by name, and values of sizes that the
        shapes do not tell. "stream" is a CUstream; None: the current one.
        """
        return self._call(args, out, stream, named)

    def _call(self, args: Tuple[Any, ...], out: Any, stream: Optional[int],
              named: Mapping[str, Any]) -> Any:
        """Check everything, and run."""
        sizes = {k: v for k, v in named.items() if k not in self._place}
        self._known(sizes)
        given = self._gather(args, out, named)
        views: List[Optional[View]] = [
            None if x is None else self._view(i, x)
            for i, x in enumerate(given)]
        device = self._check_devices(views)
        found = self._solve([v and v.shape for v in views], sizes)
        for i in self._new:
            if given[i] is None:
                given[i] = self._create(i, given, device,
                                        self._shape(i, found))
                views[i] = self._view(i, given[i])
        full = [v for v in views if v is not None]
        number = self._stream(stream)
        if device < 0:
            self._run_on_host(found, full)
        else:
            self._run_on_gpu(device, found, given, full, number)
        back = [given[i] for i in self._back]
        return back[0] if len(back) == 1 else tuple(back)

    def _gather(self, args: Tuple[Any, ...], out: Any,
                named: Mapping[str, Any]) -> List[Any]:
        """The array for each place, None where there is none."""
        given: List[Any] = [None] * len(self.arrays)
        if len(args) > len(self._in):
            raise TypeError(f"{self.name} takes "
                            f"{_count(len(self._in), 'input')}, "
                            f"not {len(args)}")
        pairs = list(zip(self._in, args))
        pairs += [(self._place[k], v) for k, v in named.items()
                  if k in self._place]
        pairs += self._gather_out(out)
        for i, x in pairs:
            if given[i] is not None:
                raise TypeError(f"{self.name} got {self.arrays[i].name} "
                                "twice")
            given[i] = x
        for i in self._in:
            if given[i] is None:
                raise TypeError(f"{self.name} lacks the input "
                                + self.arrays[i].name)
        return given

    def _gather_out(self, out: Any) -> List[Tuple[int, Any]]:
        if out is None:
            return []
        if isinstance(out, Mapping):
            for name in out:
                if self._place.get(name, -1) not in self._new:
                    raise TypeError(f"{self.name} has no output {name}")
            return [(self._place[k], v) for k, v in out.items()]
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(outs) != len(self._new):
            raise TypeError(f"{self.name} has "
                            f"{_count(len(self._new), 'output')}, "
                            f"out has {len(outs)}")
        return list(zip(self._new, outs))

    # -------------------------------------------------------------------- checks

    def _view(self, i: int, x: Any) -> View:
        """The view of "x" as array number "i", which it can be but for its shape."""
        a = self.arrays[i]
        what = f"{self.name}: {a.name}"
        try:
            if a.ndim == 0 and _arrays.is_number(x):
                x = _arrays.of_number(x, a.type)
            v = _arrays.view(x)
        except _arrays.NoArray as e:
            raise TypeError(f"{what} is {e}") from None
        if v.type not in (a.type, _arrays.ALSO.get(a.type)):
            raise TypeError(f"{what} has elements of type {v.type}, it must "
                            f"have {a.type}{_conversion(x, a.type)}")
        self._check_rank(i, v.shape)
        # Arrays of the host are copied where their elements do not lie as they must.
        if v.device >= 0 and not _arrays.is_contiguous(v.shape, v.strides) and \
                not (self._strides[i] and _arrays.has_rows(v)):
            raise ValueError(f"{what} is not row-major without gaps: shape "
                             f"{v.shape}, strides {v.strides}; "
                             + self._advice(i, v))
        if a.role != "input" and not v.writable:
            raise ValueError(f"{what} is read-only, but is written")
        return v

    def _advice(self, i: int, v: View) -> str:
        """What to do about elements on a GPU that lie as the program does not take them."""
        if not self._strides[i] and v.strides and len(v.shape) > 1 and \
                _arrays.has_rows(v):
            return "compile with pitched=True, or give a contiguous copy"
        if v.strides and len(v.shape) == 2 and 1 in v.strides:
            return ("give a contiguous copy, or the tensor that this one transposes "
                    "and a program that reads it so")
        return "give a contiguous copy"

    def _check_rank(self, i: int, shape: Sequence[int]) -> None:
        a = self.arrays[i]
        if len(shape) != a.ndim:
            raise ValueError(f"{self.name}: {a.name} has "
                             f"{_count(len(shape), 'dimension')}, it must "
                             f"have {a.ndim}")

    def _check_devices(self, views: Sequence[Optional[View]]) -> int:
        """The device that all arrays are on: -1 for the host, or a GPU's number."""
        def place(device: int) -> str:
            return ("in memory of the host" if device < 0
                    else f"on GPU {device}")

        first: Optional[int] = None
        for i, v in enumerate(views):
            if v is None:
                continue
            if first is None:
                first = i
            of = views[first]
            assert of is not None
            if v.device != of.device:
                raise ValueError(
                    f"{self.name}: {self.arrays[i].name} is "
                    f"{place(v.device)}, but {self.arrays[first].name} is "
                    f"{place(of.device)}")
        if first is None:
            return -1
        found = views[first]
        assert found is not None
        return found.device

    def _stream(self, stream: Any) -> Optional[int]:
        try:
            return None if stream is None else _arrays.stream_number(stream)
        except (TypeError, ValueError) as e:
            raise type(e)(f"{self.name}: {e}") from None

    def _misaligned(self, views: Sequence[View]) -> List[int]:
        """The numbers of those that begin where no array of a program may."""
        return [i for i, (a, v) in enumerate(zip(self.arrays, views))
                if v.address % a.alignment and 0 not in v.shape]

    def _copies(self, views: Sequence[View]) -> Dict[int, Any]:
        """Copies of the arrays of the host that begin or lie as those of no program do:
        address and owner. An array that is written overlaps no other one, of which
        there might be a copy, too, and has an element for each index.
        """
        copies = {}
        misaligned = self._misaligned(views)
        for i, (a, v) in enumerate(zip(self.arrays, views)):
            if i not in misaligned and _arrays.is_contiguous(v.shape, v.strides):
                continue
            if a.role != "input" and not _arrays.are_apart(v):
                raise ValueError(f"{self.name}: elements of {a.name}, which is "
                                 "written, overlap")
            low, high = _arrays.span(v, a.itemsize)
            for k, other in enumerate(views):
                begin, end = _arrays.span(other, self.arrays[k].itemsize)
                if k != i and {a.role, self.arrays[k].role} != {"input"} and \
                        low < end and begin < high:
                    raise ValueError(f"{self.name}: {self.arrays[k].name} and "
                                     f"{a.name} overlap")
            copies[i] = _arrays.copy_in(v, a.itemsize, a.alignment)
        return copies

    def _create(self, i: int, given: Sequence[Any], device: int,
                shape: Tuple[int, ...]) -> Any:
        """A new array for output number "i"."""
        a = self.arrays[i]
        like = next((x for x in given
                     if x is not None and not _arrays.is_number(x)), None)
        new = None if like is None else _arrays.new_like(like, a.type, shape)
        if new is None and device < 0:
            new = _arrays.new_numpy(a.type, shape)
        if new is None:
            raise TypeError(f"{self.name}: no array for {a.name} can be made "
                            f"by {type(like).__module__}; give out=")
        return new

    # ---------------------------------------------------------------------- runs

    def _run_on_host(self, sizes: Any, views: Sequence[View]) -> None:
        """Arrays of the host, on the device of this program; waits."""
        device = device_named(self._device)
        copies = self._copies(views)
        at = self._addresses(*[copies[i][0] if i in copies else v.address
                               for i, v in enumerate(views)])
        with device.lock:
            _library.must(_library.rt.cetane_device_use(device.handle))
            try:
                status = _library.rt.cetane_program_call(
                    self._pointer, sizes, at, 1, b"")
                failed = _library.failure(status) if status else None
            finally:
                _library.rt.cetane_device_use(None)
        if failed:
            raise failed
        for i, (address, _) in copies.items():
            if self.arrays[i].role != "input":
                _arrays.copy_out(views[i], self.arrays[i].itemsize, address)

    def _run_on_gpu(self, device: int, sizes: Any, given: Sequence[Any],
                    views: Sequence[View], stream: Optional[int]) -> None:
        """In the context that is current, which belongs to the arrays' library."""
        owner = next(k for k, v in enumerate(views) if v.device >= 0)
        if stream is None:
            stream = _arrays.current_stream(given[owner], views[owner])
        special = self._special_for(sizes)
        chosen = special if special and not special._misaligned(views) else self
        for i in chosen._misaligned(views):
            a = self.arrays[i]
            raise ValueError(f"{self.name}: {a.name} is not aligned to "
                             f"{a.alignment} bytes; give a copy")
        status = chosen._launch(device, sizes, given[owner], views, stream)
        if status == _library.NOT_LOADED and chosen is special:
            status = self._launch(device, sizes, given[owner], views, stream)
        strides = self._given_strides(views)
        if status == INVALID_VALUE and strides is not None:
            raise ValueError(str(_library.failure(status)))
        _library.must(status)
        if strides is None:
            self._fast.learn(self, special or self, given, device, sizes)

    def _launch(self, device: int, sizes: Any, owner: Any,
                views: Sequence[View], stream: int) -> int:
        """Launch, and return the status. Memory and a context are of the library that
        has made "owner".
        """
        at = self._addresses(*[v.address for v in views])
        work = self._work_of(self._workspace(sizes), device, stream, owner)
        self._gpus.add(device)
        strides = self._given_strides(views)
        for again in True, False:
            status = int(_library.rt.cetane_program_launch_strided(
                self._pointer, stream, sizes, strides, at, work and work[0], 0))
            if status != _library.NO_CONTEXT or not again:
                break
            _arrays.make_current(owner, device)
        return status

    def _given_strides(self, views: Sequence[View]) -> Any:
        """Those of arrays with gaps, as int64_t[]; None: there are no gaps."""
        if all(_arrays.is_contiguous(v.shape, v.strides) for v in views):
            return None
        all_: List[int] = []
        for n, v in zip(self._strides, views):
            own = _arrays.whole_strides(v)
            all_ += own[:n] if n else [-1]
        return (c_int64 * (len(all_) + 1))(*all_)

    def _work_of(self, size: int, device: int, stream: int,
                 like: Any) -> Optional[Tuple[int, Any]]:
        """Address and owner of "size" bytes for a launch on "stream"."""
        if not size:
            return None
        new = _arrays.new_like(like, "u8", (size,))
        if new is not None:
            return _arrays.view(new).address, new
        key = device, stream
        if key not in self._work or self._work[key][2] < size:
            at = c_uint64()
            handle = device_named(f"cuda:{device}").handle
            _library.must(_library.rt.cetane_malloc(handle, size, byref(at)))
            # One that was too small may be in use still, so it is kept.
            self._work[key] = (at.value, self._work.get(key), size)
        return self._work[key][0], None


# ----------------------------------------------------------------------- objects

def load(path: Union[str, "os.PathLike[str]"], name: Optional[str] = None,
         device: Optional[str] = None) -> Program:
    """A program that "cetane build --emit=object" has made: the object, or a shared
    library with it, where "name" chooses one of several. An object runs on GPUs, and
    on the host device where the compiler is installed.
    """
    check_device(device)
    with open(path, "rb") as f:
        data = f.read()
    opened = c_void_p()
    status = _library.rt.cetane_program_open(data, len(data), byref(opened))
    if status:
        raise Error(f"{os.fspath(path)}: {_library.failure(status)}")
    program = Program(opened.value or 0, opened, device)
    name = name or program.name
    is_library = data[16:18] in (b"\3\0", b"\0\3")     # ET_DYN
    if is_library:
        lib = ctypes.CDLL(os.path.abspath(path))
        function = getattr(lib, name + "_program", None)
        if function is None:
            raise Error(f"{os.fspath(path)} has no program {name}")
        function.restype = c_void_p
        return Program(function(), lib, device)
    if _library.lib is None:
        return program
    build = Build(Text(os.fspath(path), data))
    return linked(build, name, device)


def linked(build: Build, name: str, device: Optional[str],
           **more: Any) -> Program:
    """The program of the object that "build" has."""
    address = build.symbol(name + "_program")
    pointer = ctypes.CFUNCTYPE(c_void_p)(address)()
    return Program(pointer, build, device, **more)
