"""An LSTM against one of NumPy in f64."""
import os

import cetane
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
lstm = cetane.compile(os.path.join(HERE, "lstm.dsl"))

S, B, F = 9, 3, 16
rng = np.random.default_rng(1)
shapes = (S, B, F), (4, F, F), (4, F, F), (4, F), (B, F), (B, F)
X, Wx, Wh, bias, h0, c0 = arrays = [
    (rng.standard_normal(s) / 4).astype(np.float32) for s in shapes]
h = lstm(*arrays)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


state, c, worst = h0.astype(np.float64), c0.astype(np.float64), 0
for s in range(S):
    g = bias[:, None] + np.einsum("qfj,bj->qbf", Wx.astype(np.float64), X[s]) + \
        np.einsum("qfj,bj->qbf", Wh.astype(np.float64), state)
    c = sigmoid(g[1]) * c + sigmoid(g[0]) * np.tanh(g[2])
    state = sigmoid(g[3]) * np.tanh(c)
    worst = max(worst, abs(h[s + 1] - state).max())
print("largest error:", worst)
