# labels: what dimensions are called goes from the file to the result and back to a file of any format;
# data are read again as they were read at first, from any folder; info and convert tell the truth
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

$python - "$CREASE" <<'PY'
import json, os, random, shutil, subprocess, sys
import numpy as np

crease, random_ = sys.argv[1], random.Random(14)
failed, passed = [], 0

def run(*args, cwd=None):
    r = subprocess.run([crease, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=cwd)
    return r.returncode, r.stdout, r.stderr

def check(good, text):
    global passed
    if good: passed += 1
    else: failed.append(text)

def must(*args, cwd=None):
    code, out, err = run(*args, cwd=cwd)
    check(code == 0, f"{' '.join(args)}: exit {code}: {err.strip()}")
    return out

def refused(pattern, *args, code=65):
    got, out, err = run(*args)
    check(got == code and pattern in err and err.count("\n") == 1,
          f"{' '.join(args)}: wanted exit {code} and '{pattern}', got {got}: {err.strip()}")

def info(path, *more):
    out = must("info", path, "--json", *more)
    return json.loads(out)["array"] if out else {"axes": None, "shape": None}

def same_axes(a, b, what):
    def close(x, y):
        return x == y or (x and y and len(x) == len(y) and np.allclose(x, y, rtol=1e-9, atol=0))
    good = a is not None and b is not None and len(a) == len(b) and all(
        x["name"] == y["name"] and x["unit"] == y["unit"] and x["labels"] == y["labels"] and
        close(x["numbers"], y["numbers"]) for x, y in zip(a, b))
    check(good, f"axes differ {what}: {json.dumps(a)[:300]} and {json.dumps(b)[:300]}")

must("generate", "cp", "--shape", "7,6,5", "--rank", "2", "--noise", "0.01", "--out", "g")
t = np.load("g/tensor.npy")
axes = [{"name": "sample", "unit": None, "numbers": None, "labels": ["a", "b", "c,d", "e \"f\"", "µ", "x y", "7"]},
        {"name": "emission", "unit": "nm", "numbers": [270 + 3.25 * k for k in range(6)], "labels": None},
        {"name": "shift", "unit": None, "numbers": None, "labels": None}]
json.dump(axes, open("axes.json", "w"))

# Which formats are written, in this build.
every = ["npy", "npz", "h5", "mat", "csv", "tsv", "mtx", "tns", "nii", "tiff"]
written = [x for x in every if run("convert", "g/tensor.npy", f"try.{x}", "--slice", "0=0")[0] == 0]
check("npz" in written and "npy" in written, f"formats that are written: {written}")
print("written:", *written)

# File, result, conversion, file: the axes are those of the beginning, in the file or beside it.
for x in written:
    table = x in ("csv", "tsv", "mtx")
    cut = ["--slice", "2=0"] if table else []
    source, back = f"in_{x}/d.{x}", f"back_{x}/d.{x}"
    os.makedirs(f"in_{x}"), os.makedirs(f"back_{x}")
    must("convert", "g/tensor.npy", source, "--axes", "axes.json", *cut)
    wanted = axes[:2] if table else axes
    same_axes(info(source)["axes"], wanted, f"in {source}")
    must("rpca", source, "--rank", "1", "--quiet", "--out", f"r_{x}")
    result = json.load(open(f"r_{x}/result.json"))
    same_axes(result["axes"], wanted, f"in the result of {source}")
    must("convert", f"r_{x}/lowrank.npy", back)
    same_axes(info(back)["axes"], wanted, f"in {back}")
    lowrank = info(f"r_{x}/factor_2.npy")["axes"]
    same_axes(lowrank[:1], wanted[1:2], f"of factor_2 of {x}")
    check(run("verify", f"../r_{x}", cwd="g")[1].startswith("VALID"), f"verify of {source}")

# Random cuts and orders are NumPy's, labels included.
for round in range(12):
    cuts = [(random_.randrange(n - 1), random_.randrange(1, 4)) for n in t.shape]
    order = random_.sample(range(3), 3)
    must("convert", "g/tensor.npy", "cut.npz", "--force", "--axes", "axes.json", "--transpose", ",".join(map(str, order)),
         "--slice", ",".join(f"{n}={a}::{s}" for n, (a, s) in enumerate(cuts)))
    with np.load("cut.npz") as z: got = z["data"]
    wanted = t[tuple(slice(a, None, s) for a, s in cuts)].transpose(order)
    check(got.shape == wanted.shape and (got == wanted).all(), f"cut {cuts} {order}")
    parts = [{**axes[n], "labels": axes[n]["labels"] and axes[n]["labels"][cuts[n][0]::cuts[n][1]],
              "numbers": axes[n]["numbers"] and axes[n]["numbers"][cuts[n][0]::cuts[n][1]]} for n in order]
    same_axes(info("cut.npz")["axes"], parts, f"after the cut {cuts} {order}")
out = must("convert", "g/tensor.npy", "half.npy", "--as", "f4")
check("differ by at most" in out and np.load("half.npy").dtype == np.float32, "convert --as f4 says what it loses: " + out)
refused("exists already", "convert", "g/tensor.npy", "half.npy", code=73)
for text in "0=9:12", "3=0:1", "0=5:2", "x", "0=::0": refused("--slice", "convert", "g/tensor.npy", "no.npy", "--slice", text, code=64)
for text in "0,1", "0,0,1", "0,1,3": refused("--transpose", "convert", "g/tensor.npy", "no.npy", "--transpose", text, code=64)

# info: its numbers are NumPy's.
u = t.copy(); u[0, 0, 0] = 0; u[1, 2, 3] = u[2, 2, 3] = np.nan
np.save("u.npy", u)
a = info("u.npy"); x = np.sort(u[np.isfinite(u)])
check(a["missing"] == 2 and a["zeros"] == 1 and a["entries"] == u.size and a["shape"] == [7, 6, 5], f"info: {a}")
check(np.array_equal(a["quartiles"], x[np.floor(np.arange(5) * (len(x) - 1) / 4 + 0.5).astype(int)]), "quartiles")
check("--missing nan" in a["try"] and must(*a["try"].split()[1:], "--quiet") is not None, "the command to try works")

# --merge: the factors of merged axes have labels of their own.
must("rpca", "g/tensor.npy", "--axes", "axes.json", "--merge", "0,1", "--rank", "1", "--quiet", "--out", "merged")
m = json.load(open("merged/result.json"))["details"]["model_axes"]
check(m[0]["name"] == "sample x emission" and m[0]["labels"][7] == "b, 273.25 nm" and len(m[0]["labels"]) == 42,
      f"merged axes {m[0]}")
check(info("merged/factor_1.npy")["axes"][0] == m[0], "the factor of merged axes")

# Sentences name entries by their labels; apply refuses other axes.
refused("entry b, emission 276.5 nm, shift 4 is nan".replace("b,", "sample b,"), "rpca", "u.npy", "--axes", "axes.json", "--rank", "1", "--out", "no")
must("rpca", "g/tensor.npy", "--axes", "axes.json", "--rank", "2", "--quiet", "--out", "fit")
np.save("new.npy", t[:2]); np.save("one.npy", t[0])
must("apply", "fit", "new.npy", "--out", "seen", "--axes", "sample:p|q,emission:nm:270|273.25|276.5|279.75|283|286.25,shift")
refused("index 2 of emission (nm) is 274 nm in the data and 273.25 nm in the model", "apply", "fit", "new.npy", "--out",
        "no", "--axes", ",emission:nm:270|274|276.5|279.75|283|286.25,")
refused("axis 1 is 'excitation' in the data and 'emission' in the model", "apply", "fit", "new.npy", "--out", "no", "--axes", ",excitation,")
refused("unit of emission (um)", "apply", "fit", "one.npy", "--out", "no", "--axes", "emission:um,shift")
must("apply", "fit", "one.npy", "--out", "seen1", "--axes", "emission:nm,shift")
check(run("verify", "seen")[1].startswith("VALID"), "verify of apply")

# Odd axes.
refused("has 6 labels", "info", "g/tensor.npy", "--axes", "wrong.json") if json.dump(
    [{"labels": list("abcdef")}, None, None], open("wrong.json", "w")) is None else 0
refused("has 2 axes and the data 3 dimensions", "info", "g/tensor.npy", "--axes", "two.json") if json.dump(
    [None, None], open("two.json", "w")) is None else 0
refused("names 2 dimensions and the data have 3", "info", "g/tensor.npy", "--axes", "a,b")
refused("bytes; use at most 4096", "info", "g/tensor.npy", "--axes", "x" * 5000 + ",b,c")
code, out, err = run("info", "g/tensor.npy", "--axes", "s:a|a|b|c|d|e|f,,")
check(code == 0 and "repeat, as 'a'" in err, "labels that repeat: " + err)
open("latin", "wb").write("\n".join(["\xb5%d" % k for k in range(7)]).encode("latin1"))
code, out, err = run("info", "g/tensor.npy", "--json", "--axes", "s:@latin,,")
check(code == 0 and "Latin-1" in err and json.loads(out)["array"]["axes"][0]["labels"][0] == "\xb50", "Latin-1: " + err)
shutil.copy("g/tensor.npy", "lone.npy"); open("lone.axes.json", "w").write("[{")
refused("lone.axes.json", "rpca", "lone.npy", "--rank", "1", "--out", "no")

# Data are read again as they were: from elsewhere, and after data and result were moved together.
os.makedirs("home/in")
np.savez("home/in/two.npz", first=t, second=t[:, :, 0])
with open("home/in/gaps.csv", "w") as f:
    f.write("id,p,q,r,s\n")
    for i in range(12): f.write(f"row{i}," + ",".join("NA" if (i + k) % 5 == 0 else repr(float(t.flat[4 * i + k])) for k in range(4)) + "\n")
cases = {"npz": ["in/two.npz:first", "--rank", "1"], "csv": ["in/gaps.csv", "--missing", "nan", "--rank", "1"]}
if "tiff" in written and run("convert", "g/tensor.npy", "home/in/f.pgm")[0] == 0:
    cases["glob"] = ["in/f_*.pgm", "--rank", "1"]
    cases["frames"] = ["in/f_*.pgm", "--frames", "1:4", "--rank", "1"]
try:
    import h5py
    with h5py.File("home/in/d.h5", "w") as f: f["/deep/x"], f["/y"] = t, t[0]
    if run("info", "home/in/d.h5:/deep/x")[0] == 0: cases["h5"] = ["in/d.h5:/deep/x", "--rank", "1"]
except ImportError: print("no h5py: HDF5 is not tried")
if shutil.which("ffmpeg") and subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=32x24:rate=5:duration=2",
        "home/in/v.avi"], stdin=subprocess.DEVNULL).returncode == 0 and run("info", "home/in/v.avi")[0] == 0:
    cases["video"] = ["in/v.avi", "--frames", "0:8:2", "--size", "16x12", "--rank", "1"]
print("read again:", *cases)
for name, args in cases.items():
    must("rpca", *args, "--quiet", "--out", f"out_{name}", cwd="home")
    check(run("verify", f"home/out_{name}")[1].startswith("VALID"), f"verify of {args}")
shutil.copytree("home", "elsewhere/home"); shutil.rmtree("home")
for name, args in cases.items():
    check(run("verify", f"../elsewhere/home/out_{name}", cwd="g")[1].startswith("VALID"), f"verify of the moved {args}")

# --format: listed, hashed, with axes; the .npy files stay.
one = ["npz"] + [x for x in ("h5", "mat") if x in written]
for x in [y for y in written if y not in ("npy", "tsv")]:
    must("rpca", "g/tensor.npy", "--axes", "axes.json", "--rank", "1", "--quiet", "--out", "f", "--force", "--format", x)
    files = json.load(open("f/result.json"))["files"]
    made = [f for f in files if f.endswith("." + x)]
    check(sorted(os.listdir("f")) == sorted(files) and made and "lowrank.npy" in files, f"--format {x}: {files}")
    check(made == [f"result.{x}"] or x not in one, f"--format {x} is one file: {made}")
    check(run("verify", "f")[1].startswith("VALID"), f"--format {x} is verified")
    with open("f/" + made[0], "ab") as f: f.write(b"\n")
    code, out, err = run("verify", "f")
    check(code == 1 and made[0] in out, f"--format {x}: a changed file is found: {out}")
same_axes(info("merged/lowrank.npy")["axes"], axes, "of lowrank.npy")
must("rpca", "g/tensor.npy", "--axes", "axes.json", "--rank", "1", "--quiet", "--out", "f", "--force", "--format", "npz")
same_axes(info("f/result.npz:lowrank")["axes"], axes, "of result.npz:lowrank")
with np.load("f/result.npz") as z: check(np.array_equal(z["sparse"], np.load("f/sparse.npy")), "result.npz:sparse")
refused("anyway", "rpca", "g/tensor.npy", "--out", "no", "--format", "npy", code=64)
refused("is no format", "rpca", "g/tensor.npy", "--out", "no", "--format", "docx", code=64)
refused("add --out", "rpca", "g/tensor.npy", "--json", "--format", "npz", code=64)

# Names of columns are axes.
X = np.random.default_rng(1).normal(size=(20, 3))
np.savetxt("y.csv", X @ [1, 0, -1], fmt="%.17g")
np.savetxt("X.csv", X, delimiter=",", header="age,dose,mass", comments="", fmt="%.17g")
must("regress", "X.csv", "y.csv", "--path", "4", "--out", "reg")
check(json.load(open("reg/result.json"))["details"]["column_names"] == ["age", "dose", "mass"], "names of columns")
np.save("X.npy", X)
must("regress", "X.npy", "y.csv", "--path", "4", "--axes", "row,column:age|dose|mass", "--out", "reg2")
check(json.load(open("reg2/result.json"))["details"]["column_names"] == ["age", "dose", "mass"], "names of columns by --axes")
check(open("reg2/coefficients.csv").readline().startswith("lambda,intercept,age,dose"), "coefficients.csv")
check(info("reg2/coefficients.npy")["axes"][1]["labels"] == ["intercept", "age", "dose", "mass"], "axes of coefficients.npy")

print(f"{passed} hold, {len(failed)} do not")
for line in failed: print("FAILED", line)
sys.exit(bool(failed))
PY
judge $? "labels"
finish
