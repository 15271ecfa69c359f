# rpca_slabs: Tucker models and matrices of several slabs: the same bytes in memory and streamed, checked from the factors
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - <<'END'
import numpy as np
def save(name, shape, ranks, holes):
    r = np.random.RandomState(len(shape))
    T = r.randn(*ranks)
    for n, (rows, rank) in enumerate(zip(shape, ranks)):
        T = np.moveaxis(np.tensordot(r.randn(rows, rank), T, (1, n)), 0, n)
    T = np.ascontiguousarray(T)
    T += 0.1 * r.standard_normal(shape)
    T.flat[r.randint(0, T.size, T.size // 50)] += 30
    if holes: T.flat[r.randint(0, T.size, T.size // 50)] = np.nan
    np.save(name, T)
save("tucker.npy", (162, 161, 162), (2, 3, 2), True)
save("matrix.npy", (21000, 200), (2, 2), False)
save("small.npy", (20, 16, 17), (2, 3, 2), False)
END

# peak COMMAND...: as run, and the most memory that it had, in kB, in $peak.
peak() {
    run $python -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)' peak "$@"
    peak=$(cat peak)
}
least() { # least ARGUMENT...: the megabytes that streaming takes at least, and one more
    run "$CREASE" rpca "$@" --memory 1M --out none
    least=$(($(sed -n 's/.*takes at least \([0-9]*\)[.0-9]* MB, slab by slab.*/\1/p' <<<"$err") + 1))
}
numbers() { grep -E '"(objective|residual|scale|rounding|worst|worst_relative|smallest_eps|hash|passes|noise)"' "$1/result.json"; }
same() { # same FOLDER FOLDER: every array, and what result.json says of the fit
    local file
    for file in "$1"/*.npy; do cmp "$file" "$2/${file##*/}" || return 1; done
    diff <(numbers "$1") <(numbers "$2")
}

# slabs NAME ARGUMENT...: in memory and streamed, with one to three threads
slabs() {
    local name=$1 threads
    shift
    for threads in 1 3; do
        run "$CREASE" rpca "$@" --threads $threads --quiet --out "$name$threads"
        [ $code -eq 0 ] && [[ $out == *"confirmed by the independent checker"* ]]
        judge $? "$name, $threads threads: exit $code, $out $err"
    done
    same "${name}1" "${name}3"
    judge $? "$name: threads make a difference"
    least "$@" --threads 2
    peak "$CREASE" rpca "$@" --threads 2 --memory "${least}M" --quiet --out "${name}_streamed"
    judge $code "$name, --memory ${least}M: $out $err"
    [ "$peak" -le $((least * 1100)) ]
    judge $? "$name: $peak kB where --memory allows $least MB"
    same "${name}1" "${name}_streamed"
    judge $? "$name: in memory and streamed differ"
    peak "$CREASE" verify "${name}_streamed" --memory "${least}M"
    [ $code -eq 0 ] && [[ $out == VALID*"derived: Z, B"* ]] && [ "$peak" -le $((least * 1100)) ]
    judge $? "verify $name: exit $code, $peak kB, $out $err"
}
slabs tucker tucker.npy --model tucker --rank 2,3,2 --missing nan
slabs matrix matrix.npy --model matrix --rank 2
[ ! -e tucker1/problem.json ] && [ ! -e tucker1/lowrank.npy ] && [ -e tucker1/sparse_entries.npy ] && [ -e matrix1/core.npy ]
judge $? "the files of large data"

# By definition: E is the prox of what is left, Z its share, and the gradients have the norms that the checker says.
run "$CREASE" verify tucker1 --json
$python - "$out" <<'END'
import json, sys
import numpy as np
said, s = json.loads(sys.argv[1]), json.load(open("tucker1/result.json"))["settings"]
T, C = np.load("tucker.npy"), np.load("tucker1/core.npy")
X = [np.load(f"tucker1/factor_{n}.npy") for n in (1, 2, 3)]
M = np.einsum("abc,ia,jb,kc->ijk", C, *X, optimize=True)
E = np.zeros(T.size); pairs = np.load("tucker1/sparse_entries.npy"); E[pairs[:, 0].astype(int)] = pairs[:, 1]
E, seen = E.reshape(T.shape), ~np.isnan(T)
c = s["alpha_noise"] / (1 + s["alpha_noise"])
bound = s["alpha"] * float(s["penalty"].split(":")[1]) / (2 * c)
rest = np.where(seen, T - M, 0)
assert np.abs(E - np.sign(rest) * np.maximum(np.abs(rest) - bound, 0)).max() < 1e-12
D = -2 * c * (rest - E)
g = [np.einsum("ijk,abc,jb,kc->ia", D, C, X[1], X[2], optimize=True), np.einsum("ijk,abc,ia,kc->jb", D, C, X[0], X[2], optimize=True),
     np.einsum("ijk,abc,ia,jb->kc", D, C, X[0], X[1], optimize=True), np.einsum("ijk,ia,jb,kc->abc", D, *X, optimize=True)]
for x, found in zip(g, said["blocks"]):
    assert -1e-9 <= found - np.linalg.norm(x) <= 1e-4 * found, (np.linalg.norm(x), found) # it adds its rounding
END
judge $? "the definitions: $out"

# Any number changed in any file is found by the numbers alone, and so are other data.
spoil() { # spoil FOLDER FILE
    rm -rf spoiled && cp -r "$1" spoiled
    $python -c "
import numpy as np
x = np.load('spoiled/$2.npy'); x.flat[x.size // 2 | 1] *= 1.001; np.save('spoiled/$2.npy', x)"
    reseal spoiled
    run "$CREASE" verify spoiled
    [ $code -eq 1 ] && [[ $out == INVALID*"block"* ]]
    judge $? "$1, another $2: exit $code, $out $err"
}
for file in factor_1 factor_3 core sparse_entries; do spoil tucker1 $file; done
for file in factor_1 core; do spoil matrix1 $file; done
$python -c '
import numpy as np
t = np.load("matrix.npy", mmap_mode="r+"); t[20999, 7] += 1e-9'
run "$CREASE" verify matrix1
[ $code -eq 1 ] && [[ $out == *"the data changed since"* ]]
judge $? "other data: exit $code, $out"
cp -r tucker1 cut && $python -c '
import numpy as np
np.save("cut/core.npy", np.load("cut/core.npy")[:, :2])'
reseal cut
expect_exit 65 "the factors and core do not suit the data and rank" verify cut

# Settings of cp in its certificate are no claim about this model.
for setting in '"ridge"] = 1' '"nonneg"] = True' '"groups"] = "fibres:0"'; do
    rm -rf cut && cp -r tucker1 cut && $python -c "
import json
c = json.load(open('cut/certificate.json'))
c['settings'][$setting
json.dump(c, open('cut/certificate.json', 'w'))"
    reseal cut
    expect_exit 65 "which a Tucker model has not" verify cut
done

# The other verbs take such a folder; a limit ends a run with what there is, and it goes on from a checkpoint.
run "$CREASE" report tucker1 --out page.html --quiet
[ $code -eq 0 ] && [ -s page.html ]
judge $? "a page: $err"
run "$CREASE" rpca tucker.npy --model tucker --rank 2,3,2 --missing nan --quiet --max-seconds 1e-3 --out short
[ $code -ne 0 ] && [[ $out$err == *"time limit"* && $err != *"memory"* ]]
judge $? "no time: exit $code, $out $err"

# A single slab has all parts unless --write lists some; another method makes it a problem.
run "$CREASE" rpca small.npy --model tucker --rank 2,3,2 --quiet --out small
judge $code "small: $err"
run "$CREASE" rpca small.npy --model tucker --rank 2,3,2 --method admm-m --quiet --out problem
judge $code "small, as a problem: $err"
for parts in factors lowrank,z all; do
    run "$CREASE" rpca small.npy --model tucker --rank 2,3,2 --write $parts --quiet --out "small_$parts"
    judge $code "small, --write $parts: $err"
    cmp small/factor_2.npy "small_$parts/factor_2.npy" && cmp small/core.npy "small_$parts/core.npy"
    judge $? "small, --write $parts: other factors"
    run "$CREASE" verify "small_$parts"
    [ $code -eq 0 ] && [[ $out == VALID* ]] && case $parts in factors) [[ $out == *derived* ]] ;; *) [[ $out != *derived* ]] ;; esac
    judge $? "verify small, --write $parts: $out $err"
done
[ -e problem/problem.json ] && [ ! -e small/problem.json ] && cmp small/z.npy small_all/z.npy && [ -e small_all/noise.npy ] && [ ! -e small_factors/z.npy ]
judge $? "the files of --write"
for file in lowrank z noise core sparse; do
    rm -rf spoiled && cp -r small_all spoiled
    $python -c "
import numpy as np
x = np.load('spoiled/$file.npy'); x.flat[7] += 1e-3; np.save('spoiled/$file.npy', x)"
    reseal spoiled
    run "$CREASE" verify spoiled
    [ $code -eq 1 ] && [[ $out == INVALID* ]]
    judge $? "small, another $file: exit $code, $out"
done

# What needs all data says so.
tucker="rpca tucker.npy --model tucker --missing nan --memory 70M --out x"
expect_exit 71 "without ranks, which are chosen from all of the data, the data must be in memory.*--rank" $tucker
expect_exit 71 "with --mask the data must be in memory.*--missing nan" $tucker --rank 2 --mask m.npy
expect_exit 71 "with --merge the data must be in memory" $tucker --rank 2 --merge 0,1
expect_exit 71 "with --method the data must be in memory.*--method auto" $tucker --rank 2 --method admm-m
expect_exit 71 "takes at least .* slab by slab" rpca tucker.npy --model tucker --missing nan --rank 2 --memory 1M --out x
expect_exit 71 "with --model pcp the data must be in memory.*--ridge" rpca matrix.npy --model pcp --memory 70M --out x
expect_exit 71 "with --eta the data must be in memory" rpca matrix.npy --model matrix --rank 2 --eta 1 --memory 70M --out x
expect_exit 64 "with --method the folder holds a problem.* leave out --write" \
    rpca small.npy --model tucker --rank 2 --method admm-m --write all --out x
run "$CREASE" rpca small.npy --model tucker --write lowrank --quiet --out chosen
[ $code -eq 0 ] && [ -e chosen/lowrank.npy ] && [ ! -e chosen/z.npy ]
judge $? "--write with ranks that are chosen: exit $code, $err"
expect_exit 64 "--rank 999: give" rpca tucker.npy --model tucker --rank 999 --out x
expect_exit 64 "--memory is for results of regress, and of rpca without a problem.json" verify problem --memory 1G
finish
