# completion: bash, zsh and fish complete verbs, options, values, files, and arrays in files
source "$(dirname "$0")/common.bash"
mkdir -p "$scratch/bin" "$scratch/here/folder"
ln -s "$(realpath "$CREASE")" "$scratch/bin/crease"
PATH=$scratch/bin:$PATH
cd "$scratch/here" || exit 1
touch data.npy other.npy
"$CREASE" generate cp --shape 4,5,6 --rank 1 --out folder/made >/dev/null

# What the program itself offers: each line is a word that begins as asked.
offered() { "$CREASE" completion candidates -- "$@" | cut -f1; }
expect_offer() { # WANTED (in this order, one blank between) WORD...
    local wanted=$1 got
    shift
    got=$(offered "$@" | tr '\n' ' ')
    [ "${got% }" = "$wanted" ]
    judge $? "candidates of '$*': wanted $wanted, got $got"
}
expect_offer "rpca" rp
expect_offer "verify version" ver
expect_offer "--model --mode" rpca x.npy --mod
expect_offer "cp tucker matrix pcp" rpca x.npy --model ""
expect_offer "--model=tucker" rpca x.npy --model=t
expect_offer "tucker" rpca x.npy --model = t
expect_offer "cp tucker matrix pcp" rpca x.npy --model =
expect_offer "auto envelope admm-g admm-m prox-bcd bcd extension" rpca x.npy --method ""
expect_offer "auto prox-bcd gcg" spca x.npy --method ""
expect_offer "mcp" rpca x.npy --penalty mc
expect_offer "simplex:" project simp
expect_offer ":files" rpca ""
expect_offer ":folders" verify ""
expect_offer ":folders" rpca x.npy --out ""
expect_offer "" prox l1:1 --step 1 -- ""
expect_offer "" rpca x.npy --eps ""
expect_offer "" frobnicate ""
[ "$(offered rpca x.npy --)" = "$(offered rpca x.npy -)" ]
judge $? "-- alone begins every option"

# Every verb, every option of every verb, and every word of every option is offered.
"$CREASE" help --json >"$scratch/help.json"
$python - "$CREASE" "$scratch/help.json" <<'PY'
import json, subprocess, sys
crease = sys.argv[1]
def offered(*words):
    text = subprocess.run([crease, "completion", "candidates", "--", *words], check=True,
                          capture_output=True, text=True).stdout
    return [line.split("\t")[0] for line in text.splitlines()]
verbs = json.load(open(sys.argv[2]))["verbs"]
assert offered("") == [v["name"] for v in verbs]
for v in verbs:
    names = [o["name"] for o in v["options"]]
    assert sorted(offered(v["name"], "-")) == sorted(names or ["--help"]), v["name"]
    for o in v["options"]:
        got = offered(v["name"], o["name"], "")
        if o["kind"] == "flag": continue
        assert [w for w in got if w[0] != ":"][:len(o.get("words", []))] == o.get("words", []), (v["name"], o, got)
        assert (":files" in got) == (o["kind"] in ("file", "numbers")), (v["name"], o, got)
        assert (":folders" in got) == (o["kind"] == "folder"), (v["name"], o, got)
    for given in names[:3]:
        assert given not in offered(v["name"], given, "-"), (v["name"], given)
PY
judge $? "what is offered is what the tables say"

expect_exit 64 "write bash, zsh or fish" completion tcsh
expect_exit 64 "unexpected argument 'x'" completion bash x
expect_exit 64 "words are missing" completion candidates

# Each shell by its own machinery: WANTED... among what it shows for a line.
in_bash() {
    bash --norc --noprofile -c '
        source <(crease completion bash)
        line=$1
        read -ra parts <<<"$line"
        [[ $line == *" " ]] && parts+=("")
        COMP_WORDS=() # as readline tears words apart
        for part in "${parts[@]}"; do
            while [[ $part == *[=:]* ]]; do
                head=${part%%[=:]*}
                [[ -n $head ]] && COMP_WORDS+=("$head")
                part=${part#"$head"}
                COMP_WORDS+=("${part:0:1}")
                part=${part:1}
                [[ -z $part ]] && continue 2
            done
            COMP_WORDS+=("$part")
        done
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _crease
        printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}
in_fish() { fish --no-config -c 'crease completion fish | source; complete -C "$argv[1]"' "$1" | cut -f1; }
cat >"$scratch/complete.zsh" <<'ZSH'
# An interactive zsh in a terminal of its own; what it is about to offer is printed as <word>.
zmodload zsh/zpty
setup='PROMPT=; RPROMPT=; autoload -U compinit; compinit -u -D
source <(crease completion zsh)
compadd() {
    if (( ${@[(I)-O]} || ${@[(I)-A]} || ${@[(I)-D]} )); then builtin compadd "$@"; return; fi
    local -a _all
    builtin compadd -O _all "$@"
    print -l -- "<"${^_all}">"
    builtin compadd "$@"
}
shown() { zle -I; print; print "END" "OF LIST"; }
zle -N shown; bindkey "^X^L" shown
print READY'
print -r -- "$setup" >$2
zpty z zsh -f -i
zpty -w z "source $2"
zpty -r z text '*READY*'
zpty -w -n z "$1"$'\t'$'\C-x\C-l'
zpty -r z text '*END OF LIST*'
print -r -- "$text"
zpty -d z
ZSH
in_zsh() {
    TERM=dumb timeout 20 zsh -f "$scratch/complete.zsh" "$1" "$scratch/setup.zsh" 2>/dev/null |
        tr '\r' '\n' | sed -n 's/^.*<\([^<>]*\)>$/\1/p'
}
expect_shell() { # SHELL LINE WANTED...: each is among what it offers
    local shell=$1 line=$2 got missing=
    shift 2
    if ! command -v "$shell" >/dev/null; then
        echo "skipped: $shell is not installed"
        return
    fi
    got=$("in_$shell" "$line")
    for word in "$@"; do grep -qxF -e "$word" <<<"$got" || missing+=" $word"; done
    [ -z "$missing" ]
    judge $? "$shell, '$line': missing$missing among $(tr '\n' ' ' <<<"$got")"
}
for shell in bash fish zsh; do
    expect_shell $shell "crease rp" rpca
    expect_shell $shell "crease rpca data.npy --mod" --model
    expect_shell $shell "crease rpca data.npy --model " cp tucker matrix pcp
    expect_shell $shell "crease rpca data.npy --penalty sca" scad
    expect_shell $shell "crease rpca " data.npy other.npy
done
expect_shell bash "crease rpca data.npy --model=t" tucker
expect_shell fish "crease rpca data.npy --model=t" --model=tucker
expect_shell bash "crease verify fol" folder
expect_shell fish "crease verify fol" folder/
for shell in bash fish; do
    command -v $shell >/dev/null || continue
    ! "in_$shell" "crease verify " | grep -q npy
    judge $? "$shell offers folders only, for a folder"
done
for shell in bash zsh fish; do
    command -v $shell >/dev/null || continue
    "$CREASE" completion $shell | $shell -n
    judge $? "$shell reads its script"
done
finish
