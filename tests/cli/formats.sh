# formats: the same point as numbers, .npy and text gives the same answer, in any locale
source "$(dirname "$0")/common.bash"

numbers="3.25 -2.5 0.125 1e-3 -7 0.5"
wanted=$("$CREASE" prox scad:1,3.7 --step 1 -- $numbers)
$python - "$scratch" $numbers <<'PY'
import sys, numpy as np
folder, x = sys.argv[1], np.array([float(t) for t in sys.argv[2:]])
for order in "CF":
    for kind in ("<f8", ">f8"):
        matrix = np.array(x.reshape(2, 3), dtype=kind, order=order)
        np.save(f"{folder}/{order}{kind[0] == '<'}.npy", matrix)
np.save(f"{folder}/vector.npy", x)
np.save(f"{folder}/deep.npy", x.reshape(1, 2, 1, 3, 1, 1, 1, 1))
np.save(f"{folder}/single.npy", np.array([3, -2, 0.5], dtype="f4"))
np.save(f"{folder}/whole.npy", np.array([[3, -2], [7, 1]], dtype="i2"))
np.save(f"{folder}/truth.npy", np.array([True, False]))
np.save(f"{folder}/large.npy", np.array([2**62 + 1], dtype="i8"))
np.save(f"{folder}/complex.npy", x.astype("c16"))
np.save(f"{folder}/scalar.npy", np.float64(1))
np.save(f"{folder}/empty.npy", np.zeros((0, 5)))
np.savetxt(f"{folder}/table.csv", x.reshape(2, 3), delimiter=",", fmt="%.17g", header="a,b,c")
np.savetxt(f"{folder}/names.csv", x.reshape(2, 3), delimiter=";", fmt="%.17g", header="a;b;c",
           comments="", newline="\r\n")
np.savetxt(f"{folder}/table.tsv", x.reshape(2, 3), delimiter="\t", fmt="%.17g")
np.savetxt(f"{folder}/table.txt", x.reshape(2, 3))
PY
for file in CTrue.npy CFalse.npy FTrue.npy FFalse.npy vector.npy deep.npy table.csv names.csv \
    table.tsv table.txt; do
    expect_out "$wanted" prox scad:1,3.7 --step 1 --input "$scratch/$file"
done
expect_json 'd["shape"] == [2, 3]' prox l1:1 --step 1 --json --input "$scratch/FFalse.npy"
expect_json 'd["shape"] == [6]' prox l1:1 --step 1 --json --input "$scratch/table.csv" --shape 6
expect_json 'd["shape"] == [1, 2, 1, 3, 1, 1, 1, 1]' \
    prox l1:1 --step 1 --json --input "$scratch/deep.npy"
expect_out $'2\n-1\n0' prox l1:1 --step 1 --input "$scratch/single.npy"
expect_out $'3\n-2\n7\n1' prox zero --step 1 --input "$scratch/whole.npy"
expect_out $'1\n0' prox zero --step 1 --input "$scratch/truth.npy"
got=$("$CREASE" prox scad:1,3.7 --step 1 --input - <"$scratch/vector.npy")
[ "$got" = "$wanted" ]
judge $? "a .npy file on standard input: $got"

# What may never end is refused at once; so is what a header promises and the file does not hold.
mkfifo "$scratch/pipe.npy" "$scratch/pipe.csv"
for odd in "$scratch/pipe.npy" "$scratch/pipe.csv"; do
    run timeout -k 1 5 "$CREASE" prox l1:1 --step 1 --input "$odd"
    [ $code -eq 66 ] && [[ $err == *"is a pipe; give a plain file, or - for"* ]]
    judge $? "$odd: exit $code, $err"
done
ln -s /dev/zero "$scratch/zero.csv" && mkdir "$scratch/folder.csv"
ln -s loop.csv "$scratch/loop.csv"
expect_exit 66 "is a device; give a plain file" prox l1:1 --step 1 --input "$scratch/zero.csv"
expect_exit 66 "is a directory; give a plain file" prox l1:1 --step 1 --input "$scratch/folder.csv"
expect_exit 66 "cannot be opened" prox l1:1 --step 1 --input "$scratch/loop.csv"
head -c 150 "$scratch/vector.npy" >"$scratch/short.npy"
expect_exit 65 "truncated: it ends at byte 150 but its items take bytes 128 to 176" \
    prox l1:1 --step 1 --input "$scratch/short.npy"

# Text with gaps and names of rows, as R writes it.
$python - "$scratch" <<'PY'
import sys, numpy as np
rng = np.random.RandomState(1)
x = np.outer(rng.randn(12), rng.randn(6)) + 0.01 * rng.randn(12, 6)
with open(sys.argv[1] + "/r.csv", "w") as f:
    f.write('"",' + ",".join('"v%d"' % j for j in range(6)) + "\n")
    for i, row in enumerate(x):
        f.write('"r%d",' % i + ",".join("NA" if i == j else "" if i == j + 6 else repr(float(v))
                                        for j, v in enumerate(row)) + "\n")
x[range(6), range(6)] = x[range(6, 12), range(6)] = np.nan
np.save(sys.argv[1] + "/r.npy", x)
PY
for kind in csv npy; do
    run "$CREASE" rpca "$scratch/r.$kind" --rank 1 --missing nan --quiet --out "$scratch/r-$kind"
    [ $code -eq 0 ]
    judge $? "gaps in .$kind: exit $code, $err"
    run "$CREASE" verify "$scratch/r-$kind"
    [ $code -eq 0 ]
    judge $? "verify gaps in .$kind: exit $code, $out $err"
done
cmp -s "$scratch/r-csv/lowrank.npy" "$scratch/r-npy/lowrank.npy"
judge $? "the same data in .csv and .npy give another answer"
expect_exit 65 "line 2, column 2: 'NA' is no number; .* --missing nan" rpca "$scratch/r.csv" --rank 1 --out "$scratch/x"
sed -i 's/NA//' "$scratch/r.csv"
expect_exit 65 "line 2, column 2: the cell is empty; .* --missing nan" rpca "$scratch/r.csv" --rank 1 --out "$scratch/x"

# Names that are no UTF-8, or what UTF-8 forbids: the result is written, and verified from elsewhere.
for odd in $'caf\xe9' $'\xed\xa0\x80' $'\xe0\x80\x80x' $'\xf5' 'bytes:%zz'; do
    home="$scratch/$odd" && mkdir "$home"
    $python -c 'import sys, numpy as np; np.save(sys.argv[1], np.ones((4, 3)) + np.eye(4, 3))' "$scratch/plain.npy"
    mv "$scratch/plain.npy" "$home/$odd.npy" && cp "$support/../../examples/problems/lasso.json" "$home/$odd.json"
    run "$CREASE" rpca "$home/$odd.npy" --rank 1 --quiet --out "$home/$odd"
    [ $code -eq 0 ]
    judge $? "rpca $odd: exit $code, $err"
    run "$CREASE" solve "$home/$odd.json" --quiet --out "$home/$odd.solved"
    [ $code -eq 0 ]
    judge $? "solve $odd: exit $code, $err"
    for result in "$home/$odd" "$home/$odd.solved"; do
        (cd / && "$CREASE" verify "$result" >"$scratch/said" 2>&1)
        judge $? "verify $odd: $(cat "$scratch/said")"
    done
done
expect_exit 65 "c16" prox l1:1 --step 1 --input "$scratch/complex.npy"
expect_exit 65 "without dimensions" prox l1:1 --step 1 --input "$scratch/scalar.npy"
expect_exit 65 "empty" prox l1:1 --step 1 --input "$scratch/empty.npy"
expect_exit 65 "entries" prox l1:1 --step 1 --shape 7 --input "$scratch/vector.npy"

# What is odd but usable is said on stderr.
run "$CREASE" prox zero --step 1 --input "$scratch/large.npy"
[ $code -eq 0 ] && [[ $err == *"2^53"* ]]
judge $? "rounded integers: $err"
printf 'tail' >>"$scratch/vector.npy"
run "$CREASE" prox scad:1,3.7 --step 1 --input "$scratch/vector.npy"
[ $code -eq 0 ] && [ "$out" = "$wanted" ] && [[ $err == *"ignored"* ]]
judge $? "tail: $err"

# Standard input is CSV.
got=$(printf '%s\n' $numbers | "$CREASE" prox scad:1,3.7 --step 1 --input -)
[ "$got" = "$wanted" ]
judge $? "standard input: $got"

# A decimal comma in the locale changes nothing.
mkdir -p "$scratch/locale"
if localedef -i de_DE -f UTF-8 "$scratch/locale/de_DE.UTF-8" 2>/dev/null; then
    mkdir "$scratch/german"
    echo leak:argz_add_sep >"$scratch/leaks" # of a library behind libhdf5, which makes a locale as it is loaded
    printf '#!/bin/sh\nLSAN_OPTIONS=suppressions=%s:print_suppressions=0 LOCPATH=%s LC_ALL=de_DE.UTF-8 exec %s "$@"\n' \
        "$scratch/leaks" "$scratch/locale" "$CREASE" >"$scratch/german/crease"
    chmod +x "$scratch/german/crease"
    CREASE="$scratch/german/crease"
    expect_out "$wanted" prox scad:1,3.7 --step 1 -- $numbers
    expect_out "$wanted" prox scad:1,3.7 --step 1 --input "$scratch/table.csv"
    expect_exit 64 "1,5" prox l1:1 --step 1 -- 1,5
    expect_json 'd["x"] == [0.5]' prox l1:1 --step 1 --json -- 1.5
else
    echo "formats: no German locale can be made here; that part is left out"
fi
finish
