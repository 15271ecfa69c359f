# hard, tucker, rank and alpha, and beyond: every instance solved and checked; JSON whose means follow from the
# runs; the same for any thread count
CREASE=${STUDY:?set STUDY to crease-study}
source "$(dirname "$0")/../cli/common.bash"
schema=1
cd "$scratch" || exit 1
export OPENBLAS_NUM_THREADS=1

run "$CREASE" beyond --rows 1 --instances 3
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"10 x 20 x 30 | 3 | 3 | proximal BCD | 19 |"* ]] &&
    [[ $out == *"| 3/3 |"* ]]
judge $? "beyond: exit $code, $out, $err"

run "$CREASE" hard --cells small-20-10x --methods envelope --instances 2
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"| small-20-10x | envelope | 2/2 |"* ]]
judge $? "hard: exit $code, $out, $err"

run "$CREASE" tucker --cells 333-444,40x50 --instances 1 --seed 7
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"| 333-444 | 3,3,3 | 4,4,4 |"*"| 1/1 |"*"| 1/1 |"* ]]
judge $? "tucker: exit $code, $out, $err"

if $python -c '' 2>/dev/null; then
    expect_json 'd["verb"] == "beyond" and d["init"] == "auto" and d["table"] == 2 and
        len(d["cells"]) == 1 and all(
        c["rank"] == 4 and c["true_rank"] == 3 and len(c["runs"]) == 3 and
        c["here"]["successes"] == 3 == c["here"]["valid"] == c["here"]["rank_found"] and
        abs(c["here"]["readings"] - sum(r["readings"] for r in c["runs"]) / 3) < 1e-9 and
        all(r["readings"] > r["iterations"] for r in c["runs"]) for c in d["cells"])' \
        beyond --table 2 --rows 1 --instances 3 --json
    # Where l1 is biased MCP is at the level of a fit that knows the outliers; least squares fails.
    expect_json '(lambda m: m["envelope"]["successes"] == 3 == m["mcp"]["successes"] and
        m["mcp"]["error"] < 1.2 * m["mcp"]["oracle"] < m["envelope"]["error"] and
        m["least-squares"]["successes"] == 0)({c["method"]: c["means"] for c in d["cells"]}) and
        d["verb"] == "hard" and all(r["valid"] for c in d["cells"] for r in c["runs"])' \
        hard --cells small-40-10x --methods envelope,mcp,least-squares --instances 3 --json
    # Too large a rank is found out and certified.
    expect_json 'all(r["rank"] == 5 and r["success"] and r["certified"] and r["valid"]
        for r in d["cells"][0]["runs"])' \
        hard --cells over-20-10x --methods envelope --instances 2 --json
fi

run "$CREASE" rank --rows 1 --instances 2 --seed 7
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"| 10 x 20 x 30 | 3 | 6 | 2/2 | |"* ]]
judge $? "rank: exit $code, $out, $err"
run "$CREASE" alpha --cells noise-10dB --instances 2
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"| noise-10dB | 0.0"* ]]
judge $? "alpha: exit $code, $out, $err"
if $python -c '' 2>/dev/null; then
    expect_json 'd["verb"] == "rank" and d["cells"][0]["from"] == 6 and all(
        r["rank"] == 3 and r["fits"] >= 3 and r["readings"] > 30
        for kind in ("runs", "auto") for r in d["cells"][0][kind])' \
        rank --rows 1 --instances 2 --json
    # Ratio and worst ratio follow from the runs; the learned alpha is as good as the best.
    expect_json '(lambda c, median: c["ratio"] < 1.2 and c["worst_ratio"] < 1.2 and
        len(c["grid"]) == 11 and c["grid"][0]["multiple"] == 0.1 and
        c["grid"][10]["multiple"] == 10 and
        abs(c["ratio"] - median(c["runs"]) / min(median(g["runs"]) for g in c["grid"])) < 1e-9 and
        abs(c["worst_ratio"] - max(r["error"] / min(g["runs"][k]["error"] for g in c["grid"])
            for k, r in enumerate(c["runs"]))) < 1e-9 and all(
        abs(g["runs"][k]["alpha"] / r["alpha"] - g["multiple"]) < 1e-9 * g["multiple"]
        for g in c["grid"] for k, r in enumerate(c["runs"])))(
        d["cells"][0], lambda runs: sorted(r["error"] for r in runs)[1])' \
        alpha --cells order4-20-10x --instances 3 --json
fi

for threads in 1 2; do
    "$CREASE" hard --cells order4-20-10x --methods envelope --instances 3 \
        --threads $threads | sed 's/| [^|]* |$//' >"threads.$threads"
done
[ -s threads.1 ] && cmp -s threads.1 threads.2
judge $? "threads change the table: $(diff threads.1 threads.2)"

expect_exit 64 "unknown verb" soft
expect_exit 64 "did you mean 'alpha'" alpa
expect_exit 64 "did you mean '--cells'" alpha --cell noise-10dB
expect_exit 64 "unexpected argument 'noise-10dB'" alpha noise-10dB
expect_exit 64 "lacks a value" alpha --cells
expect_exit 64 "given twice" alpha --seed 1 --seed 2
expect_exit 64 "takes no value" alpha --json=yes
expect_exit 64 "not a number" alpha --instances two
expect_exit 64 "rank does not take --cells" rank --cells small-20-10x
expect_exit 64 "alpha does not take --methods" alpha --methods mcp
expect_exit 64 "hard does not take --rows" hard --rows 1
expect_exit 64 "rows 1 to 9" rank --rows 10
expect_exit 64 "did you mean 'small-20-10x'" alpha --cells small-20-10
expect_exit 64 "did you mean 'small-20-10x'" hard --cells small-20-10
expect_exit 64 "did you mean 'admm-g'" hard --methods admm
expect_exit 64 "range" hard --instances 0
finish
