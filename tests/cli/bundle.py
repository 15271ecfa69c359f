"""bundle.py same FOLDER FILE...: an HDF5 file holds the files of a folder, to the byte; parts FILE FILE: the
arrays of two are the same; edits CREASE FILE: whatever is edited in it is never VALID, and what is damaged never
crashes nor hangs the program."""
import json
import os
import random
import shutil
import subprocess
import sys

import h5py
import numpy as np

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
TIMES = ("files", "path", "command", "hash", "bytes", "seal")


def arrays_of(path):
    """The arrays of a folder or a file, by the names of files."""
    if os.path.isdir(path):
        return {n: np.load(os.path.join(path, n)) for n in os.listdir(path) if n.endswith(".npy")}
    found = {}

    def visit(name, d):
        if isinstance(d, h5py.Dataset) and d.dtype == "f8" and not name.startswith("axes/"):
            assert d.chunks is None and (d.nbytes < 4096 or d.id.get_offset() % 4096 == 0), name
            found[name + ".npy"] = d[()]
    with h5py.File(path, "r") as f:
        f.visititems(visit)
    return found


def text_of(path, name):
    if os.path.isdir(path):
        with open(os.path.join(path, name)) as f:
            return f.read()
    with h5py.File(path, "r") as f:
        return f[name][()].decode()


def plain(v):
    if isinstance(v, list):
        return [plain(w) for w in v]
    if not isinstance(v, dict):
        return v
    return {k: plain(w) for k, w in v.items() if k not in TIMES and "seconds" not in k}


def same_arrays(one, other):
    a, b = arrays_of(one), arrays_of(other)
    assert sorted(a) == sorted(b) and a, (one, other, sorted(a), sorted(b))
    for name in a:
        assert a[name].shape == b[name].shape and a[name].tobytes() == b[name].tobytes(), (other, name)


def same(folder, file):
    same_arrays(folder, file)
    for name in ("result.json", "certificate.json"):
        if os.path.exists(os.path.join(folder, name)):
            assert plain(json.loads(text_of(folder, name))) == plain(json.loads(text_of(file, name))), (file, name)
    listed = json.loads(text_of(file, "result.json"))["files"]
    assert sorted(listed) == sorted(json.loads(text_of(folder, "result.json"))["files"])
    with h5py.File(file, "r") as f:
        for name in listed:
            assert name in f or (name.endswith(".npy") and name[:-4] in f), (file, name)


class Edits:
    def __init__(self, crease, file):
        self.crease, self.file, self.tried, self.faults = crease, file, 0, []

    def judge(self, what, word=None, valid=False):
        """The edited file is not VALID, and what was edited is named."""
        self.tried += 1
        done = subprocess.run([self.crease, "verify", "edited.h5"], capture_output=True, text=True, timeout=30,
                              stdin=subprocess.DEVNULL, errors="replace")
        said = done.stdout + done.stderr
        good = done.returncode in (0, 1, 2, 65, 66, 74) and (done.stdout.startswith("VALID") == valid)
        good = good and done.stderr.count("\n") <= 1 and (word is None or word in said)
        if not good:
            self.faults.append("%s: exit %d, %s" % (what, done.returncode, said))

    def edit(self, what, change, word=None):
        shutil.copy(self.file, "edited.h5")
        with h5py.File("edited.h5", "r+") as f:
            change(f)
        self.judge(what, word)

    def contents(self):
        with h5py.File(self.file, "r") as f:
            names = [n for n in f if isinstance(f[n], h5py.Dataset)]
            numbers = [n for n in names if f[n].dtype == "f8"]
        for name in numbers:
            self.numbers(name, name + ".npy")
        for name in set(names) - set(numbers):
            self.text(name)
        first, last = numbers[0], numbers[-1]
        self.edit("a stranger", lambda f: f.create_dataset("more", data=np.ones(3)), "more.npy is not a file of this")
        self.edit("a stranger of text", lambda f: f.create_dataset("note", data=np.bytes_("x")), "note is not a file")
        self.edit("a stranger in a group", lambda f: f.create_dataset("a/b", data=np.ones(3)), "a/b.npy is not a file")

        def swap(f):
            f.move(first, "aside"), f.move(last, first), f.move("aside", last)
        self.edit("swapped", swap, ".npy has changed")

    def numbers(self, name, file):
        def entry(f):
            d = f[name]
            x = d[()]
            x.flat[x.size // 2] += 1e-3 * (1 + abs(x).max())
            d[...] = x

        def again(**how):
            def change(f):
                x = f[name][()]
                del f[name]
                f.create_dataset(name, data=how.pop("x", lambda x: x)(x), **how)
            return change

        def link(f):
            del f[name]
            f[name] = h5py.ExternalLink("other.h5", "/x")

        def loop(f):
            del f[name]
            f[name] = h5py.SoftLink("/" + name)
        changed, otherwise = file + " has changed", file + " has changed since it was written: it is stored otherwise"
        missing = file + " is missing"
        self.edit(name + ": an entry", entry, changed)
        self.edit(name + ": nan", lambda f: f[name].__setitem__(Ellipsis, np.nan), changed)
        self.edit(name + ": one more", again(x=lambda x: np.append(x.ravel(), 0)), changed)
        self.edit(name + ": in another shape", again(x=lambda x: x.reshape(x.shape + (1,))), changed)
        self.edit(name + ": packed", again(chunks=True, compression="gzip"), otherwise)
        self.edit(name + ": single", again(dtype="f4"), otherwise)
        self.edit(name + ": integers", again(dtype="i8"), otherwise)
        self.edit(name + ": the other byte first", again(dtype=">f8"), otherwise)
        self.edit(name + ": bytes", again(x=lambda x: np.zeros(5, np.uint8)), missing)
        self.edit(name + ": a scale", lambda f: f[name].make_scale("x"), missing)
        self.edit(name + ": gone", lambda f: f.__delitem__(name), missing)
        self.edit(name + ": renamed", lambda f: f.move(name, "other"), missing)
        self.edit(name + ": a group", lambda f: (f.__delitem__(name), f.create_group(name)), missing)
        self.edit(name + ": a link to another file", link, missing)
        self.edit(name + ": a link to itself", loop, missing)

    def text(self, name):
        def put(text, **how):
            def change(f):
                del f[name]
                f.create_dataset(name, data=text, **how)
            return change
        with h5py.File(self.file, "r") as f:
            text = f[name][()]
        self.edit(name + ": a space more", put(np.bytes_(text + b" ")), name)
        self.edit(name + ": a letter", put(np.bytes_(text.replace(b"e", b"a", 1))))
        self.edit(name + ": of variable length", put(text.decode()), name)
        self.edit(name + ": gone", lambda f: f.__delitem__(name), name)
        if name != "certificate.json":
            self.edit(name + ": empty", put(h5py.Empty("S1")), name)

    def damaged(self, rounds):
        """Bytes of the file, most of them of its structure; its entries begin at byte 4096 of a page."""
        with open(self.file, "rb") as f:
            text = f.read()
        shutil.copy(self.file, "edited.h5")
        self.judge("a copy", valid=True)
        with h5py.File(self.file, "r") as f:
            places = [(f[n].id.get_offset() or 0, f[n].id.get_storage_size()) for n in f
                      if isinstance(f[n], h5py.Dataset)]
        structure = [k for k in range(len(text)) if not any(a <= k < a + n for a, n in places)]
        draw = random.Random(1)
        for k in range(rounds):
            new = bytearray(text)
            for _ in range(draw.choice((1, 4, 64))):
                new[draw.choice(structure[:4096] if k % 2 else structure)] = draw.choice((0, 255, draw.randrange(256)))
            with open("edited.h5", "wb") as f:
                f.write(new)
            self.tried += 1
            done = subprocess.run([self.crease, "verify", "edited.h5"], capture_output=True, text=True, timeout=30,
                                  stdin=subprocess.DEVNULL, errors="replace")
            one = done.stderr.count("\n") <= 1 and "Sanitizer" not in done.stderr
            if done.returncode not in (0, 1, 2, 65, 66, 74) or not one:
                self.faults.append("damaged %d: exit %d, %s" % (k, done.returncode, done.stdout + done.stderr))
        for n in (0, 7, 8, 100, 1000, len(text) // 2, len(text) - 9):
            with open("edited.h5", "wb") as f:
                f.write(text[:n])
            self.judge("cut to %d bytes" % n)


def main():
    if sys.argv[1] == "same":
        for file in sys.argv[3:]:
            same(sys.argv[2], file)
    elif sys.argv[1] == "parts":
        for file in sys.argv[3:]:
            same_arrays(sys.argv[2], file)
    else:
        edits = Edits(sys.argv[2], sys.argv[3])
        edits.contents()
        edits.damaged(int(sys.argv[4]))
        for fault in edits.faults[:20]:
            print("FAILED", fault)
        print("%d edits, %d faults" % (edits.tried, len(edits.faults)))
        sys.exit(bool(edits.faults))


main()
