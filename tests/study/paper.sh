# paper: tables beside the printed numbers; JSON with every run; the same for any thread count
CREASE=${STUDY:?set STUDY to crease-study}
source "$(dirname "$0")/../cli/common.bash"
schema=1
cd "$scratch" || exit 1
export OPENBLAS_NUM_THREADS=1

run "$CREASE" paper --table 1 --rows 1 --methods admm-g,bcd --instances 3
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"10 x 20 x 30, R_CP = 3, R = 3"* ]] &&
    [[ $out == *"proximal ADMM-g"*"371.80 -> "* ]] && [[ $out == *"BCD"*"678.15 -> "* ]] &&
    [[ $out != *"ADMM-m "*"->"* ]] && [[ $out == *"By the stated recipe"* ]]
judge $? "text: exit $code, $out, $err"

if $python -c '' 2>/dev/null; then
    expect_json 'd["verb"] == "paper" and d["table"] == 3 and d["recipe"] == "stated" and
        d["start"] == "paper" and [c["method"] for c in d["cells"]] == ["admm-m", "prox-bcd"] and
        all(c["row"] == 1 and c["shape"] == [10, 20, 30] and c["true_rank"] == 3 and c["rank"] == 4
            and len(c["runs"]) == 3 for c in d["cells"]) and
        d["cells"][0]["paper"] == {"iterations": 1742.35, "error": 0.0033, "successes": 20,
                                   "instances": 20} and
        d["cells"][0]["earlier_program"]["iterations"] == 461' \
        paper --table 3 --rows 1 --methods prox-bcd,admm-m --instances 3 --json
    # Means and sampling errors follow from the runs.
    expect_json 'all(
        abs(c["here"]["iterations"] - sum(r["iterations"] for r in c["runs"]) / 4) < 1e-9 and
        abs(c["here"]["error"] - sum(r["error"] for r in c["runs"]) / 4) < 1e-12 and
        c["here"]["successes"] == sum(r["error"] < 0.01 for r in c["runs"]) and
        abs(c["here"]["iterations_sampling_error"] - (sum((r["iterations"] -
            c["here"]["iterations"]) ** 2 for r in c["runs"]) / 3 / 4) ** 0.5) < 1e-9 and
        all(r["stopped"] or r["iterations"] == 2000 for r in c["runs"]) for c in d["cells"])' \
        paper --rows 1 --instances 4 --json --seed 3
    expect_json '"earlier_program" not in d["cells"][0] and d["start"] == "generic" and
        d["recipe"] == "calibrated" and all(r["gram_rank"] == 3 for r in d["cells"][0]["runs"])' \
        paper --rows 1 --methods bcd --instances 2 --start generic --calibrated --json
fi

# Times aside, threads change nothing.
for threads in 1 2; do
    "$CREASE" paper --rows 1 --instances 3 --threads $threads --markdown >"threads.$threads"
done
[ -s threads.1 ] && cmp -s threads.1 threads.2 && [ "$(grep -c '^| 10 x 20 x 30' threads.1)" -eq 4 ]
judge $? "threads change the table: $(diff threads.1 threads.2)"

expect_exit 64 "range" paper --table 4
expect_exit 64 "rows 1 to 9" paper --rows 0
expect_exit 64 "rows 1 to 9" paper --rows 1,2.5
expect_exit 64 "did you mean 'admm-g'" paper --methods admm
expect_exit 64 "range" paper --instances 1
expect_exit 64 "paper or generic" paper --start cold
expect_exit 64 "range" paper --threads 0
expect_exit 64 "paper does not take --init" paper --init random
expect_exit 64 "write random" beyond --init nowhere --rows 1 --instances 2
run "$CREASE" beyond --rows 1 --instances 2 --init random
[ $code -eq 0 ] && [[ $out == *"the start random"*"| 2/2 |"* ]]
judge $? "beyond from random starts: exit $code, $out, $err"
finish
