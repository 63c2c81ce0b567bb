"""The package cetane on the host device, against NumPy, and on a GPU that is not
there (fake_gpu.py). Skipped as a whole without NumPy.
"""
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import tracemalloc
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(SOURCE, "tools", "python"), HERE]
import cetane  # noqa: E402
import fake_gpu  # noqa: E402

GEMM = "Params M, K, N;\nMatrix A(M,K);\nMatrix B(K,N);\nC = A * B;\n"
DOUBLE = "param N;\ntensor f32 X(N);\nout Y(i) = X(i) + X(i);\n"
SQUARE = ("param N;\ntensor f32 X(N,N);\n"
          "out Y(i,j) = sum(k: X(i,k) * X(k,j));\n")
SCALE = "param N;\ntensor f32 X(N), a;\nout Y(i) = a * X(i);\n"
rng = np.random.default_rng(1)


def random(*shape, kind=np.float32):
    return rng.random(shape).astype(kind)


class Case(unittest.TestCase):
    def setUp(self):
        os.environ["CETANE_DEVICE"] = "host"
        self.addCleanup(os.environ.pop, "CETANE_DEVICE")

    def wrong(self, kind, says, call):
        with self.assertRaisesRegex(kind, says):
            call()


class Compile(Case):
    def test_gemm(self):
        gemm = cetane.compile(GEMM, name="gemm.dsl")
        self.assertEqual(gemm.name, "gemm")
        self.assertEqual([s.name for s in gemm.sizes], ["M", "K", "N"])
        self.assertEqual(gemm.arrays[1], cetane.Array(
            "B", "f32", "input", 2, 4, 4))
        a, b = random(30, 20), random(20, 10)
        c = gemm(a, b)
        self.assertIs(type(c), np.ndarray)
        np.testing.assert_allclose(c, a @ b, rtol=1e-5)
        out = np.empty((30, 10), np.float32)
        self.assertIs(gemm(B=b, A=a, out=out), out)
        np.testing.assert_array_equal(out, c)
        gemm(a, b, out={"C": out})
        self.assertEqual(gemm(a[:0], b).shape, (0, 10))
        self.assertEqual(gemm.output_shapes((3, 4), (4, 5)), [(3, 5)])
        self.assertEqual(gemm.shapes(M=1, K=2, N=3),
                         {"A": (1, 2), "B": (2, 3), "C": (1, 3)})
        self.assertEqual(gemm.workspace_size(M=1, K=2, N=3), 0)
        self.assertEqual(gemm.manifest["arrays"][2]["extents"], ["M", "N"])
        self.assertIn("gemm_checked", gemm.header)

    def test_kept(self):
        one = cetane.compile(SCALE)
        self.assertIs(cetane.compile(SCALE), one)
        self.assertIsNot(cetane.compile(SCALE, cache=False), one)
        self.assertIsNot(cetane.compile(SCALE, sizes={"N": 8}), one)
        cetane.clear_cache()
        self.assertIsNot(cetane.compile(SCALE), one)

    def test_kept_on_disk(self):
        """The library's cache, which other processes share."""
        with tempfile.TemporaryDirectory() as folder:
            os.environ["CETANE_CACHE_DIR"] = folder
            self.addCleanup(os.environ.pop, "CETANE_CACHE_DIR")
            one = cetane.compile(SCALE, cache=False)
            entry, = os.listdir(folder)
            again = cetane.compile(SCALE, cache=False)
            self.assertEqual(os.listdir(folder), [entry])
            self.assertEqual(again.object, one.object)
            self.assertEqual(again(np.ones(2, np.float32), 3).tolist(), [3, 3])

    def test_fixed_sizes(self):
        scale = cetane.compile(SCALE, sizes={"N": 8})
        self.assertEqual(scale.sizes[0].value, 8)
        np.testing.assert_array_equal(
            scale(np.ones(8, np.float32), 3), np.full(8, 3, np.float32))
        self.wrong(ValueError, "dimension 0 of X has extent 9, it must be 8",
                   lambda: scale(np.ones(9, np.float32), 3))

    def test_types(self):
        for ours, theirs in [("f64", "f8"), ("f16", "f2"), ("i8", "i1"),
                             ("u16", "u2"), ("i64", "i8")]:
            twice = cetane.compile(
                f"param N;\ntensor {ours} X(N);\nout Y(i) = X(i) + X(i);\n")
            x = np.arange(5).astype(theirs)
            y = twice(x)
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_array_equal(y, x + x)

    def test_bfloat16(self):
        """NumPy has no such type: the bits, or that of ml_dtypes."""
        same = cetane.compile("param N;\ntensor bf16 X(N);\nout Y(i) = X(i);\n")
        y = same(np.array([0x3f80, 0x4000], np.uint16))
        self.assertEqual(y.view(np.uint16).tolist(), [0x3f80, 0x4000])

    def test_float8(self):
        """The same of floats of 8 bits."""
        for kind in "f8e4m3", "f8e5m2":
            same = cetane.compile(
                f"param N;\ntensor {kind} X(N);\nout Y(i) = X(i);\n")
            y = same(np.array([0x38, 0xc1], np.uint8))
            self.assertEqual(y.view(np.uint8).tolist(), [0x38, 0xc1])

    def test_tf32(self):
        """Numbers of f32 go in, of which some digits count, and come out."""
        same = cetane.compile("param N;\ntensor tf32 X(N);\nout Y(i) = X(i) + X(i);\n")
        y = same(np.array([1 + 2.**-10 + 2.**-23, -3], np.float32))
        self.assertEqual((y.dtype, y.tolist()), (np.float32, [2 + 2.**-9, -6]))

    def test_in_place(self):
        """What a nest changes is changed in the caller's array, and returned."""
        nest = cetane.compile(
            "void f(int n, double x[n], const double y[n]) {\n"
            "\tfor (int i = 0; i < n; i++) x[i] += 2 * y[i];\n}\n",
            name="f.c")
        x, y = np.ones(6), np.arange(6.0)
        self.assertEqual({a.name: a.role for a in nest.arrays},
                         {"x": "inout", "y": "input"})
        self.assertIs(nest(x, y), x)
        np.testing.assert_array_equal(x, 1 + 2 * y)
        x.flags.writeable = False
        self.wrong(ValueError, "f: x is read-only, but is written",
                   lambda: nest(x, y))

    def test_several_outputs(self):
        two = cetane.compile("param N;\ntensor f32 X(N);\n"
                             "out S() = sum(i: X(i));\nout Y(i) = -X(i);\n")
        s, y = two(np.ones(4, np.float32))
        self.assertEqual((float(s), y.tolist()), (4.0, [-1.0] * 4))
        self.wrong(TypeError, "has 2 outputs, out has 1",
                   lambda: two(np.ones(4, np.float32), out=y))

    def test_sizes_that_shapes_do_not_tell(self):
        ramp = cetane.compile("param M, N;\ntensor f32 X(M);\n"
                              "out Y(i) for 0 <= i < N = f32(i) + 1.0;\nout Z(i) = X(i);\n")
        x = np.ones(3, np.float32)
        self.assertEqual(ramp(x, N=4)[0].tolist(), [1, 2, 3, 4])
        self.wrong(ValueError, "the size N does not follow from the shapes of "
                   "the arrays; give it, as in N=8",
                   lambda: ramp(x))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scale.dsl")
            with open(path, "w") as f:
                f.write(SCALE)
            self.assertEqual(cetane.compile(path).name, "scale")
        self.wrong(FileNotFoundError, "scale.dsl",
                   lambda: cetane.compile(path, cache=False))
        self.wrong(TypeError, "a text or a path", lambda: cetane.compile(3))
        self.wrong(ValueError, "no file 'y = 2'; if it is the text",
                   lambda: cetane.compile("y = 2"))
        self.wrong(TypeError, "no argument specialise; did you mean specialize",
                   lambda: cetane.compile(SCALE, specialise=3))


class Errors(Case):
    def test_program(self):
        with self.assertRaises(cetane.CompileError) as c:
            cetane.compile("Params N;\nMatrix A(N,N);\nB = A * X;\n",
                           name="bad.dsl")
        e = c.exception
        self.assertEqual((e.kind, e.file, e.line, e.column, e.number),
                         ("input", "bad.dsl", 3, 9, 201))
        self.assertEqual(e.message, "'X' is not defined")
        self.assertIn("bad.dsl:3:9: error[E201]", str(e))
        self.assertEqual(e.messages[0].severity, "error")

    def test_options(self):
        with self.assertRaises(cetane.CompileError) as c:
            cetane.compile(SCALE, arch="sm_1")
        self.assertEqual(c.exception.kind, "usage")
        with self.assertRaises(cetane.CompileError) as c:
            cetane.compile(SCALE, no_such=True)
        self.assertIn("no-such", str(c.exception))

    def test_arguments(self):
        gemm = cetane.compile(GEMM, name="gemm.dsl")
        a, b = random(3, 2), random(2, 5)
        for kind, says, call in [
                (ValueError, "gemm: dimension 0 of B has extent 3, it must be "
                 "2 where K = 2", lambda: gemm(a, a)),
                (TypeError, "gemm: A has elements of type f64, it must have "
                 "f32", lambda: gemm(a.astype("f8"), b)),
                (TypeError, "gemm: A has elements of type swapped",
                 lambda: gemm(a.astype(">f4"), b)),
                (ValueError, "gemm: B has 1 dimension, it must have 2",
                 lambda: gemm(a, b[0])),
                (TypeError, "gemm lacks the input B", lambda: gemm(a)),
                (TypeError, "gemm has no size or array b; did you mean B",
                 lambda: gemm(a, b=b)),
                (TypeError, r'must have f32: x.astype\("f4"\)',
                 lambda: gemm(a, b.astype("f8"))),
                (TypeError, "gemm: B is no array: list; numpy.array makes",
                 lambda: gemm(a, [[1]])),
                (ValueError, "gemm: stream is -1, not",
                 lambda: gemm(a, b, stream=-1)),
                (TypeError, "gemm takes 2 inputs, not 3",
                 lambda: gemm(a, b, b)),
                (TypeError, "gemm got A twice", lambda: gemm(a, b, A=a)),
                (TypeError, "gemm: B is no array: str", lambda: gemm(a, "x")),
                (TypeError, "gemm has no size or array Q",
                 lambda: gemm(a, b, Q=1)),
                (TypeError, "gemm has no output A",
                 lambda: gemm(a, b, out={"A": a})),
                (ValueError, "dimension 1 of C has extent 3, it must be 5",
                 lambda: gemm(a, b, out=np.empty((3, 3), "f4"))),
                (ValueError, "dimension 1 of B has extent 5, it must be 4",
                 lambda: gemm(a, b, N=4)),
                (cetane.LaunchError, "C and A overlap|A and C overlap",
                 lambda: gemm(np.ones((2, 2), "f4"), b[:, :2].copy(),
                              out=(same,)))]:
            same = np.ones((2, 2), "f4")
            if kind is cetane.LaunchError:
                self.wrong(kind, says, lambda: gemm(same, random(2, 2),
                                                    out=same))
            else:
                self.wrong(kind, says, call)


    def test_what_is_no_program(self):
        for kind, says, call in [
                (TypeError, "size N is 'x', not an integer",
                 lambda: cetane.compile(SCALE, sizes={"N": "x"})),
                (TypeError, "size N is 1.5, not an integer",
                 lambda: cetane.compile(SCALE, sizes={"N": 1.5})),
                (TypeError, "size N is None, not an integer",
                 lambda: cetane.check(SCALE, sizes={"N": None})),
                (TypeError, "sizes is a dictionary such as",
                 lambda: cetane.compile(SCALE, sizes=[8])),
                (ValueError, "size N is 1{31}, beyond 2147483647",
                 lambda: cetane.compile(SCALE, sizes={"N": int("1" * 31)})),
                (ValueError, "source is empty", lambda: cetane.compile("")),
                (ValueError, "source is empty", lambda: cetane.check("")),
                (ValueError, 'device "gpu" is none of host, cuda and cuda:N',
                 lambda: cetane.compile(SCALE, device="gpu")),
                (TypeError, "device 3 is none of", lambda: cetane.compile(
                    SCALE, device=3))]:
            self.wrong(kind, says, call)
        self.assertEqual(cetane.compile(
            SCALE, sizes={"N": np.int64(8)}).sizes[0].value, 8)

    def test_odd_arguments(self):
        """Each message names the argument, whatever it was given."""
        scale = cetane.compile(SCALE, name="scale.dsl")
        x = random(8)

        class Thing:
            def __init__(self, **face):
                if face:
                    self.__cuda_array_interface__ = face

        class Packed:
            def __init__(self, device, capsule):
                self.device, self.capsule = device, capsule

            def __dlpack_device__(self):
                return self.device

            def __dlpack__(self, **_):
                if self.capsule is BufferError:
                    raise BufferError("it is lent")
                return self.capsule

        lost = Thing()
        lost.__dlpack__ = lambda: None
        whole = {"data": (64, False), "typestr": "<f4", "shape": (8,)}
        for bad, says in [
                (Thing(data=(64, False), typestr="<f4"), "'shape'"),
                (Thing(**dict(whole, data=3)), "__cuda_array_interface__"),
                (Thing(**dict(whole, typestr=7)), "__cuda_array_interface__"),
                (Thing(**dict(whole, shape=8)), "__cuda_array_interface__"),
                (Thing(**dict(whole, shape=(-8,))), "__cuda_array_interface__"),
                (Thing(**dict(whole, strides=(4, 4))), "__cuda_array_interface__"),
                (Thing(**dict(whole, data=(0, False))), "address 0"),
                (Packed((1, 0), None), "__dlpack__"),
                (Packed((1, 0), 3), "__dlpack__"),
                (Packed(None, None), "__dlpack__"),
                (Packed((1, 0), BufferError), "it is lent"),
                (lost, "__dlpack_device__"),
                (np.ma.masked_array(x, x > .5), "an array with a mask"),
                (np.zeros(8, object), "elements of type object"),
                ([1, 2], "no array: list")]:
            self.wrong(TypeError, "scale: X .*" + says,
                       lambda: scale(bad, 2))
        self.wrong(TypeError, "scale: a is no array: complex",
                   lambda: scale(x, 2j))
        self.wrong(TypeError, "scale: size N is 'x', not an integer",
                   lambda: scale(x, 2, N="x"))
        self.wrong(TypeError, "scale: stream is 'x', not a CUstream",
                   lambda: scale(x, 2, stream="x"))
        wide = np.lib.stride_tricks.as_strided(x, (1 << 40,), (4,))
        self.wrong(ValueError, "N is 1099511627776, not from 0 to",
                   lambda: scale(wide, 2))

    def test_scalars(self):
        scale, x = cetane.compile(SCALE), random(8)
        for two in 2, 2., np.float32(2), np.int64(2), np.array(2, "f4"):
            np.testing.assert_array_equal(scale(x, two), 2 * x)

    def test_parts_of_arrays(self):
        """Where alignment is asked for, a part that begins elsewhere is copied."""
        double = cetane.compile("param N;\ntensor f32 X(N);\n"
                                "out Y(i) = X(i) + X(i);\n")
        self.assertEqual([a.alignment for a in double.arrays], [16, 16])
        x, y = random(9), np.zeros(9, "f4")
        np.testing.assert_array_equal(double(x[1:]), 2 * x[1:])
        part = y[1:]
        self.assertIs(double(x[1:], out=part), part)
        np.testing.assert_array_equal(y[1:], 2 * x[1:])
        self.assertEqual(y[0], 0)
        self.wrong(ValueError, "Y and X overlap", lambda: double(
            x[1:], out=x[1:]))
        add = cetane.compile("""void add(int n, float x[n], const float y[n])
{
	for (int i = 0; i < n; i++)
		x[i] += y[i];
}
""", name="add.c")
        y = random(9)
        want = y[1:] + x[:8]
        add(y[1:], x[:8])
        np.testing.assert_array_equal(y[1:], want)


class Emit(Case):
    def test_stages(self):
        for kind, has in [("ptx", ".target sm_80"), ("llvm", "define"),
                          ("poly", "schedule"), ("schedule", "domain")]:
            self.assertIn(has, cetane.emit(SCALE, kind, arch="sm_80"), kind)
        self.assertIn("1 output: f32 Y[N]", cetane.check(SCALE))
        self.wrong(cetane.CompileError, "E201|not defined",
                   lambda: cetane.check("param N;\nout Y(i) = X(i);\n"))


    def test_values(self):
        """What a session prints: short, with what a user asks first."""
        gemm = cetane.compile(GEMM, name="gemm.dsl")
        self.assertEqual(repr(gemm), "<cetane.Program gemm(A: f32[M, K], "
                         "B: f32[K, N]) -> C: f32[M, N]>")
        scale = cetane.compile(SCALE, name="scale.dsl", arch="sm_80")
        self.assertIn("(X: f32[N], a: f32) ->", repr(scale))
        self.assertIn(".target sm_80", scale.emit("ptx"))
        self.assertIn("kernel scale_Y", scale.inspect())
        self.assertIn("scale_Y", scale.inspect(resources=True))
        with self.assertRaises(cetane.CompileError) as c:
            cetane.compile("param N;\nout Y(i) = X(i);\n")
        message, = c.exception.messages
        self.assertEqual(repr(message), "<error E201 at 2:12: 'X' is not defined>")
        self.assertEqual((message.code, str(message).count("\n")), ("E201", 2))

    def test_inspect(self):
        facts = cetane.inspect(SCALE, arch="sm_80", name="scale.dsl")
        self.assertEqual(facts["program"], "scale")
        self.assertEqual(len(facts["kernels"]), 1)
        self.assertIn("<svg", cetane.inspect(SCALE, schedule=True, svg=True))
        self.assertIn("kernel scale_Y", cetane.inspect(
            cetane.compile(SCALE, name="scale.dsl")))
        self.wrong(cetane.CompileError, "not defined", lambda: cetane.inspect(
            "param N;\nout Y(i) for 0 <= i < N = X(i);\n"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scale.ptx")
            with open(path, "w") as f:
                f.write(cetane.emit(SCALE, "ptx", name="scale.dsl"))
            self.assertIn("scale_Y", cetane.inspect(path))


class Strides(Case):
    """Arrays of the host whose elements lie anyhow are copied, in and out."""

    def test_inputs(self):
        gemm = cetane.compile(GEMM, name="gemm.dsl")
        a, b = random(6, 8), random(8, 10)
        for x, y in [(a.T[:6, :6], b[:6]), (a[::-1], b), (a[:, ::2], b[::2]),
                     (np.broadcast_to(a[0], (5, 8)), b[:, 3:7]),
                     (np.asfortranarray(a), b[::-1, ::-3]),
                     (a[:1].T, b[:1]), (a.T[:0], b[:6])]:
            np.testing.assert_allclose(gemm(x, y), x @ y, rtol=1e-5)
        self.assertEqual(gemm(a[:, ::2], b[::2]).shape, (6, 10))

    def test_outputs(self):
        gemm = cetane.compile(GEMM, name="gemm.dsl")
        a, b, whole = random(3, 4), random(4, 5), np.full((6, 15), 7, "f4")
        for place in whole[::2, ::3], whole.T[:5, :3].T, whole[2::-1, 4::-1]:
            whole[:] = 7
            self.assertIs(gemm(a, b, out=place), place)
            np.testing.assert_allclose(place, a @ b, rtol=1e-5)
            self.assertEqual((whole == 7).sum(), 90 - 15)
        self.wrong(ValueError, "elements of C, which is written, overlap",
                   lambda: gemm(a, b, out=np.lib.stride_tricks.as_strided(
                       whole, (3, 5), (4, 4))))
        square = random(8, 8)
        self.wrong(ValueError, "A and C overlap|C and A overlap",
                   lambda: gemm(square[:4, :4], b[:, :4], out=square[3:7, 3:7]))

    def test_changed_in_place(self):
        add = cetane.compile(
            "void add(int n, int m, float x[n][m])\n{\n\tfor (int i = 0; i < n; "
            "i++)\n\t\tfor (int j = 0; j < m; j++)\n\t\t\tx[i][j] += 1;\n}\n",
            name="add.c")
        whole = np.zeros((4, 6), "f4")
        add(whole[:, 1::2])
        self.assertEqual(whole.sum(), 12)
        self.assertEqual(whole[:, 1::2].sum(), 12)

    def test_types(self):
        for kind in "i1", "f2", "f8", "u8", "c8":
            x = np.arange(24).reshape(4, 6).astype(kind)
            if kind == "c8":
                x, kind = x.real, "f4"      # every second one of f32
            name = {"i1": "i8", "f2": "f16", "f8": "f64", "u8": "u64",
                    "f4": "f32"}[kind]
            same = cetane.compile(f"param N, M;\ntensor {name} x(N,M);\n"
                                  "out y(i,j) = x(j,i);\n")
            np.testing.assert_array_equal(same(x.T), x)
            np.testing.assert_array_equal(same(x), x.T)


class Load(Case):
    def test_object_and_library(self):
        scale = cetane.compile(SCALE, name="scale.dsl")
        with tempfile.TemporaryDirectory() as folder:
            scale.save(folder)
            base = os.path.join(folder, "scale")
            self.assertEqual(sorted(os.listdir(folder)),
                             ["scale.h", "scale.json", "scale.o"])
            subprocess.run(
                [os.environ.get("CETANE_CC", "cc"), "-shared", "-o",
                 base + ".so", base + ".o",
                 os.path.join(os.environ["CETANE_LIBRARY"],
                              "libcetane_rt.so.0")], check=True)
            x = random(7)
            for suffix in ".o", ".so":
                loaded = cetane.load(base + suffix)
                self.assertEqual(loaded.arrays, scale.arrays)
                np.testing.assert_array_equal(loaded(x, 2), scale(x, 2))
            self.wrong(cetane.Error, "has no program other",
                       lambda: cetane.load(base + ".so", "other"))
            self.wrong(cetane.Error, "was loaded, not compiled",
                       lambda: loaded.object)
            self.wrong(cetane.Error, "there is no program",
                       lambda: cetane.load(base + ".h"))


class Gpu(Case):
    """Arrays of a GPU: pointers, streams and checks. The kernel is the test's."""

    def setUp(self):
        super().setUp()
        del os.environ["CETANE_DEVICE"]
        os.environ["CETANE_DEVICE"] = "host"
        self.double = cetane.compile(DOUBLE, arch="sm_80", name="doubled.dsl",
                                     specialize=0)
        self.streams = []

    def run_double(self, launch):
        """Its arguments are the arrays and the size."""
        self.streams.append(launch.stream)
        n = launch.arg[2]
        fake_gpu.at(launch.arg[1], (n,))[:] = \
            2 * fake_gpu.at(launch.arg[0], (n,))

    def gpu(self):
        return fake_gpu.Gpu(self.run_double)

    def test_interface(self):
        x, y = random(9), np.zeros(9, np.float32)
        with self.gpu() as gpu:
            out = fake_gpu.Interface(y)
            self.assertIs(self.double(fake_gpu.Interface(x, stream=5),
                                      out=out), out)
            self.double(fake_gpu.Interface(x), out=out, stream=6)
        np.testing.assert_array_equal(y, 2 * x)
        self.assertEqual((gpu.launches, self.streams), (2, [5, 6]))

    def test_dlpack(self):
        x, y = random(9), np.zeros(9, np.float32)
        with self.gpu():
            self.double(fake_gpu.DLPack(x), out=fake_gpu.DLPack(y))
        np.testing.assert_array_equal(y, 2 * x)
        host = self.double(fake_gpu.DLPack(x, (1, 0)))
        np.testing.assert_array_equal(host, 2 * x)
        self.wrong(TypeError, "X is an array on DLPack's device 8",
                   lambda: self.double(fake_gpu.DLPack(x, (8, 0))))

    def test_mixed(self):
        x = random(9)
        self.wrong(ValueError, "Y is in memory of the host, but X is on GPU 0",
                   lambda: self.double(fake_gpu.Interface(x), out=x.copy()))
        self.wrong(TypeError, "no array for Y can be made by fake_gpu",
                   lambda: self.double(fake_gpu.Interface(x)))
        self.wrong(TypeError, "an array with a mask", lambda: self.double(
            fake_gpu.Interface(x, mask=x)))
        self.wrong(ValueError, "Y is read-only", lambda: self.double(
            fake_gpu.Interface(x), out=fake_gpu.Interface(
                x, data=(x.ctypes.data, True))))
        self.wrong(ValueError, "X is not row-major", lambda: self.double(
            fake_gpu.Interface(random(18)[::2])))

    def test_pitched(self):
        """Rows with gaps go to programs that take them; columns do not."""
        text = "param N, M;\ntensor f32 X(N,M);\nout Y(i,j) = X(i,j) + X(i,j);\n"
        wide, y = random(4, 10), np.zeros((4, 5), "f4")
        seen = []

        def run(launch):
            """Arguments are arrays, sizes, and the pitch of each array."""
            seen.append(list(launch.arg[2:6]))
            n, m, pitch, _ = seen[-1]
            rows = np.lib.stride_tricks.as_strided(
                fake_gpu.at(launch.arg[0], (n * pitch,)), (n, m), (4 * pitch, 4))
            fake_gpu.at(launch.arg[1], (n, m))[:] = 2 * rows

        double = cetane.compile(text, arch="sm_80", pitched=True, specialize=0)
        with fake_gpu.Gpu(run) as gpu:
            gpu.fake.n_arg = 6
            for x in wide[:, :5], wide[:, 5:], wide[:1, :5], wide[:4, :5].copy():
                n = len(x)
                out = fake_gpu.Interface(y[:n])
                self.assertIs(double(fake_gpu.Interface(x), out=out), out)
                np.testing.assert_array_equal(y[:n], 2 * x)
            self.assertEqual(seen, [[4, 5, 10, 5]] * 2 + [[1, 5, 5, 5],
                                                         [4, 5, 5, 5]])
            for x, says in [
                    (wide.T[:4, :4], "the tensor that this one transposes"),
                    (wide[:, ::2], "give a contiguous copy$")]:
                self.wrong(ValueError, "X is not row-major.*" + says,
                           lambda: double(fake_gpu.Interface(x),
                                          out=fake_gpu.Interface(y)))
            self.wrong(ValueError, "the pitch of X is 3, not from 5",
                       lambda: double(fake_gpu.Interface(
                           np.lib.stride_tricks.as_strided(wide, (4, 5), (12, 4))),
                           out=fake_gpu.Interface(y)))
        plain = cetane.compile(text, arch="sm_80")
        self.wrong(ValueError, "compile with pitched=True", lambda: plain(
            fake_gpu.Interface(wide[:, :5]), out=fake_gpu.Interface(y)))

    def test_no_context(self):
        x = random(9)
        self.wrong(cetane.LaunchError, "context", lambda: self.double(
            fake_gpu.Interface(x), out=fake_gpu.Interface(x.copy())))


def fake_torch(case):
    """The stand-in for PyTorch in fake/."""
    sys.path.insert(0, os.path.join(HERE, "fake"))
    case.addCleanup(sys.path.remove, os.path.join(HERE, "fake"))
    import torch
    return torch


class Torch(Gpu):
    """Tensors, by the stand-in for PyTorch."""
    more, looked_up = [], 0

    def setUp(self):
        super().setUp()
        self.torch = fake_torch(self)

    def test_tensors(self):
        with self.gpu() as gpu:
            for n in 5, 5, 6, 5:
                x = self.torch.Tensor(random(n))
                y = self.double(x)
                self.assertIs(type(y), self.torch.Tensor)
                self.assertIs(self.double(x, out=y), y)
                np.testing.assert_array_equal(y.values, 2 * x.values)
            self.assertEqual(self.streams, [self.torch.stream] * 8)
            self.assertEqual(gpu.launches, 8)
            self.double(x, out=y, stream=3)
            self.assertEqual(self.streams[-1], 3)

    def test_checked_though_the_like_was_seen(self):
        with self.gpu():
            x = self.torch.Tensor(random(8))
            for _ in range(2):
                self.double(x, out=self.torch.Tensor(random(8)))
            for kind, says, bad in [
                    (ValueError, "Y is not row-major", random(16)[::2]),
                    (ValueError, "dimension 0 of Y", random(9)),
                    (TypeError, "elements of type f64", np.zeros(8))]:
                self.wrong(kind, says, lambda: self.double(
                    x, out=self.torch.Tensor(bad)))
            self.wrong(ValueError, "Y is on GPU 1, but X is on GPU 0",
                       lambda: self.double(x, out=self.torch.Tensor(
                           random(8), ("cuda", 1))))
            self.wrong(TypeError, "takes 1 input, not 2",
                       lambda: self.double(x, x))

    def test_like_the_last(self):
        """PyTorch's own comparison tells of such a call; nothing is looked up."""
        plans = self.double._fast.plans
        with self.gpu():
            x, y = (self.torch.Tensor(random(8)) for _ in range(2))
            for out in None, y:
                for _ in range(2):
                    self.double(x, out=out)
                plans.clear()
                self.double(x, out=out)
                self.assertEqual(len(plans), self.looked_up)
                other = self.torch.Tensor(random(9))
                np.testing.assert_array_equal(self.double(other).values,
                                              2 * other.values)

    def test_lazy_negative(self):
        """One element has no gaps, so that the like of it was seen."""
        with self.gpu():
            x = self.torch.Tensor(random(1))
            self.double(x)
            np.testing.assert_array_equal(self.double(x).values, 2 * x.values)
            x.negative = True
            self.wrong(TypeError, "X is a lazy", lambda: self.double(x))

    def test_short_way(self):
        """Another call like one that was seen runs one function of the package."""
        ran = []

        def profile(frame, event, arg):
            file = frame.f_code.co_filename
            if event == "call" and ("/cetane/" in file or file == "<string>"):
                ran.append(frame.f_code.co_name)

        with self.gpu() as gpu:
            gpu.callback = fake_gpu.KERNEL()    # no function of the test
            gpu.fake.kernel = gpu.callback
            x, y = (self.torch.Tensor(random(8)) for _ in range(2))
            self.double(x, out=y)
            for out in y, [y], None:
                self.double(x, out=out)
                del ran[:]
                sys.setprofile(profile)
                self.double(x, out=out)
                sys.setprofile(None)
                self.assertEqual(ran, ["__call__"] + self.more)

    def test_thread_without_context(self):
        """The first call of a thread: PyTorch makes its context current."""
        x = self.torch.Tensor(random(8))
        with self.gpu() as gpu:
            self.double(x)
            self.torch.queried.append(gpu.__enter__)
            self.addCleanup(self.torch.queried.clear)
            gpu.fake.current = None
            np.testing.assert_array_equal(self.double(x).values, 2 * x.values)
            self.assertTrue(gpu.fake.current)

    def test_host_tensors(self):
        x = self.torch.Tensor(random(8), ("cpu", None))
        np.testing.assert_array_equal(self.double(x).values, 2 * x.values)

    def test_leaks(self):
        """A thousand calls, made and given outputs in turn."""
        with self.gpu():
            x, y = (self.torch.Tensor(random(8)) for _ in range(2))

            def calls(n):
                for _ in range(n):
                    self.double(x)
                    self.double(x, out=y)

            tracemalloc.start()
            self.addCleanup(tracemalloc.stop)
            used = []
            for _ in range(3):
                calls(500)
                del self.streams[:]
                gc.collect()
                used.append(tracemalloc.get_traced_memory()[0])
            self.assertLess(used[2] - used[1], 4000)


class TorchAlone(Torch):
    """Tensors of a PyTorch whose own comparison is missing."""
    guards = None
    more, looked_up = ["_never"], 2

    def setUp(self):
        def restore():
            self.torch._C._dynamo.guards = kept
            cetane._fast._torch = None
            cetane.clear_cache()

        cetane.clear_cache()
        super().setUp()
        kept = self.torch._C._dynamo.guards
        self.addCleanup(restore)
        self.torch._C._dynamo.guards = self.guards
        cetane._fast._torch = None


class TorchChanged(TorchAlone):
    """Its comparison finds all tensors alike."""
    class guards:
        @staticmethod
        def TensorGuards(*_, **__):
            class All:
                @staticmethod
                def check(*_):
                    return True
            return All


class Specialized(Case):
    """Programs of open sizes that calls compile for theirs."""

    def setUp(self):
        super().setUp()
        self.torch = fake_torch(self)

    def specialized(self, most):
        """A program, and a driver that doubles and notes the blocks of launches. Their
        arguments are the arrays, and perhaps the size.
        """
        self.blocks = []

        def run(launch):
            self.blocks.append((*launch.grid, *launch.block))
            fake_gpu.at(launch.arg[1], (64, 64))[:] = \
                2 * fake_gpu.at(launch.arg[0], (64, 64))

        gpu = fake_gpu.Gpu(run)
        gpu.n_arg = 2
        return gpu, cetane.compile(SQUARE, arch="sm_80", cache=False,
                                   specialize=most)

    def test_specialized(self):
        """A call with new sizes compiles for them, if these are few. What it compiles
        has several elements at once, which begin at 16 bytes; others are not refused.
        """
        gpu, square = self.specialized(1)
        longer = random(64 * 64 + 4)
        part, whole = (self.torch.Tensor(
            longer[i:64 * 64 + i].reshape(64, 64)) for i in (1, 0))
        y = self.torch.Tensor(random(64, 64))
        with gpu:
            for out in y, None:
                for x in part, whole, whole, part, part, whole:
                    got = square(x, out=out)
                    self.assertIs(got, out or got)
                    np.testing.assert_array_equal(got.values, 2 * x.values)
        usual, special = self.blocks[:2]
        self.assertNotEqual(usual, special)
        self.assertEqual(self.blocks, [usual, special, special, usual, usual,
                                       special] * 2)
        fixed = square.specialized(N=64)
        self.assertEqual(fixed.sizes[0].value, 64)
        self.assertEqual([a.alignment for a in fixed.arrays], [16, 16])
        self.assertIs(square.specialized(N=65), square)

    def test_specialized_while_captured(self):
        """What is not loaded yet would break a capture; that of open sizes is."""
        gpu, square = self.specialized(8)
        x, y = (self.torch.Tensor(random(64, 64)) for _ in range(2))
        with gpu:
            square.load()
            self.addCleanup(setattr, gpu.fake, "capturing", 0)
            for gpu.fake.capturing in 1, 1, 1, 0, 1:
                square(x, out=y)
        usual, special = self.blocks[0], self.blocks[3]
        self.assertNotEqual(usual, special)
        self.assertEqual(self.blocks, [usual] * 3 + [special] * 2)

    def test_how_often(self):
        """Those who ask for versions get these alone, unless they want both."""
        for more, found in ({}, True), ({"versions": 1}, True), \
                ({"versions": 2}, False), ({"specialize": 0}, False), \
                ({"versions": 2, "specialize": 1}, True):
            double = cetane.compile(DOUBLE, arch="sm_80", **more)
            self.assertIs(double.specialized(N=8) is not double, found)
        fixed = cetane.compile(DOUBLE, {"N": 8}, "sm_80")
        self.assertIs(fixed.specialized(), fixed)
        self.wrong(cetane.CompileError, "versions", lambda: cetane.compile(
            DOUBLE, versions="many"))
        self.wrong(TypeError, "specialize is 'a'", lambda: cetane.compile(
            DOUBLE, specialize="a"))

    def test_sizes_that_do_not_compile(self):
        """The program of open sizes runs, and tells what is wrong, if anything is."""
        gpu, square = self.specialized(8)
        x = self.torch.Tensor(random(64, 64))

        def make(sizes):
            raise cetane.Error("no")

        square._special.make = make
        with gpu:
            np.testing.assert_array_equal(square(x).values, 2 * x.values)
        self.assertIs(square.specialized(N=64), square)


class Life(Case):
    def test_unload(self):
        """A program that nobody has is unloaded, and its code is gone."""
        program = cetane.compile(SCALE, cache=False)
        program(random(3), 2)
        instance = ctypes.c_void_p.from_address(program._pointer + 32)
        self.assertTrue(instance.value)
        owner = program._owner      # keeps the memory that is looked at
        del program
        gc.collect()
        self.assertFalse(instance.value)
        del owner


if __name__ == "__main__":
    unittest.main()
