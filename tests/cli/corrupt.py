"""corrupt.py CREASE [all]: results that were edited, cut, swapped or replaced, in folders of every verb, are
never VALID, neither as they are nor with a certificate that was bound anew to the edited files; no edit
makes the program wait; and a result that was only copied or moved stays VALID. With "all" every edit of
every file, otherwise by turns one in THIN."""
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(root, "tests", "support"))
from reseal import reseal  # noqa: E402

CREASE = os.path.abspath(sys.argv[1])
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
THIN = 1 if sys.argv[2:] == ["all"] else 4
turns = itertools.count()
tried = {"edited": 0, "edited and bound anew": 0, "right": 0}
faults = []


def crease(*words):
    return subprocess.run([CREASE, *words], capture_output=True, text=True, timeout=10,
                          stdin=subprocess.DEVNULL, errors="replace")


def make():
    """Folders of every verb and model, as small as they can be."""
    spoils = "--outliers 0.1 --magnitude 10 --noise 0.01 --seed 3".split()
    crease("generate", "cp", "--shape", "5,6,7", "--rank", "2", *spoils, "--out", "cp-data")
    crease("generate", "matrix", "--shape", "12,9", "--rank", "2", *spoils, "--out", "matrix-data")
    tensor, rng = np.load("cp-data/tensor.npy"), np.random.RandomState(0)
    np.save("mask.npy", (rng.rand(*tensor.shape) > 0.1).astype(float))
    np.save("new.npy", tensor[:2])
    design = rng.randn(20, 4)
    np.save("X.npy", design)
    np.save("y.npy", design[:, 0] - design[:, 3] + 0.1 * rng.randn(20))
    for name in ("lasso", "consensus_mcp", "farthest", "simplex"):
        shutil.copy(os.path.join(root, "examples", "problems", name + ".json"), ".")
    tensor, matrix = "cp-data/tensor.npy", "matrix-data/tensor.npy"
    recipes = {
        "cp": ["rpca", tensor, "--rank", "2"],
        "masked": ["rpca", tensor, "--rank", "2", "--mask", "mask.npy"],
        "grouped": ["rpca", tensor, "--rank", "2", "--penalty", "group-l1", "--groups", "slices:0"],
        "merged": ["rpca", tensor, "--rank", "2", "--merge", "0,1"],
        "tucker": ["rpca", tensor, "--model", "tucker", "--rank", "2", "--mask", "mask.npy"],
        "matrix": ["rpca", matrix, "--model", "matrix", "--rank", "1"],  # no spare terms, whose factors are free
        "ball": ["rpca", matrix, "--model", "matrix", "--rank", "2", "--eta", "1"],
        "pcp": ["rpca", matrix, "--model", "pcp"],
        "seen": ["apply", "masked", "new.npy"],
        "regress": ["regress", "X.npy", "y.npy", "--path", "5"],
        "spca": ["spca", tensor, "--components", "2"],
        "lasso": ["solve", "lasso.json"], "split": ["solve", "consensus_mcp.json"],
        "gcg": ["solve", "farthest.json"], "simplex": ["solve", "simplex.json"]}
    for name, words in recipes.items():
        done = crease(*words, "--out", name)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    return list(recipes)


def judge(kind, folder, what, valid=False):
    tried[kind] += 1
    try:
        done = crease("verify", folder)
        said = done.stdout.split("\n")[0]
        good = (done.returncode == 0 and said == "VALID") == valid and done.returncode in (0, 1, 2, 65, 66, 74)
        one = said in ("VALID", "INVALID", "UNSUPPORTED", "UPPER-BOUND-ONLY") or done.stderr.count("\n") == 1
        if not good or not one:
            faults.append("%s, %s: exit %d, %s%s" % (what, kind, done.returncode, done.stdout, done.stderr))
    except subprocess.TimeoutExpired:
        faults.append("%s, %s: no end within 10 s" % (what, kind))


def header(path, old, new):
    with open(path, "rb") as f:
        text = f.read()
    assert old in text[:128], (path, old)
    head = text[:128].replace(old, new)[:128]
    with open(path, "wb") as f:
        f.write(head + text[128:])


def shape_text(shape):
    return ("(" + "".join("%d, " % n for n in shape)[:-1] + ")").encode()


def entry(path, x):
    x.flat[x.size // 2] += 1e-3 * (1 + abs(x).max())
    np.save(path, x)


def nan(path, x):
    x.flat[0] = np.nan
    np.save(path, x)


def infinite(path, x):
    x.flat[-1] = np.inf
    np.save(path, x)


def negative(path, x):
    np.save(path, -x)


def cut(path, x):
    with open(path, "rb+") as f:
        f.truncate(os.path.getsize(path) - 8)


def header_only(path, x):
    with open(path, "rb+") as f:
        f.truncate(128)


def integers(path, x):
    header(path, b"<f8", b"<i8")


def swapped_bytes(path, x):
    header(path, b"<f8", b">f8")


def turned(path, x):
    header(path, shape_text(x.shape), shape_text(x.shape[::-1]))


def by_columns(path, x):
    header(path, b"False, ", b"True,  ")


def flat(path, x):
    np.save(path, x.ravel())


def zeros(path, x):
    np.save(path, 0 * x)


def one_more(path, x):
    np.save(path, np.concatenate([x.ravel(), [0]]))


def differs(edit, x):
    """Is what the edited file says another array?"""
    if edit in (negative, zeros, integers, swapped_bytes):
        return x.any()
    if edit == turned:
        return x.shape != x.shape[::-1]
    if edit == by_columns:
        return sum(n > 1 for n in x.shape) > 1
    if edit == flat:
        return x.ndim > 1
    return True


ARRAYS = [entry, nan, infinite, negative, cut, header_only, integers, swapped_bytes, turned, by_columns, flat,
          zeros, one_more]


def empty(path, others):
    open(path, "w").close()


def longer(path, others):
    with open(path, "ab") as f:
        f.write(b"\n")


def other_text(path, others):
    shutil.copy(others[0], path)


def gone(path, others):
    os.remove(path)


def folder_there(path, others):
    os.remove(path)
    os.mkdir(path)


def pipe(path, others):
    os.remove(path)
    os.mkfifo(path)


def link(target):
    def edit(path, others):
        os.remove(path)
        os.symlink(target or os.path.basename(path), path)
    edit.__name__ = "link_to_" + (target or "itself")
    return edit


def renamed(path, others):
    os.rename(path, path + ".old")


FILES = [empty, longer, other_text, gone, folder_there, pipe, link(None), link("/dev/zero"), link("/dev/tty"),
         link("nowhere"), renamed]


class Copy:
    """A copy of a result beside it, for one edit."""
    def __init__(self, name):
        self.path = name + ".edited"
        shutil.copytree(name, self.path)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def mine():
    """Is it the turn of this edit?"""
    return next(turns) % THIN == 0


def edit_arrays(name):
    for file in sorted(f for f in os.listdir(name) if f.endswith(".npy")):
        for k, edit in enumerate(ARRAYS):
            x = np.load(os.path.join(name, file))
            if not differs(edit, x) or not mine():
                continue
            with Copy(name) as folder:
                edit(os.path.join(folder, file), x)
                what = "%s/%s: %s" % (name, file, edit.__name__)
                if k % 3 == 0:
                    judge("edited", folder, what)
                reseal(folder)
                judge("edited and bound anew", folder, what)


def edit_files(name):
    files = sorted(os.listdir(name))
    for file in files:
        for edit in FILES:
            if not mine():
                continue
            with Copy(name) as folder:
                others = [os.path.join(folder, f) for f in files if f != file]
                edit(os.path.join(folder, file), others)
                what = "%s/%s: %s" % (name, file, edit.__name__)
                judge("edited", folder, what)
                if file.endswith(".npy") and edit not in (longer, other_text):
                    reseal(folder)
                    judge("edited and bound anew", folder, what)


def swap_files(name):
    """Pairs of arrays that are not the same."""
    arrays = sorted(f for f in os.listdir(name) if f.endswith(".npy"))
    for a, b in itertools.combinations(arrays, 2):
        x, y = np.load(os.path.join(name, a)), np.load(os.path.join(name, b))
        if x.shape == y.shape and np.allclose(x, y, rtol=1e-9, atol=1e-12) or not mine():
            continue
        with Copy(name) as folder:
            p, q = os.path.join(folder, a), os.path.join(folder, b)
            os.rename(p, p + "~"), os.rename(q, p), os.rename(p + "~", q)
            judge("edited", folder, "%s: %s and %s swapped" % (name, a, b))
            reseal(folder)
            judge("edited and bound anew", folder, "%s: %s and %s swapped" % (name, a, b))


def leaves(node, path=()):
    if isinstance(node, dict):
        for key in node:
            yield from leaves(node[key], path + (key,))
    elif isinstance(node, list):
        for k in range(len(node)):
            yield from leaves(node[k], path + (k,))
    else:
        yield path, node


def other(value):
    """Another value of the kind; None: it is no claim."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 1.5 + 1
    if isinstance(value, str) and value.lstrip("-").startswith("0x"):
        return (float.fromhex(value) * 0.5).hex()
    if isinstance(value, str) and value.startswith("sha256:"):
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return None


def edit_document(folder, file, path, value):
    at = os.path.join(folder, file)
    with open(at) as f:
        document = json.load(f)
    node = document
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    with open(at, "w") as f:
        json.dump(document, f, indent=1)


# What changes nothing: the version, what the binding is made of, a flag where no entry is missing, the scale
# of a loss that has none.
TOLD = ("schema_version", "crease", "files", "seal", "settings/missing", "settings/loss_scale",
        "data/0/reading/missing", "data/1/reading/missing")  # of arrays without cells of text
CLAIMS = ("verdict", "objective", "residual", "eps", "relative")


def edit_certificate(name):
    with open(os.path.join(name, "certificate.json")) as f:
        document = json.load(f)
    for path, value in leaves(document):
        if other(value) is None or not mine():
            continue
        with Copy(name) as folder:
            what = "%s/certificate.json: %s" % (name, "/".join(map(str, path)))
            edit_document(folder, "certificate.json", path, other(value))
            judge("edited", folder, what)
            if path[0] not in TOLD and "/".join(map(str, path)) not in TOLD:
                reseal(folder)
                judge("edited and bound anew", folder, what)


def edit_claims(name):
    with open(os.path.join(name, "result.json")) as f:
        document = json.load(f)
    for key in CLAIMS:
        value = "UPPER-BOUND-ONLY" if key == "verdict" else other(document[key])
        if value is None:
            continue
        with Copy(name) as folder:
            edit_document(folder, "result.json", (key,), value)
            judge("edited", folder, "%s/result.json: %s" % (name, key))
            reseal(folder)
            judge("edited and bound anew", folder, "%s/result.json: %s" % (name, key))


def right(names):
    for name in names:
        judge("right", name, name, True)
        judge("right", os.path.join(os.getcwd(), name) + "/", name + " by its absolute path", True)
        with Copy(name) as folder:
            judge("right", folder, name + ", a copy", True)
            reseal(folder)
            judge("right", folder, name + ", bound anew", True)
        shutil.copytree(name, "links", copy_function=lambda a, b: os.symlink(os.path.abspath(a), b))
        judge("right", "links", name + ", a folder of links", True)
        shutil.rmtree("links")
        os.symlink(name, "link")
        judge("right", "link", name + ", by a link", True)
        os.remove("link")
    home = os.getcwd()
    os.chdir("/")
    os.rename(home, home + " moved")
    os.chdir(home + " moved")
    for name in names:
        judge("right", name, name + ", moved with its data", True)
        os.rename(name, name + "-renamed")
        judge("right", name + "-renamed", name + ", renamed", True)
        os.rename(name + "-renamed", name)
    return home + " moved"


def main():
    scratch = tempfile.mkdtemp()
    try:
        home = os.path.join(scratch, "home")
        os.mkdir(home)
        os.chdir(home)
        names = make()
        for name in names:
            edit_arrays(name)
            edit_files(name)
            swap_files(name)
            edit_certificate(name)
            edit_claims(name)
        right(names)
    finally:
        os.chdir("/")
        shutil.rmtree(scratch)
    for fault in faults[:int(os.environ.get("SHOW", 20))]:
        print("FAILED", fault)
    print("tried:", ", ".join("%d %s" % (n, kind) for kind, n in tried.items()))
    print("%d passed, %d failed" % (sum(tried.values()) - len(faults), len(faults)))
    sys.exit(bool(faults))


main()
