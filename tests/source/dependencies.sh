# Dependencies point one way: job -> cli -> {report, io, selftest, rpca, regress, spca, split} -> solve -> {theory, method,
# certify} -> problem -> {reg, set, map, smooth} -> {tensor, dense, transform} -> core; the checker, verify, stands on
# core alone, and study on the public headers, core and rpca. Only dense/ and tensor/ name BLAS or
# LAPACK; only core/alloc.c calls malloc.
set -u
passed=0 failed=0
report() { # report OFFENDERS RULE
  if [ -z "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$2: $1"; fi
}
rooms=" "
may_include() { # may_include FOLDER ALLOWED...: in files of any kind
  local folder=$1 pattern
  shift
  rooms+="$folder "
  pattern=$(printf '%s/|' "$folder" "$@")
  report "$(grep -nE '^ *# *include "' -r "src/$folder" | grep -vE "\"(${pattern%|})")" \
         "src/$folder may include only $folder $*"
}
catalogues="reg set map smooth"
may_include core
may_include dense core
may_include tensor core dense
may_include transform core
may_include slab core dense tensor
may_include map core dense transform
may_include reg core dense
may_include set core dense reg
may_include smooth core dense tensor map
may_include problem core dense tensor $catalogues
may_include method core dense tensor problem composite
may_include theory core dense tensor problem method composite presolve $catalogues
may_include certify core dense tensor problem $catalogues
may_include composite core dense problem certify $catalogues
may_include factor core dense problem composite $catalogues
may_include newton core dense problem composite $catalogues
may_include presolve core dense problem composite newton $catalogues
may_include solve core dense problem method theory certify composite presolve
may_include verify core
may_include rpca core dense tensor slab reg smooth solve
may_include regress core dense slab problem reg smooth certify solve
may_include spca core dense tensor reg smooth solve
may_include split core smooth
may_include io core dense tensor slab
may_include report core dense io
may_include selftest core dense $catalogues
may_include job core io cli
may_include mpi core slab rpca regress io cli
may_include cli core io slab report selftest solve rpca regress spca split
for room in src/*/; do
  room=$(basename "$room")
  [[ $rooms == *" $room "* ]] || report "src/$room" "every room has its line above"
done
report "$(grep -nE '^ *# *include "' -r study | grep -vE '"(study|core|rpca|io/formats)/')" \
       "study may include only the public headers, core, rpca and the readers of data files"
report "$(grep -nE '^ *# *include "(\.\./)*study/' -r src include examples bench)" "nothing includes study"
report "$(grep -nE '^ *# *include "' -r include)" "a public header includes public headers alone"

report "$(grep -lE '<(cblas|lapacke)\.h>' -r src | grep -vE '^src/(dense|tensor)/')" \
       "only dense/ and tensor/ name BLAS and LAPACK"
report "$(grep -lE '<(mpi|crease/mpi)\.h>' -r src | grep -vE '^src/mpi/')" "only mpi/ names MPI"
report "$(grep -lE '<fftw3\.h>' -r src | grep -vE '^src/transform/')" "only transform/ names FFTW"
report "$(grep -nE '\b(malloc|calloc|realloc|free)\(' -r src | grep -vE '^src/core/alloc.c|^src/cli/|json|crs_')" \
       "only core/alloc.c allocates"
report "$(grep -nE '\bf(max|min)f?\(' -r src include study)" "fmax and fmin swallow NaN"
report "$(grep -nE '#if 0|\b(TODO|FIXME|XXX)\b' -r src include examples study)" "unfinished marks"
for file in $(find src include examples study bench tests -name '*.[ch]' -o -name '*.inc'); do
  head -c 40 "$file" | grep -q 'SPDX-License-Identifier: MIT' || report "$file" "every file has its SPDX line"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
