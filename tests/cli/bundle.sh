# bundle: a result as one HDF5 file: the same contents as the folder, for every verb, threads and streaming; what is
# edited is named; a disk too small, --force, and what the file cannot be (bundle.py)
source "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
cd "$scratch" || exit 1
if ! $python -c 'import h5py' 2>/dev/null; then echo "skipped: no h5py"; exit 0; fi
spoils="--outliers 0.1 --magnitude 10 --noise 0.01 --seed 3"
"$CREASE" generate cp --shape 5,6,7 --rank 2 $spoils --out cp >/dev/null
"$CREASE" generate matrix --shape 12,9 --rank 2 $spoils --out matrix >/dev/null
run "$CREASE" generate cp --shape 5,6,7 --rank 2 $spoils --out generated.h5
if [[ $err == *"this build has no HDF5"* ]]; then
    [ $code -ne 0 ] && [ ! -e generated.h5 ]
    judge $? "without HDF5: exit $code, $err"
    finish
    exit
fi
$python "$here/bundle.py" same cp generated.h5
judge $? "generate into one file: exit $code, $err"
$python - <<'END'
import numpy as np
T, r = np.load("cp/tensor.npy"), np.random.RandomState(0)
np.save("mask.npy", (r.rand(*T.shape) > 0.1).astype(float))
np.save("new.npy", T[:2])
X = r.randn(20, 4)
np.save("X.npy", X)
np.save("y.npy", X[:, 0] - X[:, 3] + 0.1 * r.randn(20))
END
cp "$here"/../../examples/problems/{lasso,simplex,farthest}.json .

# Every verb and model: the same contents, VALID, and a page.
both() { # both NAME WORDS...: as a folder and as a file
    local name=$1
    shift
    run "$CREASE" "$@" --quiet --out "$name.h5"
    judge $code "$name.h5: $out $err"
    run "$CREASE" "$@" --quiet --out "$name"
    $python "$here/bundle.py" same "$name" "$name.h5"
    judge $? "$name and $name.h5 differ"
    run "$CREASE" verify "$name.h5"
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $name.h5: exit $code, $out $err"
    run "$CREASE" report "$name.h5" --out "$name.html" --quiet
    [ $code -eq 0 ] && [ -s "$name.html" ]
    judge $? "report $name.h5: exit $code, $err"
}
both masked rpca cp/tensor.npy --rank 2 --mask mask.npy --axes sample,emission:nm:270..320,excitation
both grouped rpca cp/tensor.npy --rank 2 --penalty group-l1 --groups slices:0
both tucker rpca cp/tensor.npy --model tucker --rank 2
both slabs rpca cp/tensor.npy --model tucker --rank 2,2,2 --write lowrank,noise
both ridged rpca matrix/tensor.npy --model matrix --rank 2 --eta 1
both pcp rpca matrix/tensor.npy --model pcp
both seen apply masked new.npy
both regress regress X.npy y.npy --path 5
both spca spca cp/tensor.npy --components 2
for problem in lasso simplex farthest; do both $problem solve $problem.json; done

# A result as an input, moved with its data, and read by others.
run "$CREASE" apply masked.h5 new.npy --quiet --out seen_by_file
judge $code "apply a file: $out $err"
cmp seen/coefficients.npy seen_by_file/coefficients.npy
judge $? "apply of a file and of a folder differ"
run "$CREASE" verify seen_by_file
[ $code -eq 0 ] && [[ $out == VALID* ]]
judge $? "verify what a file was applied to: exit $code, $out $err"
run "$CREASE" rpca cp/tensor.npy --rank 2 --init masked.h5 --quiet --out begun
judge $code "begin at the factors of a file: $out $err"
run "$CREASE" rpca generated.h5:/tensor --rank 2 --truth generated.h5 --quiet --out from_file.h5
judge $code "data and truth of a file: $out $err"
mkdir moved && cp -r masked.h5 cp mask.npy moved && ln -s moved/masked.h5 linked.h5
for file in moved/masked.h5 "$PWD/moved/masked.h5" linked.h5; do
    run "$CREASE" verify "$file"
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $file: exit $code, $out $err"
done
run "$CREASE" info masked.h5
[ $code -eq 0 ] && [[ $out == *"crease verify masked.h5"* ]]
judge $? "info of a result: exit $code, $out $err"
$python - <<'END'
import h5py
with h5py.File("masked.h5", "r") as f:
    d = f["lowrank"]
    assert [x.label for x in d.dims] == ["sample", "emission", "excitation"], [x.label for x in d.dims]
    assert d.dims[1][0][0] == 270 and d.dims[1][0].attrs["units"] == b"nm" and d.dims[1][0].name == "/axes/emission"
    assert f["factor_2"].dims[0][0].name == "/axes/emission" and b"crease verify" in f.attrs["about"]
    assert f["result.json"].asstr()[()].startswith("{")
END
judge $? "axes in the file"

# The same file from the same run: nothing in it is of the hour.
"$CREASE" generate cp --shape 5,6,7 --rank 2 $spoils --out again.h5 >/dev/null
cmp generated.h5 again.h5
judge $? "the same instance twice is two files"

# What is in the way; and what one file cannot have.
expect_exit 73 "exists already" rpca cp/tensor.npy --rank 2 --out masked.h5
expect_exit 73 "masked exists already" rpca cp/tensor.npy --rank 2 --out masked
$python -c '
import h5py
with h5py.File("own.h5", "w") as f: f["x"] = [1.0, 2.0]'
expect_exit 73 "own.h5 is not a result of crease alone" rpca cp/tensor.npy --rank 2 --force --out own.h5
cp masked.h5 spoiled.h5
$python -c '
import h5py
with h5py.File("spoiled.h5", "r+") as f: f["x"] = [1.0, 2.0]'
expect_exit 73 "not a result of crease alone" rpca cp/tensor.npy --rank 2 --force --out spoiled.h5
echo text >text.h5
expect_exit 73 "not a result of crease alone" rpca cp/tensor.npy --rank 2 --force --out text.h5
expect_exit 73 "no/such.h5 cannot be written" rpca cp/tensor.npy --rank 2 --out no/such.h5
expect_exit 64 "the result is one file" rpca cp/tensor.npy --rank 2 --format csv --out formats.h5
expect_exit 66 "own.h5 has no certificate.json" verify own.h5
run "$CREASE" rpca cp/tensor.npy --rank 1 --quiet --force --out masked.h5
[ $code -eq 0 ] && run "$CREASE" verify masked.h5 && [[ $out == VALID* ]]
judge $? "--force replaces a file by a file: exit $code, $out $err"
cp -r masked folder.h5
run "$CREASE" rpca cp/tensor.npy --rank 1 --quiet --force --out folder.h5
[ $code -eq 0 ] && [ -f folder.h5 ] && run "$CREASE" rpca cp/tensor.npy --rank 1 --quiet --force --out folder.h5/
judge $? "--force replaces a folder: exit $code, $out $err"

# Whatever is edited is named, and never VALID.
run $python "$here/bundle.py" edits "$CREASE" pcp.h5 60
judge $code "edits: $out $err"
run "$CREASE" rpca generated.h5/tensor.npy --rank 2 --quiet --out small.h5
run $python "$here/bundle.py" edits "$CREASE" small.h5 20
judge $code "edits: $out $err"

# Files may be no longer than 50 kB: one sentence, and nothing is left.
"$CREASE" generate cp --shape 30,30,30 --rank 2 --seed 1 --out more >/dev/null
for words in "rpca more/tensor.npy --rank 2 --quiet" "spca more/tensor.npy --alpha 1000 --components 300" \
    "generate cp --shape 30,30,30 --rank 2"; do
    (ulimit -f 50 && run "$CREASE" $words --out limit.h5 && [ $code -eq 74 ] &&
        [[ $err == *"for which there is no room"* ]] && [ "$(wc -l <<<"$err")" -eq 1 ])
    judge $? "$words with short files: exit $code, $err"
    [ -z "$(ls -d limit* 2>/dev/null)" ]
    judge $? "$words leaves half a result: $(ls -d limit* 2>&1)"
done
for k in 10 20 30 40; do # documents and what HDF5 itself writes
    (ulimit -f $k && run "$CREASE" rpca cp/tensor.npy --rank 2 --quiet --out tiny.h5
        [ $code -eq 74 ] && [ "$(wc -l <<<"$err")" -eq 1 ] && [ -z "$(ls -d tiny* 2>/dev/null)" ])
    judge $? "a file of $k kB: $(ls -d tiny* 2>/dev/null)"
done

# Several slabs: by 1 and 2 threads, in memory and streamed, the bytes of the folder.
"$CREASE" generate cp --shape 220,200,100 --rank 2 --outliers 0.02 --seed 3 --out data >/dev/null # 2 slabs
large() { run "$CREASE" rpca data/tensor.npy --rank 2 --init data --max-iterations 2 --write all --quiet --out "$@"; }
large whole --threads 1
large one.h5 --threads 1
large two.h5 --threads 2
large streamed.h5 --threads 2 --memory 130M
$python "$here/bundle.py" parts whole one.h5 two.h5 streamed.h5
judge $? "slabs: $out $err"
for memory in "" "--memory 130M"; do
    (ulimit -f 30000; "$CREASE" rpca data/tensor.npy --rank 2 $memory --write all --quiet --out full.h5) >said 2>&1
    [ $? -eq 74 ] && [ "$(wc -l <said)" -eq 1 ] && [ -z "$(ls -d full* 2>/dev/null)" ] &&
        grep -q "full.h5 needs 35.2 MB, for which there is no room" said
    judge $? "no room $memory: $(cat said)"
done
finish
