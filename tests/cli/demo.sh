# demo: robust PCA recovers the compounds where least squares does not, over the rests of an earlier run
source "$(dirname "$0")/common.bash"
demo=$scratch/demo
mkdir -p "$demo"/{robust,least-squares,first,data}
touch "$demo"/{robust,least-squares,first}/{result.json,sparse.npy} "$demo/data/tensor.npy"
shown=$(bash scripts/demo "$CREASE" "$demo")
judge $? "the demo: $shown"
grep -q '^VALID' <<<"$shown"
judge $? "the verdict: $shown"
awk '/^error,/ { good = $4 > 0.1 && $5 < 0.02 }
     /^(concentrations|emission|excitation)/ { for (k = NF - 2; k <= NF; k++) low += !($k > 0.999) }
     END { exit !(good && low == 0) }' <<<"$shown"
judge $? "what was recovered: $shown"
[ -s "$demo/robust/lowrank.npy" ] && [ -s "$demo/robust/result.json" ]
judge $? "what was left: $(ls -R "$demo")"
finish
