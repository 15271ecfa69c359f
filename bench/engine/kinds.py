#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""kinds: the 32 kinds of problem that the engine is measured on, three sizes each, as problem files.

    kinds.py FOLDER [--sizes 0,1,2] [--seed 0] [KIND...]

Writes FOLDER/KIND_SIZE/problem.json with its arrays. Equal seeds give equal files."""

import argparse
import json
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in one order: equal files
import numpy as np
import scipy.io
import scipy.sparse as sp

KINDS = {}  # name: function of (size, random) that returns a Problem


class Problem:
    """A problem file with its dense arrays (.npy) and sparse matrices (.mtx), by name."""

    def __init__(self, document, arrays=None, matrices=None):
        self.document, self.arrays, self.matrices = document, arrays or {}, matrices or {}

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name, array in self.arrays.items():
            np.save(f"{folder}/{name}.npy", np.ascontiguousarray(array, dtype=float))
        for name, matrix in self.matrices.items():
            scipy.io.mmwrite(f"{folder}/{name}.mtx", sp.coo_matrix(matrix))
        with open(f"{folder}/problem.json", "w") as file:
            json.dump({**self.document, "crease": 1}, file)


def kind(name):
    def enter(function):
        KINDS[name] = function
        return function

    return enter


def block(name, shape, **more):
    return {"name": name, "shape": shape, **more}


def distance(name, data=None, **more):
    """weight/2 |x - d|^2"""
    return {"squared_distance": {"a": name, **({"d": data} if data else {}), **more}}


def fit(loss, name, matrix, data, **more):
    """A loss of K x - b, or of labels and K x."""
    key = "labels" if loss == "logistic" else "rhs"
    return {loss: {"terms": {name: matrix}, key: data, **more}}


def document(blocks, smooth=None, maps=None, **constraint):
    doc = {"blocks": blocks}
    if smooth:
        doc["smooth"] = smooth
    if maps:
        doc["constraint"] = {"maps": maps, **constraint}
    return doc


DIFFERENCES = {"finite-difference": {"axis": 0}}


# Portfolios: mean and variance, weights in [0, 0.2] that sum to 1, few of them.


def portfolio(size, random, penalty):
    n = [50, 200, 800][size]
    g = random(1)
    F = g.normal(size=(n, 10))
    Q = F @ F.T / 10 * 0.04 + np.diag(0.02 + 0.05 * g.random(n))
    gain = 0.05 + 0.1 * g.random(n)
    x = block("x", n, regularizer=penalty, set="box:0,0.2", start=1.0 / n)
    smooth = [{"quadratic": {"Q": {"x": "Q.npy"}, "q": {"x": "q.npy"}}}]
    doc = document([x], smooth, {"x": [[1.0] * n]}, rhs=[1.0])
    return Problem(doc, {"Q": Q, "q": -gain})


@kind("portfolio_mcp")
def portfolio_mcp(size, random):
    return portfolio(size, random, "mcp:0.05,3")


@kind("portfolio_l0")
def portfolio_l0(size, random):
    return portfolio(size, random, "l0:0.001")


@kind("fused")
def fused(size, random):
    """1/2 |Ax - b|^2 + 0.02 |x|_1 + 0.1 |z|_1 with Dx = z"""
    n = [200, 1000, 4000][size]
    m, g = n // 2, random(2)
    x = np.repeat(g.normal(size=n // 20) * (g.random(n // 20) < 0.4), 20)
    A = g.normal(size=(m, n)) / np.sqrt(m)
    b = A @ x + 0.05 * g.normal(size=m)
    blocks = [block("x", n, regularizer="l1:0.02"), block("z", n - 1, regularizer="l1:0.1")]
    doc = document(
        blocks, [fit("least_squares", "x", "A.npy", "b.npy")], {"x": DIFFERENCES, "z": -1}
    )
    return Problem(doc, {"A": A, "b": b})


# Low rank plus sparse.


def low_rank_plus_sparse(size, random):
    m, n = [(50, 75), (100, 150), (200, 300)][size]
    g, rank = random(3), max(2, m // 20)
    M = g.normal(size=(m, rank)) @ g.normal(size=(rank, n))
    return M + (g.random((m, n)) < 0.05) * g.normal(size=(m, n)) * 10


@kind("pcp")
def pcp(size, random):
    """Principal component pursuit: nuclear norm of L and l1 norm of S with L + S = M."""
    M = low_rank_plus_sparse(size, random)
    shape = list(M.shape)
    weight = 1 / np.sqrt(M.shape[1])
    blocks = [
        block("L", shape, regularizer="nuclear:1"),
        block("S", shape, regularizer=f"l1:{weight}"),
    ]
    return Problem(document(blocks, None, {"L": 1, "S": 1}, rhs="M.npy"), {"M": M})


@kind("rpca_noise")
def rpca_noise(size, random):
    """The same with a noise block and nonconvex penalties."""
    M = low_rank_plus_sparse(size, random)
    shape = list(M.shape)
    blocks = [
        block("L", shape, regularizer="spectral-mcp:2,3"),
        block("S", shape, regularizer="mcp:0.3,3"),
        block("B", shape),
    ]
    maps = {"L": 1, "S": 1, "B": 1}
    return Problem(document(blocks, [distance("B", weight=1)], maps, rhs="M.npy"), {"M": M})


# Factorizations.


@kind("nmf")
def nmf(size, random):
    m, n, r = [(100, 80, 5), (300, 200, 10), (1000, 500, 20)][size]
    g = random(4)
    X = g.random((m, r)) * (g.random((m, r)) < 0.5)
    Y = g.random((n, r))
    T = X @ Y.T + 0.01 * g.random((m, n))
    blocks = [
        block("X", [m, r], regularizer="nonneg-l1:0.1", start="X0.npy"),
        block("Y", [n, r], regularizer="nonneg-squared-l2:0.1", start="Y0.npy"),
    ]
    smooth = [{"matrix_factorization": {"x": "X", "y": "Y", "target": "T.npy"}}]
    arrays = {"T": T, "X0": g.random((m, r)), "Y0": g.random((n, r))}
    return Problem(document(blocks, smooth), arrays)


@kind("completion")
def completion(size, random):
    n = [50, 150, 400][size]
    g = random(5)
    L = g.normal(size=(n, 3)) @ g.normal(size=(3, n))
    seen = np.sort(g.permutation(n * n)[: n * n * 3 // 10])
    y = L.ravel()[seen] + 0.1 * g.normal(size=len(seen))
    smooth = [fit("least_squares", "X", {"selection": "idx.npy"}, "y.npy")]
    return Problem(
        document([block("X", [n, n], regularizer="spectral-mcp:3,3")], smooth),
        {"idx": seen, "y": y},
    )


@kind("sharing20")
def sharing20(size, random):
    """Twenty groups of coefficients share one residual u."""
    J, p, m = 20, [10, 50, 200][size], [100, 400, 1500][size]
    g = random(6)
    A = [g.normal(size=(m, p)) / np.sqrt(m) for _ in range(J)]
    y = sum(A[j][:, :2] @ g.normal(size=2) * 3 for j in range(0, J, 3)) + 0.05 * g.normal(size=m)
    blocks = [block(f"x{j}", p, regularizer="mcp:0.1,3") for j in range(J)] + [block("u", m)]
    maps = {**{f"x{j}": f"A{j}.npy" for j in range(J)}, "u": 1}
    arrays = {**{f"A{j}": A[j] for j in range(J)}, "y": y}
    return Problem(document(blocks, [distance("u")], maps, rhs="y.npy"), arrays)


@kind("consensus_logistic")
def consensus_logistic(size, random):
    """Ten copies of the coefficients, each with its own data, must agree with z."""
    J, p, m = 10, [20, 100, 400][size], [50, 200, 600][size]
    g = random(7)
    w = np.zeros(p)
    w[:5] = 2
    A = [g.normal(size=(m, p)) for _ in range(J)]
    labels = np.concatenate([np.sign(a @ w + 0.5 * g.normal(size=m)) for a in A])
    blocks = [block("z", p, regularizer="mcp:5,10"), block("x", [J, p])]
    doc = document(blocks, [fit("logistic", "x", "A.mtx", "lab.npy")], {"x": 1, "z": "Z.mtx"})
    return Problem(doc, {"lab": labels}, {"A": sp.block_diag(A), "Z": -sp.vstack([sp.eye(p)] * J)})


@kind("dictionary")
def dictionary(size, random):
    m, n, r = [(20, 200, 30), (50, 1000, 80), (64, 5000, 128)][size]
    g = random(8)
    D = g.normal(size=(m, r))
    D /= np.linalg.norm(D, axis=0)
    C = g.normal(size=(n, r)) * (g.random((n, r)) < 0.08)
    T = D @ C.T + 0.02 * g.normal(size=(m, n))
    D0 = g.normal(size=(m, r))
    D0 /= np.linalg.norm(D0, axis=0)
    blocks = [
        block("D", [m, r], set=f"l2-ball:{np.sqrt(r)}", start="D0.npy"),
        block("C", [n, r], regularizer="l1:0.1", start=0.01),
    ]
    smooth = [{"matrix_factorization": {"x": "D", "y": "C", "target": "T.npy"}}]
    return Problem(document(blocks, smooth), {"T": T, "D0": D0})


@kind("phaselift")
def phaselift(size, random):
    n = [15, 40, 80][size]
    m, g = 5 * n, random(9)
    x = g.normal(size=n)
    x /= np.linalg.norm(x)
    a = g.normal(size=(m, n))
    A = (a[:, :, None] * a[:, None, :]).reshape(m, n * n)
    b = (a @ x) ** 2
    b[: m // 20] += 5
    smooth = [fit("huber", "X", "A.npy", "b.npy", delta=0.5)]
    return Problem(document([block("X", [n, n], set="spectrahedron:1")], smooth), {"A": A, "b": b})


@kind("cp_nonneg")
def cp_nonneg(size, random):
    n, r = [(20, 3), (40, 5), (80, 8)][size]
    g = random(10)
    F = [g.random((n, r)) for _ in range(3)]
    T = np.einsum("ar,br,cr->abc", *F) + 0.01 * g.normal(size=(n, n, n))
    blocks = [block(f"X{j}", [n, r], regularizer="nonneg", start=f"S{j}.npy") for j in range(3)]
    cp = {"factors": ["X0", "X1", "X2"], "rank": r, "ridge": 1e-3, "target": "T.npy"}
    return Problem(
        document(blocks, [{"cp": cp}]), {**{f"S{j}": g.random((n, r)) for j in range(3)}, "T": T}
    )


# Total variation.


def steps(size, random):
    n, g = [1000, 10000, 100000][size], random(11)
    return np.repeat(g.normal(size=n // 100) * 3, 100) + 0.5 * g.normal(size=n)


@kind("tv_prox")
def tv_prox(size, random):
    y = steps(size, random)
    doc = document([block("x", len(y), regularizer="tv1d:2")], [distance("x", "y.npy")])
    return Problem(doc, {"y": y})


def split(y, rows, penalty, matrix):
    """1/2 |x - y|^2 + r(z) with Dx = z"""
    blocks = [block("x", len(y), start="y.npy"), block("z", rows, regularizer=penalty)]
    return document(blocks, [distance("x", "y.npy")], {"x": matrix, "z": -1})


@kind("tv_split")
def tv_split(size, random):
    y = steps(size, random)
    return Problem(split(y, len(y) - 1, "l1:2", DIFFERENCES), {"y": y})


@kind("tv_split_mcp")
def tv_split_mcp(size, random):
    y = steps(size, random)
    return Problem(split(y, len(y) - 1, "mcp:2,3", DIFFERENCES), {"y": y})


@kind("tv2d")
def tv2d(size, random):
    n, g = [32, 64, 128][size], random(19)
    image = np.zeros((n, n))
    image[n // 4 : n // 2, n // 4 : 3 * n // 4] = 2
    image[n // 2 :, : n // 3] = -1
    y = (image + 0.3 * g.normal(size=(n, n))).ravel()
    D = sp.diags([-np.ones(n), np.ones(n - 1)], [0, 1]).tocsr()[:-1]
    G = sp.vstack([sp.kron(D, sp.eye(n)), sp.kron(sp.eye(n), D)])
    return Problem(split(y, G.shape[0], "l1:0.3", "G.mtx"), {"y": y}, {"G": G})


# Basis pursuit: r(x) with Ax = b.


def basis_pursuit(size, random, penalty):
    n = [200, 1000, 2000][size]
    m, g = n // 4, random(12)
    x = np.zeros(n)
    x[g.permutation(n)[: m // 6]] = g.normal(size=m // 6) * 2
    A = g.normal(size=(m, n)) / np.sqrt(m)
    doc = document([block("x", n, regularizer=penalty)], None, {"x": "A.npy"}, rhs="b.npy")
    return Problem(doc, {"A": A, "b": A @ x, "truth": x})


@kind("bp_lq")
def bp_lq(size, random):
    return basis_pursuit(size, random, "lq:1,0.5")


@kind("bp_l1")
def bp_l1(size, random):
    return basis_pursuit(size, random, "l1:1")


@kind("bp_mcp")
def bp_mcp(size, random):
    return basis_pursuit(size, random, "mcp:1,1")


# Compact sets, which conditional gradients would be asked for.


def nuclear_ball(size, random, loss, **more):
    n = [50, 150, 300][size]
    g = random(13)
    L = g.normal(size=(n, 3)) @ g.normal(size=(3, n))
    radius = 0.8 * np.linalg.norm(L, "nuc")
    seen = np.sort(g.permutation(n * n)[: n * n * 3 // 10])
    smooth = [fit(loss, "X", {"selection": "idx.npy"}, "y.npy", **more)]
    doc = document([block("X", [n, n], set=f"nuclear-ball:{radius}")], smooth)
    return Problem({**doc, "options": {"method": "gcg"}}, {"idx": seen, "y": L.ravel()[seen]})


@kind("gcg_nuclear")
def gcg_nuclear(size, random):
    return nuclear_ball(size, random, "least_squares")


@kind("gcg_nuclear_lp")
def gcg_nuclear_lp(size, random):
    return nuclear_ball(size, random, "lp_loss", p=1.5)


def birkhoff(size, random, **weight):
    n = [20, 60, 150][size]
    doc = document(
        [block("X", [n, n], set="birkhoff", start=1.0 / n)], [distance("X", "T.npy", **weight)]
    )
    return Problem(doc, {"T": random(14).random((n, n))})


@kind("gcg_birkhoff")
def gcg_birkhoff(size, random):
    return birkhoff(size, random)


@kind("gcg_birkhoff_concave")
def gcg_birkhoff_concave(size, random):
    """Graph matching, relaxed: the vertices are the minimizers."""
    return birkhoff(size, random, weight=-1)


def mixture(size, random):
    """A, b and n: b is near a convex combination of a few of the n columns."""
    n = [100, 1000, 5000][size]
    m, g = n // 2, random(15)
    A = g.normal(size=(m, n)) / np.sqrt(m)
    x = g.random(n) * (g.random(n) < 0.05)
    x /= x.sum()
    return A, A @ x + 0.01 * g.normal(size=m), n


@kind("gcg_simplex_lp")
def gcg_simplex_lp(size, random):
    A, b, n = mixture(size, random)
    doc = document([block("x", n, set="simplex:1")], [fit("lp_loss", "x", "A.npy", "b.npy", p=1.5)])
    return Problem({**doc, "options": {"method": "gcg"}}, {"A": A, "b": b})


@kind("simplex_ls")
def simplex_ls(size, random):
    A, b, n = mixture(size, random)
    doc = document([block("x", n, set="simplex:1")], [fit("least_squares", "x", "A.npy", "b.npy")])
    return Problem(doc, {"A": A, "b": b})


# Two blocks, an ill-conditioned or rank-deficient map on the free one.


def two_blocks(size, random, deficient):
    n = [50, 300, 1000][size]
    m, g = n // 2, random(16)
    B = g.normal(size=(m, n)) / np.sqrt(n)
    C = g.normal(size=(m, n)) / np.sqrt(n)
    if deficient:
        C[m // 2 :] = C[: m - m // 2]
    c = g.normal(size=n)
    d = B @ (g.normal(size=n) * (g.random(n) < 0.1)) + C @ c
    blocks = [block("x", n, regularizer="scad:0.1,3.7"), block("z", n)]
    doc = document(blocks, [distance("z", "c.npy")], {"x": "B.npy", "z": "C.npy"}, rhs="d.npy")
    return Problem(doc, {"B": B, "C": C, "c": c, "d": d})


@kind("two_block_m")
def two_block_m(size, random):
    return two_blocks(size, random, False)


@kind("two_block_def")
def two_block_def(size, random):
    return two_blocks(size, random, True)


# No solution: two sums of the same entries, a sum beyond the box.


@kind("infeasible")
def infeasible(size, random):
    n = [10, 100, 1000][size]
    x = block("x", n, regularizer="mcp:0.1,3", set="box:0,1")
    return Problem(document([x], [distance("x")], {"x": [[1.0] * n, [1.0] * n]}, rhs=[1.0, 2.0]))


@kind("infeasible_box")
def infeasible_box(size, random):
    n = [10, 100, 1000][size]
    return Problem(
        document([block("x", n, set="box:0,1")], [distance("x")], {"x": [[1.0] * n]}, rhs=[2.0 * n])
    )


@kind("transport")
def transport(size, random):
    n, g = [10, 30, 80][size], random(17)
    C = g.random((n, n))
    rows = sp.kron(sp.eye(n), np.ones((1, n)))
    columns = sp.kron(np.ones((1, n)), sp.eye(n)).tocsr()[:-1]
    P = block("P", [n, n], regularizer="nonneg")
    doc = document([P], [{"quadratic": {"q": {"P": "C.npy"}}}], {"P": "A.mtx"}, rhs="b.npy")
    return Problem(doc, {"C": C, "b": np.ones(2 * n - 1) / n}, {"A": sp.vstack([rows, columns])})


@kind("sparse_logistic")
def sparse_logistic(size, random):
    m, n = [(1000, 500), (5000, 10000), (20000, 50000)][size]
    g = random(18)
    A = sp.random(
        m,
        n,
        density=min(0.05, 50 / n),
        random_state=1,
        data_rvs=lambda count: np.abs(g.normal(size=count)),
    ).tocsr()
    w = np.zeros(n)
    w[g.permutation(n)[:20]] = 4 * g.normal(size=20)
    labels = np.where(A @ w + 0.1 * g.normal(size=m) > 0, 1.0, -1.0)
    doc = document(
        [block("x", n, regularizer="mcp:1,8")], [fit("logistic", "x", "A.mtx", "lab.npy")]
    )
    return Problem(doc, {"lab": labels}, {"A": A})


@kind("zerosum_mcp")
def zerosum_mcp(size, random):
    """Compositional data: coefficients that sum to 0."""
    n = [100, 500, 2000][size]
    m, g = n // 2, random(20)
    A = g.normal(size=(m, n))
    x = np.zeros(n)
    x[:6] = [3, -3, 2, -2, 1, -1]
    b = A @ x + 0.5 * g.normal(size=m)
    blocks = [block("x", n, regularizer=f"mcp:{.15 * m},{6 / m}")]
    doc = document(
        blocks, [fit("least_squares", "x", "A.npy", "b.npy")], {"x": [[1.0] * n]}, rhs=[0.0]
    )
    return Problem(doc, {"A": A, "b": b})


def make(folder, name, size, seed=0):
    """Writes a case and returns its folder. Every kind has a stream of its own, moved by the seed."""
    case = f"{folder}/{name}_{size}"
    KINDS[name](size, lambda stream: np.random.default_rng(stream + seed)).write(case)
    return case


def main():
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("folder")
    parse.add_argument("kinds", nargs="*", metavar="KIND")
    parse.add_argument("--sizes", default="0,1,2")
    parse.add_argument("--seed", type=int, default=0)
    asked = parse.parse_args()
    unknown = set(asked.kinds) - set(KINDS)
    if unknown:
        sys.exit(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    for name in asked.kinds or KINDS:
        for size in asked.sizes.split(","):
            print(make(asked.folder, name, int(size), asked.seed))


if __name__ == "__main__":
    main()
