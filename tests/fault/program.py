"""program.py CREASE SHIM [all]: every allocation of whole runs of the program fails once, the JSON and
BLAS libraries' included: the run ends with a sentence and no trace of a result, or with a whole one that is
VALID; never a crash, a hang, another verdict or an incomplete folder. Without "all" a spread sample."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CREASE, SHIM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MOST = None if sys.argv[3:] == ["all"] else 12
LIMIT = 10
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="2")
faults, tried, lucky = [], 0, 0


def crease(words, **environment):
    return subprocess.run([CREASE, *words], capture_output=True, text=True, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, errors="replace", env={**os.environ, **environment},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)))


def make():
    spoils = "--outliers 0.1 --magnitude 10 --noise 0.01 --seed 3".split()
    crease(["generate", "cp", "--shape", "4,5,6", "--rank", "2", *spoils, "--out", "data"])
    crease(["generate", "matrix", "--shape", "8,6", "--rank", "1", *spoils, "--out", "matrix"])
    tensor, rng = np.load("data/tensor.npy"), np.random.RandomState(0)
    np.save("new.npy", tensor[:2])
    with open("axes.json", "w") as f:
        json.dump([{"name": "s", "labels": list("abcd")}, {"name": "t", "unit": "K", "numbers": [1, 2, 3, 4, 5]}, None], f)
    design = rng.randn(20, 4)
    np.savetxt("X.csv", design, delimiter=",", header="a,b,c,d", comments="")
    np.save("y.npy", design[:, 0] - design[:, 3] + 0.1 * rng.randn(20))
    for name in ("lasso", "consensus_mcp", "simplex"):
        shutil.copy(os.path.join(root, "examples", "problems", name + ".json"), ".")
    for name, words in (("model", "rpca data/tensor.npy --rank 2"), ("lasso", "solve lasso.json"),
                        ("tucker", "rpca data/tensor.npy --model tucker --rank 2"),
                        ("path", "regress X.csv y.npy --path 3"), ("terms", "spca data/tensor.npy"),
                        ("seen", "apply model new.npy")):
        done = crease(words.split() + ["--out", name])
        assert done.returncode == 0, (name, done.stderr)


WRITERS = ["solve lasso.json", "solve consensus_mcp.json", "solve simplex.json",
           "rpca data/tensor.npy --rank 2", "rpca data/tensor.npy",
           "rpca data/tensor.npy --model tucker --rank 2", "rpca matrix/tensor.npy --model pcp",
           "rpca matrix/tensor.npy --model matrix --rank 1 --eta 1", "apply model new.npy",
           "apply model data/tensor.npy --memory 16795500",  # two slices at a time
           "regress X.csv y.npy --path 3 --cv 3", "spca data/tensor.npy", "generate cp --shape 3,4,5 --rank 1",
           "rpca data/tensor.npy --rank 2 --axes axes.json --merge 1,2", "generate eem --shape 4,7,6 --rank 1"]
READERS = ["report model --out page.html --quiet", "report tucker --out page.html --quiet", "verify lasso", "verify model", "verify tucker", "verify path", "verify terms", "verify seen",
           "check lasso.json", "list regularizers --json", "prox l1:1 --step 1 --input y.npy"]


PAGES = ["report model", "report path", "report terms", "report seen", "report lasso"]


def page():
    """What the page holds, and what else is there of it."""
    left = sorted(f for f in os.listdir(".") if f.startswith("page.html"))
    return [(f, open(f, "rb").read()) for f in left]


def result():
    """The files of the folder, and what else is there."""
    files = sorted(os.listdir("out")) if os.path.isdir("out") else None
    return files, [f for f in os.listdir(".") if f.startswith("out.")]


def judge(words, k, done, usual, writes):
    """What is wrong with a run that met a failure, or None."""
    global lucky
    if done.returncode == usual["code"]:
        lucky += 1
        if writes and result() != (usual["files"], []):
            return "an incomplete folder: %s" % (result(),)
        if writes and usual["checked"] and not crease(["verify", "out"]).stdout.startswith("VALID"):
            return "a result that is not VALID"
        if not writes and (done.stdout != usual["out"] or page() != usual["page"]):
            return "another answer"
        return None
    if writes and done.returncode == 2 and result() == (usual["files"], []):
        with open("out/result.json") as f:
            said = json.load(f)
        if said["verdict"] == "UNSUPPORTED" and "out of memory" in said["verdict_text"]:
            return None  # the checker says what it lacked
    if done.returncode not in (70, 71):
        return "exit %d: %s%s" % (done.returncode, done.stdout[-300:], done.stderr[-300:])
    if "crease: " not in done.stderr.split("\n")[-2]:
        return "no sentence: " + done.stderr
    if writes and result() != (None, []):
        return "a folder after a failure: %s" % (result(),)
    if page():
        return "a page after a failure"
    return None


def sample(count):
    if MOST is None or count <= MOST:
        return range(1, count + 1)
    return sorted(set(np.linspace(1, count, MOST).astype(int)))


def clear():
    shutil.rmtree("out", ignore_errors=True)
    for file, _ in page():
        os.remove(file)


def run(text, writes):
    global tried
    words = text.split() + (["--out", "out"] if writes else ["--out", "page.html"] if text in PAGES else [])
    clear()
    plain = crease(words, LD_PRELOAD=SHIM, FAULT_COUNT=os.path.abspath("count"))
    with open("count") as f:
        count = int(f.read())
    usual = {"code": plain.returncode, "out": plain.stdout, "files": result()[0],
             "checked": not text.startswith("generate"), "page": page()}
    assert plain.returncode == 0, (text, plain.stderr)
    for k in sample(count):
        for more in ({}, {"FAULT_FOREVER": "1"}):
            clear()
            tried += 1
            try:
                done = crease(words, LD_PRELOAD=SHIM, FAULT_AT=str(k), **more)
                wrong = judge(words, k, done, usual, writes)
            except subprocess.TimeoutExpired:
                wrong = "no end within %d s" % LIMIT
            if wrong:
                faults.append("%s, allocation %d of %d%s: %s" % (text, k, count, " and on" if more else "", wrong))
            for left in result()[1]:
                shutil.rmtree(left)


def main():
    scratch = tempfile.mkdtemp()
    try:
        os.chdir(scratch)
        make()
        for text in WRITERS:
            run(text, True)
        for text in READERS + PAGES:
            run(text, False)
        clear()
    finally:
        os.chdir("/")
        shutil.rmtree(scratch)
    for fault in faults[:int(os.environ.get("SHOW", 20))]:
        print("FAILED", fault)
    print("%d failures met, %d of them without loss" % (tried, lucky))
    print("%d passed, %d failed" % (tried - len(faults), len(faults)))
    sys.exit(bool(faults))


main()
