# rpca --init and --starts: the start that is named is taken, and the report says which
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 8,9,10 --rank 2 --outliers 0.1 --magnitude 5 --seed 2 --out g >/dev/null

# began INIT NAME: one start, which has this name and no other.
began() {
    run "$CREASE" rpca --quiet g/tensor.npy --rank 2 --init "$1" --starts 1 --out "one-$2"
    [ $code -eq 0 ] &&
        [ "$($python -c 'import json, sys
r = json.load(open(sys.argv[1] + "/result.json"))
p = r["details"]["pilot"]
print(r["settings"]["init"], p["start"], p["starts"])' "one-$2")" = "$1 $2 1" ]
    judge $? "--init $1: exit $code, $out $err"
}
for start in random hosvd als gevd hosvd-clipped als-clipped gevd-clipped; do began $start $start; done
began g given
for a in one-*; do
    for b in one-*; do
        [ "$a" = "$b" ] || ! cmp -s "$a/lowrank.npy" "$b/lowrank.npy"
        judge $? "$a and $b are of the same start"
    done
done

# Random starts are of the seed, and further ones are random too.
run "$CREASE" rpca --quiet g/tensor.npy --rank 2 --init random --starts 1 --seed 5 --out seed
[ $code -eq 0 ] && ! cmp -s seed/lowrank.npy one-random/lowrank.npy
judge $? "two seeds, one start"
run "$CREASE" rpca --quiet g/tensor.npy --rank 2 --init random --starts 4 --out several
[ $code -eq 0 ] && [[ $out == *"4 starts; those that ended as low agree"* ]] &&
    grep -q '"start": "random"' several/result.json
judge $? "four random starts: exit $code, $out"
run "$CREASE" rpca --quiet g/tensor.npy --rank 2 --method admm-g --init random --out other
[ $code -eq 0 ] && grep -q '"init": "random"' other/result.json
judge $? "--method admm-g --init random: exit $code, $out"

# A signal while starts are compared: the best so far is written.
"$CREASE" generate cp --shape 40,40,40 --rank 5 --outliers 0.2 --magnitude 5 --out large >/dev/null
for pair in INT:130 TERM:143; do
    signal=${pair%:*} wanted=${pair#*:}
    "$CREASE" rpca --quiet large/tensor.npy --rank 5 --init random --starts 1000 --eps 1e-14 \
        --out "$signal" >signal.out 2>signal.err &
    child=$!
    sleep 1
    kill -s "$signal" $child
    wait $child
    code=$?
    [ "$code" -eq "$wanted" ] && $python -c '
import json, sys
r = json.load(open(sys.argv[1] + "/result.json"))
assert r["outcome"] == "stopped" and 0 < r["details"]["pilot"]["starts"] < 1000' "$signal"
    judge $? "SIG$signal: exit $code instead of $wanted, $(cat signal.out signal.err)"
done

expect_exit 66 "neither a folder .* nor a start" rpca g/tensor.npy --rank 2 --init gevdd --out x
expect_exit 66 "neither a folder .* nor a start" rpca g/tensor.npy --rank 2 --init random-clipped --out x
expect_exit 64 "3 starts" rpca g/tensor.npy --rank 2 --method admm-g --starts 3 --out x
expect_exit 64 "--starts is read by --model cp.*uses --model tucker" rpca g/tensor.npy --model tucker --starts 3 --out x
expect_exit 64 "starts 0 .*whole number from 1 to 1000" rpca g/tensor.npy --starts 0 --out x
finish
