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
expect_exit 64 "write is read by --model cp" rpca g/tensor.npy --rank 3 --model tucker --write z --out x
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

# Data of several slabs: in memory and streamed, .npy and HDF5, the same bytes.
"$CREASE" generate cp --shape 190,180,170 --rank 2 --outliers 0.01 --noise 0.1 --seed 2 --out large >/dev/null
rm -f large/lowrank.npy large/noise.npy large/sparse.npy
run "$CREASE" rpca large/tensor.npy --rank 2 --quiet --out whole
judge $code "in memory: $out $err"
[ -e whole/sparse_entries.npy ] && [ ! -e whole/sparse.npy ] && [ ! -e whole/lowrank.npy ]
judge $? "the files of large data"
run "$CREASE" verify whole
[ $code -eq 0 ] && [[ $out == VALID*"derived: Z, B"* ]]
judge $? "verify large data: exit $code, $out $err"
expect_exit 71 "takes at least .*slab by slab.*--memory" rpca large/tensor.npy --rank 2 --memory 1M --out x
expect_exit 64 "memory 2x: give bytes" rpca large/tensor.npy --rank 2 --memory 2x --out x
expect_exit 71 "with --mask the data must be in memory" rpca large/tensor.npy --rank 2 --mask m.npy --memory 1M --out x
expect_exit 71 "with --method the data must be in memory.*envelope" \
    rpca large/tensor.npy --rank 2 --method admm-g --memory 1M --out x
expect_exit 64 "memory is read by --model cp" rpca large/tensor.npy --rank 2 --model tucker --memory 1M --out x
expect_exit 71 "the check takes up to" verify whole --memory 1k
$python - <<'END'
import numpy as np
x = np.load("large/tensor.npy"); big = np.concatenate([x, x[::-1], x + 1e-3])[:540]
np.save("big.npy", big)
END
run "$CREASE" check big.npy --rank 2 --memory 140M
[ $code -eq 0 ] && [[ $out == *"slab by slab"* && $out == *"slabs "*"17 to 40 passes"* ]]
judge $? "the forecast: exit $code, $out $err"
run "$CREASE" rpca big.npy --rank 2 --quiet --out big_whole
judge $code "larger, in memory: $out $err"
"$CREASE" convert big.npy big.h5 >/dev/null 2>&1 || cp big.npy big.h5
for at in big.npy big.h5; do
    run "$CREASE" rpca $at --rank 2 --memory 140M --quiet --out streamed --force
    judge $code "streamed, $at: $out $err"
    same=0
    for f in factor_1 factor_2 factor_3 weights sparse_entries; do cmp -s streamed/$f.npy big_whole/$f.npy || same=1; done
    judge $same "streamed and in memory differ, $at"
    hash() { sed -n 's/.*"hash": "\(sha256[^"]*\)".*/\1/p' "$1/result.json" | head -1; }
    [ "$(hash streamed)" = "$(hash big_whole)" ]
    judge $? "hashes of the data, $at"
    run "$CREASE" verify streamed
    [ $code -eq 0 ]
    judge $? "verify streamed, $at: exit $code, $out $err"
done
finish
