# Extension is a file and a line: in a copy of the tree, one regularizer, one set, one map, one loss and one
# method are added as CONTRIBUTING.md says; the program that comes out lists them, tests them against their
# definitions and solves with them, and the independent checker, which has a row for each, finds the
# results VALID.
set -u
passed=0 failed=0
grep -qE '^CMAKE_C_FLAGS:.*(sanitize|coverage)' "$BUILD/CMakeCache.txt" && { echo "skipped: once is enough"; exit 0; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; grep -E "error|FAILED|wanted" "$work/log" || tail -n 20 "$work/log"
  fi
}
new=$PWD/tests/source/extension
mkdir -p "$work/tree/docs"
cp -r CMakeLists.txt cmake include src examples "$work/tree"
cp docs/problem.schema.json "$work/tree/docs"
cd "$work/tree" || exit 1

after() { # after FILE LINE TEXT: the text follows the one line of the file that contains this
  [ "$(grep -cF -- "$2" "$1")" -eq 1 ] || { echo "FAILED: $1 has not one line with: $2"; failed=$((failed + 1)); }
  awk -v line="$2" -v text="$3" '{ print } index($0, line) { print text }' "$1" >"$work/changed" && cp "$work/changed" "$1"
}

# A regularizer: file, line, prototype, the checker's row.
cp "$new/ridge_l1.c" src/reg
after src/reg/list.def 'PENALTY(l1,' 'PENALTY(ridge_l1, "ridge-l1")'
after include/crease/reg.h 'crease_reg crease_l1(' 'CREASE_API crease_reg crease_ridge_l1(double lambda, double s);'
after src/verify/regs.c 'static real l1(' 'static real ridge_l1(const double *p, real y) { return p[0] * (1 + y / p[1]); }'
after src/verify/regs.c 'static real l1_value(' 'static real ridge_l1_value(const double *p, real y) { return p[0] * (y + y * y / (2 * p[1])); }'
after src/verify/regs.c '{ "l1", l1_value, ' '    { "ridge-l1", ridge_l1_value, ridge_l1, NULL, false, false },'

# A set.
cp "$new/tube.c" src/set
after src/set/list.def 'SET(orthant)' 'SET(tube)'
after include/crease/set.h 'crease_set crease_orthant(' 'CREASE_API crease_set crease_tube(double height);'
after src/verify/sets.c 'if (strcmp(name, "nonneg") == 0)' \
  '    if (strcmp(name, "tube") == 0) return *box = (crs_box){ 0, c->par[0], 0, 0 }, true;'
after src/verify/sets.c '{ "nonneg", box_membership' '    { "tube", box_membership, box_support, box_diameter, false, true },'

# A map.
cp "$new/reversal.c" src/map
after src/map/list.def 'MAP(identity)' 'MAP(reversal)'
after include/crease/map.h 'crease_map crease_identity(' 'CREASE_API crease_map crease_reversal(double c);'
awk '/^static bool selection\(/ { print "static bool reversal(const product *p)\n{\n    const ptrdiff_t n = crease_size(p->dom);\n    for (ptrdiff_t j = 0; j < n; j++) entry(p, j, n - 1 - j, p->A->par[0]);\n    return true;\n}\n" } { print }' \
  src/verify/maps.c >"$work/changed" && cp "$work/changed" src/verify/maps.c
after src/verify/maps.c '{ "identity", identity },' '    { "reversal", reversal },'

# A loss.
cp "$new/pseudo_huber.c" src/smooth
after src/smooth/list.def 'LOSS(geman)' 'LOSS(pseudo_huber)'
after include/crease/smooth.h 'crease_smooth crease_geman(' 'CREASE_API crease_smooth crease_pseudo_huber(const crease_predictor *p);'
after src/verify/losses.c 'static num cauchy(' 'static num pseudo_huber(const double *p, real u) { return (void)p, rounded(u / hypotl(1, u)); }'
after src/verify/losses.c 'static real cauchy_value(' 'static real pseudo_huber_value(const double *p, real u) { return (void)p, hypotl(1, u) - 1; }'
after src/verify/losses.c 'static const loss losses[] = {' '    { "pseudo_huber", pseudo_huber, one, pseudo_huber_value, steep, RESIDUAL },'

# A method.
cp "$new/backward_bcd.c" src/method
after include/crease/options.h 'X(PROX_BCD, prox_bcd,' '    X(BACKWARD_BCD, backward_bcd, "backward-bcd", "proximal BCD from the last block to the first") \'

sed -i 's/set(kernel_flags -O3)/set(kernel_flags -O0)/' src/rpca/kernels/kernels.cmake # it need not be fast
check "configure" cmake -S . -B build -G Ninja -DCMAKE_C_COMPILER="${CC:-cc}" -DCMAKE_BUILD_TYPE=None \
  -DCREASE_TESTS=OFF -DCREASE_PYTHON=OFF -DCREASE_WERROR=ON
check "build" ninja -C build -k 0 crease_program
crease=$work/tree/build/src/crease
cd "$work" || exit 1

solves() { # solves NAME BLOCK_PARTS COUPLING OPTION...: solved and VALID
  local name=$1 parts=$2 coupling=$3
  shift 3
  echo '{"crease": 1, "blocks": [{"name": "x", "shape": 4'"$parts"'}, {"name": "y", "shape": 4}],
    "smooth": [{'"$coupling"'}, {"squared_distance": {"a": "y", "d": [1, -2, 3, 0.25]}}]}' >"$name.json"
  "$crease" solve "$name.json" --out "$name" --quiet "$@" && "$crease" verify "$name" | grep -q '^VALID'
}
terms='"terms": {"x": 1, "y": -1}, "rhs": [1, 2, -1, 0]'
listed() { "$crease" list "$1" | grep -q "$2"; }
for entry in ridge-l1 tube reversal pseudo_huber; do check "list $entry" sh -c "'$crease' list | grep -q '$entry'"; done
check "the self-test" "$crease" selftest
check "a regularizer" solves reg ', "regularizer": "ridge-l1:0.5,2"' "\"least_squares\": {$terms}"
check "a set" solves set ', "set": "tube:0.5"' "\"least_squares\": {$terms}"
check "a map" solves map '' "\"least_squares\": {${terms/\"x\": 1/\"x\": {\"reversal\": {\"c\": 2\}\}}}"
check "a loss" solves loss '' "\"pseudo_huber\": {$terms}"
check "a method" solves method ', "regularizer": "mcp:0.5,3"' "\"least_squares\": {$terms}" --method backward-bcd
check "all at once" solves all ', "regularizer": "ridge-l1:0.5,2", "set": "tube:0.5"' \
  "\"pseudo_huber\": {${terms/\"x\": 1/\"x\": {\"reversal\": {\"c\": 2\}\}}}" --method backward-bcd
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
