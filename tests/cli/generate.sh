# generate: the files are what result.json says, the same seed gives the same bytes, and nothing
# is overwritten without --force
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then python=; fi

recipe="--shape 6,5,4 --rank 2 --outliers 0.1 --magnitude 3 --noise 0.01 --seed 7"
run "$CREASE" generate cp $recipe --out a
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"12 outliers"* ]]
judge $? "generate: exit $code, $out, $err"
for file in tensor lowrank sparse noise factor_1 factor_2 factor_3; do
    [ -s "a/$file.npy" ]
    judge $? "a/$file.npy is missing"
done
[ -s a/result.json ] && [ "$(ls a | wc -l)" -eq 8 ]
judge $? "other files: $(ls a)"

run "$CREASE" generate cp $recipe --out b --json
[ $code -eq 0 ] && diff -r a b >/dev/null && [ "$out" = "$(cat b/result.json)" ]
judge $? "the same seed gives other files"
"$CREASE" generate cp --shape 6,5,4 --rank 2 --seed 8 --out c >/dev/null
! cmp -s a/factor_1.npy c/factor_1.npy
judge $? "another seed gives the same factors"

if [ -n "$python" ]; then
    $python - <<'END'
import json, sys
import numpy as np
load = lambda name: np.load("a/" + name + ".npy")
about = json.load(open("a/result.json"))
about = dict(about["settings"], **about["details"])
T, L, E, B = load("tensor"), load("lowrank"), load("sparse"), load("noise")
F = [load("factor_%d" % n) for n in (1, 2, 3)]
assert T.shape == (6, 5, 4) and about["shape"] == [6, 5, 4] and about["rank"] == 2
assert np.allclose(L, np.einsum("ir,jr,kr->ijk", *F), atol=1e-14)
assert np.array_equal(T, L + E + B)
assert (E != 0).sum() == about["outliers"] == 12 and about["seed"] == 7
assert abs(B.std() / 0.01 - 1) < 0.3
END
    judge $? "the arrays do not fit together"
fi

# Fluorescence: every part by its meaning, the axes beside them.
run "$CREASE" generate eem --out e --seed 3
[ $code -eq 0 ] && [ -z "$err" ] && "$CREASE" generate eem --out f --seed 3 >/dev/null && diff -r e f >/dev/null
judge $? "generate eem: exit $code, $err"
if [ -n "$python" ]; then
    $python - <<'END'
import json
import numpy as np
load = lambda name: np.load("e/" + name + ".npy")
about = json.load(open("e/result.json"))
about = dict(about["settings"], kind=about["model"], **about["details"])
T, L, E, B = load("tensor"), load("lowrank"), load("sparse"), load("noise")
F = [load("factor_%d" % n) for n in (1, 2, 3)]
assert about["kind"] == "eem" and list(T.shape) == about["shape"] == [20, 101, 51]
assert len(about["emission_nm"]) == 101 and len(about["excitation_nm"]) == 51
assert np.allclose(L, np.einsum("ir,jr,kr->ijk", *F), atol=1e-12) and np.array_equal(T, L + E + B)
assert (E != 0).sum() == about["outliers"] and (E >= 0).all()
END
    judge $? "the arrays of eem do not fit together"
fi
expect_exit 64 "give three" generate eem --shape 3,4 --out y

# Nothing is overwritten unasked.
cp -r a before
expect_exit 73 "a exists already.*--force" generate cp --shape 6,5,4 --rank 2 --out a
diff -r a before >/dev/null
judge $? "a refused run changed its folder"
run "$CREASE" generate cp --shape 3,2 --rank 1 --out a --force
[ $code -eq 0 ] && [ ! -e a/factor_3.npy ] && [ -z "$(ls a | grep tmp)" ]
judge $? "--force: exit $code, $(ls a)"
touch file
expect_exit 73 "file exists already" generate cp --shape 3,2 --rank 1 --out file
expect_exit 73 "cannot be written" generate cp --shape 3,2 --rank 1 --out no/such/folder

# Mistakes.
expect_exit 64 "add --out" generate cp --shape 3,2 --rank 1
expect_exit 64 "add --shape" generate cp --rank 1 --out x
expect_exit 64 "add --rank" generate cp --shape 3,2 --out x
expect_exit 64 "write cp, tucker, matrix or eem" generate pc --shape 3,2 --rank 1 --out x
expect_exit 64 "one dimension" generate cp --shape 3 --rank 1 --out x
expect_exit 64 "not a shape" generate cp --shape 3,0 --rank 1 --out x
expect_exit 64 "rank 0 .*whole number from 1 to 16777216" generate cp --shape 3,2 --rank 0 --out x
expect_exit 64 "rank 1.5" generate cp --shape 3,2 --rank 1.5 --out x
expect_exit 64 "fraction of outliers is 2" generate cp --shape 3,2 --rank 1 --outliers 2 --out x
expect_exit 64 "noise is -1" generate cp --shape 3,2 --rank 1 --noise -1 --out x
expect_exit 64 "magnitude" generate cp --shape 3,2 --rank 1 --magnitude nan --out x
expect_exit 71 "needs .* TB of memory and .* are free" \
    generate tucker --shape 1000000,1000000,10 --rank 2 --out x
expect_exit 74 'cannot be written: (File too large|No space left on device)' generate cp --shape 1000000,1000000,10 --rank 2 --out x # drawn as it is written
for kind in cp tucker matrix; do
    expect_exit 64 "fraction of outliers is nan" generate $kind --shape 3,2 --rank 1 --outliers nan --out x
    expect_exit 64 "noise is inf" generate $kind --shape 3,2 --rank 1 --noise inf --out x
done
[ ! -e x ]
judge $? "a refused run left its folder"
finish
