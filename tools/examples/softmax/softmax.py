"""Softmax of NumPy's arrays, and of PyTorch's where that and a GPU are."""
import os

import cetane
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
softmax = cetane.compile(os.path.join(HERE, "softmax.dsl"), sizes={"N": 1000})
print(softmax)

x = np.random.default_rng(1).standard_normal((50, 1000)).astype(np.float32)
y = softmax(x)
e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
print("largest error:", abs(y - e / e.sum(1, keepdims=True)).max())

try:
    softmax(x.astype(np.float64))
except TypeError as error:
    print("refused:", error)

try:
    import torch
except ImportError:
    torch = None
if torch and torch.cuda.is_available():
    t = torch.from_numpy(x).cuda()
    print("from PyTorch:", (softmax(t) - torch.softmax(t, 1)).abs().max())
