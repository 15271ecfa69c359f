# limits: --max-seconds and SIGINT at random times of every verb: the program ends soon after, with exit 2
# or 130, the best so far in a whole folder, and seconds by phases that add up. 1e7 entries: make limits.
source "$(dirname "$0")/common.bash"
crease=$CREASE
case $("$crease" version 2>/dev/null; nm -C "$crease" 2>/dev/null | grep -m1 __asan_init) in
*asan*) late=6 ;;
*) late=3 ;; # shared machines are slow at times
esac
cd "$scratch" || exit 1
$python "$support/limits.py" "$crease" --entries 4e4 --trials 1 --longest 0.6 --late $late --work "$scratch/work"
judge $? "a command ended late, or without what it should leave"

# A second signal ends the program at once. Two of a kind may arrive as one, so they differ.
"$CREASE" generate cp --shape 60,60,60 --rank 3 --noise 0.1 --out g >/dev/null
"$CREASE" rpca g/tensor.npy --rank 30 --starts 1000 --quiet --out twice >/dev/null 2>&1 &
child=$!
sleep 0.5
kill -s INT $child
kill -s TERM $child 2>/dev/null
wait $child
code=$?
[ $code -eq 130 ] || [ $code -eq 143 ]
judge $? "two signals: exit $code"

# No time at all: the first point, certified as what it is, or a sentence where there is nothing yet.
for command in "rpca g/tensor.npy --rank 3 --quiet" "rpca g/tensor.npy --quiet" \
    "rpca g/tensor.npy --model tucker --rank 2 --quiet" "spca g/tensor.npy"; do
    run "$CREASE" $command --max-seconds 0 --out none --force
    [ $code -eq 2 ] && [ -s none/result.json ]
    judge $? "$command --max-seconds 0: exit $code, $err"
    run "$CREASE" verify none
    [[ $code -le 2 ]]
    judge $? "$command --max-seconds 0: verify: exit $code, $out $err"
done
expect_exit 2 "did not end before" generate cp --shape 60,60,60 --rank 3 --max-seconds 0 --out nothing
[ ! -e nothing ]
judge $? "a folder of nothing"
"$CREASE" rpca g/tensor.npy --rank 3 --quiet --out good >/dev/null
run "$CREASE" verify good --max-seconds 0
[ $code -eq 2 ] && [[ $out == UNFINISHED* ]]
judge $? "verify --max-seconds 0: exit $code, $out $err"
run "$CREASE" verify good
[ $code -eq 0 ]
judge $? "verify: exit $code, $out $err"
finish
