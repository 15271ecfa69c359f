# memory: parts that are written or derived, data that are streamed, and little memory
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 10,20,30 --rank 3 --seed 1 --out g >/dev/null

# --write: what is not written is derived; factors and the sparse part are always there.
for parts in factors lowrank noise z lowrank,noise all; do
    run "$CREASE" rpca g/tensor.npy --rank 3 --write "$parts" --quiet --out "w_$parts"
    judge $code "--write $parts: $out $err"
    run "$CREASE" verify "w_$parts"
    [ $code -eq 0 ] && case $parts in *z* | all) [[ $out != *derived* ]] ;; *) [[ $out == *"derived: Z, B"* ]] ;; esac
    judge $? "verify --write $parts: exit $code, $out $err"
done
[ ! -e w_factors/lowrank.npy ] && [ ! -e w_factors/z.npy ] && [ -e w_factors/sparse.npy ] &&
    [ -e w_noise/noise.npy ] && [ ! -e w_noise/z.npy ] && [ -e w_all/lowrank.npy ]
judge $? "the files of --write"
expect_exit 64 "'lowrnk' is no part" rpca g/tensor.npy --rank 3 --write lowrnk --out x
run "$CREASE" report w_factors --out page.html --quiet
[ $code -eq 0 ] && [ -s page.html ]
judge $? "a page of fewer parts: $err"
run "$CREASE" apply w_factors g/tensor.npy --quiet --out applied
judge $code "apply with fewer parts: $err"

# A derived part that the certificate does not name is missed, and a changed sparse part is found.
cp -r w_all short && rm short/z.npy && reseal short
run "$CREASE" verify short
[ $code -ne 0 ] && [[ $out$err == *"z.npy"* ]]
judge $? "z.npy is gone: exit $code, $out $err"
cp -r w_factors spoiled
$python -c '
import numpy as np
e = np.load("spoiled/sparse.npy"); e.flat[7] += 1; np.save("spoiled/sparse.npy", e)'
reseal spoiled
run "$CREASE" verify spoiled
[ $code -eq 1 ] && [[ $out == INVALID* ]]
judge $? "a changed E with a derived Z: exit $code, $out"

# Data of several slabs: in memory and streamed, the same bytes.
$python - <<'END'
import os
import numpy as np
r, shape = np.random.RandomState(2), (280, 230, 230)
X = [r.randn(n, 2) for n in shape]
T = (X[0][:, None, :] * X[1][None]).reshape(-1, 2) @ X[2].T
T += 0.1 * r.standard_normal(T.shape)
T.flat[r.randint(0, T.size, T.size // 100)] += 10
np.save("big.npy", T.reshape(shape))
T.flat[r.randint(0, T.size, T.size // 50)] = np.nan
T.flat[:230] = np.nan
np.save("holes.npy", T.reshape(shape))
os.mkdir("near")
for n in range(3): np.save(f"near/factor_{n + 1}.npy", X[n] + 0.01 * r.randn(*X[n].shape))
END
expect_exit 71 "takes at least .*slab by slab.*--memory" rpca big.npy --rank 2 --memory 1M --out x
expect_exit 64 "memory 2x: give bytes" rpca big.npy --rank 2 --memory 2x --out x
expect_exit 71 "with --mask the data must be in memory" rpca big.npy --rank 2 --mask m.npy --memory 1M --out x
expect_exit 71 "with --method the data must be in memory.*envelope" \
    rpca big.npy --rank 2 --method admm-g --memory 1M --out x
run "$CREASE" check big.npy --rank 2 --memory 140M
[ $code -eq 0 ] && [[ $out == *"slab by slab"* && $out == *"slabs "*"15 to 40 passes"* ]]
judge $? "the forecast: exit $code, $out $err"
# What is needed beside the slabs does not grow with their number: 8 GB, all of them a hole in the file.
$python - <<'END'
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 1000, 1000), }".ljust(117) + "\n"
with open("hole.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00\x76\x00" + head.encode())
    f.truncate(128 + 8 * 10**9)
END
run "$CREASE" check hole.npy --rank 5 --memory 150M
[ $code -eq 0 ] && [[ $out == *"slab by slab"* ]]
judge $? "the least memory of a large tensor: exit $code, $out $err"
rm hole.npy
run "$CREASE" rpca big.npy --rank 2 --init near --quiet --out whole
judge $code "in memory: $out $err"
[ -e whole/sparse_entries.npy ] && [ ! -e whole/sparse.npy ] && [ ! -e whole/lowrank.npy ]
judge $? "the files of large data"
run "$CREASE" rpca big.npy --rank 2 --init near --memory 140M --quiet --out streamed
judge $code "streamed: $out $err"
same=0
for f in factor_1 factor_2 factor_3 weights sparse_entries; do cmp -s streamed/$f.npy whole/$f.npy || same=1; done
judge $same "streamed and in memory differ"
hash() { sed -n 's/.*"hash": "\(sha256[^"]*\)".*/\1/p' "$1/result.json" | head -1; }
[ "$(hash streamed)" = "$(hash whole)" ]
judge $? "hashes of the data: $(hash streamed), $(hash whole)"

# All parts, with missing entries: the same bytes in memory and streamed, and what they are by definition.
holes() { run "$CREASE" rpca holes.npy --missing nan --rank 2 --init near --write all --quiet --out "$@"; }
holes all_whole --threads 1
judge $code "all parts in memory: $out $err"
holes all_streamed --threads 2 --memory 140M
judge $code "all parts streamed: $out $err"
same=0
for f in lowrank noise z sparse_entries; do cmp all_streamed/$f.npy all_whole/$f.npy || same=1; done
judge $same "parts streamed and in memory differ"
$python - <<'END'
import json
import numpy as np
T, L, N, Z = (np.load(f, mmap_mode="r") for f in
              ["holes.npy"] + [f"all_streamed/{k}.npy" for k in ("lowrank", "noise", "z")])
pairs = np.load("all_streamed/sparse_entries.npy")
at, x = pairs[:, 0].astype(int), pairs[:, 1]
X = [np.load(f"all_streamed/factor_{n + 1}.npy") for n in range(3)]
w = np.load("all_streamed/weights.npy")
parts = json.load(open("all_streamed/result.json"))["details"]["parts"]
assert (np.diff(at) > 0).all() and (x != 0).all() and len(x) == parts["nonzeros"] > T.size // 200
assert parts["observed"] == T.size - np.isnan(T).sum()
E = np.zeros(T.size); E[at] = x; E = E.reshape(T.shape)
seen = ~np.isnan(T)
assert not E[~seen].any() and not N[~seen].any()
assert np.abs((L + E + N - T)[seen]).max() < 1e-13 * np.nanmax(np.abs(T))
for i in (0, 279):
    assert np.abs(L[i] - (X[1] * X[0][i] * w) @ X[2].T).max() < 1e-13 * np.abs(L[i]).max()
share = ((Z - L) * N).sum() / (N * N).sum()
assert 0 < share < 1 and np.abs(Z - L - share * N).max() < 1e-12
largest = np.unravel_index(np.argmax(np.abs((T - L)[seen.nonzero()] * (E[seen] != 0))), (seen.sum(),))[0]
assert tuple(parts["largest"]["index"]) == tuple(k[largest] for k in seen.nonzero())
END
judge $? "the parts by definition"

# A disk without room for the parts ends the run before the fit, with one sentence, and nothing is left.
for memory in 140M 2G; do
    (ulimit -f 100000; "$CREASE" rpca big.npy --rank 2 --memory $memory --write all --quiet --out full) >said 2>&1
    [ $? -eq 74 ] && [ "$(wc -l <said)" -eq 1 ] && grep -q "full needs 118.5 MB, for which there is no room" said &&
        [ -z "$(ls -d full* 2>/dev/null)" ]
    judge $? "no room with --memory $memory: $(cat said)"
done

# So for a tall matrix, whose rows are eliminated in the last steps.
$python - <<'END'
import numpy as np
r = np.random.RandomState(3)
T = r.randn(130000, 2) @ r.randn(2, 100) + 0.1 * r.standard_normal((130000, 100))
T.flat[r.randint(0, T.size, T.size // 50)] += 10
np.save("tall.npy", T)
END
run "$CREASE" rpca tall.npy --rank 2 --threads 1 --quiet --out tall_whole
judge $code "a tall matrix in memory: $out $err"
run "$CREASE" rpca tall.npy --rank 2 --threads 2 --memory 1M --out tall_streamed
least=$(sed -n 's/.*takes at least \([0-9]*\)[.0-9]* MB.*/\1/p' <<<"$err")
run "$CREASE" check tall.npy --rank 2 --memory $((least + 3))M
[ $code -eq 0 ] && [[ $out == *"slab by slab"* ]]
judge $? "a tall matrix is streamed: exit $code, $out $err"
run "$CREASE" rpca tall.npy --rank 2 --threads 2 --memory $((least + 3))M --quiet --out tall_streamed
judge $code "a tall matrix streamed: $out $err"
same=0
for f in factor_1 factor_2 weights sparse_entries; do cmp -s tall_streamed/$f.npy tall_whole/$f.npy || same=1; done
judge $same "a tall matrix streamed and in memory differ"
expect_exit 71 "the check takes up to" verify streamed --memory 1k
run "$CREASE" verify streamed
[ $code -eq 0 ] && [[ $out == VALID*"derived: Z, B"* ]]
judge $? "verify streamed: exit $code, $out $err"
finish
