# SPDX-License-Identifier: MIT
"""Data of the cases, drawn once into a folder; a case that is measured again finds them there."""

from __future__ import annotations

import pathlib
import subprocess
from typing import Any, Tuple

import numpy as np


class Data:
    """A folder of data sets, by the program's own generator where it has one."""

    def __init__(self, program: str, folder: pathlib.Path) -> None:
        self.program, self.folder = program, folder
        folder.mkdir(parents=True, exist_ok=True)

    def generated(self, kind: str, name: str, *options: str) -> pathlib.Path:
        out = self.folder / name
        if not (out / "result.json").exists():
            command = [self.program, "generate", kind, *options, "--out", str(out), "--quiet", "--force"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return out

    def cp(self, shape: Tuple[int, ...], rank: int, outliers: float = 0.1, seed: int = 11) -> pathlib.Path:
        dims = ",".join(map(str, shape))
        name = f"cp-{dims.replace(',', 'x')}-{rank}-{outliers:g}-{seed}"
        return self.generated(
            "cp", name, "--shape", dims, "--rank", str(rank), "--outliers", str(outliers), "--magnitude", "10",
            "--noise", "0.01", "--seed", str(seed),
        )  # fmt: skip

    def matrix(self, m: int, n: int, rank: int, outliers: float, noise: float, seed: int = 12) -> pathlib.Path:
        """X Y' with standard normal factors, outliers of ten deviations of the entries, and noise."""
        out = self.folder / f"matrix-{m}x{n}-{rank}-{outliers:g}-{noise:g}-{seed}"
        if not (out / "size").exists():
            out.mkdir(exist_ok=True)
            random = np.random.default_rng(seed)
            low = random.standard_normal((m, rank)) @ random.standard_normal((rank, n))
            size = 10 * np.sqrt(rank)
            spoilt = np.where(random.random((m, n)) < outliers, size * (2 * random.random((m, n)) - 1), 0)
            self._save(out, low + spoilt + noise * random.standard_normal((m, n)), low)
        return out

    def video(self, frames: int, rows: int, columns: int, seed: int = 13) -> pathlib.Path:
        """A textured background under light that drifts, a waving patch, three moving squares, 8 bits."""
        out = self.folder / f"video-{frames}x{rows}x{columns}-{seed}"
        if not (out / "size").exists():
            out.mkdir(exist_ok=True)
            random = np.random.default_rng(seed)
            y, x = np.mgrid[:rows, :columns]
            still = 90 + 50 * np.sin(x / 7.0) * np.cos(y / 9.0) + 25 * random.random((rows, columns))
            wave = 12 * np.exp(-((x - columns / 4) ** 2 + (y - rows / 3) ** 2) / 200.0)
            scene = np.empty((frames, rows, columns))
            for t in range(frames):
                scene[t] = still * (1 + 0.08 * np.sin(2 * np.pi * t / 90)) + wave * np.sin(t / 5.0)
                for k in range(3):
                    r = int((17 * k + 0.7 * t) % (rows - 16))
                    c = int((41 * k + (1.5 + k) * t) % (columns - 16))
                    scene[t, r : r + 14, c : c + 14] = 200 - 60 * k
            scene += (1 + 3 * random.random((rows, columns))) * random.standard_normal(scene.shape)
            pixels = np.clip(np.round(scene), 0, 255).reshape(frames, -1).T
            self._save(out, np.ascontiguousarray(pixels), None)
        return out

    def clip(self, rows: int, columns: int, frames: int, seed: int = 21) -> pathlib.Path:
        """Four squares before a textured wall under light that drifts, noise that differs from pixel to pixel by a
        factor of ten, 8 bits; mask.npy is True where a square is."""
        out = self.folder / f"clip-{rows}x{columns}x{frames}-{seed}"
        if not (out / "mask.npy").exists():
            out.mkdir(exist_ok=True)
            random = np.random.default_rng(seed)
            y, x = np.mgrid[:rows, :columns]
            wall = 100 + 40 * np.sin(x / 6.0) * np.cos(y / 11.0) + 30 * random.random((rows, columns))
            noise = 1.5 * np.exp(0.7 * random.standard_normal((rows, columns)))
            clip, mask = np.empty((rows, columns, frames)), np.zeros((rows, columns, frames), bool)
            for t in range(frames):
                clip[:, :, t] = wall * (1 + 0.1 * np.sin(2 * np.pi * t / 130))
                for k in range(4):
                    r, c = int((23 * k + (0.4 + 0.3 * k) * t) % (rows - 18)), int((37 * k + (1.7 - 0.5 * k) * t) % (columns - 18))
                    clip[r : r + 15, c : c + 15, t] = (215, 45, 235, 160)[k]
                    mask[r : r + 15, c : c + 15, t] = True
            clip += noise[:, :, None] * random.standard_normal(clip.shape)
            np.save(out / "clip.npy", np.clip(np.round(clip), 0, 255).astype(np.uint8))
            np.save(out / "mask.npy", mask)
        return out

    def ratings(self, m: int, n: int, observed: int, seed: int = 14) -> pathlib.Path:
        """Ratings 1 to 5, less their mean, with popular rows and columns, and a tenth of them held out."""
        out = self.folder / f"ratings-{m}x{n}-{observed}-{seed}"
        if not (out / "held.mtx").exists():
            out.mkdir(exist_ok=True)
            random = np.random.default_rng(seed)
            i = (m * random.random(2 * observed) ** 2).astype(int)
            j = (n * random.random(2 * observed) ** 2.5).astype(int)
            at = np.unique(i * n + j)
            at = random.permutation(at)[:observed]
            i, j = at // n, at % n
            U, W = random.standard_normal((m, 6)), random.standard_normal((n, 6))
            value = 3.5 + 0.4 * np.einsum("ir,ir->i", U[i], W[j]) + 0.8 * random.standard_normal(len(at))
            value = np.clip(np.round(value), 1, 5) - 3.5
            kept = random.random(len(at)) < 0.9
            _coordinates(out / "seen.mtx", (m, n), i[kept], j[kept], value[kept])
            _coordinates(out / "held.mtx", (m, n), i[~kept], j[~kept], value[~kept])
        return out

    def regression(self, n: int, p: int, rho: float, seed: int = 15) -> pathlib.Path:
        """Neighbouring columns correlated, twenty coefficients of size 1, noise of deviation 1."""
        out = self.folder / f"regression-{n}x{p}-{rho:g}-{seed}"
        if not (out / "size").exists():
            out.mkdir(exist_ok=True)
            random = np.random.default_rng(seed)
            X = random.standard_normal((n, p))
            for j in range(1, p):
                X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
            signs = np.where(np.arange(20) % 2, -1.0, 1.0)
            y = X[:, np.arange(20) * (p // 20)] @ signs + random.standard_normal(n)
            np.save(out / "y.npy", y)
            y.tofile(out / "y.bin")
            self._save(out, X, None, "X.npy")
        return out

    def classes(self, n: int, p: int, density: float, seed: int = 16) -> pathlib.Path:
        """A sparse design of normal numbers and two classes that depend on fifty columns."""
        import scipy.io
        import scipy.sparse

        out = self.folder / f"classes-{n}x{p}-{density:g}-{seed}"
        if not (out / "y.npy").exists():
            out.mkdir(exist_ok=True)
            random = np.random.default_rng(seed)
            count = int(n * p * density)
            at = np.unique(random.integers(0, n * p, count))
            X = scipy.sparse.csr_matrix((random.standard_normal(len(at)), (at // p, at % p)), shape=(n, p))
            b = np.zeros(p)
            b[random.choice(p, 50, replace=False)] = 3 * random.standard_normal(50) / np.sqrt(50 * density)
            y = (X @ b + random.logistic(size=n) > 0).astype(float)
            scipy.io.mmwrite(out / "X.mtx", X)
            np.save(out / "y.npy", y)
            steepest = np.abs(X.T @ (y - 0.5)).max() / n
            (out / "lambda").write_text(repr(float(0.1 * steepest)))
        return out

    @staticmethod
    def _save(out: pathlib.Path, data: Any, truth: Any, name: str = "tensor.npy") -> None:
        """As .npy for us, by columns for R."""
        np.save(out / name, data)
        data.T.tofile(out / "x.bin")
        if truth is not None:
            np.save(out / "lowrank.npy", truth)
            truth.T.tofile(out / "truth.bin")
        (out / "size").write_text(f"{data.shape[0]} {data.shape[1]}\n")


def _coordinates(path: pathlib.Path, shape: Tuple[int, int], i: Any, j: Any, value: Any) -> None:
    with open(path, "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real general\n{shape[0]} {shape[1]} {len(value)}\n")
        np.savetxt(f, np.column_stack([i + 1, j + 1, value]), fmt="%d %d %g")
