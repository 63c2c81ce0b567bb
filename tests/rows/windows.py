"""Rows with more than two parallel loops, and recurrences over such loops: pooling,
convolutions, batches of products, cells and stencils. table.py says what a row is.
"""
import itertools

from row import row

# ------------------------------------------------------------ what is computed

def windows(np, x, size, stride=1, step=1):
    """The points of "x" that all windows have at one place, for each place of a window,
    and that place: windows of the last "len(size)" dimensions, "stride" apart, of
    points "step" apart.
    """
    n, first = len(size), len(x.shape) - len(size)
    count = [(x.shape[first + d] - step * (size[d] - 1) - 1) // stride + 1
             for d in range(n)]
    places = [()]
    for m in size:
        places = [p + (i,) for p in places for i in range(m)]
    for p in places:
        yield x[(Ellipsis,) + tuple(
            slice(step * i, step * i + stride * (m - 1) + 1, stride)
            for i, m in zip(p, count))], p


def largest_of(size, stride):
    def pooled(np, x):
        best = None
        for part, _ in windows(np, x, size, stride):
            best = part if best is None else np.maximum(best, part)
        return best
    return pooled


def averaged_of(size, stride):
    def of(np, x):
        parts = [part for part, _ in windows(np, x, size, stride)]
        return sum(parts) / len(parts)
    return of


def depthwise_of(stride):
    def of(np, x, f):
        return sum(part * f[:, p, q, None, None]
                   for part, (p, q) in windows(np, x, (3, 3), stride))
    return of


def convolution_of(size, stride=1, step=1, group=""):
    """The products of channels, summed over the places of windows."""
    def of(np, x, f):
        d = "xyz"[:len(size)]
        return sum(np.einsum("b%sc%s,%skc->b%sk%s" % (group, d, group, group, d),
                             part, f[(Ellipsis,) + p])
                   for part, p in windows(np, x, size, stride, step))
    return of


def transposed_of(size, stride, more=0, cut=0):
    """Filters "f" laid at every "stride"-th point, "cut" points off the front, to
    as many points and "more" of them.
    """
    def of(np, x, f):
        axes = range(2, 2 + len(size))
        ends = [stride * x.shape[d] + more for d in axes]
        for d in axes:
            n = stride * x.shape[d]
            first = np.arange(n) % stride == 0
            shape = (n,) + (1,) * (1 + len(size) - d)
            x = np.repeat(x, stride, d) * (1. * first).reshape(shape)
        names = "xyz"[:len(size)]
        total = 0
        for place in itertools.product(*map(range, size)):
            part = np.einsum("bc%s,ck->bk%s" % (names, names), x,
                             f[(slice(None), slice(None)) + place])
            part = np.pad(part, ((0, 0), (0, 0)) + tuple(
                (p, s - 1 - p) for p, s in zip(place, size)))
            total = total + part[(slice(None), slice(None)) + tuple(
                slice(cut, cut + end) for end in ends)]
        return total
    return of


def transposed_relu(np, x, f, a):
    y = transposed_of((3, 3), 2, 0, 1)(np, x, f) + a[:, None, None]
    return np.maximum(y, 0 * y)


def with_bias(np, x, f, a):
    return convolution_of((3, 3))(np, x, f) + a[:, None, None]


def positive(z):
    return z * (z > 0)


def pooled_after(pool):
    return lambda np, x, f, a: pool(np, positive(with_bias(np, x, f, a)))


def least_channel(np, x, f, a):
    return np.tanh(np.min(with_bias(np, x, f, a), 1)[:, 0])


def softmax_of_channels(np, x, f, a):
    z = with_bias(np, x, f, a)
    e = np.exp(z - np.max(z, 1))
    return e / np.sum(e, 1)


def normalised_images(np, x, f, a):
    def mean(z):
        return np.sum(np.sum(z, 3), 2) / (z.shape[2] * z.shape[3])
    z = with_bias(np, x, f, a)
    z = z - mean(z)
    return z / np.sqrt(mean(z * z) + 1e-5)


def convolutions(np, x, f, a):
    """Layers of as many points as "x" has, with zeros around."""
    for filters, bias in zip(f, a):
        x = positive(with_bias(np, np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))),
                               filters, bias))
    return x


def jacobi(np, x, steps, n):
    """Each point but those at borders becomes the mean of it and its neighbours."""
    rank = len(x.shape)
    whole = (slice(1, -1),) * rank
    for _ in range(steps):
        total = x[whole]
        for axis in range(rank):
            for part in slice(0, -2), slice(2, None):
                total = total + x[whole[:axis] + (part,) + whole[axis + 1:]]
        x = np.pad(0 * total + 1, ((1, 1),) * rank) * np.pad(
            total / (2 * rank + 1), ((1, 1),) * rank) + \
            (1 - np.pad(0 * total + 1, ((1, 1),) * rank)) * x
    return x


def lstm(np, x, wx, wh, bias):
    """Layers whose gates are input, forget, cell, output; from states of zero."""
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    steps = list(x)
    for l in range(wx.shape[0]):
        h = c = 0 * steps[0]
        for s, below in enumerate(steps):
            i, f, g, o = (below @ wx[l, q].T + h @ wh[l, q].T + bias[l, q]
                          for q in range(4))
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = steps[s] = sigmoid(o) * np.tanh(c)
    return np.stack(steps)


# --------------------------------------------------------------------- rivals

def torch_windows(name, **options):
    def of(torch, *arrays):
        return getattr(torch.nn.functional, name)(*arrays, **options)
    return of


def depthwise_rival(stride):
    def of(torch, x, f):
        return torch.nn.functional.conv2d(x, f[:, None], stride=stride,
                                          groups=x.shape[1])
    return of


def grouped_rival(torch, x, f):
    b, g, c, h, w = x.shape
    y = torch.nn.functional.conv2d(x.reshape(b, g * c, h, w),
                                   f.reshape(-1, *f.shape[2:]), groups=g)
    return y.reshape(b, g, -1, *y.shape[2:])


def convolved_with(behind):
    """A convolution with a bias, and a function of what it makes."""
    def of(torch, x, f, a):
        return behind(torch, torch.nn.functional.conv2d(x, f, a))
    return of


def convolutions_rival(torch, x, f, a):
    for filters, bias in zip(f, a):
        x = torch.relu(torch.nn.functional.conv2d(x, filters, bias, padding=1))
    return x


def jacobi_rival(torch, x, steps, n):
    """As a program in PyTorch has it: two arrays in turn."""
    rank = len(x.shape)
    whole = (slice(1, -1),) * rank
    x, y = x.clone(), x.clone()
    for _ in range(steps):
        total = x[whole]
        for axis in range(rank):
            for part in slice(0, -2), slice(2, None):
                total = total + x[whole[:axis] + (part,) + whole[axis + 1:]]
        y[whole] = total * (1 / (2 * rank + 1))
        x, y = y, x
    return x


def transposed_rival(torch, x, f, a):
    return torch.relu(torch.nn.functional.conv_transpose2d(
        x, f, a, stride=2, padding=1, output_padding=1))


# -------------------------------------------------------------------- windows

row("windows", "max_pool_1d", [("f32", 64, 128, 8193), ("f32", 16, 512, 4097),
                               ("f32", 256, 64, 1025)],
    [(1, 1, 3), (2, 3, 14)], largest_of((3,), 2),
    [torch_windows("max_pool1d", kernel_size=3, stride=2)])
row("windows", "max_pool", [("f32", 32, 64, 113, 113), ("bf16", 32, 256, 57, 57),
                            ("f32", 256, 512, 15, 15), ("f32", 16, 128, 57, 57)],
    [(1, 1, 3, 3), (2, 3, 8, 13)], largest_of((3, 3), 2),
    [torch_windows("max_pool2d", kernel_size=3, stride=2)])
row("windows", "max_pool_3d", [("f32", 8, 32, 32, 64, 64), ("f32", 16, 64, 16, 28, 28),
                               ("f32", 4, 16, 64, 112, 112)],
    [(1, 1, 2, 2, 2), (2, 3, 4, 7, 9)], largest_of((2, 2, 2), 2),
    [torch_windows("max_pool3d", kernel_size=2, stride=2)])
row("windows", "average_pool_1d", [("f32", 64, 128, 8192), ("f32", 16, 512, 4096),
                                   ("f32", 256, 64, 1022)],
    [(1, 1, 4), (2, 3, 14)], averaged_of((4,), 4),
    [torch_windows("avg_pool1d", kernel_size=4, stride=4)])
row("windows", "average_pool", [("f32", 32, 64, 112, 112), ("f16", 32, 256, 56, 56),
                                ("f32", 128, 512, 14, 14), ("f32", 16, 96, 55, 55)],
    [(1, 1, 2, 2), (2, 3, 8, 13)], averaged_of((2, 2), 2),
    [torch_windows("avg_pool2d", kernel_size=2, stride=2)])
row("windows", "average_pool_3d", [("f32", 8, 32, 32, 64, 64),
                                   ("f32", 16, 64, 16, 28, 28),
                                   ("f32", 4, 16, 64, 112, 112)],
    [(1, 1, 2, 2, 2), (2, 3, 4, 7, 9)], averaged_of((2, 2, 2), 2),
    [torch_windows("avg_pool3d", kernel_size=2, stride=2)])
row("windows", "depthwise", [("f32", 32, 128, 58, 58), ("f32", 32, 96, 114, 114),
                             ("f16", 64, 512, 16, 16), ("f32", 64, 512, 16, 16)],
    [(1, 1, 3, 3), (2, 3, 7, 12)], depthwise_of(1), [depthwise_rival(1)])
row("windows", "depthwise_strided", [("f32", 32, 128, 57, 57), ("f32", 64, 256, 29, 29),
                                     ("f32", 16, 64, 113, 113)],
    [(1, 1, 3, 3), (2, 3, 7, 12)], depthwise_of(2), [depthwise_rival(2)])
row("windows", "convolution_1d", [("f32", 16, 128, 128, 4100), ("f32", 64, 64, 128, 1028),
                                  ("f32", 8, 256, 256, 2052)],
    [(1, 1, 1, 5), (2, 3, 5, 12)], convolution_of((5,)), [torch_windows("conv1d")])
row("windows", "convolution_2d", [("f32", 32, 64, 64, 58, 58),
                                  ("f32", 32, 128, 128, 30, 30),
                                  ("f32", 16, 256, 256, 16, 16)],
    [(1, 1, 1, 3, 3), (2, 3, 5, 7, 12)], convolution_of((3, 3)),
    [torch_windows("conv2d")])
row("windows", "convolution_strided", [("f32", 32, 64, 128, 57, 57),
                                       ("f32", 32, 128, 256, 29, 29),
                                       ("f32", 16, 32, 64, 113, 113)],
    [(1, 1, 1, 3, 3), (2, 3, 5, 7, 12)], convolution_of((3, 3), 2),
    [torch_windows("conv2d", stride=2)])
row("windows", "convolution_dilated", [("f32", 32, 64, 64, 60, 60),
                                       ("f32", 16, 128, 128, 32, 32),
                                       ("f32", 8, 32, 64, 116, 116)],
    [(1, 1, 1, 5, 5), (2, 3, 5, 7, 12)], convolution_of((3, 3), 1, 2),
    [torch_windows("conv2d", dilation=2)])
row("windows", "convolution_3d", [("f32", 4, 16, 32, 18, 34, 34),
                                  ("f32", 8, 32, 64, 10, 18, 18),
                                  ("f32", 16, 3, 16, 18, 34, 34)],
    [(1, 1, 1, 3, 3, 3), (2, 3, 5, 4, 5, 8)], convolution_of((3, 3, 3)),
    [torch_windows("conv3d")])
row("windows", "convolution_3d_strided", [("f32", 4, 32, 64, 17, 33, 33),
                                          ("f32", 8, 64, 64, 9, 17, 17),
                                          ("f32", 2, 16, 32, 33, 65, 65)],
    [(1, 1, 1, 3, 3, 3), (2, 3, 5, 5, 6, 9)], convolution_of((3, 3, 3), 2),
    [torch_windows("conv3d", stride=2)])
row("windows", "convolution_grouped", [("f32", 32, 8, 16, 16, 58, 58),
                                       ("f32", 32, 32, 4, 4, 58, 58),
                                       ("f32", 16, 4, 64, 64, 30, 30)],
    [(1, 1, 1, 1, 3, 3), (2, 2, 3, 5, 7, 9)],
    convolution_of((3, 3), group="g"), [grouped_rival])
row("windows", "convolution_transposed", [("f32", 16, 64, 32, 28, 28),
                                          ("f32", 8, 256, 128, 16, 16),
                                          ("f32", 32, 128, 64, 14, 14)],
    [(1, 1, 1, 1, 1), (2, 3, 5, 4, 7)], transposed_of((4, 4), 2, 2),
    [torch_windows("conv_transpose2d", stride=2)])
row("windows", "convolution_transposed_1d", [("f32", 16, 128, 64, 4096),
                                             ("f32", 32, 64, 32, 1024),
                                             ("f32", 8, 256, 128, 512)],
    [(1, 1, 1, 1), (2, 3, 5, 7)], transposed_of((8,), 4, 4),
    [torch_windows("conv_transpose1d", stride=4)])
row("windows", "convolution_transposed_3d", [("f32", 4, 32, 32, 16, 16, 16)],
    [(1, 1, 1, 1, 1, 1), (2, 3, 5, 2, 4, 3)], transposed_of((4, 4, 4), 2, 0, 1),
    [torch_windows("conv_transpose3d", stride=2, padding=1)])
row("windows", "convolution_transposed_relu", [("f32", 16, 64, 32, 56, 56)],
    [(1, 1, 1, 1, 1), (2, 3, 5, 4, 7)], transposed_relu, [transposed_rival])
row("windows", "convolution_pool", [("f32", 32, 64, 64, 58, 58),
                                    ("f32", 16, 128, 128, 30, 30),
                                    ("f32", 32, 3, 64, 114, 114)],
    [(1, 1, 1, 4, 4), (2, 3, 5, 6, 11)], pooled_after(largest_of((2, 2), 2)),
    [convolved_with(lambda t, z: t.max_pool2d(t.relu(z), 2))])
row("windows", "convolution_average", [("f32", 32, 64, 64, 58, 58)],
    [(1, 1, 1, 4, 4), (2, 3, 5, 6, 11)], pooled_after(averaged_of((2, 2), 2)),
    [convolved_with(lambda t, z: t.nn.functional.avg_pool2d(t.relu(z), 2))])
row("windows", "convolution_minimum", [("f32", 32, 64, 64, 58, 58),
                                       ("f32", 64, 16, 32, 34, 34),
                                       ("f32", 16, 3, 128, 114, 114)],
    [(1, 1, 1, 3, 3), (2, 3, 5, 6, 11)], least_channel,
    [convolved_with(lambda t, z: t.tanh(z.amin(1)))])
row("windows", "convolution_softmax", [("f32", 32, 64, 64, 58, 58),
                                       ("f32", 64, 16, 32, 34, 34),
                                       ("f32", 16, 3, 128, 114, 114)],
    [(1, 1, 1, 3, 3), (2, 3, 5, 6, 11)], softmax_of_channels,
    [convolved_with(lambda t, z: t.softmax(z, 1))], {"F": "between -0.1 and 0.1"})
row("windows", "convolution_norm", [("f32", 32, 64, 64, 58, 58),
                                    ("f32", 64, 16, 32, 34, 34),
                                    ("f32", 16, 3, 128, 114, 114)],
    [(1, 1, 1, 3, 3), (2, 3, 5, 6, 11)], normalised_images,
    [convolved_with(lambda t, z: t.nn.functional.instance_norm(z))])

# -------------------------------------------------------------------- batches

row("batches", "batch_product", [("f32", 8, 12, 256, 256, 64),
                                 ("f32", 4, 16, 512, 64, 512),
                                 ("f32", 16, 8, 200, 200, 200)],
    [(1, 1, 1, 1, 1), (2, 3, 5, 37, 9)], lambda np, x, z: np.matmul(x, z),
    [lambda t, x, z: t.matmul(x, z)])
row("batches", "two_products", [("f32", 8, 12, 256, 256),
                                ("f32", 64, 8, 128, 128),
                                ("f32", 32, 4, 192, 192)],
    [(1, 1, 1, 1), (2, 3, 5, 37)],
    lambda np, x, z, v: np.matmul(np.matmul(x, z), v),
    [lambda t, x, z, v: t.matmul(t.matmul(x, z), v)])
for layers in 8, 16:
    row("layers", "convolutions_%d" % layers, [("f32", 8, 64, 56, 56)],
        [(1, 1, 1, 1), (1, 2, 2, 3)], convolutions, [convolutions_rival],
        # Values stay as large as they are.
        {"F": "between -0.07 and 0.07"})

# ------------------------------------------------- recurrences over parallel loops

MODULES = {}


def lstm_module(torch, wx, wh, bias):
    """The module of PyTorch with these weights, made once."""
    key = wx.data_ptr(), wh.data_ptr(), bias.data_ptr()
    if key not in MODULES:
        n, _, f, _ = wx.shape
        m = torch.nn.LSTM(f, f, n, device=wx.device, dtype=wx.dtype)
        with torch.no_grad():
            for l in range(n):
                for name, values in (("weight_ih", wx[l].reshape(4 * f, f)),
                                     ("weight_hh", wh[l].reshape(4 * f, f)),
                                     ("bias_ih", bias[l].reshape(-1)),
                                     ("bias_hh", 0 * bias[l].reshape(-1))):
                    getattr(m, "%s_l%d" % (name, l)).copy_(values)
        MODULES[key] = m
    return MODULES[key]


def lstm_rival(torch, x, wx, wh, bias):
    with torch.no_grad():
        return lstm_module(torch, wx, wh, bias)(x)[0]


SMALL = "between -0.0625 and 0.0625"
row("recurrences", "lstm", [("f32", 4, 100, 64, 512)],
    [(1, 1, 1, 1), (2, 3, 5, 7)], lstm, [lstm_rival],
    {"Wx": SMALL, "Wh": SMALL})
row("recurrences", "jacobi_2d", [("f32", 20, 4096)], [(1, 3), (4, 9)], jacobi,
    [jacobi_rival], sized=True)
row("recurrences", "jacobi_3d", [("f32", 10, 384)], [(1, 3), (4, 6)], jacobi,
    [jacobi_rival], sized=True)
