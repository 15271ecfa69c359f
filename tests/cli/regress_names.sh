# regress: the names in the first row of X appear in what is printed and written
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
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
names = json.load(open("named/result.json"))["column_names"]
assert rows[0][:2] == ["lambda", "intercept"] and rows[0][3:] == ["x<y & z", "column 3", "plain"]
assert rows[0][2] == names[0] and names[1:] == ["x<y & z", "", "plain"], names
table = np.array([[float(t) for t in row] for row in rows[1:]])
assert (table[:, 1:] == np.load("named/coefficients.npy")).all()
assert (np.load("named/coefficients.npy") == np.load("bare/coefficients.npy")).all()
titles = [t.firstChild.data for t in
          xml.dom.minidom.parse("named/path.svg").getElementsByTagName("title")]
assert set(titles[1:]) <= set(rows[0][2:]) and "plain" in titles, titles
assert json.load(open("bare/result.json"))["column_names"] is None
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
finish
