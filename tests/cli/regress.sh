# regress: certified paths, their files, cross-validation, every loss, names, weights, stops, bad data
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - <<'END'
import numpy as np
r = np.random.RandomState(1)
n, p = 80, 12
X = r.randn(n, p) * np.linspace(0.5, 4, p) + r.randn(p)
b = np.zeros(p); b[[1, 4, 9]] = [2, -1, 0.5]
y = 3 + X @ b + r.randn(n)
np.save("X.npy", X); np.save("y.npy", y); np.save("c.npy", (y > np.median(y)).astype(float))
np.savetxt("X.csv", X, delimiter=","); np.savetxt("y.csv", y)
np.savetxt("s.csv", np.where(y > np.median(y), 1, -1))
np.save("separable.npy", np.column_stack([y, X[:, 0]]))
wide = r.randn(30, 90)
np.save("wide.npy", wide); np.save("narrow.npy", wide[:, 0] * 2 + 0.1 * r.randn(30))
def spoil(name, i, j, value):
    Z = X.copy(); Z[i, j] = value; np.save(name, Z)
spoil("nan.npy", 2, 4, np.nan); spoil("inf.npy", 0, 0, np.inf); spoil("minf.npy", 7, 1, -np.inf)
spoil("huge.npy", 7, 1, 1e308)
np.save("allnan.npy", X * np.nan); np.save("tiny.npy", X * 1e-300); np.save("big.npy", X * 1e130)
np.save("mixed.npy", X * np.where(np.arange(p) % 2, 1e100, 1e-100))
np.save("denormal.npy", np.full((n, p), 5e-324) * r.randint(0, 2, (n, p)))
np.save("zeros.npy", 0 * y); np.save("ones.npy", 0 * y + 1); np.save("zeroX.npy", 0 * X)
np.save("ynan.npy", np.where(np.arange(n) == 5, np.nan, y)); np.save("short.npy", y[:-1])
np.save("one_row.npy", X[:1]); np.save("one_y.npy", y[:1]); np.save("column.npy", X[:, :1])
np.save("vector.npy", X[:, 1]); np.save("cube.npy", np.ones((2, 2, 2))); np.save("square.npy", np.ones((4, 4)))
np.save("three.npy", np.arange(n) % 3.0); np.save("spike.npy", np.where(np.arange(n) == 3, 5.0, 0))
np.save("twins.npy", np.hstack([X, X])); np.save("constant.npy", np.hstack([X, np.ones((n, 1))]))
np.save("two.npy", X[:2]); np.save("two_y.npy", y[:2]); np.save("labels.npy", np.arange(p) // 3)
open("sparse.mtx", "w").write("%%MatrixMarket matrix coordinate real general\n4 3 4\n1 1 1\n2 1 -1\n3 2 2\n4 3 1\n")
rows = r.randn(2100, 520)
np.save("long.npy", rows); np.save("long_y.npy", rows[:, 3] - rows[:, 77] + r.randn(2100))
np.save("four.npy", np.array([1.0, -1, 2, 0.1])); np.save("v.npy", np.arange(n) % 3)
open("empty.csv", "w").close()
END

# fitted NAME ARGUMENT...: exit 0, every lambda certified and checked, the files there.
fitted() {
    local name=$1
    shift
    run "$CREASE" regress "$@" --out "$name"
    [ $code -eq 0 ] && [ -z "$err" ] && [ -s "$name/path.svg" ] && [ -s "$name/solutions.csv" ] &&
        $python - "$name" <<'END'
import json, sys
r = json.load(open(sys.argv[1] + "/result.json"))
assert r["verb"] == "regress" and r["outcome"] == "stationary" and r["exit_status"] == 0
for s in r["details"]["solutions"]:
    c = s["certificate"]
    assert c["certified"] and c["verdict"] == "VALID" and c["relative"] <= r["settings"]["eps"], c
END
    judge $? "regress $*: exit $code, $out $err"
    local text=$out
    run "$CREASE" verify "$name"
    [ $code -eq 0 ] && [[ $out == VALID*"lambda 1 "* ]]
    judge $? "verify $name: exit $code, $out $err"
    out=$text
}
fitted plain X.npy y.npy --penalty mcp --cv 10
[[ $out == *"best "*"left out"* && $out == *"100 of 100 solutions are certified"* ]]
judge $? "the summary: $out"
fitted csv X.csv y.csv --penalty mcp --cv 10
for penalty in l1 elastic-net elastic-net:0.9 scad scad:3 mcp:2 lsp:0.3 capped-l1:0.4 l0 l-half l-two-thirds lq lq:0.3; do
    fitted "p-$penalty" X.npy y.npy --penalty $penalty --path 20
done
for loss in squared huber huber:2 cauchy cauchy:1.5; do
    fitted "l-$loss" X.npy y.npy --no-standardize --penalty scad --loss $loss --path 15
done
fitted logistic X.npy c.npy --loss logistic --path 30 --cv 5
fitted signs X.npy s.csv --loss logistic --path 30 --cv 5
fitted raw X.npy y.npy --no-standardize --no-intercept --path 10
fitted groups X.npy y.npy --no-intercept --groups labels.npy --path 15
fitted sizes X.npy y.npy --no-intercept --penalty group-mcp --groups 4,4,4 --path 15
fitted weights X.npy y.npy --no-intercept --weights 1,1,2,1,0,1,1,1,1,1,1,3 --path 15
fitted up X.npy y.npy --ascending
fitted down X.npy y.npy
fitted given X.npy y.npy --lambda 0.01,1,0.1
fitted wide wide.npy narrow.npy --no-intercept --penalty mcp --path 30,0.1
fitted sparse sparse.mtx four.npy --no-standardize --no-intercept --path 5
fitted column column.npy y.npy --no-standardize --no-intercept --path 5
fitted vector vector.npy y.npy --no-standardize --path 5

$python - <<'END'
import csv, json, math
import numpy as np
X, y = np.load("X.npy"), np.load("y.npy")
def load(name): return json.load(open(name + "/result.json"))["details"]
r, c = load("plain"), np.load("plain/coefficients.npy")
rows = list(csv.DictReader(open("plain/solutions.csv")))
assert c.shape == (100, 13) and len(rows) == 100 == len(r["solutions"])
lam = np.array([float(t["lambda"]) for t in rows])
assert np.allclose(np.diff(np.log(lam)), np.log(0.001) / 99)
for k in (0, 10, 50, 99):
    b = np.zeros(12)
    for pair in rows[k]["coefficients"].split():
        j, value = pair.split(":"); b[int(j) - 1] = float(value)
    assert (b == c[k, 1:]).all() and float(rows[k]["intercept"]) == c[k, 0]
    assert (b != 0).sum() == int(rows[k]["nonzero"])
    u = y - c[k, 0] - X @ b
    assert abs((u ** 2).mean() - float(rows[k]["deviance"])) < 1e-10
    t = abs(b) * X.std(0); l = lam[k]
    mcp = np.where(t <= 3 * l, l * t - t * t / 6, 1.5 * l * l).sum()
    assert abs((u ** 2).mean() / 2 + mcp - float(rows[k]["objective"])) < 1e-9
scores = list(csv.DictReader(open("plain/cv.csv")))
mean = np.array([float(s["deviance"]) for s in scores])
best = r["cross_validation"]["best"] - 1
assert mean.argmin() == best and r["cross_validation"]["lambda_min"] == lam[best]
within = mean <= mean[best] + float(scores[best]["standard_error"])
assert r["cross_validation"]["one_se"] - 1 == within.argmax()
assert {1, 4, 9} <= set(np.flatnonzero(c[best, 1:]))
assert np.allclose(np.load("csv/coefficients.npy"), c)
assert np.allclose(np.load("up/coefficients.npy"), np.load("down/coefficients.npy"), atol=1e-5)
assert np.load("logistic/coefficients.npy").tobytes() == np.load("signs/coefficients.npy").tobytes()
assert [s["lambda"] for s in load("given")["solutions"]] == [1, 0.1, 0.01]
g = np.load("groups/coefficients.npy")[:, 1:].reshape(15, 4, 3) != 0
assert (g.all(2) == g.any(2)).all() and g.any()
assert (np.load("weights/coefficients.npy")[:, 5] != 0).all()  # no weight, no zero
assert np.load("raw/coefficients.npy")[:, 0].any() == False
assert all(s["certificate"]["convexity"].startswith("global") for s in load("down")["solutions"])
import xml.dom.minidom as xml
svg = xml.parse("plain/path.svg")
lines = [g for g in svg.getElementsByTagName("path") if g.getAttribute("class") == "l"]
assert len(lines) == (c[:, 1:] != 0).any(0).sum() >= 3
END
judge $? "the files"
run "$CREASE" regress X.npy y.npy --penalty mcp --cv 10 --out again --json
[ $code -eq 0 ] && [ "$out" = "$(cat again/result.json)" ] && cmp -s again/cv.csv plain/cv.csv
judge $? "the same seed gives the same scores, --json the document"
run "$CREASE" regress X.npy y.npy --penalty mcp --cv 10 --seed 1 --out seed
! cmp -s seed/cv.csv plain/cv.csv
judge $? "another seed deals other folds"

# verify judges from X, y and the coefficients, from any place, and finds what was changed.
mkdir elsewhere && cp X.npy y.npy elsewhere && cp -r plain groups weights elsewhere && mv elsewhere moved
for name in plain groups weights; do
    (cd / && run "$CREASE" verify "$scratch/moved/$name" && [ $code -eq 0 ] && [[ $out == VALID* ]])
    judge $? "data and $name moved together"
done
for change in "coefficients.npy:7" "coefficients.npy:0"; do
    rm -rf changed && cp -r plain changed
    $python -c '
import sys, numpy as np
x = np.load(sys.argv[1]); x[50, int(sys.argv[2])] += 1e-6; np.save(sys.argv[1], x)' changed/${change%:*} ${change#*:}
    reseal changed
    run "$CREASE" verify changed
    [ $code -eq 1 ] && [[ $out == INVALID*"lambda 51: the "* ]]
    judge $? "$change changed: exit $code, $out $err"
done
# forged WORDS LAMBDA EDIT...: result.json of the lasso, edited and sealed anew, is INVALID in these words.
forged() {
    rm -rf changed && cp -r down changed
    $python - "${@:2}" <<'END'
import json, sys
r = json.load(open("changed/result.json"))
s = r["details"]["solutions"][int(sys.argv[1]) - 1]
for edit in sys.argv[2:]:
    key, value = edit.split("=")
    place = s["certificate"] if key in s["certificate"] else s
    assert key in place
    place[key] = place[key] * float(value[1:]) if value[0] == "x" else json.loads(value)
json.dump(r, open("changed/result.json", "w"))
END
    reseal changed
    run "$CREASE" verify changed
    [ $code -eq 1 ] && [[ $out == INVALID*"$1"* ]]
    judge $? "forged ${*:2}: exit $code, $out $err"
}
forged "lambda 40: result.json has the objective" 40 objective=x0.999
forged "lambda 100: result.json has no objective" 100 objective=null
forged "lambda 7: result.json calls the objective globally optimal, with no gap" 7 gap=null
forged "lambda 7: result.json calls the objective globally optimal, with a larger gap" 7 gap=1
forged "and the checker can prove at most" 60 gap=-1
rm -rf changed
sed -i 's/"standardize": true/"standardize": false/' moved/plain/certificate.json
reseal moved/plain
run "$CREASE" verify moved/plain
[ $code -eq 1 ] && [[ $out == INVALID* ]]
judge $? "another problem: exit $code, $out $err"
cp zeros.npy moved/y.npy
run "$CREASE" verify moved/groups
[ $code -eq 1 ] && [[ $out == *"the y changed since"* ]]
judge $? "other data: exit $code, $out $err"
expect_exit 64 "X and y" verify plain --problem X.npy
rm moved/groups/groups.npy
run "$CREASE" verify moved/groups
[ $code -eq 1 ] && [[ $out == *"groups.npy is missing"* ]]
judge $? "a missing file: exit $code, $out $err"
reseal moved/groups
expect_exit 66 "groups.npy" verify moved/groups

# Warnings.
run "$CREASE" regress X.npy y.npy --no-standardize --no-intercept --lambda 1000 --out nothing
[ $code -eq 0 ] && [[ $out == *"warning      every coefficient is zero"* ]]
judge $? "a path of zeros: $out"
run "$CREASE" regress X.npy y.npy --no-standardize --no-intercept --penalty mcp --max-iterations 1 --path 5 --out limit
[ $code -eq 2 ] && [[ $out == *"not every solution is certified"* ]] && [ -s limit/result.json ]
judge $? "a limit: exit $code, $out"

# X1 to X16 of the numbers and shapes, where they apply.
X1() {
    expect_exit 65 "row 3, column 5 of X is nan" regress nan.npy y.npy --out x
    expect_exit 65 "row 1, column 1 of X is inf" regress inf.npy y.npy --out x
    expect_exit 65 "row 8, column 2 of X is -inf" regress minf.npy y.npy --out x
    expect_exit 65 "row 1, column 1 of X is nan" regress allnan.npy y.npy --out x
    expect_exit 65 "entry 6 of y is nan" regress X.npy ynan.npy --out x
}
X2() { # finite, or refused; never a silent nan
    expect_exit 65 "row 8, column 2 .*rescale" regress huge.npy y.npy --out x
    local data
    for data in tiny big mixed denormal; do
        run "$CREASE" regress $data.npy y.npy --no-intercept --path 10 --out "x2-$data"
        case $code in
        0 | 2) $python -c "
import numpy as np
assert np.isfinite(np.load('x2-$data/coefficients.npy')).all()" ;;
        *) [ $code -eq 65 ] || [ $code -eq 70 ] ;;
        esac
        judge $? "X2 $data: exit $code, $err"
    done
    fitted x2-scaled tiny.npy y.npy --no-intercept --path 10
}
X3() { # nothing to explain, or nothing to explain it with
    fitted x3-y X.npy zeros.npy --path 5
    [[ $out == *"explains nothing"* ]]
    judge $? "X3: $out"
    fitted x3-x zeroX.npy y.npy --no-standardize --path 5
}
X4() {
    fitted x4-constant X.npy ones.npy --no-standardize --path 5
    fitted x4-spike X.npy spike.npy --path 20
    fitted x4-twins twins.npy y.npy --path 20
    fitted x4-twins-mcp twins.npy y.npy --penalty mcp --path 20
    fitted x4-column constant.npy y.npy --path 20 --cv 3
    $python -c 'import json
r = json.load(open("x4-column/result.json"))
assert any("column 13 of X is the same in every row" in w for w in r["details"]["warnings"]), r
'
    judge $? "X4: a constant column is told"
    fitted x4-free X.npy y.npy --lambda 0.1,0
}
X5() {
    expect_exit 65 "has 1 row" regress one_row.npy one_y.npy --out x
    fitted x5 two.npy two_y.npy --no-standardize --no-intercept --path 5,0.5
    expect_exit 65 "is not a vector" regress X.npy square.npy --out x
    expect_exit 65 "3 dimensions" regress cube.npy y.npy --out x
    expect_exit 65 "80 rows but .* 79 numbers" regress X.npy short.npy --out x
    expect_exit 65 "empty" regress empty.csv y.npy --out x
}
X8() {
    expect_exit 64 "eps" regress X.npy y.npy --eps 0 --out x
    expect_exit 64 "eps" regress X.npy y.npy --eps nan --out x
    expect_exit 64 "lambda 2 is -1" regress X.npy y.npy --lambda 1,-1 --out x
expect_exit 64 "lambda 0 leaves" regress two.npy two_y.npy --no-standardize --lambda 1,0 --out x
    expect_exit 64 "lambda 1 is inf" regress X.npy y.npy --lambda inf,1 --out x
    expect_exit 64 "whole number of lambdas" regress X.npy y.npy --path 0 --out x
    expect_exit 64 "ratio" regress X.npy y.npy --path 10,2 --out x
    expect_exit 64 "cv 1 .*whole number from 2" regress X.npy y.npy --cv 1 --out x
    expect_exit 64 "only 80 rows" regress X.npy y.npy --cv 81 --out x
    expect_exit 64 "not both" regress X.npy y.npy --path 5 --lambda 1 --out x
}
X12() {
    expect_exit 64 "scad" regress X.npy y.npy --penalty scad:2 --out x
    expect_exit 64 "mcp" regress X.npy y.npy --penalty mcp:0 --out x
    expect_exit 64 "theta" regress X.npy y.npy --penalty lsp --out x
    expect_exit 64 "in \\(0, 1\\]" regress X.npy y.npy --penalty elastic-net:0 --out x
    expect_exit 64 "no number but lambda" regress X.npy y.npy --penalty l1:3 --out x
    expect_exit 64 "did you mean" regress X.npy y.npy --penalty scda --out x
    expect_exit 64 "no path here" regress X.npy y.npy --penalty tv1d --out x
    expect_exit 64 "selects nothing" regress X.npy y.npy --penalty squared-l2 --out x
    expect_exit 64 "did you mean 'huber'" regress X.npy y.npy --loss hubert --out x
    expect_exit 64 "no scale" regress X.npy y.npy --loss squared:2 --out x
    expect_exit 64 "not a finite number > 0" regress X.npy y.npy --loss huber:-1 --out x
    expect_exit 65 "entry 3 of y is 2; logistic" regress X.npy three.npy --loss logistic --out x
    expect_exit 65 "both classes" regress X.npy ones.npy --loss logistic --out x
    expect_exit 65 "sizes add up to 10" regress X.npy y.npy --groups 5,5 --out x
    expect_exit 65 "give one for" regress X.npy y.npy --weights 1,2 --out x
}
X13() { # no minimizer: a penalty that levels off, classes that a column separates
    run "$CREASE" regress separable.npy c.npy --loss logistic --penalty mcp \
        --path 10,0.001 --max-iterations 2000 --out x13
    [ $code -eq 2 ] && [[ $out == *"separate the classes"* ]] && $python -c '
import json, numpy as np
assert np.isfinite(np.load("x13/coefficients.npy")).all()
assert not all(s["certificate"]["certified"] for s in json.load(open("x13/result.json"))["details"]["solutions"])'
    judge $? "X13: exit $code, $out $err"
}
X16() { # columns in another order, columns and y in other units, -y
    $python - <<'END'
import numpy as np
X, y = np.load("X.npy"), np.load("y.npy")
np.save("X16.npy", X[:, ::-1] * 1e6); np.save("y16.npy", -1e-6 * y)
END
    fitted x16 X.npy y.npy --penalty scad --eps 1e-10 --path 20
    fitted x16b X16.npy y16.npy --penalty scad --eps 1e-10 --path 20
    $python -c '
import numpy as np
a, b = np.load("x16/coefficients.npy"), np.load("x16b/coefficients.npy")
assert np.allclose(b[:, 0], -1e-6 * a[:, 0], rtol=1e-7)
assert np.allclose(b[:, :0:-1] * 1e12, -a[:, 1:], rtol=1e-7, atol=1e-9)'
    judge $? X16
}
for name in X1 X2 X3 X4 X5 X8 X12 X13 X16; do $name; done

# The example of the help page works as pasted.
example=$("$CREASE" help regress | sed -n '/^Example$/{n;p;}')
PATH="$(dirname "$CREASE"):$PATH" run bash -c "$example"
[ $code -eq 0 ] && [ -s result/result.json ]
judge $? "example: $example"
[ "$("$CREASE" help regress | awk 'length > 100')" = "" ]
judge $? "the help page is narrow"

# Mistakes, and no folder left behind by them.
[ ! -e x ]
judge $? "a refusal leaves nothing"
expect_exit 73 "exists already.*--force" regress X.npy y.npy --out plain
expect_exit 64 "add --out" regress X.npy y.npy
expect_exit 64 "missing argument" regress X.npy --out x
expect_exit 66 "cannot be opened" regress nowhere.npy y.npy --out x

# Options that would change nothing are refused by name.
expect_exit 64 "--seed deals .*add --cv" regress X.npy y.npy --seed 1 --out x
expect_exit 64 "--ascending .*several lambdas" regress X.npy y.npy --lambda 0.1 --ascending --out x
expect_exit 64 "give one of them" regress X.npy y.npy --cv 3 --folds y.npy --out x
expect_exit 64 "--seed deals .*add --cv" regress X.npy y.npy --seed 1 --folds y.npy --out x
expect_exit 64 "--path 1,0.5: one lambda" regress X.npy y.npy --path 1,0.5 --out x
expect_exit 64 "weighted-l1 needs a weight" regress X.npy y.npy --penalty weighted-l1 --out x
for pair in "--penalty scad" "--loss huber" "--path 9" "--lambda 0.1" "--no-standardize" "--no-intercept" \
    "--weights 1,1,1,1,1,1,1,1,1,1,1,2" "--groups 6,6" "--row-weights v.npy"; do
    run "$CREASE" regress X.npy y.npy $pair --out changed --force
    [ $code -eq 0 ] && ! cmp -s changed/coefficients.npy down/coefficients.npy
    judge $? "$pair changes the coefficients: exit $code, $err"
done

# Of a long X the rows are read again for the checker, but where folds take them.
fitted twice long.npy long_y.npy --path 4,0.3
fitted once long.npy long_y.npy --path 4,0.3 --cv 2
cmp -s twice/coefficients.npy once/coefficients.npy
judge $? "rows that are read twice"
run "$CREASE" regress long.npy long_y.npy --path 50 --eps 1e-15 --max-seconds 0.05 --out cut
[ $code -eq 2 ] && [ -s cut/coefficients.npy ]
judge $? "a long X and no time: exit $code, $out $err"

# The names in the first row of X appear in what is printed and written.
mkdir "$scratch/section-names" && cd "$scratch/section-names" || exit 1
$python - <<'END'
import numpy as np
r = np.random.RandomState(1)
X = r.randn(40, 4)
np.save("X.npy", X); np.save("y.npy", X @ [2, 0, -1, 0.5])
np.savetxt("X.csv", X, delimiter=",")
names = ['"a, ""b"""', "x<y & z", "", "plain"]
np.savetxt("named.csv", X, delimiter=",", header=",".join(names), comments="")
np.savetxt("few.csv", X, delimiter=",", header="one,two", comments="")
np.savetxt("column.csv", X[:, 0], header="weight", comments="")
END
run "$CREASE" regress named.csv y.npy --no-standardize --no-intercept --path 4 --out named
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"column 3 = -"*"; plain = 0.4"* ]]
judge $? "the summary: exit $code, $out $err"
"$CREASE" regress X.npy y.npy --no-standardize --no-intercept --path 4 --out bare >/dev/null
$python - <<'END'
import csv, json, xml.dom.minidom
import numpy as np
rows = list(csv.reader(open("named/coefficients.csv")))
names = json.load(open("named/result.json"))["details"]["column_names"]
assert rows[0][:2] == ["lambda", "intercept"] and rows[0][3:] == ["x<y & z", "column 3", "plain"]
assert rows[0][2] == names[0] and names[1:] == ["x<y & z", "", "plain"], names
table = np.array([[float(t) for t in row] for row in rows[1:]])
assert (table[:, 1:] == np.load("named/coefficients.npy")).all()
assert (np.load("named/coefficients.npy") == np.load("bare/coefficients.npy")).all()
titles = [t.firstChild.data for t in
          xml.dom.minidom.parse("named/path.svg").getElementsByTagName("title")]
assert set(titles[1:]) <= set(rows[0][2:]) and "plain" in titles, titles
assert json.load(open("bare/result.json"))["details"]["column_names"] is None
END
judge $? "the names in the files"
[ ! -e bare/coefficients.csv ]
judge $? "names from nowhere"
run "$CREASE" regress X.npy y.npy --no-standardize --no-intercept --path 4 --out named --force
[ $code -eq 0 ] && [ ! -e named/coefficients.csv ]
judge $? "the names of an earlier result stay"
run "$CREASE" regress few.csv y.npy --no-standardize --no-intercept --path 4 --out few
[ $code -eq 0 ] && [[ $err == *"2 names for 4 columns; they are left out"* ]] && [[ $out == *"column 1 = "* ]]
judge $? "too few names: exit $code, $err"
run "$CREASE" regress column.csv y.npy --no-standardize --no-intercept --path 4 --out one
[ $code -eq 0 ] && [[ $out == *"weight = "* ]]
judge $? "one column: exit $code, $out $err"
run bash -c "\"$CREASE\" regress - y.npy --path 4 --out pipe <named.csv"
[ $code -eq 0 ] && [[ $out == *"plain = "* ]]
judge $? "names from a pipe: exit $code, $out $err"

# Weights of rows from a list or a file; a row of weight 2 is two rows.
mkdir "$scratch/section-weights" && cd "$scratch/section-weights" || exit 1
$python - <<'END'
import numpy as np
r = np.random.RandomState(1)
X = r.randn(6, 2); y = X[:, 0] + 0.1 * r.randn(6); v = np.array([1, 2, 0, 1, 3, 1])
np.save("X.npy", X); np.save("y.npy", y); np.save("v.npy", v); np.save("c.npy", (y > 0) * 1.0)
np.savetxt("v.csv", v)
np.save("longX.npy", np.repeat(X, v, 0)); np.save("longy.npy", np.repeat(y, v))
np.save("longc.npy", np.repeat((y > 0) * 1.0, v))
np.save("square.npy", np.ones((6, 2)))
END
"$CREASE" regress longX.npy longy.npy --no-standardize --eps 1e-12 --path 5 --out long >/dev/null
for weights in 1,2,0,1,3,1 v.npy v.csv 0.5,1,0,0.5,1.5,0.5; do
    run "$CREASE" regress X.npy y.npy --no-standardize --eps 1e-12 --path 5 --out weighed --force \
        --row-weights $weights
    [ $code -eq 0 ] && [[ $out == *"rows weighed"* ]] && $python -c '
import json, sys
import numpy as np
a, b = np.load("long/coefficients.npy"), np.load("weighed/coefficients.npy")
assert np.allclose(a, b, rtol=1e-9, atol=1e-10), abs(a - b).max()
assert json.load(open("weighed/result.json"))["settings"]["row_weights"] == sys.argv[1]' $weights
    judge $? "--row-weights $weights: exit $code, $out $err"
done
expect_exit 65 "5 numbers for 6 rows" regress X.npy y.npy --row-weights 1,2,3,4,5 --out x

# Coordinates stay coordinates, and give what the same matrix gives when it is dense.
$python - <<'END'
import numpy as np
r = np.random.RandomState(3)
X = np.where(r.rand(80, 30) < 0.2, r.randn(80, 30), 0)
y = X[:, 2] - 2 * X[:, 7] + 0.1 * r.randn(80)
np.save("S.npy", X); np.save("Sy.npy", y); np.save("Sc.npy", (y > np.median(y)) != (np.arange(80) % 4 == 0))
i, j = np.nonzero(X)
at = r.permutation(len(i))
lines = ["%d %d %.17g" % (i[k] + 1, j[k] + 1, X[i[k], j[k]]) for k in at[1:]]
half = "%d %d %.17g" % (i[at[0]] + 1, j[at[0]] + 1, X[i[at[0]], j[at[0]]] / 2)
open("S.mtx", "w").write("%%MatrixMarket matrix coordinate real general\n80 30 " + str(len(i) + 1) + "\n"
                         + "\n".join(lines + [half, half]) + "\n")
END
for options in "--cv 4" "--loss logistic --cv 4" "--loss huber --no-standardize" "--penalty mcp --row-weights Sw.npy" \
    "--no-intercept --penalty group-l1 --groups 10,20"; do
    $python -c 'import numpy as np; np.save("Sw.npy", np.arange(80) % 3)'
    case $options in *logistic*) target=Sc.npy ;; *) target=Sy.npy ;; esac
    run "$CREASE" regress S.mtx $target $options --eps 1e-10 --path 6,0.1 --out rows --force
    [ $code -eq 0 ] && "$CREASE" regress S.npy $target $options --eps 1e-10 --path 6,0.1 --out whole --force >/dev/null &&
        "$CREASE" verify rows >/dev/null && $python -c '
import json, os
import numpy as np
a, b = np.load("rows/coefficients.npy"), np.load("whole/coefficients.npy")
assert np.allclose(a, b, rtol=1e-6, atol=1e-8), abs(a - b).max()
one, two = (json.load(open(f + "/result.json")) for f in ("rows", "whole"))
assert one["data"][0]["hash"] == two["data"][0]["hash"] and one["data"][0]["shape"] == [80, 30]
if os.path.exists("rows/cv.csv"):
    a, b = (np.loadtxt(f + "/cv.csv", delimiter=",", skiprows=1) for f in ("rows", "whole"))
    assert np.allclose(a, b, rtol=1e-5), abs(a - b).max()'
    judge $? "coordinates $options: exit $code, $out $err"
done
"$CREASE" report rows >/dev/null 2>&1
judge $? "a report of coordinates"
sed '3s/[^ ]*$/9/' S.mtx >other.mtx && mv other.mtx S.mtx
run "$CREASE" verify rows
[ $code -ne 0 ]
judge $? "other coordinates are not verified: exit $code, $out $err"

# Folds of the caller's: leaving out each row in turn is what --cv with as many folds does.
"$CREASE" regress X.npy y.npy --no-standardize --path 5 --cv 6 --out dealt >/dev/null
run "$CREASE" regress X.npy y.npy --no-standardize --path 5 --folds 4,2,0,1,3,5 --out given
[ $code -eq 0 ] && $python -c '
import json
import numpy as np
a, b = (np.loadtxt(f + "/cv.csv", delimiter=",", skiprows=1) for f in ("dealt", "given"))
assert np.allclose(a, b, rtol=1e-12), abs(a - b).max()
dealt, given = (json.load(open(f + "/result.json")) for f in ("dealt", "given"))
assert given["settings"]["folds"] == 6 and given["settings"]["fold_labels"] == "4,2,0,1,3,5"
assert dealt["settings"]["fold_labels"] is None
assert given["details"]["cross_validation"]["folds"] == 6
assert np.load("given/folds.npy").tolist() == [4, 2, 0, 1, 3, 5]'
judge $? "--folds: exit $code, $out $err"
printf '%s\n' -1 0 0 1 1 -1 >folds.csv
run "$CREASE" regress X.npy y.npy --no-standardize --path 5 --folds folds.csv --out given --force
[ $code -eq 0 ] && [[ $out == *"on rows left out"* ]]
judge $? "--folds with rows that are never left out: exit $code, $out $err"
expect_exit 65 "5 numbers for 6 rows" regress X.npy y.npy --folds 0,1,0,1,0 --out x
expect_exit 65 "that of row 2 is 0.5" regress X.npy y.npy --folds 0,0.5,0,1,0,1 --out x
expect_exit 65 "that of row 2 is nan" regress X.npy y.npy --folds 0,nan,0,1,0,1 --out x
expect_exit 65 "no row is of fold 1" regress X.npy y.npy --folds 0,2,0,2,0,2 --out x
expect_exit 65 "12 numbers for 6 rows" regress X.npy y.npy --row-weights square.npy --out x
expect_exit 65 "weight of row 2 is -1" regress X.npy y.npy --row-weights 1,-1,1,1,1,1 --out x
expect_exit 65 "weight of row 1 is inf" regress X.npy y.npy --row-weights inf,1,1,1,1,1 --out x
expect_exit 65 "0 rows have a positive weight" regress X.npy y.npy --row-weights 0,0,0,0,0,0 --out x
for loss in logistic huber cauchy; do
    [ $loss = logistic ] && target=c || target=y
    "$CREASE" regress longX.npy long$target.npy --loss $loss --eps 1e-10 --path 5,0.2 --out long --force >/dev/null
    run "$CREASE" regress X.npy $target.npy --loss $loss --eps 1e-10 --path 5,0.2 --out weighed --force \
        --row-weights v.npy
    [ $code -eq 0 ] && "$CREASE" verify weighed >/dev/null && $python -c '
import numpy as np
a, b = np.load("long/coefficients.npy"), np.load("weighed/coefficients.npy")
assert np.allclose(a, b, rtol=1e-6, atol=1e-8), abs(a - b).max()'
    judge $? "--loss $loss --row-weights: exit $code, $out $err"
done
expect_exit 65 "with a weight is 1" regress X.npy c.npy --loss logistic --row-weights c.npy --out x
expect_exit 66 "cannot be opened" regress X.npy y.npy --row-weights nowhere.npy --out x
expect_exit 64 "does not take --row-weights" rpca X.npy --row-weights v.npy --out x
[ ! -e x ]
judge $? "a refusal leaves nothing"

# A path that is stopped, or out of time: what there is of it is written.
mkdir "$scratch/section-stop" && cd "$scratch/section-stop" || exit 1
$python - <<'END'
import numpy as np
r = np.random.RandomState(1)
X = r.randn(2000, 60)
np.save("X.npy", X); np.save("c.npy", (X[:, 0] + r.randn(2000) > 0) * 1.0)
np.save("small.npy", X[:50, :4])
np.save("y.npy", X[:50, 0] + 1)
END

# part NAME STATUS: fewer lambdas than asked for, the files agree, all but the last certified.
part() {
    $python - "$1" "$2" <<'END'
import json, sys
import numpy as np
name, status = sys.argv[1:]
r = json.load(open(name + "/result.json"))
k = r["settings"]["path"]
assert r["outcome_text"].startswith(status), r["outcome_text"]
d = r["details"]
assert 1 <= k < r["settings"]["path_asked"] == 5000 and len(d["solutions"]) == k
assert np.load(name + "/coefficients.npy").shape == (k, 61)
assert len(open(name + "/solutions.csv").readlines()) == k + 1
unchecked = sum(s["certificate"]["verdict"] == "UNFINISHED" for s in d["solutions"])
assert d["certified"] + unchecked >= k - 1 and d["cross_validation"] is None
assert d["warnings"][-1] == "stopped after %d of 5000 lambdas, without cross-validation" % k
END
}
long=(regress X.npy c.npy --no-standardize --no-intercept --loss logistic --path 5000 --cv 10)
for pair in INT:130 TERM:143; do
    signal=${pair%:*} wanted=${pair#*:}
    "$CREASE" "${long[@]}" --out "$signal" >out 2>err &
    child=$!
    sleep 0.5
    kill -s "$signal" $child
    wait $child
    code=$?
    [ "$code" -eq "$wanted" ] && part "$signal" "stopped"
    judge $? "SIG$signal: exit $code instead of $wanted, $(cat out err)"
done
run "$CREASE" "${long[@]}" --max-seconds 0.2 --out clock
[ $code -eq 2 ] && part clock "time limit"
judge $? "--max-seconds: exit $code, $out $err"

# No time at all: the first lambda, where everything is 0. Enough time: nothing changes.
run "$CREASE" regress small.npy y.npy --no-standardize --no-intercept --max-seconds 0 --cv 5 --out none
[ $code -eq 2 ] && [[ $out == *"stopped after 1 of 100 lambdas"* ]] && [ ! -e none/cv.csv ]
judge $? "--max-seconds 0: exit $code, $out $err"
run "$CREASE" regress small.npy y.npy --no-standardize --no-intercept --max-seconds 1000 --cv 5 --out some
"$CREASE" regress small.npy y.npy --no-standardize --no-intercept --cv 5 --out usual >/dev/null
[ $code -eq 0 ] && cmp -s some/coefficients.npy usual/coefficients.npy && cmp -s some/cv.csv usual/cv.csv
judge $? "--max-seconds 1000: exit $code, $out $err"
"$CREASE" regress small.npy y.npy --no-standardize --no-intercept --out some --force >/dev/null
[ ! -e some/cv.csv ]
judge $? "the cross-validation of an earlier result stays"
for wrong in -1 nan x; do
    expect_exit 64 "max.seconds" regress small.npy y.npy --max-seconds=$wrong --out x
done
[ ! -e x ]
judge $? "a refusal leaves nothing"
finish
