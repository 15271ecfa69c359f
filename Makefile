# The project's commands. Everything is built in build/<preset> by CMake and Ninja.
.PHONY: docs deb wheel help demo test kills build install clean format tidy analyze trace coverage catalogue schema methods bench bench-parts bench-build bench-rpca bench-report bench-engine bench-python bench-overhead study-build paper beyond slabs ranks limits python-campaign
.DEFAULT_GOAL := help

help:
	@sed -n 's/^## //p' Makefile

## make demo      install what is missing, build, take fluorescence data apart (results in build/demo)
## make test      install what is missing, build, run all tests, most of them also under sanitizers
## make build     build only (build/release/src/crease is the program, build/release/python has the Python package)
## make install   install to PREFIX (default /usr/local)
## make tidy      check format (clang-format) and code (clang-tidy)
## make analyze   Clang's static analyzer: slow, and its findings want to be judged
## make trace     how many source files crease rpca, solve and regress run through
## make coverage  statement and branch coverage of the tests (needs gcovr)
## make bench     whole jobs beside peers, kernels beside the machine's limit, growth: build/bench/report.md (half an hour);
##                BENCH="--page ../docs/performance.md" makes the page of the documentation of it
## make bench-parts  measure the engine, the check, sparse PCA and regression by themselves
## make bench-rpca  robust PCA against NumPy and Octave, in turns
## make bench-report  sizes of the pages of reports, and how long they take to write and to draw
## make bench-engine  32 kinds of problem against OLD=program and rivals: study/results/engine.md
## make bench-overhead  what a call from Python costs over the same in C
## make bench-python  documented examples of TensorLy, PyProximal, skglm, scikit-learn and CVXPY: study/results/python.md
## make paper     repeat the paper's tables in full and write study/results/tables.md (many minutes)
## make beyond    measure our defaults on the paper's and on hard instances: study/results/beyond.md (half an hour)
## make fuzz      libFuzzer on every parser of our own, FUZZ_SECONDS (60) each
## make python-campaign  Ctrl-C at random times of every function of the Python package, 1e6 entries (half an hour)
## make slabs     the paper's instances beyond one slab: study/results/slabs.md (an hour)
## make limits    --max-seconds and SIGINT at random times, 1e7 entries: how late every verb ends (half an hour)
## make kills     SIGKILL and SIGINT at 400 random times over all verbs: resumed runs end in the same bits (ten minutes)
## make ranks     measure the automatic rank: study/results/ranks.md (ten minutes)
## make catalogue write the tables of docs/catalogue.md
## make methods   write the table and the examples of docs/methods.md
## make schema    write docs/problem.schema.json from the catalogue
## make docs      build the documentation as web pages (build/docs/html)
## make deb       make Debian packages (build/deb); scripts/make-deb test also tries them in a fresh Debian
## make wheel     make a wheel for pip with all it needs inside (build/wheel); scripts/make-wheel test also tries it
## make clean     remove build/

demo: build
	@bash scripts/demo build/release/src/crease build/demo

# Needs a C compiler, CMake, BLAS, LAPACKE and jansson; what else is found is used, and what is not is told.
# Ninja shows where it is on a terminal, and nothing else elsewhere.
generator := $(if $(shell command -v ninja),Ninja,Unix Makefiles)
build: build/release/CMakeCache.txt
	@if [ -f build/release/build.ninja ]; then \
	  if [ -t 1 ]; then quiet=; else quiet=--quiet; fi; \
	  ninja -C build/release $$quiet crease_program crease_static crease_shared crease_pages crease_python; \
	else \
	  $(MAKE) -C build/release --no-print-directory -j2 crease_program crease_static crease_shared crease_pages crease_python; \
	fi

build/release/CMakeCache.txt: CMakeLists.txt scripts/install-dependencies
	@scripts/install-dependencies build
	@cmake -S . -B build/release -G '$(generator)' -DCMAKE_BUILD_TYPE=Release | grep -- '-- without' || true
	@test -f $@ || cmake -S . -B build/release -G '$(generator)' -DCMAKE_BUILD_TYPE=Release
	@touch $@

# Every test runs once at least: injected faults under sanitizers alone, tests/plain-only in the plain
# build alone, the others in both.
test: build/release/.tests build/asan/.tests build/clang/.tests
	@ninja -C build/release --quiet
	@ninja -C build/asan --quiet
	@ninja -C build/clang --quiet
	ctest --test-dir build/asan --output-on-failure --no-tests=error -j2 -E "$$(grep '^^' tests/plain-only | paste -sd '|')"
	ctest --test-dir build/release --output-on-failure --no-tests=error -j2 -LE fault

# With the tests; a folder that make build has made with another generator is made anew.
build/%/.tests: CMakeLists.txt CMakePresets.json scripts/install-dependencies
	@scripts/install-dependencies test
	@test -f build/$*/build.ninja || rm -f build/$*/CMakeCache.txt
	@cmake --preset $* >build-$*.log 2>&1 || { cat build-$*.log; rm -f build-$*.log; exit 1; }
	@rm -f build-$*.log
	@touch $@

limits: build
	@/usr/bin/python3 tests/support/limits.py build/release/src/crease --entries 1e7 --trials 3 --longest 20

python-campaign: build
	@PYTHONPATH=build/release/python OMP_WAIT_POLICY=passive /usr/bin/python3 python/tests/interrupts.py \
	  --entries 1e6 --trials 20 --longest 10

# What a fuzzer finds stays in build/fuzz as crash-*; the corpus grows in build/fuzz/corpus.
FUZZ_SECONDS ?= 60
FUZZ_FORMATS = npy npz csv mtx tns nifti door
fuzz:
	@scripts/install-dependencies
	@cmake --preset release -B build/fuzz -DCREASE_FUZZ=ON -DCREASE_TESTS=OFF -DCREASE_STUDY=OFF \
	  -DCMAKE_C_COMPILER=clang >/dev/null
	@ninja -C build/fuzz --quiet $(FUZZ_FORMATS:%=fuzz_%)
	@/usr/bin/python3 tests/fuzz/seeds.py build/fuzz/corpus
	@cd build/fuzz && for format in $(FUZZ_FORMATS); do echo "fuzzing $$format"; \
	  tests/fuzz/fuzz_$$format -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
	    -print_final_stats=1 corpus/$$format 2>fuzz-$$format.log || { tail -20 fuzz-$$format.log; exit 1; }; \
	  grep -E 'number_of_executed_units' fuzz-$$format.log; done
kills: build
	@rm -rf build/kills && mkdir -p build/kills
	@cd build/kills && /usr/bin/python3 ../../tests/support/kill.py ../release/src/crease 400 1

PREFIX ?= /usr/local
install: build
	@cmake -DCMAKE_INSTALL_PREFIX=$(PREFIX) build/release >/dev/null
	@cmake --install build/release
	@cmake --install build/release --component python
	@cmake --install build/release --component python_sources

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

tidy: build/release/.tests
	@scripts/install-dependencies tidy
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
	@git ls-files 'src/*.c' 'study/*.c' | xargs -P2 -n20 clang-tidy -p build/release --quiet 2>build/tidy.log

analyze: build/release/.tests
	@scripts/install-dependencies tidy
	@git ls-files 'src/*.c' 'study/*.c' | xargs -P2 -n8 clang-tidy -p build/release --quiet \
	  --checks='-*,clang-analyzer-*,-clang-analyzer-valist.Uninitialized,-clang-analyzer-security.insecureAPI.*'

trace: build/release/.tests
	@scripts/trace-files

coverage: build/coverage/.tests
	@ninja -C build/coverage --quiet
	@ctest --test-dir build/coverage --output-on-failure -j2
	@gcovr --root . --filter src/ build/coverage

bench-build:
	@scripts/install-dependencies test
	@cmake --preset release -B build/bench -DCREASE_BENCH=ON -DCREASE_TESTS=OFF -DCREASE_STUDY=OFF >/dev/null
	@ninja -C build/bench --quiet

# BENCH="--only PCP --turns 5" and the like: bench/page/__main__.py has the words.
bench: bench-build
	@cd bench && /usr/bin/python3 -m page --build ../build/bench --out ../build/bench $(BENCH)

bench-parts: bench-build
	@build/bench/bench/bench_engine
	@build/bench/bench/bench_verify
	@build/bench/bench/bench_spca
	@build/bench/bench/bench_regress

bench-report: build
	@/usr/bin/python3 bench/report/pages.py build/release/src/crease

bench-rpca: bench-build
	@bench/rpca build/bench/bench/bench_cp_fused

# AGAIN=new,old,rivals repeats what build/bench-engine/results.json has already; BENCH_PYTHON may have
# scikit-learn, cvxpy and condat_tv for more rivals.
BENCH_PYTHON ?= /usr/bin/python3
SIZES ?= 0,1
SEEDS ?= 0
AGAIN ?= new
bench-engine: build
	@bench/engine/run build/release/src/crease $(if $(OLD),--old $(OLD)) --rivals --python $(BENCH_PYTHON) \
	  --sizes $(SIZES) --seeds $(SEEDS) --again $(AGAIN)
	@bench/engine/table build/bench-engine/results.json --page study/results/engine.md

bench-overhead: bench-build
	@PYTHONPATH=build/bench/python bench/python/overhead build/bench/bench/bench_job

# The rivals come from PyPI into a virtual environment; those that cannot be had are named on the page.
RIVALS = tensorly skglm scikit-learn cvxpy pyproximal scikit-image
bench-python: build
	@scripts/install-dependencies wheel
	@test -x build/bench-python/bin/pip || /usr/bin/python3 -m venv build/bench-python
	@build/bench-python/bin/pip install --quiet --disable-pip-version-check numpy scipy cffi
	@for rival in $(RIVALS); do \
	  build/bench-python/bin/pip install --quiet --disable-pip-version-check $$rival || echo "without $$rival"; done
	@PYTHONPATH=build/release/python:bench/python build/bench-python/bin/python -m rivals \
	  --results build/bench-python/results.json --page study/results/python.md

study-build: build/release/.tests
	@ninja -C build/release --quiet crease_study

paper: study-build
	@study/results/paper-tables build/release/study/crease-study build/paper

ranks: study-build
	@study/results/rank-tables build/release/study/crease-study build/ranks

slabs: study-build
	@study/results/slab-tables build/release/study/crease-study

beyond: study-build bench-build
	@study/results/beyond-tables build/release/study/crease-study build/bench/bench/bench_solve build/beyond

docs: build
	@scripts/install-dependencies docs
	@scripts/make-docs build/release/src/crease build/docs

deb:
	@scripts/make-deb

wheel:
	@scripts/make-wheel

catalogue: build
	@scripts/catalogue-page build/release/src/crease

methods: build
	@scripts/methods-page build/release/src/crease

schema: build
	@scripts/problem-schema build/release/src/crease

clean:
	@rm -rf build
