# SPDX-License-Identifier: MIT
"""pages.py CREASE: how large the pages of reports are, how long it takes to write and to draw them."""
import statistics, sys, tempfile, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/report"))
from browser import Browser, available  # noqa: E402
from results import Results  # noqa: E402

ROUNDS = 5


def large(r):
    """Results of the size that people have: 20 x 101 x 51, and 2,000 columns."""
    import numpy as np
    r.run("generate", "eem", "--out", "full")
    r.run("rpca", "full/tensor.npy", "--rank", 3, "--out", "spectra")
    r.run("apply", "spectra", "full/tensor.npy", "--out", "again")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2000))
    np.save(r.folder / "wide.npy", X)
    np.save(r.folder / "wide_y.npy", X[:, :8] @ rng.normal(size=8) + rng.normal(size=300))
    r.run("regress", "wide.npy", "wide_y.npy", "--cv", 5, "--out", "wide")
    return ["spectra", "again", "wide"]


def main(crease):
    if available():
        raise SystemExit(f"{available()} is not installed")
    with tempfile.TemporaryDirectory() as folder, Browser(folder) as b:
        r = Results(Path(crease).resolve(), folder)
        names = [*r.regression(), *r.fluorescence(), *r.problems(), *large(r)]
        print("| page | verb | kB | written in ms | loaded in ms | a step of the slider in ms |")
        print("|---|---|---|---|---|---|")
        for name in names:
            written, loaded = [], []
            for _ in range(ROUNDS):
                begin = time.time()
                path = r.page(name)
                written.append(1000 * (time.time() - begin))
                b.open(path)
                loaded.append(b.run("const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd"))
            step = b.run("""const s = document.getElementById('slice'); if (!s) return null;
              const t = performance.now();
              for (let k = 0; k < 10; k++) { s.value = k % (+s.max + 1); s.dispatchEvent(new Event('input')); }
              return (performance.now() - t) / 10""")
            print(f"| {name} | {r.document(name)['verb']} | {path.stat().st_size / 1000:.0f} | "
                  f"{statistics.median(written):.0f} | {statistics.median(loaded):.0f} | "
                  f"{'' if step is None else f'{step:.1f}'} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
