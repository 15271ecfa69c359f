# Files of coordinates of which few of many entries were observed are lists from end to end: certified in little memory, told
# from what is dense, verified from the list alone; what changed is found, what needs all entries is refused.
. "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
"$python" - <<'END' || exit 1
import numpy as np
random = np.random.default_rng(5)
def write(name, shape, count, rank, signs=False):
    factors = [random.standard_normal((n, rank)) if signs else 1 + random.random((n, rank)) for n in shape]
    np.savez(name + "_truth.npz", *factors)
    flat = np.unique(random.integers(0, np.prod(shape, dtype=np.int64), count))
    at = np.unravel_index(flat, shape)
    t = np.prod([f[i] for f, i in zip(factors, at)], axis=0).sum(1) + 0.05 * random.standard_normal(flat.size)
    t[random.random(flat.size) < 0.02] += 8
    np.save(name + "_places.npy", flat)
    np.save(name + "_values.npy", t)
    rows = [" ".join(str(i[k] + 1) for i in at) + " %r\n" % float(t[k]) for k in random.permutation(flat.size)]
    if len(shape) == 2:
        open(name + ".mtx", "w").write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n%s" % (*shape, flat.size, "".join(rows)))
    open(name + ".tns", "w").write("# shape %s\n%s" % (" ".join(map(str, shape)), "".join(rows)))
    return rows
write("matrix", (2500, 8000), 120000, 2)
rows = write("tensor", (300, 200, 100), 40000, 1)
write("cube", (200, 180, 140), 30000, 3, True)
write("fourth", (60, 50, 45, 40), 30000, 3, True)
open("twice.tns", "w").write(open("tensor.tns").read() + rows[7])
open("claims.tns", "w").write("# shape 1200000000 2\n1 1 1\n2 2 2\n3 1 4\n")
open("wide.mtx", "w").write("%%MatrixMarket matrix coordinate real general\n990000 990000 1\n1 1 1\n")
open("hollow.mtx", "w").write("%%MatrixMarket matrix coordinate real general\n2000000 3000 2\n1 1 1\n2 2 2\n")
END

# listed FOLDER FILE OPTION...: certified by the list.
listed() {
    local name=$1 file=$2
    shift 2
    run "$CREASE" rpca "$file" "$@" --verbose --threads 1 --out "$name" --force
    [ $code -eq 0 ] && [[ $err == *"observed entries alone"* ]] && [ -f "$name/sparse_entries.npy" ] && [ ! -f "$name/lowrank.npy" ] &&
        grep -q 'sha256/entries:' "$name/certificate.json"
    judge $? "rpca $file $*: exit $code $err"
    run "$CREASE" verify "$name"
    [ $code -eq 0 ] && [[ $out == *VALID* && $out != *INVALID* ]]
    judge $? "verify $name: exit $code $out $err"
}
listed matrix matrix.mtx --absent missing --rank 2 --ridge 0.5
listed same matrix.tns --rank 2 --ridge 0.5 --model matrix
listed tensor tensor.tns --rank 1 --nonneg
listed cube cube.tns --rank 3
listed fourth fourth.tns --rank 3
cmp -s matrix/factor_1.npy same/factor_1.npy && cmp -s matrix/sparse_entries.npy same/sparse_entries.npy
judge $? "both formats give the same bits"
"$python" - <<'END'
import json, numpy as np
for name, shape in (("matrix", (2500, 8000)), ("tensor", (300, 200, 100))):
    places, t = np.load(name + "_places.npy"), np.load(name + "_values.npy")
    at = np.unravel_index(places, shape)
    pairs, weights = np.load(name + "/sparse_entries.npy"), np.load(name + "/weights.npy")
    factors = [np.load("%s/factor_%d.npy" % (name, n + 1)) for n in range(len(shape))]
    model = (weights * np.prod([f[i] for f, i in zip(factors, at)], axis=0)).sum(1)
    sparse = np.zeros(t.size)
    found = np.searchsorted(places, pairs[:, 0])
    assert (places[found] == pairs[:, 0]).all() and (np.diff(pairs[:, 0]) > 0).all()
    sparse[found] = pairs[:, 1]
    parts = json.load(open(name + "/result.json"))["details"]["parts"]
    assert parts["observed"] == t.size and parts["nonzeros"] == len(pairs)
    noise = t - model - sparse
    assert abs(np.median(np.abs(noise)) / 0.6745 / 0.05 - 1) < 0.2, np.median(np.abs(noise))
    assert 0.015 < np.mean(sparse > 4) < 0.025
END
judge $? "the parts are those of the entries"

# Terms of any sign are found from one entry in 170: what was not observed is told.
"$python" - <<'END'
import numpy as np
random = np.random.default_rng(6)
for name, shape in (("cube", (200, 180, 140)), ("fourth", (60, 50, 45, 40))):
    truth = np.load(name + "_truth.npz")
    at = [random.integers(0, n, 20000) for n in shape]
    true = np.prod([truth["arr_%d" % n][i] for n, i in enumerate(at)], axis=0).sum(1)
    found = np.prod([np.load("%s/factor_%d.npy" % (name, n + 1))[i] for n, i in enumerate(at)], axis=0) @ np.load(name + "/weights.npy")
    error = np.linalg.norm(found - true) / np.linalg.norm(true)
    assert error < 0.1, (name, error)
END
judge $? "entries that were not observed are told"

# What was changed is found.
change() { # change FOLDER WHAT PYTHON
    rm -rf changed && cp -r "$1" changed
    "$python" -c "import numpy as np; $3"
    run "$CREASE" verify changed
    [ $code -ne 0 ]
    judge $? "$2 is found: exit $code $out $err"
}
change matrix "a changed factor" "x = np.load('changed/factor_2.npy'); x[7, 1] += 1e-2; np.save('changed/factor_2.npy', x)"
change matrix "a changed entry of the sparse part" "x = np.load('changed/sparse_entries.npy'); x[3, 1] += 0.1; np.save('changed/sparse_entries.npy', x)"
change matrix "an entry that was not observed" "x = np.load('changed/sparse_entries.npy'); x[-1, 0] += 1; np.save('changed/sparse_entries.npy', x)"
change tensor "a weight" "x = np.load('changed/weights.npy'); x *= 1.001; np.save('changed/weights.npy', x)"
sed '5s/ [^ ]*$/ 5.0/' tensor.tns >other.tns
run "$CREASE" verify tensor --problem other.tns
[ $code -ne 0 ]
judge $? "other data are found: exit $code $out $err"

# refused FILE WORDS OPTION...: with a sentence that has these words.
refused() {
    local file=$1 words=$2
    shift 2
    run "$CREASE" rpca "$file" "$@" --out refused --force
    [ $code -ne 0 ] && [[ $err == *"$words"* ]] && [ ! -d refused ]
    judge $? "$file $*: exit $code $err"
}
refused twice.tns "this entry was given before" --rank 1
refused claims.tns "leave empty indices out" --rank 1
refused hollow.mtx "entries; leave empty rows out" --absent missing --rank 1
refused matrix.mtx "allows" --absent missing --rank 2 --memory 20M
refused matrix.mtx "--absent lots: write zero or missing" --absent lots --rank 2
refused wide.mtx "fit those that were observed alone by --model cp, or of a matrix by --model matrix --ridge NU" --absent missing \
    --rank 2 --model tucker

# Models that make all entries take what is not listed as missing, too, where that fits.
run "$CREASE" rpca matrix.mtx --absent missing --rank 2 --model matrix --max-seconds 4 --out dense --force
[[ $code -eq 0 || $code -eq 2 ]] && [[ $out == *"99.4 % missing"* ]]
judge $? "matrix.mtx as a whole: exit $code $out $err"

run "$CREASE" report tensor
[ $code -ne 0 ] && [[ $err == *"was fitted to observed entries alone, and a page shows all"* ]]
judge $? "a page is refused: exit $code $err"

# Far less memory than the matrix would take (160 MB), for fit and check.
if ! nm -C "$CREASE" 2>/dev/null | grep -q __asan_init; then
    "$python" - "$CREASE" <<'END'
import resource, subprocess, sys
for argv in (["rpca", "matrix.mtx", "--absent", "missing", "--rank", "2", "--ridge", "0.5", "--threads", "1", "--out", "small", "--quiet"],
             ["verify", "matrix"]):
    subprocess.run([sys.argv[1], *argv], check=True, stdout=subprocess.DEVNULL)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
assert most < 80, most
END
    judge $? "fitted and verified in less than 80 MB"
fi
finish
