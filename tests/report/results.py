# SPDX-License-Identifier: MIT
"""Small results of every verb that has a page, made with the program under test."""
import json, os, subprocess
from pathlib import Path
import numpy as np

ROOT = Path(__file__).resolve().parents[2]


class Results:
    def __init__(self, crease, folder):
        self.crease, self.folder = str(crease), Path(folder)

    def run(self, *words, codes=(0,), within=None):
        done = subprocess.run([self.crease, *map(str, words)], cwd=within or self.folder,
                              capture_output=True, text=True, timeout=120,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        if done.returncode not in codes:
            raise SystemExit(f"crease {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
        return done

    def document(self, name):
        return json.loads((self.folder / name / "result.json").read_text())

    def page(self, name):
        """The page of a result, by crease report."""
        path = self.folder / f"{name}.html"
        self.run("report", name, "--out", path)
        return path

    def regression(self):
        """80 rows, 30 named columns of which 4 matter; numbers and two classes."""
        r = np.random.default_rng(1)
        X = r.normal(size=(80, 30))
        b = np.zeros(30)
        b[[1, 4, 9, 17]] = [3, -2, 1.2, .5]
        y = 1 + X @ b + .8 * r.normal(size=80)
        names = ["age", "bmi", "<b>bold</b>", "s1", "a&b", "chol"] + [f"gene_{k:02}" for k in range(24)]
        rows = [",".join(f"{v:.6f}" for v in row) for row in X]
        (self.folder / "X.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
        np.savetxt(self.folder / "y.csv", y, fmt="%.6f")
        np.savetxt(self.folder / "c.csv", .5 * X @ b - 1 + r.logistic(size=80) > 0, fmt="%d")
        self.run("regress", "X.csv", "y.csv", "--cv", 5, "--out", "numbers")
        self.run("regress", "X.csv", "c.csv", "--loss", "logistic", "--cv", 5, "--out", "classes")
        self.run("regress", "X.csv", "y.csv", "--path", 5, "--out", "plain")
        return ["numbers", "classes", "plain"]

    def fluorescence(self):
        """Robust PCA of synthetic spectra; new slices, one of them spoilt; sparse components."""
        self.run("generate", "eem", "--shape", "14,41,31", "--seed", 3, "--out", "eem")
        T = np.load(self.folder / "eem/tensor.npy")
        r = np.random.default_rng(2)
        new = np.concatenate([T[9:], 3 * T[9:10]])
        new[2] += 2 * r.random(new[2].shape) * (r.random(new[2].shape) < .3)
        np.save(self.folder / "old.npy", T[:9])
        np.save(self.folder / "new.npy", new)
        self.run("rpca", "old.npy", "--rank", 3, "--out", "parts")
        self.run("apply", "parts", "new.npy", "--out", "seen")
        self.run("spca", "eem/tensor.npy", "--components", 3, "--out", "sparse")
        return ["parts", "seen", "sparse"]

    def named(self):
        """Sparse components of a table whose columns have names, some of them markup."""
        self.run("spca", "X.csv", "--components", 2, "--out", "named")
        return ["named"]

    def problems(self):
        """A vector, pictures in two blocks, and a problem without an answer."""
        problems = ROOT / "examples/problems"
        self.run("solve", problems / "mcp_regression.json", "--starts", 4, "--out", "vector")
        self.run("solve", problems / "tv_image.json", "--out", "picture")
        impossible = {"crease": 1, "blocks": [{"name": "x", "shape": 3, "set": "box:0,1"}],
                      "smooth": [{"squared_distance": {"a": "x", "d": [1, 2, 3]}}],
                      "constraint": {"maps": {"x": [[1, 1, 1]]}, "rhs": [4]}}
        (self.folder / "impossible.json").write_text(json.dumps(impossible))
        self.run("solve", "impossible.json", "--out", "none", codes=(4,))
        return ["vector", "picture", "none"]

    def check_page(self):
        """The page of check, which has no folder."""
        path = self.folder / "check.html"
        self.run("check", ROOT / "examples/problems/methods/tv_split.json", "--report", path)
        return path
