"""Attention of NumPy's arrays, against the formula in f64."""
import os

import cetane
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
attention = cetane.compile(os.path.join(HERE, "attention.dsl"), sizes={"D": 32})

rng = np.random.default_rng(1)
q, k, v = (rng.standard_normal((n, 32)).astype(np.float32) for n in (40, 56, 56))
o = attention(q, k, v)
s = q.astype(np.float64) @ k.T / np.sqrt(32)
e = np.exp(s - s.max(1, keepdims=True))
print("largest error:", abs(o - e / e.sum(1, keepdims=True) @ v).max())

# A key of another length is no key.
try:
    attention(q, k[:, :31].copy(), v)
except (TypeError, ValueError) as error:
    print("refused:", error)
