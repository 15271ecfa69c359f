# bench hard and paper --beyond: every instance solved and checked; JSON whose means follow from the
# runs; the same for any thread count
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
export OPENBLAS_NUM_THREADS=1

run "$CREASE" paper --beyond --rows 1 --instances 3
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"10 x 20 x 30 | 3 | 3 | proximal BCD | 19 |"* ]] &&
    [[ $out == *"| 3/3 |"* ]]
judge $? "paper --beyond: exit $code, $out, $err"

run "$CREASE" bench hard --cells small-20-10x --methods envelope --instances 2
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"| small-20-10x | envelope | 2/2 |"* ]]
judge $? "bench hard: exit $code, $out, $err"

if $python -c '' 2>/dev/null; then
    expect_json 'd["verb"] == "paper" and d["beyond"] and d["table"] == 2 and
        len(d["cells"]) == 1 and all(
        c["rank"] == 4 and c["true_rank"] == 3 and len(c["runs"]) == 3 and
        c["here"]["successes"] == 3 == c["here"]["valid"] == c["here"]["rank_found"] and
        abs(c["here"]["readings"] - sum(r["readings"] for r in c["runs"]) / 3) < 1e-9 and
        all(r["readings"] > r["iterations"] for r in c["runs"]) for c in d["cells"])' \
        paper --beyond --table 2 --rows 1 --instances 3 --json
    # Where l1 is biased MCP is at the level of a fit that knows the outliers; least squares fails.
    expect_json '(lambda m: m["envelope"]["successes"] == 3 == m["mcp"]["successes"] and
        m["mcp"]["error"] < 1.2 * m["mcp"]["oracle"] < m["envelope"]["error"] and
        m["least-squares"]["successes"] == 0)({c["method"]: c["means"] for c in d["cells"]}) and
        d["suite"] == "hard" and all(r["valid"] for c in d["cells"] for r in c["runs"])' \
        bench hard --cells small-40-10x --methods envelope,mcp,least-squares --instances 3 --json
    # Too large a rank is found out and certified.
    expect_json 'all(r["rank"] == 5 and r["success"] and r["certified"] and r["valid"]
        for r in d["cells"][0]["runs"])' \
        bench hard --cells over-20-10x --methods envelope --instances 2 --json
fi

for threads in 1 2; do
    "$CREASE" bench hard --cells order4-20-10x --methods envelope --instances 3 \
        --threads $threads | sed 's/| [^|]* |$//' >"threads.$threads"
done
[ -s threads.1 ] && cmp -s threads.1 threads.2
judge $? "threads change the table: $(diff threads.1 threads.2)"

expect_exit 64 "no suite" bench soft
expect_exit 64 "did you mean 'small-20-10x'" bench hard --cells small-20-10
expect_exit 64 "did you mean 'admm-g'" bench hard --methods admm
expect_exit 64 "range" bench hard --instances 0
finish
