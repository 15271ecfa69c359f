# problem_errors: a broken problem file is one line with its place and the remedy, an exit code, and
# no output
source "$(dirname "$0")/common.bash"
problem=$scratch/broken.json

# broken CODE PATTERN TEXT [OPTION...]: the problem file TEXT is refused so by solve and by check.
broken() {
    local code=$1 pattern=$2
    printf '%s' "$3" >"$problem"
    shift 3
    expect_exit "$code" "$pattern" solve "$problem" --out "$scratch/result" "$@"
    expect_exit "$code" "$pattern" check "$problem" "$@"
    local left
    left=$(find "$scratch" -maxdepth 1 -name 'result*')
    [ -z "$left" ]
    judge $? "left behind: $left"
}
# block FIELDS: a problem of one block x of size 3 with these further fields.
block() { printf '{"crease": 1, "blocks": [{"name": "x", "shape": 3, %s}]}' "$1"; }
# smooth COUPLING: f on blocks x (3), y (2) and M (2 x 2).
blocks='{"name": "x", "shape": 3}, {"name": "y", "shape": 2}, {"name": "M", "shape": [2, 2]}'
smooth() { printf '{"crease": 1, "blocks": [%s], "smooth": [%s]}' "$blocks" "$1"; }
# joined CONSTRAINT: the same blocks under a constraint.
joined() { printf '{"crease": 1, "blocks": [%s], "constraint": %s}' "$blocks" "$1"; }

# The file and its syntax.
expect_exit 66 "No such file" solve "$scratch/nothing.json"
expect_exit 66 "directory" solve "$scratch"
expect_exit 64 "missing argument" solve
broken 65 "broken.json:1:" ''
broken 65 "broken.json:2:[0-9]+: " $'{"crease": 1,\n "blocks": [}'
broken 65 "duplicate" '{"crease": 1, "crease": 1}'
broken 65 "broken.json:1:.*NaN" '{"crease": NaN}'
broken 65 "overflow" '{"crease": 1e999}'
broken 65 "/: this is a list; write an object" '[1]'

# The document.
broken 65 "'crease' is missing" '{"blocks": [{"shape": 1}]}'
broken 65 "/crease: 2 is outside" '{"crease": 2, "blocks": [{"shape": 1}]}'
broken 65 "unknown key 'block'; did you mean 'blocks'" '{"crease": 1, "block": []}'
broken 65 "unknown key 'quux'; the keys here are" '{"crease": 1, "quux": []}'
broken 65 "'blocks' is missing" '{"crease": 1}'
broken 65 "/blocks: give a list" '{"crease": 1, "blocks": []}'
broken 65 "/blocks: give a list" '{"crease": 1, "blocks": {"x": 3}}'

# Blocks.
broken 65 "/blocks/0: 'shape' is missing" '{"crease": 1, "blocks": [{"name": "x"}]}'
broken 65 "/blocks/0/shape: 0 is outside" '{"crease": 1, "blocks": [{"shape": 0}]}'
broken 65 "/blocks/0/shape: 2.5 is outside" '{"crease": 1, "blocks": [{"shape": 2.5}]}'
broken 65 "/blocks/0/shape: this is a text" '{"crease": 1, "blocks": [{"shape": "3"}]}'
broken 65 "/blocks/0/shape: a shape has 1 to 8" '{"crease": 1, "blocks": [{"shape": []}]}'
broken 65 "/blocks/0/shape" '{"crease": 1, "blocks": [{"shape": [1e9, 1e9, 1e9]}]}'
broken 65 "/blocks/0/name: 'a,b' is no name" \
    '{"crease": 1, "blocks": [{"name": "a,b", "shape": 1}]}'
broken 65 "/blocks/1: the name 'x2' is taken" \
    '{"crease": 1, "blocks": [{"name": "x2", "shape": 1}, {"shape": 1}]}'
broken 65 "did you mean 'regularizer'" "$(block '"regulariser": "l1:1"')"
broken 65 "/blocks/0/start: the array is 2 but 3 is wanted" "$(block '"start": [1, 2]')"
broken 65 "/blocks/0/start/1: this is null; give a number" "$(block '"start": [1, null, 2]')"
broken 65 "/blocks/0/start/1: the first list here has 1 elements and this one 2" \
    "$(block '"start": [[1], [2, 3]]')"
broken 65 "/blocks/0/start: a list is empty" "$(block '"start": []')"

# Regularizers.
broken 65 "/blocks/0/regularizer: unknown regularizer 'sacd'; did you mean 'scad'" \
    "$(block '"regularizer": {"sacd": {"lambda": 1, "a": 3}}')"
broken 65 "did you mean 'mcp'" "$(block '"regularizer": "mpc:1,2"')"
broken 65 "/blocks/0/regularizer/scad: 'a' is missing" \
    "$(block '"regularizer": {"scad": {"lambda": 1}}')"
broken 65 "/blocks/0/regularizer/scad: .*a = 2 is outside" \
    "$(block '"regularizer": {"scad": {"lambda": 1, "a": 2}}')"
broken 65 "/blocks/0/regularizer/l1/lambda: .*is no number" \
    "$(block '"regularizer": {"l1": {"lambda": "much"}}')"
broken 65 "/blocks/0/regularizer/l1: unknown key 'lamda'; did you mean 'lambda'" \
    "$(block '"regularizer": {"l1": {"lamda": 1}}')"
broken 65 "/blocks/0/regularizer: a regularizer is written" "$(block '"regularizer": {}')"
broken 65 "with one name, and here are 2" "$(block \
    '"regularizer": {"l1": {"lambda": 1}, "l0": {}}')"
broken 65 "/blocks/0/regularizer: this is a number" "$(block '"regularizer": 1')"
broken 65 "scad takes 2 parameters but 1" "$(block '"regularizer": "scad:1"')"
broken 65 "'groups' is missing" "$(block '"regularizer": {"group-l1": {"lambda": 1}}')"
broken 65 "group-l1 needs groups" "$(block '"regularizer": "group-l1:1"')"
broken 65 "groups: the sizes add up to 4" \
    "$(block '"regularizer": {"group-l1": {"lambda": 1, "groups": [2, 2]}}')"
broken 65 "groups: there are 2 labels" \
    "$(block '"regularizer": {"group-l1": {"lambda": 1, "groups": {"labels": [2, 2]}}}')"
broken 65 "weights: the array is 2" "$(block \
    '"regularizer": {"l1": {"lambda": 1, "weights": [1, 2]}}')"
broken 65 "weighted-l1 has 2 numbers" "$(block '"regularizer": "weighted-l1:1,2"')"
broken 65 "/blocks/0/regularizer/scaled" \
    "$(block '"regularizer": {"scaled": {"alpha": "two", "regularizer": "l1:1"}}')"
broken 65 "alpha" "$(block '"regularizer": {"scaled": {"alpha": 0, "regularizer": "l1:1"}}')"
broken 65 "/blocks/0/regularizer: .*nuclear|matri" "$(block '"regularizer": "nuclear:1"')"

# Sets.
broken 65 "/blocks/0/set: unknown set 'l1ball'; did you mean 'l1-ball'" "$(block \
    '"set": "l1ball:1"')"
broken 65 "radius = 0 is outside" "$(block '"set": {"simplex": {"radius": 0}}')"
broken 65 "/blocks/0/set/box/lower: the array is 2" "$(block '"set": {"box": {"lower": [0, 1]}}')"
broken 65 "entry 2 has the bounds 3 and 1" "$(block \
    '"set": {"box": {"lower": [0, 3, 0], "high": 1}}')"
broken 65 "/blocks/0/set/affine: 'inner' is missing" "$(block '"set": {"affine": {"scale": 2}}')"
broken 65 "scale is 0" "$(block '"set": {"affine": {"inner": "simplex:1", "scale": 0}}')"
broken 65 "/blocks/0/set/product/parts" "$(block '"set": {"product": {"parts": []}}')"
broken 65 "4 entries together but the point has 3" "$(block '"set": {"product": {"parts":
    [{"set": "simplex:1", "shape": 2}, {"set": "box:0,1", "shape": 2}]}}')"
broken 65 "/blocks/0/set/half-space/a" "$(block '"set": {"half-space": {"b": 1, "a": [1, 2]}}')"
broken 65 "/blocks/0/set/box-hyperplane: 'a' is missing" "$(block '"set": {"box-hyperplane": {"b": 1}}')"
broken 65 "entry 1 has the bounds 0 and inf; give two finite numbers" "$(block \
    '"set": {"box-hyperplane": {"low": 0, "a": 1, "b": 1}}')"
broken 65 "so it is never b = 9 and the set is empty" "$(block \
    '"set": {"box-hyperplane": {"low": 0, "high": 1, "a": 1, "b": 9}}')"
broken 65 "/blocks/0/set/permutahedron/a" "$(block '"set": {"permutahedron": {"a": [1, 2]}}')"

# Couplings.
broken 65 "/smooth: give a list" '{"crease": 1, "blocks": [{"shape": 1}], "smooth": []}'
broken 65 "/smooth/0: unknown coupling 'least-square'; did you mean 'least_squares'" \
    "$(smooth '{"least-square": {}}')"
broken 65 "/smooth/0/callback: .name. is missing" "$(smooth '{"callback": {}}')"
broken 65 "no function of the job" "$(smooth '{"callback": {"name": "f", "blocks": ["x"]}}')"
broken 65 "/smooth/0/least_squares: 'terms' is missing" "$(smooth '{"least_squares": {}}')"
broken 65 "/smooth/0/least_squares/terms: no block is called 'z'" \
    "$(smooth '{"least_squares": {"terms": {"z": 1}}}')"
broken 65 "/smooth/0/least_squares/terms/x: the matrix is 1 x 2 but the block has 3" \
    "$(smooth '{"least_squares": {"terms": {"x": [[1, 2]]}}}')"
broken 65 "/smooth/0/least_squares/terms/x: the map has 1 rows where 2 are wanted" \
    "$(smooth '{"least_squares": {"terms": {"x": [[1, 2, 3]]}, "rhs": [1, 2]}}')"
broken 65 "/smooth/0/least_squares/terms/y: the map has 2 rows where 3 are wanted" \
    "$(smooth '{"least_squares": {"terms": {"x": 1, "y": 1}}}')"
broken 65 "/smooth/0/logistic: 'labels' is missing" "$(smooth '{"logistic": {"terms": {"x": 1}}}')"
broken 65 "label 2 is 0" "$(smooth '{"logistic": {"terms": {"y": 1}, "labels": [1, 0]}}')"
broken 65 "weight 2 is -1; weights are finite numbers >= 0" \
    "$(smooth '{"cauchy": {"terms": {"y": 1}, "weights": [1, -1]}}')"
broken 65 "/smooth/0/cauchy/weights: the array is 3 but 2 is wanted" \
    "$(smooth '{"cauchy": {"terms": {"y": 1}, "weights": [1, 1, 1]}}')"
broken 65 "/smooth/0/poisson: 'counts' is missing" "$(smooth '{"poisson": {"terms": {"y": 1}}}')"
broken 65 "count 2 is -4; counts are numbers >= 0" "$(smooth '{"poisson": {"terms": {"y": 1}, "counts": [1, -4]}}')"
broken 65 "/smooth/0/polynomial: 'coefficients' is missing" "$(smooth '{"polynomial": {"terms": {"y": 1}}}')"
broken 65 "/smooth/0/polynomial/coefficients: give a list of 1 to 9 numbers" \
    "$(smooth '{"polynomial": {"terms": {"y": 1}, "coefficients": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}')"
broken 65 "/smooth/0/softmax: 'classes' is missing" \
    "$(smooth '{"softmax": {"terms": {"y": 1}, "labels": [1]}}')"
broken 65 "label 1 is 2; labels are whole numbers from 0 to 1" \
    "$(smooth '{"softmax": {"terms": {"y": [[1, 0], [0, 1]]}, "labels": [2], "classes": 2}}')"
broken 65 "/smooth/0/softmax/terms/y: the map has 2 rows where 3 are wanted" \
    "$(smooth '{"softmax": {"terms": {"y": [[1, 0], [0, 1]]}, "labels": [2], "classes": 3}}')"
broken 65 "/smooth/0/norm_power: 'power' is missing" "$(smooth '{"norm_power": {"a": "x"}}')"
broken 65 "the power is 1; give a number > 1" "$(smooth '{"norm_power": {"a": "x", "power": 1}}')"
broken 65 "/smooth/0/huber: 'delta' is missing" "$(smooth '{"huber": {"terms": {"x": 1}}}')"
broken 65 "p = 3 is outside" "$(smooth '{"lp_loss": {"terms": {"x": 1}, "p": 3}}')"
broken 65 "/smooth/0/quadratic/Q/x,y: the array is 2 x 3 but 3 x 2 is wanted" \
    "$(smooth '{"quadratic": {"Q": {"x,y": [[1, 2, 3], [4, 5, 6]]}}}')"
broken 65 "symmetric" "$(smooth '{"quadratic": {"Q": {"y,y": [[1, 2], [3, 4]]}}}')"
broken 65 "one number is no matrix" "$(smooth '{"quadratic": {"Q": {"x": 2}}}')"
broken 65 "/smooth/0/quadratic: give Q" "$(smooth '{"quadratic": {}}')"
broken 65 "/smooth/0/squared_distance" "$(smooth '{"squared_distance": {"a": "x", "b": "y"}}')"
broken 65 "give either z, a block, or target" "$(smooth '{"cp": {"factors": ["M", "M"]}}')"
broken 65 "factor 1, x, is no matrix" "$(smooth '{"cp": {"factors": ["x", "M"], "target": 1}}')"
broken 65 "3 dimensions|2 blocks for a tensor" \
    "$(smooth '{"multilinear": {"tensor": [[[1]]], "blocks": ["x", "y"]}}')"

# Constraints and maps.
broken 65 "/constraint: 'maps' is missing" "$(joined '{"rhs": [1]}')"
broken 65 "/constraint/maps: give at least one map" "$(joined '{"maps": {}}')"
broken 65 "/constraint/rhs: there are 2 numbers for 3 rows|/constraint/maps/x" \
    "$(joined '{"maps": {"x": 1}, "rhs": [1, 2]}')"
broken 65 "do not tell how many rows" "$(joined '{"maps": {"x": {"zero": {}}}}')"
broken 65 "/constraint/maps/x: unknown map 'identiy'; did you mean 'identity'" \
    "$(joined '{"maps": {"x": {"identiy": {}}}}')"
broken 65 "/constraint/maps/x/selection: number 2 is 3" "$(joined \
    '{"maps": {"x": {"selection": [0, 3]}}}')"
broken 65 "/constraint/maps/x/finite-difference/axis" \
    "$(joined '{"maps": {"x": {"finite-difference": {"axis": 1}}}}')"
broken 65 "/constraint: give at least one group" "$(joined '[]')"
broken 65 "/constraint/1: " "$(joined '[{"maps": {"x": 1}}, 3]')"
broken 65 "/constraint/1/rhs: there are 2 numbers for 3 rows" \
    "$(joined '[{"maps": {"x": 1}}, {"maps": {"x": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "rhs": [1, 2], "shape": 3}]')"
broken 65 "/constraint/maps/x: .*wavelet: length 3 along axis 0 is not divisible by 2" \
    "$(joined '{"maps": {"x": {"wavelet": {"levels": 1}}}}')"
broken 65 "/constraint/maps/x/circular-convolution: .*no longer" \
    "$(joined '{"maps": {"x": {"circular-convolution": {"kernel": [1, 2, 3, 4]}}}}')"
broken 65 "/constraint/maps/x/convolution/origin: give a list of 1 ind" \
    "$(joined '{"maps": {"x": {"convolution": {"kernel": [1, 2], "origin": [0, 0]}}}}')"
broken 65 "/constraint/maps/x/kronecker: left X right' needs X of 2 x 2" \
    "$(joined '{"maps": {"x": {"kronecker": {"left": [[1, 2]], "right": [[1, 2]]}}}}')"
broken 65 "/constraint/maps/x/low-rank: u has 1 columns and v 2 x 1" \
    "$(joined '{"maps": {"x": {"low-rank": {"u": [1], "v": [1, 2]}}}}')"
broken 65 "/constraint/maps/x/stack/maps/0: the map does not tell its rows" \
    "$(joined '{"maps": {"x": {"stack": {"maps": [{"zero": {}}]}}}}')"
broken 65 "/constraint/maps/x/side-by-side/shapes: they have 2 entries" \
    "$(joined '{"maps": {"x": {"side-by-side": {"maps": [1, 1], "shapes": [1, 1]}}}}')"
broken 65 "/constraint/maps/x/transposed/map: the map has 2 rows where 3" \
    "$(joined '{"maps": {"x": {"transposed": {"map": 1, "shape": 2}}}}')"
broken 65 "there are 2 starts for 2 rows" "$(joined '{"maps": {"x": {"csr":
    {"rows": 2, "cols": 3, "start": [0, 1], "col": [0], "value": [1]}}}}')"
broken 65 "start ends at 2" "$(joined '{"maps": {"x": {"csr":
    {"rows": 2, "cols": 3, "start": [0, 1, 2], "col": [0], "value": [1]}}}}')"
broken 65 "does not tell its range" "$(joined '{"maps": {"x": {"composition":
    {"outer": 1, "inner": {"zero": {}}}}}}')"
broken 65 "/constraint/maps/x/sum/maps/1: the map has 1 rows where 2" "$(joined '{"maps": {"x":
    {"sum": {"maps": [[[1, 2, 3], [1, 2, 3]], [[1, 2, 3]]]}}}}')"
broken 65 "keep|mask" "$(joined '{"maps": {"x": {"mask": [1, 0, 2]}}}')"

# Data files.
broken 66 "/blocks/0/start: .*no.npy.*No such file" "$(block '"start": "no.npy"')"
broken 65 "/blocks/0/start: .*ending" "$(block '"start": "broken.json"')"
printf '1\nnan\n3\n' >"$scratch/nan.csv"
broken 65 "/blocks/0/start: entry 2 of the file is nan" "$(block '"start": "nan.csv"')"
printf '1\n2\n' >"$scratch/two.csv"
broken 65 "/blocks/0/start: the array is 2" "$(block '"start": "two.csv"')"
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 1\n' >"$scratch/bad.mtx"
broken 65 "bad.mtx, line 3" "$(joined '{"maps": {"x": "bad.mtx"}}')"

# Options, in the file and on the command line.
options() { printf '{"crease": 1, "blocks": [{"shape": 1}], "options": %s}' "$1"; }
broken 65 "/options: unknown key 'epsilon'; the keys here are method, mode, eps" "$(options \
    '{"epsilon": 1}')"
broken 65 "/options/eps: .*outside" "$(options '{"eps": -1}')"
broken 65 "/options/max_iterations: .*integer" "$(options '{"max_iterations": 1.5}')"
broken 65 "/options/method: unknown method 'admm'" "$(options '{"method": "admm"}')"
broken 65 "/options: this is a list" "$(options '[]')"
broken 64 "option eps = -1" "$(options '{}')" --eps=-1
broken 64 "'x' is not a number" "$(options '{}')" --eps x
broken 64 "unknown option '--epss'; did you mean '--eps'" "$(options '{}')" --epss 1
broken 64 "did you mean '--method'" "$(options '{}')" --metod gcg
broken 64 "beta = nan" "$(options '{}')" --beta nan
broken 64 "beta = inf" "$(options '{}')" --beta inf
broken 64 "unknown mode" "$(options '{}')" --mode theoretical

# Advice is about what is asked for, and works: a pair without a joint prox, a penalty by its name.
block '"regularizer": "capped-l1:1,2", "set": "simplex:1"' >"$problem"
expect_exit 64 "capped-l1 and the set simplex have no exact joint prox; sets that have one" solve "$problem"
block '"regularizer": "nuclear:1", "set": "nonneg"' | sed 's/3,/[2, 2],/' >"$problem"
expect_exit 64 "nuclear on nonneg has no computable.*leave the set out" solve "$problem"
broken 64 "unknown method .g*.; 'crease help solve --all' shows them all" "$(options '{}')" --method ggggggg
broken 64 "unknown mode .*; write practical, theory or paper" "$(options '{}')" --mode hurried

# A set without a point where the regularizer is finite.
for set in '"box:-2,-1"' '{"box": {"lower": -3, "upper": [1, -1, 2]}}'; do
    block "\"regularizer\": \"nonneg-mcp:1,3\", \"set\": $set" >"$problem"
    expect_exit 65 "nonneg.* wants x >= 0 and the set .box. has entry [12] below 0" solve "$problem"
done
finish
