# help: versions, help pages, examples that work as pasted, and the self-test
source "$(dirname "$0")/common.bash"

version=$(sed -n 's/^project(crease VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
expect_out "crease $version" --version
expect_out "crease $version" version
for word in help --help -h; do
    run "$CREASE" $word
    [ $code -eq 0 ] && [[ $out == *"crease prox"* ]] && [ -z "$err" ]
    judge $? "crease $word"
done

[ "$("$CREASE" help | awk 'length > 100')" = "" ]
judge $? "the overview is narrow"
for verb in $("$CREASE" help | awk '$1 == "crease" && !/:/ {print $2}'); do
    run "$CREASE" help "$verb"
    [ $code -eq 0 ] && [ "$(awk 'length > 100' <<<"$out")" = "" ]
    judge $? "help $verb is narrow: $(awk 'length > 100' <<<"$out")"
done
for pair in rpca:1 spca:1 solve:0; do
    "$CREASE" help "${pair%:*}" --all | grep -A1 -e '--relative' | tr -s ' \n' ' ' | grep -q "(default ${pair#*:})"
    judge $? "help ${pair%:*} tells the default of --relative"
done

# A page names every option the verb takes; its example runs.
PATH="$(dirname "$CREASE"):$PATH"
for verb in list prox project lmo selftest version help; do
    run "$CREASE" help $verb
    page=$out
    [ $code -eq 0 ] && [ "$(awk 'length > 100' <<<"$page")" = "" ]
    judge $? "help $verb"
    expect_out "$page" $verb --help
    example=$(sed -n '/^Example$/{n;p;}' <<<"$page")
    run bash -c "$example"
    [ $code -eq 0 ] && [ -n "$out" ] && [ -z "$err" ]
    judge $? "example: $example"
done
expect_out "$("$CREASE" help prox)" prox l1:1 -h --step 1

# The same as data: every verb of verbs.def, its options in four groups, kinds where there are some.
verbs=$(sed -n 's/^VERB(\(.*\))/\1/p' src/cli/verbs.def)
expect_json "[v['name'] for v in d['verbs']] == '''$verbs'''.split()" help --json
expect_json 'all(o["text"] and o["group"] in ("common", "model", "method", "output") for v in d["verbs"]
    for o in v["options"])' help --json
expect_json 'd["verbs"][0]["name"] == "rpca" and {o["name"]: o["kinds"] for o in
    d["verbs"][0]["options"]}["--eta"] == ["--model matrix", "--model matrix with --eta"]' \
    help rpca --json
expect_json 'all(("words" in o) == bool(o.get("words")) and ("low" in o) == ("number" in o["kind"] and
    o["kind"] != "numbers") and (o["kind"] == "flag") == (o["values"] == "")
    for v in d["verbs"] for o in v["options"])' help --json
for group in Model Method Common Output; do
    [ "$("$CREASE" help rpca --all | grep -c "^$group options$")" -eq 1 ]
    judge $? "help rpca has no group $group"
done

# A page shows the common options, a dozen or so, and says how many more --all shows.
for verb in $verbs; do
    "$CREASE" help $verb --json > "$scratch/page.json"
    "$CREASE" help $verb > "$scratch/page"
    "$CREASE" help $verb --all > "$scratch/page.all"
    $python - "$scratch" <<'EOF'
import json, re, sys
options = json.load(open(sys.argv[1] + "/page.json"))["verbs"][0]["options"]
shown, every = ([l.split()[0] for l in open(sys.argv[1] + "/" + f) if re.match("  --", l)]
                for f in ("page", "page.all"))
common = [o["name"] for o in options if o["group"] == "common"]
assert sorted(every) == sorted(o["name"] for o in options), every
assert len(common) <= 14, common
if len(options) > 14:
    assert shown == common, shown
    assert f"shows {len(options) - len(common)} more" in open(sys.argv[1] + "/page").read()
else:
    assert shown == every, shown
EOF
    judge $? "help $verb shows the common options, with --all the rest"
done
expect_exit 64 "did you mean 'prox'" help pros --json

# The formats: every line of list.def, as text, as a table and as data.
count=$(grep -c '^FORMAT(' src/io/formats/list.def)
expect_json "len(d['formats']) == $count and all(f['name'] and f['text'] and f['endings'] for f in d['formats'])" \
    help formats --json
for format in $("$CREASE" help formats --json | $python -c 'import json, sys
for f in json.load(sys.stdin)["formats"]: print(f["name"])'); do
    "$CREASE" help formats | grep -q "^  $format " && "$CREASE" help formats --markdown | grep -q "^| .$format. |"
    judge $? "help formats does not name $format"
done
[ "$("$CREASE" help formats | awk 'length > 100')" = "" ]
judge $? "help formats is too wide"
expect_exit 64 "for crease help formats" help prox --markdown

# The manual pages, where scdoc is: no warnings, every option named.
for verb in "" $verbs; do
    command -v scdoc >/dev/null && command -v man >/dev/null || { echo "skipped: no scdoc or no man"; break; }
    "$CREASE" help $verb --scdoc >"$scratch/page.scd" && cat docs/man/tail.scd >>"$scratch/page.scd" &&
        scdoc <"$scratch/page.scd" >"$scratch/page.1" &&
        MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l "$scratch/page.1" >"$scratch/page" 2>"$scratch/err" &&
        [ ! -s "$scratch/err" ] && grep -q '^EXIT STATUS' "$scratch/page" &&
        [ -z "$("$CREASE" help $verb --all | sed -n 's/^  \(--[a-z-]*\) .*/\1/p' |
            while read -r name; do grep -q -e "^ *$name\( \|\$\)" "$scratch/page" || echo "$name"; done)" ]
    judge $? "man crease${verb:+-$verb}: $(cat "$scratch/err")"
done

expect_json 'd["trials"] == 2 and d["seed"] == 5 and len(d["entries"]) > 0 and
    all(e["passed"] and e["checks"] for e in d["entries"])' selftest sets --trials 2 --seed 5 --json
run "$CREASE" selftest maps --trials 2
[ $code -eq 0 ] && ! grep -q FAILED <<<"$out" && grep -q ' ok$' <<<"$out"
judge $? "selftest maps"
expect_exit 64 "did you mean 'sets'" selftest set
finish
