# list: every entry is there, in all three forms
source "$(dirname "$0")/common.bash"

penalties="zero l1 elastic-net squared-l2 l0 scad mcp lsp capped-l1 l-half l-two-thirds lq huber"
regularizers="$penalties weighted-l1 nuclear rank tv1d"
for p in $penalties; do regularizers+=" group-$p spectral-$p"; done
sets="box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex k-sparse
    k-support nuclear-ball spectral-ball spectrahedron birkhoff permutahedron half-space hyperplane
    box-hyperplane soc capped-soc psd capped-psd column-balls row-balls l0-ball rank-ball"

for kind in regularizers sets; do
    run "$CREASE" list $kind
    for name in ${!kind}; do
        grep -Eq "(^|   )$name(:|   |$)" <<<"$out"
        judge $? "list $kind lacks $name"
    done
    expect_json "set('''${!kind}'''.split()) <= {e['name'] for e in d['entries']}" list $kind --json
done

# Names are unique within a kind, ranges and texts are complete, and every default is legal JSON.
expect_json 'len({(e["kind"], e["name"]) for e in d["entries"]}) == len(d["entries"])' list --json
expect_json '{e["kind"] for e in d["entries"]} == {"regularizer", "set", "map", "smooth"}' \
    list --json
expect_json 'all(e["formula"] and all(p["name"] and p["text"] and set(p) == {"name", "low", "high",
    "low_open", "high_open", "integer", "text"} for p in e["parameters"]) for e in d["entries"])' \
    list --json
expect_json 'all(set(e["traits"]) == {"convex", "lipschitz", "weak_convexity", "matrix", "groups"}
    and e["traits"]["lipschitz"] and e["traits"]["weak_convexity"] for e in d["entries"])' \
    list regularizers --json
expect_json '[(p["name"], p["low"], p["high"], p["low_open"], p["high_open"]) for e in d["entries"]
    if e["name"] == "scad" for p in e["parameters"]] ==
    [("lambda", 0, None, False, True), ("a", 2, None, True, True)]' list regularizers --json
expect_json '{e["name"] for e in d["entries"] if not e["traits"]["projection"]} >=
    {"birkhoff", "k-support"}' list sets --json
expect_json '{e["name"] for e in d["entries"] if e["traits"]["matrix"]} ==
    {"nuclear-ball", "spectral-ball", "spectrahedron", "birkhoff", "psd", "capped-psd",
    "column-balls", "row-balls", "rank-ball"}' list sets --json
expect_json '[e["vector_parameter"] for e in d["entries"] if e["name"] == "permutahedron"] ==
    ["a"]' \
    list sets --json

# For people: at most 100 columns. For the README: tables with equally many bars on every line.
for kind in "" regularizers sets maps smooth; do
    run "$CREASE" list $kind
    widest=$(awk '{ if (length > most) most = length } END { print most }' <<<"$out")
    [ $code -eq 0 ] && [ "$widest" -le 100 ]
    judge $? "list $kind: $widest columns"
    run "$CREASE" list $kind --markdown
    [ $code -eq 0 ] && [ -n "$out" ]
    judge $? "list $kind --markdown: exit $code"
    [ -n "$kind" ] || continue
    bars=$(sed 's/\\|//g; s/[^|]//g' <<<"$out" | sort -u | wc -l)
    [ "$bars" -eq 1 ]
    judge $? "list $kind --markdown: rows of unequal width"
done

expect_exit 64 "did you mean 'sets'" list set
expect_exit 64 "regularizers, sets, maps or smooth" list everything
expect_exit 64 "exclude each other" list --json --markdown
expect_exit 64 "unexpected argument .maps." list sets maps
finish
