# prox: golden values of the nonconvex penalties, boxes, balls, groups, weights, matrices, JSON
source "$(dirname "$0")/common.bash"

# The minimum jumps at a threshold: the last 0 and the first point beyond it.
expect_near 1e-14 "1.79411764705882" prox scad:1,3.7 --step 1 -- 2.5
expect_near 1e-15 "0.8 3.9" prox scad:1,3.7 --step 3 -- 3.8 3.9
expect_out $'0\n5.3200000000000003' prox scad:1,3.7 --step 6 -- 5.30 5.32
expect_out 1.5 prox mcp:1,3 --step 1 -- 2
expect_out $'0\n3.4700000000000002' prox mcp:1,3 --step 4 -- 3.46 3.47
expect_near 1e-15 "1.4 2.6" prox capped-l1:1,2 --step 1 -- 2.4 2.6
expect_out $'0\n4.5' prox capped-l1:1,2 --step 5 -- 4.4 4.5
expect_near 1e-14 "0.870156211871643 1.36332495807108" prox lsp:1,0.5 --step 1 -- 1.6 1.9
expect_out 0 prox lsp:1,0.1 --step 1 -- 2.0
expect_near 1e-14 "0 1.12954479885322" prox l-half:1 --step 1 -- 1.5 1.6
expect_near 1e-14 "0 0.912728776938248" prox l-two-thirds:1 --step 1 -- 1.4 1.6
expect_out $'0\n1.4199999999999999' prox l0:1 --step 1 -- 1.41 1.42

# Signs, zeros without a sign, spellings of the command line.
expect_out $'-2\n0\n0\n2' prox l1:1 --step 1 -- -3 -0.5 -0 3
expect_out $'-2\n2' prox l1:1 --step 1 -3 3
expect_out $'-2\n2' prox --step=1 l1:1 -- -3 3
expect_out $'2\n2' prox l1:1 3 --step 0x1p0 3e0

# A box, with one side open; a ball; a set by its name.
expect_out $'0.5\n-2' prox l1:1 --step 1 --box -inf 0.5 -- 3 -3
expect_out $'1\n2' prox l1:1 --step 1 --box=1 2 -- 0 9
expect_near 1e-15 "0.89442719099991586 -0.44721359549995793" prox l1:1 --step 1 --ball 1 -- 3 -2
expect_near 1e-15 "0.89442719099991586 -0.44721359549995793" \
    prox l1:1 --step 1 --set l2-ball:1 -- 3 -2
expect_exit 64 "one" prox l1:1 --step 1 --ball 1 --box 0 1 -- 3
expect_exit 64 "empty" prox l1:1 --step 1 --box 2 1 -- 3
expect_exit 64 "ball" prox l1:1 --step 1 --ball -1 -- 3
expect_exit 64 "tv1d" prox tv1d:1 --step 1 --box 0 1 -- 3 4
expect_exit 64 "step" prox scad:1,3.7 --step 3 --ball 1 -- 3 4

# Groups: by size, by label, from a file; one weight a group, labels ascending.
expect_out $'2.4000000000000004\n3.2000000000000002\n0' \
    prox group-l1:1 --step 1 --groups 2,1 -- 3 4 0.5
expect_out $'2.4000000000000004\n0\n3.2000000000000002' \
    prox group-l1:1 --step 1 --groups @7,-1,7 -- 3 0.5 4
printf '7\n-1\n7\n' >"$scratch/labels.csv"
expect_out $'2.4000000000000004\n0\n3.2000000000000002' \
    prox group-l1:1 --step 1 --groups "$scratch/labels.csv" -- 3 0.5 4
expect_near 1e-15 "0 0.5 0" prox group-l1:1 --step 1 --groups @7,-1,7 --weights 0,9 -- 3 0.5 4
expect_exit 65 "add up to 4" prox group-l1:1 --step 1 --groups 2,2 -- 3 4 0.5
expect_exit 65 "2 labels" prox group-l1:1 --step 1 --groups @1,2 -- 3 4 0.5
expect_exit 65 "label 2" prox group-l1:1 --step 1 --groups @1,2.5,3 -- 3 4 0.5
expect_exit 64 "size 2" prox group-l1:1 --step 1 --groups 3,0 -- 3 4 0.5
expect_exit 64 "needs groups" prox group-l1:1 --step 1 -- 3 4
expect_exit 64 "no groups.*group-scad" prox scad:1,3 --step 1 --groups 2 -- 3 4

# Weights: in the name, by an option, from a file.
expect_out $'2\n-1' prox weighted-l1:1,2 --step 1 -- 3 -3
expect_out $'2\n-1' prox weighted-l1 --weights 1,2 --step 1 -- 3 -3
expect_out $'2\n-1' prox l1:1 --weights 1,2 --step 1 -- 3 -3
printf '1,2\n' >"$scratch/weights.csv"
expect_out $'2\n-1' prox l1:1 --weights "$scratch/weights.csv" --step 1 -- 3 -3
expect_exit 65 "2 numbers.*3 entries" prox weighted-l1:1,2 --step 1 -- 3 -3 1
expect_exit 65 "1 number.*2 groups" prox group-l1:1 --groups 1,2 --weights 1 --step 1 -- 3 -3 1
expect_exit 64 "weight 2" prox l1:1 --weights 1,-1 --step 1 -- 3 -3
expect_exit 64 "needs a number" prox weighted-l1 --step 1 -- 3
expect_exit 64 "already" prox weighted-l1:1 --weights 1 --step 1 -- 3
expect_exit 64 "no weights" prox tv1d:1 --weights 1,1 --step 1 -- 3 4

# Matrices want a shape.
expect_near 1e-14 "2 0 0 0" prox nuclear:1 --step 1 --shape 2,2 -- 3 0 0 0.5
expect_exit 65 "--shape" prox nuclear:1 --step 1 -- 3 0 0 0.5
expect_exit 65 "--shape 2,3 has 6" prox nuclear:1 --step 1 --shape 2,3 -- 3 0 0 0.5
expect_exit 64 "not a shape" prox nuclear:1 --step 1 --shape 2,0 -- 3
expect_exit 64 "not a shape" prox nuclear:1 --step 1 --shape 1,1,1,1,1,1,1,1,1 -- 3
expect_exit 64 "'x'" prox nuclear:1 --step 1 --shape 2,x -- 3

# The document: value is r(x), dist certifies x, a box has its own distance.
expect_json 'd["verb"] == "prox" and d["entry"] == "scad" and d["step"] == 1 and
    d["parameters"] == {"lambda": 1, "a": 3.7} and d["shape"] == [3] and
    d["x"][0] == 0 and d["x"][2] == 5 and abs(d["x"][1] + 1.79411764705882) < 1e-13 and
    d["value"] > 0 and 0 <= d["dist"] < 1e-15' prox scad:1,3.7 --step 1 --json -- 0.5 -2.5 5
expect_json 'd["x"] == [1] and d["set"] == "box" and d["dist"] == 0 and d["value"] == 1' \
    prox l1:1 --step 1 --box 0 1 --json -- 3
expect_json 'd["x"] == [1, 0] and d["dist"] is None' prox l1:1 --step 1 --ball 1 --json -- 3 0
expect_json 'd["parameters"] == {"lambda": [1, 2]} and d["x"] == [2, -1] and d["value"] == 4' \
    prox weighted-l1:1,2 --step 1 --json -- 3 -3
expect_json 'd["parameters"]["weights"] == [1, 2]' prox l1:1 --weights 1,2 --step 1 --json -- 3 -3
expect_json 'd["shape"] == [2, 1] and len(d["x"]) == 2' \
    prox rank:1 --step 1 --shape 2,1 --json -- 3 -3
expect_json 'd["parameters"] == {"low": None, "high": 1} and d["not_finite"] == {"low": "-inf"}' \
    prox box:-inf,1 --step 1 --json -- 3
finish
