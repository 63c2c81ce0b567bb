"""The rows of the suite "rows": programs, sizes, what they compute, and rivals.

A program is the file NAME.dsl, written for f16 in memory. A row is a program in
a type at the sizes of its parameters, in the order of their declaration; "small"
are sizes for tests. "reference" computes the outputs from inputs in f64 by the
functions of "np", which is NumPy or what backends.py makes of PyTorch. "rivals"
compute them in PyTorch, each as it is and compiled.

Elements of inputs are of a normal distribution, unless "data" says otherwise.
"""
import math

import windows
from row import ROWS, Row, row


# ------------------------------------------------------------ what is computed

def softmax(np, x, axis=-1):
    e = np.exp(x - np.max(x, axis))
    return e / np.sum(e, axis)


def log_sum_exp(np, x):
    top = np.max(x, -1)
    return top + np.log(np.sum(np.exp(x - top), -1))


def mean(np, x, axis):
    return np.sum(x, axis) / (np.sum(x * 0 + 1, axis))


def normalised(np, x, axis, eps=1e-5):
    d = x - mean(np, x, axis)
    return d / np.sqrt(mean(np, d * d, axis) + eps)


def rms(np, x, eps=1e-5):
    return x / np.sqrt(mean(np, x * x, -1) + eps)


def causal(np, x):
    n = x.shape[-1]
    inside = np.arange(n)[None, :] <= np.arange(n)[:, None]
    e = np.where(inside, np.exp(x - np.max(x, -1)), 0 * x)
    return e / np.sum(e, -1)


def length(np, x, axis=-1):
    return np.sqrt(np.sum(x * x, axis))


def silu(np, x):
    return x / (1 + np.exp(-x))


def cosine(np, x, z):
    return (np.sum(x * z, -1) / (length(np, x) * length(np, z)))[..., 0]


def labelled(np, x, t):
    here = np.arange(x.shape[1])[None, :] == t[:, None]
    return (log_sum_exp(np, x) -
            np.sum(np.where(here, x, 0 * x), -1))[:, 0]


def standardised(np, x):
    d = x - mean(np, x, 0)
    return d / (np.sqrt(mean(np, d * d, 0)) + 1e-5)


def min_max(np, x):
    low, high = np.min(x, -1), np.max(x, -1)
    return (x - low) / (high - low + 1e-12)


def quantised(np, x):
    scale = np.max(np.abs(x), -1) / 127
    return np.round(x / scale), scale[:, 0]


def huber(np, x, t):
    d = np.abs(x - t)
    return mean(np, np.where(d <= 1, .5 * d * d, d - .5), -1)[:, 0]


def variance(np, x):
    d = x - mean(np, x, -1)
    return np.sum(d * d, -1)[:, 0] / (x.shape[-1] - 1)


def rotated(np, x, c, s):
    k = x.shape[-1] // 2
    c, s = c[None, :, None, :], s[None, :, None, :]
    a, b = x[..., :k], x[..., k:]
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


def options(np, s, x, t):
    def cdf(v):
        return .5 + .5 * np.erf(v / math.sqrt(2))
    a = (np.log(s / x) + .065 * t) / (.3 * np.sqrt(t))
    b = a - .3 * np.sqrt(t)
    paid = x * np.exp(-.02 * t)
    return s * cdf(a) - paid * cdf(b), paid * cdf(-b) - s * cdf(-a)


def adam(np, w, g, a, b):
    m, v = .9 * a + .1 * g, .999 * b + .001 * g * g
    return m, v, w - .001 * (m / (1 - .9 ** 10)) / (
        np.sqrt(v / (1 - .999 ** 10)) + 1e-8)


def gelu(np, x):
    return .5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) *
                                 (x + .044715 * x ** 3)))


def filtered(np, x, f):
    h, w = x.shape[0] - 2, x.shape[1] - 2
    return sum(x[p:p + h, q:q + w] * f[p, q]
               for p in range(3) for q in range(3))


# --------------------------------------------------------------------- rivals

def rms_of(torch, x, g):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], g, 1e-5)


def layer_norm_of(torch, x, g, b):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], g, b, 1e-5)


def group_norm_of(torch, x, gain, shift):
    b, g, c, s = x.shape
    return torch.nn.functional.group_norm(
        x.view(b, g * c, s), g, gain.view(-1).to(x.dtype),
        shift.view(-1).to(x.dtype), 1e-5).view(x.shape)


def instance_norm_of(torch, x, gain, shift):
    return torch.nn.functional.instance_norm(
        x, None, None, gain.to(x.dtype), shift.to(x.dtype), True, 0, 1e-5)


def batch_norm_of(torch, x, gain, shift):
    return torch.nn.functional.batch_norm(
        x, None, None, gain, shift, True, 0, 1e-5)


def plain_group_norm(torch, x, gain, shift):
    y = x.float()
    v, m = torch.var_mean(y, (2, 3), correction=0, keepdim=True)
    return ((y - m) * torch.rsqrt(v + 1e-5) * gain[..., None] +
            shift[..., None]).to(x.dtype)


def plain_batch_norm(torch, x, gain, shift, axis=(0, 2)):
    y = x.float()
    v, m = torch.var_mean(y, axis, correction=0, keepdim=True)
    return ((y - m) * torch.rsqrt(v + 1e-5) * gain[:, None] +
            shift[:, None]).to(x.dtype)


def quantised_of(torch, x):
    y = x.float()
    scale = y.abs().amax(1, keepdim=True) / 127
    return torch.round(y / scale).to(torch.int8), scale[:, 0]


def causal_of(torch, x):
    n = x.shape[-1]
    outside = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
    return torch.softmax(x.masked_fill(outside, -math.inf), -1)


def huber_of(torch, x, t):
    return torch.nn.functional.huber_loss(x.float(), t.float(),
                                          reduction="none").mean(1).to(x.dtype)


def rotated_of(torch, x, c, s):
    a, b = x.float().chunk(2, -1)
    c, s = c[None, :, None, :], s[None, :, None, :]
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


def options_of(torch, s, x, t):
    def cdf(v):
        return .5 + .5 * torch.erf(v * math.sqrt(.5))
    r = torch.sqrt(t)
    a = (torch.log(s / x) + .065 * t) / (.3 * r)
    b = a - .3 * r
    paid = x * torch.exp(-.02 * t)
    m, n = cdf(a), cdf(b)
    return s * m - paid * n, paid * (1 - n) - s * (1 - m)


def adam_of(torch, w, g, a, b):
    h = g.float()
    m, v = .9 * a + .1 * h, .999 * b + .001 * h * h
    return m, v, (w.float() - .001 * (m / (1 - .9 ** 10)) / (
        torch.sqrt(v / (1 - .999 ** 10)) + 1e-8)).to(w.dtype)


def cosine_of(torch, x, z):
    return torch.nn.functional.cosine_similarity(x.float(), z.float(),
                                                 1).to(x.dtype)


def min_max_of(torch, x):
    low, high = torch.aminmax(x, dim=1, keepdim=True)
    y, low = x.float(), low.float()
    return ((y - low) / (high.float() - low + 1e-12)).to(x.dtype)


def standardised_of(torch, x):
    v, m = torch.var_mean(x.float(), 0, correction=0, keepdim=True)
    return ((x.float() - m) / (torch.sqrt(v) + 1e-5)).to(x.dtype)


def upsampled_of(torch, x):
    return torch.nn.functional.interpolate(x[None], scale_factor=2)[0]


def convolved(torch, x, f):
    return torch.nn.functional.conv2d(x[None, None], f[None, None])[0, 0]


def with_sum(norm):
    """The norm of a sum, and the sum."""
    def both(torch, x, r, *rest):
        h = x + r
        return h, norm(torch, h, *rest)
    return both


def of_sum(norm):
    def one(torch, x, r, *rest):
        return norm(torch, x + r, *rest)
    return one


def gradient_of(torch, y, g):
    return torch._softmax_backward_data(g, y, 1, y.dtype)


def plain_gradient(torch, y, g):
    p = y.float() * g.float()
    return (p - y.float() * p.sum(1, keepdim=True)).to(y.dtype)


# ------------------------------------------------------- softmaxes and losses

row("softmax", "softmax",
    [("f32", 8192, 8192), ("bf16", 524288, 256), ("f16", 1021, 65521)],
    [(1, 1), (3, 67), (2, 2887)], softmax, [lambda t, x: t.softmax(x, 1)])
row("softmax", "softmax_columns",
    [("f32", 8192, 8192), ("bf16", 1024, 65536), ("f16", 32749, 2039)],
    [(1, 1), (67, 5)], lambda np, x: softmax(np, x, 0),
    [lambda t, x: t.softmax(x, 0)])
row("softmax", "softmax_causal",
    [("f32", 16, 2048), ("bf16", 128, 1024), ("f16", 64, 1021)],
    [(2, 1), (2, 37), (2, 72)], causal, [causal_of],
    read=lambda b, n: .5 + .5 / n)
row("softmax", "softmax_last",
    [("f32", 16, 16, 512, 512), ("bf16", 8, 32, 4096, 128),
     ("f16", 4, 16, 1024, 1531)],
    [(1, 2, 1, 1), (2, 3, 2, 37)], softmax, [lambda t, x: t.softmax(x, 3)])
row("softmax", "softmax_biased",
    [("f32", 64, 1024, 1024), ("bf16", 128, 1024, 1024),
     ("f16", 61, 1021, 1021)],
    [(1, 2, 1), (2, 3, 37)],
    lambda np, x, a: softmax(np, .125 * x + a[None]),
    [lambda t, x, a: t.softmax(.125 * x.float() + a.float(), 2).to(x.dtype)])
row("softmax", "softmax_gradient",
    [("f32", 16384, 4096), ("bf16", 32768, 2048), ("f16", 509, 131071)],
    [(2, 1), (3, 67)],
    lambda np, y, g: y * (g - np.sum(y * g, -1)),
    [gradient_of, plain_gradient], {"Y": "rows of probabilities"})
row("softmax", "log_softmax",
    [("f32", 4096, 16384), ("bf16", 4096, 32000), ("f16", 256, 262144)],
    [(2, 1), (3, 67)], lambda np, x: x - log_sum_exp(np, x),
    [lambda t, x: t.log_softmax(x, 1)])
row("softmax", "log_sum_exp",
    [("f32", 32768, 2048), ("bf16", 1048576, 64), ("f16", 256, 262139)],
    [(2, 1), (3, 67), (1100, 24)], lambda np, x: log_sum_exp(np, x)[:, 0],
    [lambda t, x: t.logsumexp(x, 1)])
row("losses", "cross_entropy",
    [("f32", 8192, 4096), ("bf16", 2048, 32000), ("f16", 8191, 5003)],
    [(2, 1), (3, 67)],
    lambda np, x, p: np.sum(p * (log_sum_exp(np, x) - x), -1)[:, 0],
    [lambda t, x, p: t.nn.functional.cross_entropy(x, p, reduction="none")],
    {"P": "rows of probabilities"})
row("losses", "cross_entropy_labels",
    [("f32", 8192, 16384), ("bf16", 4096, 50257), ("f16", 1024, 128256)],
    [(2, 1), (5, 67)], labelled,
    [lambda t, x, y: t.nn.functional.cross_entropy(x, y, reduction="none")],
    {"T": "columns of X"})
row("losses", "kl_divergence",
    [("f32", 8192, 4096), ("bf16", 4096, 32000), ("f16", 8191, 5003)],
    [(2, 1), (3, 67)], lambda np, q, p: np.sum(p * (np.log(p) - q), -1)[:, 0],
    [lambda t, q, p: t.nn.functional.kl_div(
        q.float(), p.float(), reduction="none").sum(1).to(q.dtype)],
    {"P": "rows of probabilities", "Q": "logarithms"})
row("losses", "huber",
    [("f32", 16384, 4096), ("bf16", 65536, 1024), ("f16", 1021, 65521)],
    [(2, 1), (3, 67), (3, 40009)], huber, [huber_of])

# ---------------------------------------------------------------------- norms

row("norms", "layer_norm",
    [("f32", 16384, 4096), ("bf16", 131072, 768), ("f16", 8191, 8191)],
    [(2, 1), (3, 67), (2, 2887)],
    lambda np, x, g, b: normalised(np, x, -1) * g + b, [layer_norm_of])
row("norms", "layer_norm_residual",
    [("f32", 16384, 2048), ("bf16", 32768, 1024), ("f16", 4096, 12289)],
    [(2, 1), (3, 67), (2, 2887)],
    lambda np, x, r, g, b: (x + r, normalised(np, x + r, -1) * g + b),
    [with_sum(layer_norm_of)])
row("norms", "rms_norm",
    [("f32", 8192, 8192), ("bf16", 16384, 4096), ("f16", 65536, 1021)],
    [(2, 1), (3, 67)], lambda np, x, g: rms(np, x) * g, [rms_of])
row("norms", "rms_norm_residual",
    [("f32", 4096, 8192), ("bf16", 16384, 4096), ("f16", 16384, 2887)],
    [(2, 1), (3, 67), (2, 2887)],
    lambda np, x, r, g: (x + r, rms(np, x + r) * g), [with_sum(rms_of)])
row("norms", "rms_norm_gate",
    [("f32", 65536, 512), ("bf16", 16384, 5120), ("f16", 131072, 251)],
    [(2, 1), (3, 67)],
    lambda np, x, z, g: rms(np, x) * g * silu(np, z),
    [lambda t, x, z, g: rms_of(t, x, g) * t.nn.functional.silu(z),
     lambda t, x, z, g: (rms_of(t, x.float(), g.float()) *
                         t.nn.functional.silu(z.float())).to(x.dtype)])
row("norms", "group_norm",
    [("f32", 32, 32, 8, 8192), ("bf16", 64, 32, 16, 1024),
     ("f16", 32, 32, 10, 4099)],
    [(1, 2, 1, 1), (2, 3, 2, 37)],
    lambda np, x, g, b: normalised(np, x, (2, 3)) * g[..., None] +
    b[..., None], [group_norm_of, plain_group_norm])
row("norms", "group_norm_residual",
    [("f32", 16, 32, 8, 4096), ("bf16", 32, 32, 16, 3136),
     ("f16", 64, 8, 4, 16381)],
    [(1, 2, 1, 1), (2, 3, 2, 37)],
    lambda np, x, r, g, b: normalised(np, x + r, (2, 3)) * g[..., None] +
    b[..., None], [of_sum(group_norm_of), of_sum(plain_group_norm)])
row("norms", "instance_norm",
    [("f32", 64, 64, 16384), ("bf16", 128, 256, 3136), ("f16", 16, 64, 65521)],
    [(1, 2, 1), (2, 3, 37)],
    lambda np, x, g, b: normalised(np, x, 2) * g[:, None] + b[:, None],
    [instance_norm_of,
     lambda t, *a: plain_batch_norm(t, *a, axis=2)])
row("norms", "instance_norm_residual",
    [("f32", 32, 64, 16384), ("bf16", 64, 512, 1024), ("f16", 16, 61, 65521)],
    [(1, 2, 1), (2, 3, 37)],
    lambda np, x, r, g, b: normalised(np, x + r, 2) * g[:, None] +
    b[:, None],
    [of_sum(instance_norm_of),
     of_sum(lambda t, *a: plain_batch_norm(t, *a, axis=2))])
row("norms", "batch_norm",
    [("f32", 64, 256, 3136), ("bf16", 128, 512, 784), ("f16", 31, 61, 16381)],
    [(1, 2, 2), (2, 3, 37), (16, 2, 64)],
    lambda np, x, g, b: normalised(np, x, (0, 2)) * g[:, None] + b[:, None],
    [batch_norm_of, plain_batch_norm])
row("norms", "batch_norm_residual",
    [("f32", 32, 256, 3136), ("bf16", 256, 64, 3136), ("f16", 61, 127, 4093)],
    [(1, 2, 2), (2, 3, 37), (16, 2, 64)],
    lambda np, x, r, g, b: normalised(np, x + r, (0, 2)) * g[:, None] +
    b[:, None], [of_sum(batch_norm_of), of_sum(plain_batch_norm)])
row("norms", "l2_normalise",
    [("f32", 65536, 1024), ("bf16", 1048576, 128), ("f16", 4096, 16381)],
    [(2, 1), (3, 67), (1100, 24)], lambda np, x: x / length(np, x),
    [lambda t, x: t.nn.functional.normalize(x.float(), dim=1).to(x.dtype),
     lambda t, x: t.nn.functional.normalize(x, dim=1)])
row("norms", "frobenius_normalise",
    [("f32", 4096, 128, 128), ("bf16", 256, 512, 512), ("f16", 1021, 251, 257)],
    [(2, 1, 1), (2, 5, 37)], lambda np, x: x / length(np, x, (1, 2)),
    [lambda t, x: (x.float() / t.linalg.vector_norm(
        x, dim=(1, 2), keepdim=True, dtype=t.float32)).to(x.dtype)])
row("norms", "standardise_columns",
    [("f32", 16384, 4096), ("bf16", 2048, 32768), ("f16", 8191, 8191)],
    [(2, 3), (67, 5)], standardised, [standardised_of])
row("norms", "min_max_normalise",
    [("f32", 8192, 8192), ("bf16", 1024, 131072), ("f16", 65521, 1021)],
    [(2, 2), (3, 67)], min_max, [min_max_of])
row("norms", "quantise_rows",
    [("f32", 16384, 4096), ("bf16", 16384, 5120), ("f16", 8191, 11008)],
    [(2, 1), (3, 67)], quantised, [quantised_of])

# ----------------------------------------------------------------- reductions

row("reductions", "variance",
    [("f32", 16384, 4096), ("bf16", 524288, 256), ("f16", 256, 262139)],
    [(2, 2), (3, 67), (1100, 24)], variance, [lambda t, x: t.var(x, 1)])
row("reductions", "sum_rows",
    [("f32", 65536, 1024), ("bf16", 1024, 131072), ("f16", 262144, 509)],
    [(2, 1), (3, 67)], lambda np, x: np.sum(x, -1)[:, 0],
    [lambda t, x: x.sum(1)])
row("reductions", "sum_columns",
    [("f32", 65536, 1024), ("bf16", 4096, 32768), ("f16", 262139, 509)],
    [(1, 2), (67, 5)], lambda np, x: np.sum(x, 0)[0],
    [lambda t, x: x.sum(0)])
row("reductions", "max_rows",
    [("f32", 8192, 8192), ("bf16", 2097152, 64), ("f16", 509, 262139)],
    [(2, 1), (3, 67), (1100, 24)], lambda np, x: np.max(x, -1)[:, 0],
    [lambda t, x: x.amax(1)])
row("reductions", "max_all",
    [("f32", 127, 1048573), ("bf16", 8192, 16384), ("f16", 1048573, 127)],
    [(1, 1), (3, 67)], lambda np, x: np.max(x, (0, 1))[0, 0],
    [lambda t, x: x.amax()])
row("reductions", "arg_max",
    [("f32", 8192, 8192), ("bf16", 65536, 1024), ("f16", 2048, 50257)],
    [(2, 1), (3, 67), (2, 40009)], lambda np, x: np.argmax(x, -1),
    [lambda t, x: x.argmax(1)])
row("reductions", "cosine_similarity",
    [("f32", 65536, 768), ("bf16", 262144, 256), ("f16", 8191, 8191)],
    [(2, 1), (3, 67)], cosine, [cosine_of])

# ----------------------------------------------------- one point after another

row("points", "swiglu",
    [("f32", 8192, 5504), ("bf16", 16384, 5504), ("f16", 8191, 8191)],
    [(2, 1), (3, 37)],
    lambda np, x: silu(np, x[:, :x.shape[1] // 2]) * x[:, x.shape[1] // 2:],
    [lambda t, x: t.nn.functional.silu(x[:, :x.shape[1] // 2]) *
     x[:, x.shape[1] // 2:],
     lambda t, x: (t.nn.functional.silu(x[:, :x.shape[1] // 2].float()) *
                   x[:, x.shape[1] // 2:].float()).to(x.dtype)])
row("points", "rotary",
    [("f32", 4, 2048, 32, 64), ("bf16", 8, 2048, 32, 64),
     ("f16", 8, 2039, 32, 48)],
    [(1, 2, 2, 1), (2, 3, 2, 5)], rotated, [rotated_of],
    {"c": "between -1 and 1", "s": "between -1 and 1"})
row("points", "black_scholes",
    [("f32", 67108864), ("f32", 16777213), ("f32", 33554393)],
    [(31,), (133,)], options, [options_of],
    {"S": "between 5 and 30", "X": "between 1 and 100",
     "T": "between 0.25 and 10"})
row("points", "adam",
    [("f32", 16777216), ("bf16", 33554432), ("f16", 33554393)],
    [(1,), (133,)], adam, [adam_of], {"B": "between 0 and 1"})
row("points", "sigmoid_gate",
    [("f32", 16384, 2048), ("bf16", 16384, 8192), ("f16", 8191, 8191)],
    [(2, 1), (3, 67)], lambda np, x, z, b: z / (1 + np.exp(-x - b)),
    [lambda t, x, z, b: z * t.sigmoid(x + b),
     lambda t, x, z, b: (z.float() * t.sigmoid(
         x.float() + b.float())).to(x.dtype)])
row("movement", "gelu",
    [("f32", 67108864), ("bf16", 134217728), ("f16", 67108859)],
    [(1,), (133,)], gelu,
    [lambda t, x: t.nn.functional.gelu(x, approximate="tanh")])
row("points", "gelu_erf",
    [("f32", 67108864), ("bf16", 134217728), ("f16", 67108859)],
    [(1,), (133,)],
    lambda np, x: .5 * x * (1 + np.erf(x / math.sqrt(2))),
    [lambda t, x: t.nn.functional.gelu(x)])
row("points", "sin_cos", [("f32", 67108864)], [(1,), (133,)],
    lambda np, x: np.sin(x) + np.cos(x),
    [lambda t, x: t.sin(x) + t.cos(x)])
row("points", "power", [("f32", 67108864)], [(1,), (133,)],
    lambda np, x, z: x ** z, [lambda t, x, z: t.pow(x, z)],
    {"X": "between 0.1 and 10"})
row("points", "log1p", [("f32", 67108864)], [(1,), (133,)],
    lambda np, x: np.log1p(x), [lambda t, x: t.log1p(x)],
    {"X": "between 0 and 2"})

# ------------------------------------------------------------------- movement

row("movement", "pad",
    [("f32", 64, 1024, 1024, 1), ("bf16", 512, 512, 512, 3),
     ("f16", 1024, 251, 257, 2)],
    [(1, 1, 1, 0), (2, 5, 7, 2)],
    lambda np, x, b, m, n, p: np.pad(x, ((0, 0), (p, p), (p, p))),
    [lambda t, x, b, m, n, p: t.nn.functional.pad(x, (p, p, p, p))],
    sized=True)
row("movement", "concatenate",
    [("f32", 16384, 2048, 2048), ("bf16", 65536, 512, 1024),
     ("f16", 32749, 1021, 509)],
    [(2, 1, 1), (3, 7, 37)], lambda np, a, b: np.concatenate([a, b], -1),
    [lambda t, a, b: t.cat([a, b], 1)])
row("movement", "upsample",
    [("f32", 256, 256, 256), ("bf16", 2048, 128, 128), ("f16", 4096, 61, 67)],
    [(1, 1, 1), (2, 5, 7)],
    lambda np, x: np.repeat(np.repeat(x, 2, 1), 2, 2), [upsampled_of])


def permutation(order, sizes, small):
    row("movement", "permute_" + "".join(map(str, order)), sizes, small,
        lambda np, x: np.transpose(x, order),
        [lambda t, x: x.permute(order).contiguous()])


permutation((0, 2, 1), [("f32", 64, 1024, 1024), ("bf16", 256, 512, 1024),
                        ("f16", 127, 1021, 1021)], [(1, 1, 1), (2, 5, 37)])
permutation((1, 0, 2), [("f32", 1024, 1024, 64), ("bf16", 4096, 256, 128),
                        ("f16", 1021, 509, 257)], [(1, 1, 1), (5, 2, 37)])
permutation((2, 1, 0), [("f32", 512, 128, 1024), ("bf16", 1024, 128, 1024),
                        ("f16", 1021, 127, 1021)], [(1, 1, 1), (5, 2, 37)])
permutation((0, 2, 1, 3), [("f32", 8, 2048, 32, 128),
                           ("bf16", 16, 2048, 32, 128),
                           ("f16", 16, 2039, 31, 80)],
            [(1, 1, 1, 1), (2, 3, 5, 7)])
permutation((0, 2, 3, 1), [("f32", 64, 256, 64, 64), ("bf16", 64, 512, 56, 56),
                           ("f16", 61, 251, 61, 67)],
            [(1, 1, 1, 1), (2, 3, 5, 7)])
permutation((0, 3, 1, 2, 4), [("f32", 16, 64, 64, 16, 64),
                              ("bf16", 32, 64, 64, 16, 64),
                              ("f16", 31, 31, 61, 17, 67)],
            [(1, 1, 1, 1, 1), (2, 3, 2, 5, 7)])
permutation((4, 2, 0, 3, 1), [("f32", 32, 32, 32, 32, 64),
                              ("bf16", 64, 32, 32, 32, 64),
                              ("f16", 31, 29, 37, 31, 61)],
            [(1, 1, 1, 1, 1), (2, 3, 2, 5, 3)])
row("movement", "transpose",
    [("f32", 8192, 8192), ("bf16", 16384, 8192), ("f16", 8191, 8191)],
    [(1, 1), (5, 37)], lambda np, x: np.transpose(x, (1, 0)),
    [lambda t, x: x.t().contiguous()])

# -------------------------------------------------- contractions, as they were

row("contractions", "gemm_gate", [("f32", 4096, 4096, 1024)],
    [(1, 1, 1), (5, 7, 37)],
    lambda np, a, b, z, c: z * np.tanh(np.matmul(a, b) + c),
    [lambda t, a, b, z, c: z * t.tanh(t.addmm(c, a, b))],
    # Sums of about 1: tanh hides how large others are, but not their errors.
    {"A": "between -0.05 and 0.05"})
row("contractions", "min_plus", [("f32", 512, 512, 512)],
    [(1, 1, 1), (5, 7, 37)],
    lambda np, a, b: np.min(a[:, :, None] + b[None, :, :], 1)[:, 0],
    [lambda t, a, b: (a[:, :, None] + b[None, :, :]).amin(1)])
row("contractions", "convolution", [("f32", 8194, 8194)],
    [(3, 3), (7, 39)], filtered, [convolved])

# ------------------------------------------------------- scans, as recurrences

row("scans", "running_sum", [("f32", 1 << 24), ("f32", 1 << 26), ("f32", 1 << 28)],
    [(1,), (133,)], lambda np, x: np.cumsum(x, 0), [lambda t, x: t.cumsum(x, 0)])
row("scans", "running_sum_rows", [("f32", 4096, 4096), ("f32", 65536, 512),
                                  ("f32", 64, 1 << 20)],
    [(1, 1), (5, 37)], lambda np, x: np.cumsum(x, 1), [lambda t, x: t.cumsum(x, 1)])
row("scans", "running_max_columns", [("f32", 4096, 4096), ("f32", 512, 65536),
     ("f32", 65536, 512)],
    [(1, 1), (5, 37)], lambda np, x: np.cummax(x, 0),
    [lambda t, x: t.cummax(x, 0)[0]])
