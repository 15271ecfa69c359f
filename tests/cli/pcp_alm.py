# Principal component pursuit, min |L|_* + alpha |S|_1 with L + S = T, by the inexact augmented
# Lagrangian method of Lin, Chen and Ma, The augmented Lagrange multiplier method for exact recovery
# of corrupted low-rank matrices, 2010. The penalty grows slowly: the limit is then the minimum.
# Arguments: folders of results of crease rpca --model pcp. The objectives agree to 1e-6.
import sys

import numpy as np


def soft(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0)


def pursue(T, alpha, growth=1.02, most=3000):
    top = np.linalg.norm(T, 2)
    Y = T / max(top, np.abs(T).max() / alpha)
    S, mu = np.zeros_like(T), 1.25 / top
    for _ in range(most):
        U, s, Vt = np.linalg.svd(T - S + Y / mu, full_matrices=False)
        L = (U * soft(s, 1 / mu)) @ Vt
        S = soft(T - L + Y / mu, alpha / mu)
        gap = T - L - S
        Y = Y + mu * gap
        if np.linalg.norm(gap) <= 1e-12 * np.linalg.norm(T):
            break
        mu *= growth
    return T - S, S


def value(L, S, alpha):
    return np.linalg.svd(L, compute_uv=False).sum() + alpha * np.abs(S).sum()


for folder in sys.argv[1:]:
    T, found = np.load(folder + "/data.npy"), np.load(folder + "/sparse.npy")
    alpha = 1 / np.sqrt(max(T.shape))
    L, S = pursue(T, alpha)
    best, ours = value(L, S, alpha), value(T - found, found, alpha)
    print("inexact ALM %.12g, crease %.12g" % (best, ours))
    if not abs(ours - best) <= 1e-6 * best:
        sys.exit(1)
