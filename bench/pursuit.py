# SPDX-License-Identifier: MIT
# Principal component pursuit: crease rpca --model pcp beside an inexact augmented Lagrangian method (Lin, Chen and Ma,
# 2010) with whole and with partial decompositions, CPU seconds of one thread, the runs interleaved. Of crease the phases
# of result.json that compute are counted: start, fit and certify, as CPU by the share they have of the process; the
# independent check stands beside them, and so does what the rival's multiplier proves.
# Usage: OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python3 bench/pursuit.py CREASE [repeats] [shapes, as 300x300,4000x100]
import json, os, resource, shutil, subprocess, sys, tempfile, time

import numpy as np


def draw(m, n, rank, noise, seed):
    g = np.random.default_rng(seed)
    low = g.standard_normal((m, rank)) @ g.standard_normal((rank, n))
    spoilt = np.where(g.random((m, n)) < 0.1, 10 * np.sqrt(rank) * (2 * g.random((m, n)) - 1), 0)
    return low + spoilt + noise * g.standard_normal((m, n))


def whole(X, least, state):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    r = int((s > least).sum())
    return U[:, :r], s[:r], Vt[:r]


def partial(X, least, state):
    """The leading triplets by subspace iteration from the last ones, as many as were predicted; whole where that is more
    than a fifth of the shorter side."""
    n = min(X.shape)
    while True:
        k = state.setdefault("k", min(n, 10))
        if k > n / 5:
            U, s, Vt = whole(X, least, state)
        else:
            V = state.get("V", np.empty((X.shape[1], 0)))[:, :k]
            V = np.hstack([V, state["random"].standard_normal((X.shape[1], k + 5 - V.shape[1]))])
            for _ in range(2):
                V = np.linalg.qr(X.T @ (X @ V))[0]
            U, s, Wt = np.linalg.svd(X @ V, full_matrices=False)
            Vt = Wt @ V.T
            state["V"] = Vt.T
            r = int((s > least).sum())
            if r > k:
                state["k"] = min(n, 2 * k)
                continue
            U, s, Vt = U[:, :r], s[:r], Vt[:r]
        r = len(s)
        state["k"] = min(n, r + 1 if r < k else r + max(1, int(0.05 * n)))
        return U, s, Vt


def inexact_alm(M, decompose, tolerance=1e-7, most=1000):
    lam, size = 1 / np.sqrt(max(M.shape)), np.linalg.norm(M)
    top = np.sqrt(np.linalg.eigvalsh(M.T @ M if M.shape[0] >= M.shape[1] else M @ M.T)[-1])
    Y = M / max(top, np.abs(M).max() / lam)
    mu, S, state = 1.25 / top, np.zeros_like(M), {"random": np.random.default_rng(0)}
    for k in range(most):
        U, s, Vt = decompose(M - S + Y / mu, 1 / mu, state)
        L = (U * (s - 1 / mu)) @ Vt
        Z = M - L + Y / mu
        S = Z - np.clip(Z, -lam / mu, lam / mu)
        Z = M - L - S
        Y += mu * Z
        mu = min(1.5 * mu, 1e7 * 1.25 / top)
        if np.linalg.norm(Z) <= tolerance * size:
            break
    return L, S, Y, k + 1


def gap(M, L, Y):
    lam = 1 / np.sqrt(max(M.shape))
    F = np.linalg.norm(L, "nuc") + lam * np.abs(M - L).sum()
    return (F - (Y * M).sum() / max(1, np.linalg.norm(Y, 2), np.abs(Y).max() / lam)) / F, F


def rival(M, decompose):
    begun = time.process_time()
    L, S, Y, steps = inexact_alm(M, decompose)
    return time.process_time() - begun, L, Y, steps


def ours(crease, path, folder):
    shutil.rmtree(folder, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([crease, "rpca", path, "--model", "pcp", "--quiet", "--out", folder], stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    result = json.load(open(folder + "/result.json"))
    phases = result["phase_seconds"]
    share = sum(phases[k] for k in ("start", "fit", "certify")) / max(sum(phases.values()), 1e-9)
    return share * cpu, cpu, result, done.returncode


def main():
    crease, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    shapes = sys.argv[3] if len(sys.argv) > 3 else "300x300,1000x1000,4000x100,19200x200"
    work = tempfile.mkdtemp()
    print("| data | noise | ALM whole | ALM partial | its gap | pursuit | with check and files | gap | verdict | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for shape in shapes.split(","):
        m, n = map(int, shape.split("x"))
        for noise in 0, 0.05:
            rows = []
            M = draw(m, n, 3, noise, 1)
            np.save(work + "/m.npy", M)
            for _ in range(repeats):
                a, L, Y, _ = rival(M, whole)
                b, L, Y, _ = rival(M, partial)
                rows.append((a, b) + ours(crease, work + "/m.npy", work + "/out"))
            a, b, cpu, all_of_it = (float(np.median([row[k] for row in rows])) for k in range(4))
            proved, F = gap(M, L, Y)
            result = rows[-1][4]
            print("| %s | %g | %.2f | %.2f | %.1g | %.2f | %.2f | %.1g | %s | %.2f |"
                  % (shape, noise, a, b, proved, cpu, all_of_it, result["details"]["gap"], result["verdict"], cpu / min(a, b)),
                  flush=True)
    shutil.rmtree(work)


main()
