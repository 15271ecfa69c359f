"""Files of other programs against what they were made of. Run by foreign.sh in an empty folder."""
import gzip, json, os, shutil, struct, subprocess, sys
import numpy as np

program = os.path.abspath(sys.argv[1])
rng = np.random.RandomState(3)
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", what)


def crease(*words, stdin=subprocess.DEVNULL):
    return subprocess.run([program, *words], capture_output=True, text=True, stdin=stdin, timeout=120)


def reads(path, wanted, *options, says="", stdin=subprocess.DEVNULL):
    wanted = np.asarray(wanted, float)
    run = crease("convert", "--force", path, "out.npy", *options, stdin=stdin)
    got = np.load("out.npy") if run.returncode == 0 else None
    check(got is not None and got.shape == wanted.shape and np.array_equal(got, wanted, equal_nan=True)
          and says in run.stderr, f"{path} {options}: exit {run.returncode}, {run.stderr.strip()}")


def refuses(path, says, *options, code=65):
    run = crease("convert", "--force", path, "refused.npy", *options)
    check(run.returncode == code and says in run.stderr and run.stderr.count("\n") == 1,
          f"{path}: exit {run.returncode}, {run.stderr.strip()}")


def axes_of(path, *options):
    run = crease("convert", "--force", path, "axes.npz", *options)
    with np.load("axes.npz") as z:
        return {k: z[k].tolist() for k in z.files if k != "data"} if run.returncode == 0 else run.stderr


def write(path, text):
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


# NumPy: types, orders, byte orders; archives; records; all halves.
types = ["<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "<i2", ">i4", "<i8", "|u1", ">u2", "|b1"]
for k, t in enumerate(types):
    x = np.asarray((rng.randn(2, 3, 4) * 50).astype(t), order="CF"[k % 2])
    np.save("a.npy", x)
    reads("a.npy", x)
    save = np.savez if k % 3 else np.savez_compressed
    save("a.npz", one=x, two=x[0])
    reads("a.npz:one", x)
    reads("a.npz:two", x[0])
with np.errstate(all="ignore"):
    half = np.arange(65536, dtype="u2").view("f2").reshape(256, 256)
    np.save("half.npy", half)
    reads("half.npy", half.astype(float))
record = np.zeros(5, dtype=[("t", "U3"), ("x", ">f4"), ("y", "<i2", (2, 3))])
record["x"], record["y"] = rng.randn(5), rng.randint(-9, 9, (5, 2, 3))
np.save("record.npy", record)
reads("record.npy:x", record["x"])
reads("record.npy:y", record["y"])
refuses("record.npy", "fields x, y")
refuses("a.npz", "holds several arrays; write FILE:NAME with one of one, two", code=64)
refuses("a.npz:three", "no array 'three'", code=66)
x = rng.randn(3, 4)
np.savez("axes.in.npz", data=x, axis_1=[1.5, 2, 4, 8], labels_0=["a", "b\u00e9", "\U0001f600"],
         axis_names=["kind", "dose"], axis_units=["", "mg"])
check(axes_of("axes.in.npz") == {"axis_1": [1.5, 2, 4, 8], "labels_0": ["a", "b\u00e9", "\U0001f600"],
                                 "axis_names": ["kind", "dose"], "axis_units": ["", "mg"]}, axes_of("axes.in.npz"))

# gzip, also several in a row; standard input of every kind, whatever the name says.
np.save("b.npy", x)
plain = open("b.npy", "rb").read()
write("b.npy.gz", gzip.compress(plain[:100]) + gzip.compress(plain[100:]))
write("b.dat", plain)
np.savetxt("b.csv", x, delimiter=",", fmt="%.17g")
write("b.csv.gz", gzip.compress(open("b.csv", "rb").read()))
for path in ("b.npy.gz", "b.dat", "b.csv.gz", "axes.in.npz"):
    reads(path, x)
    with open(path, "rb") as f:
        reads("-", x, stdin=f)
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as pipe:
        reads("-", x, stdin=pipe.stdout)
write("b.odd", open("b.csv", "rb").read())
refuses("b.odd", "say it by --read-as", code=64)
reads("b.odd", x, "--read-as", "csv")
write("cut.npy.gz", open("b.npy.gz", "rb").read()[:-20])
refuses("cut.npy.gz", "compressed data are damaged")
write("bomb.npy.gz", gzip.compress(plain[:128] + bytes(50_000_000)))
write("bomb.csv.gz", gzip.compress(b" " * 50_000_000))
refuses("bomb.csv.gz", "more than 1000-fold")
huge = plain[:128].replace(b"(3, 4), }", b"(300000000, 400000), }")
write("huge.npy.gz", gzip.compress(huge[:127] + b"\n" + plain[128:]))
refuses("huge.npy.gz", "", code=71)
broken = bytearray(open("axes.in.npz", "rb").read())
broken[broken.index(b"\x93NUMPY") + 140] ^= 1
refuses(write("crc.npz", bytes(broken)), "compressed data are damaged")

# Tables.
gaps = np.array([[1, np.nan], [np.nan, 4.5]])
reads(write("t1.csv", "a;b\n1;NA\n;4,5\n"), gaps, says="decimal commas")
reads(write("t2.tsv", "\ufeffid\ta\tb\r\nu\t1\tnull\r\nv\tN/A\t4.5\r\n"), gaps)
check(axes_of("t2.tsv") == {"labels_0": ["u", "v"], "labels_1": ["a", "b"],
      "axis_names": ["id", ""]}, axes_of("t2.tsv"))
write("t3.csv", "id,day,a,kind,b\n1,2024-05-01,1,x,2\n2,2024-05-02,3,y,4\n")
refuses("t3.csv", "line 2, column 2: '2024-05-01' is not a number")
reads("t3.csv", [[1, 2], [3, 4]], "--drop", "id,kind,day")
reads("t3.csv", [[1, 2], [3, 4]], "--columns", "a,5")
refuses("t3.csv", "has no column 'z'", "--drop", "z", code=64)

write("t4.csv", "id;note;a;b\nu;old;1,5;2\nv;new;3;4\n")
refuses("t4.csv", "line 2, column 2: 'old' is not a number")
reads("t4.csv", [[1.5, 2], [3, 4]], "--drop", "note")
check(axes_of("t4.csv", "--columns", "3-4")["labels_0"] == ["u", "v"], axes_of("t4.csv", "--columns", "3-4"))

# Coordinates.
y = rng.randn(3, 2, 2)
y[0, 1, 1] = y[2, 0, 0] = np.nan
lines = "".join("%d %d %d %.17g\n" % (*(k + 1 for k in at), v) for at, v in np.ndenumerate(y) if v == v)
reads(write("c.tns", "# made by hand\n" + lines), y, says="2 of 12 entries have no line and are missing")
reads("c.tns", np.nan_to_num(y), "--absent", "zero")
reads("c.tns", np.pad(y, ((0, 1), (0, 0), (0, 2)), constant_values=np.nan), "--shape", "4,2,4")
refuses("c.tns", "larger --shape", "--shape", "2,2,2")
refuses(write("twice.tns", "1 1 2\n1 1 3\n"), "line 2: this entry was given before")

# NIfTI-1 by hand, both byte orders.
for order in "<>":
    z = (rng.randn(4, 3, 2) * 100).astype(order + "i2")
    head = bytearray(352)
    struct.pack_into(order + "i", head, 0, 348)
    struct.pack_into(order + "8h", head, 40, 4, 4, 3, 2, 1, 1, 1, 1)
    struct.pack_into(order + "hh", head, 70, 4, 16)
    struct.pack_into(order + "8f", head, 76, 1, 2, 2, 3.5, 1, 1, 1, 1)
    struct.pack_into(order + "3f", head, 108, 352, 0.5, 10)
    head[123], head[344:348] = 2, b"n+1\0"
    write("n.nii", bytes(head) + z.tobytes(order="F"))
    reads("n.nii", 0.5 * z.astype(float) + 10)
    found = axes_of("n.nii")
    check(found["axis_2"] == [0, 3.5] and found["axis_units"] == ["mm"] * 3, found)
    head[70:72] = struct.pack(order + "h", 128)
    refuses(write("rgb.nii", bytes(head) + bytes(72)), "colours")
write("n.dat.gz", gzip.compress(open("n.nii", "rb").read()))
reads("n.dat.gz", 0.5 * z.astype(float) + 10)
refuses("n.nii:x", "holds one array", code=64)

try:
    import scipy.io, scipy.sparse
    for k, form in enumerate(("coo", "csr")):
        s = scipy.sparse.random(7, 5, 0.3, form, random_state=k)
        scipy.io.mmwrite("s.mtx", s, precision=17)
        reads("s.mtx", s.toarray())
    scipy.io.mmwrite("d.mtx", x, precision=17)
    reads("d.mtx", x)
    sym = x @ x.T
    scipy.io.mmwrite("sym.mtx", sym, symmetry="symmetric", precision=17)
    reads("sym.mtx", sym)
    scipy.io.mmwrite("p.mtx", s, field="pattern")
    reads("p.mtx", s.toarray() != 0)
    scipy.io.mmwrite("cc.mtx", s.astype(complex))
    refuses("cc.mtx", "complex")
    for name, data in (("one.mtx", x), ("few.mtx", s.toarray())):
        np.save("w.npy", data)
        crease("convert", "--force", "w.npy", name)
        back = scipy.io.mmread(name)
        check(np.array_equal(back.toarray() if scipy.sparse.issparse(back) else back, data), name)
except ImportError:
    print("foreign: no SciPy here; its part is left out")

# What we write is read by NumPy.
np.save("w.npy", y)
crease("convert", "--force", "w.npy", "w.npz", "--axes", "sample::a|b|c,x:nm:5..6,y")
with np.load("w.npz") as w:
    check(np.array_equal(w["data"], y, equal_nan=True) and w["axis_1"].tolist() == [5, 6], "w.npz in NumPy")
try:
    import nibabel
    crease("convert", "--force", "w.npy", "w.nii.gz")
    check(np.array_equal(np.asarray(nibabel.load("w.nii.gz").dataobj), y, equal_nan=True), "w.nii.gz in nibabel")
    for kind in (nibabel.Nifti1Image, nibabel.Nifti2Image):
        image = kind(y.astype("f4"), np.diag([2, 3, 4, 1]))
        image.to_filename("nib.nii.gz")
        reads("nib.nii.gz", y.astype("f4"))
except ImportError:
    print("foreign: no nibabel here; its part is left out")

if shutil.which("Rscript"):
    script = """x <- matrix(c(1.5, NA, -2, 1e-300, 5, 6), 3); dimnames(x) <- list(c("u", "v w", "z"), c("p", "q"))
    write.csv(x, "r1.csv"); write.csv2(x, "r2.csv"); write.table(x, "r3.txt"); write.csv(data.frame(x), "r4.csv",
    row.names = FALSE); y <- x; rownames(y) <- NULL; write.csv(y, "r5.csv"); cat(gsub("NA", "", readLines("r1.csv")),
    sep = "\\n", file = gzfile("r6.csv.gz"))"""
    subprocess.run(["Rscript", "-e", script], check=True, capture_output=True)
    r = np.array([[1.5, 1e-300], [np.nan, 5], [-2, 6]])
    for k in range(1, 7):
        path = ("r%d.csv", "r%d.txt", "r%d.csv.gz")[(k == 3) + 2 * (k == 6)] % k
        reads(path, r)
    for path in ("r1.csv", "r2.csv", "r3.txt"):
        found = axes_of(path)
        check(found == {"labels_0": ["u", "v w", "z"], "labels_1": ["p", "q"]}, f"{path}: {found}")
else:
    print("foreign: no R here; its part is left out")

if shutil.which("octave-cli"):
    script = """x = [1.5 2; -3 4e-7]; csvwrite("o1.csv", x); dlmwrite("o2.txt", x, "delimiter", "\\t", "precision", 17);
    f = fopen("o3.csv", "w"); fprintf(f, "%.17g %.17g\\n", x'); fclose(f);"""
    subprocess.run(["octave-cli", "--no-history", "--eval", script], check=True, capture_output=True)
    o = [[1.5, 2], [-3, 4e-7]]
    for path in ("o1.csv", "o2.txt", "o3.csv"):
        reads(path, o)
else:
    print("foreign: no Octave here; its part is left out")

print(f"{passed} of {passed + failed} as they should be")
sys.exit(failed > 0)
