# rpca_long: a long first mode whose rows are eliminated: the same bytes in memory, streamed and on several threads, confirmed,
# and no further from the truth than the envelope on all factors
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
"$CREASE" generate cp --shape 100001,6,7 --rank 5 --outliers 0.05 --seed 3 --out data --quiet >/dev/null || exit 1
fit() { # fit FOLDER ARGUMENT...
    run "$CREASE" rpca data/tensor.npy --rank 5 --truth data "${@:2}" --out "$1"
}
numbers() { grep -E '"(objective|residual|scale|rounding|worst|worst_relative|hash|passes|noise|lowrank)"' "$1/result.json"; }
same() { # same FOLDER FOLDER: every array, and what result.json says of the fit
    local file
    for file in "$1"/*.npy; do cmp "$file" "$2/${file##*/}" || return 1; done
    diff <(numbers "$1") <(numbers "$2")
}
error_of() { grep -A1 '"errors"' "$1/result.json" | sed -n 's/.*"lowrank": *\([0-9.e+-]*\).*/\1/p'; }
confirmed() { # confirmed FOLDER FOLDER TEXT: the run has ended well, and its folder is the first one's
    [ $code -eq 0 ] && same "$1" "$2"
    judge $? "$3: exit $code; $err"
}

fit one --threads 1 --verbose
judge $code "a long mode: exit $code; $err"
grep -q '^rows  *of mode 1 ' <<<"$out$err"
judge $? "the log says what is eliminated"
run "$CREASE" verify one
[[ $out == VALID* ]]
judge $? "the checker: $out $err"
fit two --threads 3
confirmed one two "3 threads"
run "$CREASE" rpca data/tensor.npy --rank 5 --memory 1M --out none
least=$(sed -n 's/.*takes at least \([0-9]*\).*/\1/p' <<<"$err")
fit stream --threads 1 --memory "$((least + 1))M"
confirmed one stream "streamed"
fit joint --threads 1 --method envelope
awk -v a="$(error_of one)" -v b="$(error_of joint)" 'BEGIN { exit !(a > 0 && a <= 1.02 * b) }'
judge $? "the truth is as near as by all factors: $(error_of one), $(error_of joint)"
finish
