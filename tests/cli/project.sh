# project: every kind of set through the shell, and the document
source "$(dirname "$0")/common.bash"

expect_out $'1\n-1\n0.5' project linf-ball:1 -- 3 -2 0.5
expect_out $'1\n0\n0.5' project box:0,1 -- 3 -2 0.5
expect_out $'3\n0\n0.5' project nonneg -- 3 -2 0.5
expect_near 1e-15 "0.6 0.8" project l2-ball:1 -- 3 4
expect_near 1e-15 "2 0 0" project l1-ball:2 -- 5 1 -1
expect_near 1e-15 "0.55 0.45 0" project simplex:1 -- 0.9 0.8 -0.3
expect_near 1e-15 "0.2 0.3 0" project full-simplex:1 -- 0.2 0.3 -1
expect_near 1e-14 "1 1 0 0" project capped-simplex:2 -- 9 8 -7 -6
expect_near 1e-14 "1 2 3" project permutahedron:3,1,2 -- -100 0 100
expect_near 1e-14 "1 0 0 0" project nuclear-ball:1 --shape 2,2 -- 9 0 0 0
expect_near 1e-14 "1 0 0 0.5" project spectral-ball:1 --shape 2,2 -- 9 0 0 0.5
expect_near 1e-14 "1 0 0 0" project spectrahedron:1 -- 9 0 0 0
expect_near 1e-15 "0 -1 3" project half-space:1,2,2,1 -- 2 1 4
expect_out $'-9\n1\n1' project half-space:1,2,2,1 -- -9 1 1
expect_near 1e-15 "1 -1 1" project hyperplane:1,2,2,1 -- 3 1 2
expect_near 1e-15 "1 0.5 0" project box-hyperplane:0,1,1.5,1,1,1 -- 9 2 -5
expect_near 1e-14 "1.5 2 2.5" project soc -- 3 4 0
expect_near 1e-14 "0.6 0.8 1" project capped-soc:1 -- 3 4 5
expect_out $'0\n0\n0' project soc -- 3 4 -5
expect_near 1e-14 "1.5 1.5 1.5 1.5" project psd -- 1 2 2 1
expect_near 1e-14 "0.5 0.5 0.5 0.5" project capped-psd:1 -- 1 2 2 1
expect_near 1e-15 "0.6 0 0.8 0.5" project column-balls:1 --shape 2,2 -- 3 0 4 0.5
expect_near 1e-15 "0.6 0.8 0 0.5" project row-balls:1 --shape 2,2 -- 3 4 0 0.5
expect_out $'0\n-3\n2' project l0-ball:2 -- 1 -3 2
expect_near 1e-14 "2 0 0 0" project rank-ball:1 --shape 2,2 -- 2 0 0 1
expect_near 1e-10 "0.7071067811865476 0.7071067811865476" project lp-ball:1,2 -- 3 3

expect_json 'd["verb"] == "project" and d["entry"] == "l2-ball" and d["shape"] == [2] and
    d["parameters"] == {"radius": 1} and abs(d["distance"] - 4) < 1e-14 and
    0 <= d["excess"] < 1e-15' project l2-ball:1 --json -- 3 4
expect_json 'd["shape"] == [2, 2] and d["excess"] < 1e-14' project spectrahedron:1 --json -- 9 1 1 0
expect_json 'd["parameters"] == {"a": [3, 1, 2]}' project permutahedron:3,1,2 --json -- 0 1 2
expect_json 'd["distance"] == 0 and d["x"] == [0, 0]' project l2-ball:1 --json -- 0 -0

expect_exit 64 "linear oracle" project birkhoff -- 1 2 3 4
expect_exit 64 "linear oracle" project k-support:1,2 -- 1 2 3 4
expect_exit 65 "--shape" project nuclear-ball:1 -- 1 2 3 4
expect_exit 65 "3 entries" project permutahedron:1,2 -- 1 2 3
expect_exit 65 . project spectrahedron:1 --shape 2,3 -- 1 2 3 4 5 6
expect_exit 65 "--shape" project spectrahedron:1 -- 1 2 3
expect_exit 65 "3 entries" project half-space:1,1,2 -- 1 2 3
expect_exit 64 "all entries of a are 0" project hyperplane:1,0,0 -- 1 2
expect_exit 64 "between 0 and 2 on the box, so it is never b = 3" project box-hyperplane:0,1,3,1,1 -- 1 2
expect_exit 65 "--shape" project psd -- 1 2 3
expect_exit 64 "integer" project l0-ball:1.5 -- 1 2
expect_exit 64 "radius = -1" project l2-ball:-1 -- 1
expect_exit 64 "affine" project affine -- 1
expect_exit 64 "--step" project l2-ball:1 --step 1 -- 1
finish
