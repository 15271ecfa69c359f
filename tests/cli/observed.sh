# Where less than one entry in four was observed, passes are over these alone: the log says so, the answer is certified,
# and it is the same from a file of coordinates and from an array with nan.
. "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
"$python" - <<'END' || exit 1
import numpy as np
random = np.random.default_rng(5)
def observe(name, *factors):
    letters = "abc"[:len(factors)]
    t = np.einsum(",".join(k + "r" for k in letters) + "->" + letters, *factors)
    seen = random.random(t.shape) < (0.05 if t.ndim == 2 else 0.1)
    t = t + 0.01 * random.standard_normal(t.shape) + 5 * (random.random(t.shape) < 0.02)
    np.save(name + ".npy", np.where(seen, t, np.nan))
    with open(name + ".tns", "w") as f:
        f.write("# shape " + " ".join(map(str, t.shape)) + "\n")
        for at in np.argwhere(seen):
            f.write(" ".join(str(k + 1) for k in at) + " %r\n" % float(t[tuple(at)]))
    if t.ndim == 2:
        with open(name + ".mtx", "w") as f:
            f.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (*t.shape, seen.sum()))
            for i, j in np.argwhere(seen):
                f.write("%d %d %r\n" % (i + 1, j + 1, float(t[i, j])))
observe("matrix", 1 + random.random((60, 1)), 1 + random.random((80, 1)))
observe("tensor", 1 + random.random((20, 1)), 1 + random.random((24, 1)), 1 + random.random((12, 1)))
END

# listed NAME FILE OPTION...: certified at rank 1, by passes over the observed entries.
listed() {
    local name=$1 file=$2
    shift 2
    run "$CREASE" rpca "$file" --rank 1 "$@" --verbose --out "$name" --force
    [ $code -eq 0 ] && [[ $err == *"over the "*" observed entries alone, less than one in four"* ]]
    judge $? "rpca $file $*: exit $code $err"
    run "$CREASE" verify "$name"
    [ $code -eq 0 ] && [[ $out == *VALID* ]]
    judge $? "verify $name: exit $code $out $err"
}
listed from_nan matrix.npy --missing nan
listed from_mtx matrix.mtx --absent missing
listed from_tns tensor.tns
listed ridged matrix.mtx --absent missing --model matrix --ridge 0.1
cmp -s from_nan/factor_1.npy from_mtx/factor_1.npy
judge $? "coordinates and nan give the same bits"

# Where more were observed, all entries are passed over.
run "$CREASE" rpca matrix.mtx --rank 1 --verbose --out zeros
[ $code -eq 0 ] && [[ $err == *"method "* && $err != *"observed entries alone"* ]]
judge $? "entries that are zeros are passed over: exit $code $err"
finish
