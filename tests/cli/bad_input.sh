# bad_input: every mistake is one line on stderr with the remedy, an exit code, and no output
source "$(dirname "$0")/common.bash"

# No arguments: the usage, on stderr.
run "$CREASE"
[ $code -eq 64 ] && [ -z "$out" ] && [[ $err == *"crease prox"* ]]
judge $? "no arguments"

# Names: the nearest one is suggested.
expect_exit 64 "did you mean 'prox'" prxo
expect_exit 64 "crease help" frobnicate
expect_exit 64 "did you mean 'scad'" prox sacd:1,3.7 --step 1 -- 1
expect_exit 64 "did you mean 'l2-ball'" project l2ball:1 -- 1
expect_exit 64 "did you mean '--step'" prox l1:1 --stpe 1 -- 1
expect_exit 64 "did you mean '--json'" list --jsn
expect_exit 64 "does not take --trials" prox l1:1 --trials 3 -- 1
expect_exit 64 "unknown option '-x'" prox l1:1 --step 1 -x
expect_exit 64 "unknown verb 'lsit'" help lsit
expect_exit 64 "unexpected argument .now." version now
expect_exit 64 "missing argument" prox --step 1

# Options: missing, repeated, superfluous values.
expect_exit 64 "add --step" prox l1:1 -- 1
expect_exit 64 "missing value" prox l1:1 --step
expect_exit 64 "missing value" prox l1:1 --step --json -- 1
expect_exit 64 "missing value; write --box L U" prox l1:1 --step 1 --box 1
expect_exit 64 "twice" prox l1:1 --step 1 --step 2 -- 1
expect_exit 64 "does not take a value" prox l1:1 --step 1 --json=1 -- 1
expect_exit 64 "'one' is not a number" prox l1:1 --step one -- 1
for step in 0 -1 nan inf; do expect_exit 64 "step" prox l1:1 --step $step -- 1; done
for trials in 0 -1 1.5 nan x; do expect_exit 64 "trials" selftest --trials $trials; done

# Parameters: their number, their ranges.
expect_exit 64 "takes 2 parameters but 1 was given; write scad:lambda,a" prox scad:1 --step 1 -- 1
expect_exit 64 "takes 2 parameters but 3 were" prox scad:1,3,4 --step 1 -- 1
expect_exit 64 "l1:lambda" prox l1 --step 1 -- 1
expect_exit 64 "a = 2 is outside" prox scad:1,2 --step 1 -- 1
expect_exit 64 "a = 1.5 is outside" prox scad:1,1.5 --step 1 -- 1
expect_exit 64 "lambda = -1 is outside" prox l1:-1 --step 1 -- 1
expect_exit 64 "lambda = -?nan" prox l1:nan --step 1 -- 1
expect_exit 64 "lambda = inf" prox l1:inf --step 1 -- 1
expect_exit 64 "gamma = 0" prox mcp:1,0 --step 1 -- 1
expect_exit 64 "q = 1" prox lq:1,1 --step 1 -- 1
expect_exit 64 "not a number" prox l1:one --step 1 -- 1
expect_exit 64 "empty" prox l1: --step 1 -- 1
expect_exit 64 "empty" prox l1:1, --step 1 -- 1
expect_exit 64 "integer" project capped-simplex:1.5 -- 1 2

# Numbers of the point.
expect_exit 64 "entry 2, 'two'" prox l1:1 --step 1 -- 1 two
expect_exit 64 "entry 1, '1,5'" prox l1:1 --step 1 -- 1,5
expect_exit 64 "entry 1, ''" prox l1:1 --step 1 -- ""
expect_exit 65 "entry 3 is nan" prox l1:1 --step 1 -- 1 2 nan
expect_exit 65 "entry 2 is inf" project l2-ball:1 -- 1 1e400
expect_exit 65 "entry 1 is -inf" lmo l2-ball:1 -- -inf
expect_exit 65 "entry 4 .at 2,2. is nan" project nuclear-ball:1 --shape 2,2 -- 1 2 3 nan
expect_exit 65 "empty.*--input" prox l1:1 --step 1
expect_exit 65 "empty.*--input" prox l1:1 --step 1 --
expect_exit 64 "twice" prox l1:1 --step 1 --input x.csv -- 1

# Files.
expect_exit 66 "no/such/file.npy.*No such file" prox l1:1 --step 1 --input no/such/file.npy
expect_exit 66 "weights" prox l1:1 --step 1 --weights no.csv -- 1
expect_exit 66 "groups" prox group-l1:1 --step 1 --groups no.csv -- 1
mkdir "$scratch/folder.npy"
expect_exit 66 "directory" prox l1:1 --step 1 --input "$scratch/folder.npy"
expect_exit 64 "--read-as: npy" prox l1:1 --step 1 --input "$0"
printf '\x93NUMPY\x01\x00' >"$scratch/cut.npy"
expect_exit 65 "byte 8" prox l1:1 --step 1 --input "$scratch/cut.npy"
printf '1,2\n3\n' >"$scratch/ragged.csv"
expect_exit 65 "line 2" prox l1:1 --step 1 --input "$scratch/ragged.csv"
printf '1,2\n3,nan\n' >"$scratch/nan.csv"
expect_exit 65 "entry 4 .at 2,2. is nan" prox l1:1 --step 1 --input "$scratch/nan.csv"
: >"$scratch/empty.csv"
expect_exit 65 "no numbers" prox l1:1 --step 1 --input "$scratch/empty.csv"
expect_exit 65 "no numbers" prox l1:1 --step 1 --input -
touch "$scratch/line"$'\n'"break.csv"
expect_exit 65 "line.break.csv" prox l1:1 --step 1 --input "$scratch/line"$'\n'"break.csv"

# Outputs that cannot be written: closed, full; a reader that leaves early is no error.
for verb in "list" "list --json" "version" "prox l1:1 --step 1 -- 1" "help prox"; do
    "$CREASE" $verb 2>"$scratch/err" >&-
    code=$?
    [ $code -eq 74 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ]
    judge $? "$verb, closed: exit $code"
    "$CREASE" $verb 2>"$scratch/err" >/dev/full
    code=$?
    [ $code -eq 74 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ]
    judge $? "$verb, full: exit $code"
done
for k in 1 2 3 4 5; do "$CREASE" list 2>>"$scratch/early" | head -n 1 >/dev/null; done
( # even when the caller ignores the signal
    trap '' PIPE
    for k in $(seq 60); do "$CREASE" list; done 2>>"$scratch/early" | head -n 1 >/dev/null
)
[ ! -s "$scratch/early" ]
judge $? "a closed pipe: $(head -n 1 "$scratch/early")"

# What is said on a closed standard error lands in no file that is opened later.
cp "$(dirname "$0")/../../examples/problems/lasso.json" "$scratch"
(cd "$scratch" && "$CREASE" solve lasso.json --log-csv log.csv --verbose --out said 2>&- >/dev/null &&
    "$CREASE" solve lasso.json --out unread 0<&- >/dev/null 2>&1)
judge $? "closed standard streams"
[ "$(grep -cvE '^(phase,|fit,[0-9]+,)' "$scratch/log.csv")" -eq 0 ] && "$CREASE" verify "$scratch/said" >/dev/null
judge $? "a log with text: $(head -n 3 "$scratch/log.csv")"

# A limit of memory that the BLAS library cannot live with: a sentence, and no endless loop.
if ! ldd "$CREASE" | grep -q 'lib.san'; then
    for limit in 100000 200000 300000 500000; do
        (ulimit -v $limit && timeout -k 1 10 "$CREASE" solve "$scratch/lasso.json" --force --out "$scratch/small" \
            >/dev/null 2>"$scratch/err")
        code=$?
        [ $code -eq 71 ] && [[ $(cat "$scratch/err") == *"ulimit -v"* ]] || [ $code -eq 0 ]
        judge $? "ulimit -v $limit: exit $code, $(cat "$scratch/err")"
    done
fi
finish
