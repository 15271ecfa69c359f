# Every external symbol carries a prefix; the shared library shows only crease_; the library
# calls nothing that prints, exits, reads the environment or touches signals and locale.
set -u
passed=0 failed=0
report() {
  if [ -z "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$2: $1"; fi
}
report "$(nm -g --defined-only "$BUILD/src/libcrease.a" | awk 'NF == 3 && $3 !~ /^(crease|crs)_/ && $3 !~ /^_?_(asan|odr|ubsan|gcov)/ {print $3}')" \
       "external symbols without a prefix"
report "$(nm -D --defined-only "$BUILD/src/libcrease.so" | awk '$3 !~ /^crease_/ && $3 !~ /^_?_(asan|odr|ubsan|gcov)|^(_init|_fini|_edata|_end|__bss_start)$|^mangle_path$/ {print $3}')" \
       "exported symbols that are not crease_"
report "$(nm -u "$BUILD/src/libcrease.a" | awk '{print $2}' | sort -u | grep -xE 'exit|_exit|abort|printf|fprintf|puts|putchar|rand|srand|random|signal|sigaction|setlocale|getenv|setenv|time')" \
       "calls a library must not make"
report "$(objdump -t "$BUILD/src/libcrease.a" | awk '$0 ~ /[ \t]\.(data|bss|tdata|tbss)/ && $0 !~ /\.data\.rel\.ro/ && $NF !~ /^\.|asan|ubsan|odr|gcov|^\.L|^[*]/ && $(NF-1) != "0000000000000000" {print $NF}')" \
       "writable static data"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
