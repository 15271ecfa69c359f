# lmo: vertices, values and support; the pairs with a regularizer; unbounded sets
source "$(dirname "$0")/common.bash"

expect_out $'0\n2\n0' lmo l1-ball:2 -- 0.5 -3 1
expect_out $'-1\n1' lmo linf-ball:1 -- 2 -3
expect_near 1e-15 "-0.6 -0.8" lmo l2-ball:1 -- 3 4
expect_out $'0\n1\n0' lmo simplex:1 -- 3 1 2
expect_out $'0\n0' lmo full-simplex:1 -- 3 1
expect_out $'0\n1\n1' lmo capped-simplex:2 -- 3 -1 2
expect_out $'0\n1\n1\n0' lmo birkhoff -- 1 0 0 1
expect_out $'3\n1\n2' lmo permutahedron:1,2,3 -- -5 5 0
expect_near 1e-14 "-1 0 0 0" lmo nuclear-ball:1 --shape 2,2 -- 2 0 0 1
expect_near 1e-14 "-1 0 0 -1" lmo spectral-ball:1 --shape 2,2 -- 2 0 0 1
expect_near 1e-14 "0 0 0 1" lmo spectrahedron:1 -- 2 0 0 1

expect_out $'1\n0.5\n0' lmo box-hyperplane:0,1,1.5,1,1,1 -- 1 2 3
expect_near 1e-15 "-0.6 -0.8 1" lmo capped-soc:1 -- 3 4 2
expect_out $'0\n0\n0' lmo capped-soc:1 -- 3 4 6
expect_out $'0\n0\n0' lmo soc -- 3 4 6
expect_near 1e-14 "0 0 0 1" lmo capped-psd:1 -- 2 0 0 -1
expect_out $'0\n0\n0\n0' lmo capped-psd:1 -- 2 0 0 1
expect_near 1e-15 "-0.6 -1 -0.8 0" lmo column-balls:1 --shape 2,2 -- 3 2 4 0
expect_near 1e-15 "1 1" lmo hyperplane:2,1,1 -- 3 3

for set in l1-ball:2 l2-ball:2 linf-ball:2 lp-ball:2,3 simplex:2 full-simplex:2 capped-simplex:2 \
    k-sparse:2,2 k-support:2,2 permutahedron:4,1,2,3 birkhoff spectrahedron:2 box:-1,2 \
    box-hyperplane:-1,2,1,1,2,-1,3 capped-soc:2 capped-psd:2; do
    expect_json 'd["verb"] == "lmo" and len(d["x"]) == 4 and
        -1e-14 <= d["value"] + d["support"] <= 1e-12 and
        abs(d["value"] - sum(c * y for c, y in zip([1, -2, -2, 3], d["x"]))) < 1e-14' \
        lmo $set --json -- 1 -2 -2 3
done
expect_exit 65 "unbounded" lmo nonneg -- 1 -1
for set in half-space:1,1,2 hyperplane:1,1,2 soc l0-ball:1; do
    expect_exit 65 "unbounded" lmo $set -- 1 -1
done
expect_exit 65 "unbounded" lmo psd -- 1 2 2 1
expect_exit 65 "unbounded" lmo rank-ball:1 --shape 2,2 -- 1 2 2 1
expect_exit 65 "unbounded" lmo box:-inf,1 -- 1
expect_exit 64 "did you mean 'nuclear-ball'" lmo nuclear-bal:1 -- 1
expect_exit 64 "add --reg" lmo l2-ball:1 --weights 1 -- 1
expect_exit 64 "did you mean 'l1'" lmo linf-ball:1 --reg l11:1 -- 1

# <c,y> + lambda |y|_1 over |y_j| <= R: -R sign(c_j) where |c_j| > lambda, else 0
expect_out $'-2\n0\n2' lmo linf-ball:2 --reg l1:1 -- 3 0.5 -1.5
expect_json 'd["value"] == -5 and d["reg"] == "l1" and d["support"] is None' \
    lmo linf-ball:2 --reg l1:1 --json -- 3 0.5 -1.5
finish
