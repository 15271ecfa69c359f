# The house keeps its shape: numbers that measure fragmentation may fall, not rise (lower a ceiling when
# its number has fallen). Read from the sources and, with nm, from the objects of this build.
set -u
passed=0 failed=0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
at_most() { # at_most CEILING WHAT FILE: as many lines of the file; they are shown when there are more
  local count
  count=$(wc -l <"$3")
  if [ "$count" -le "$1" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "$2: $count, at most $1"; sed 's/^/  /' "$3"
  fi
  printf '%-52s %4d of %d\n' "$2" "$count" "$1"
}

# Internal functions and tables: who defines one, which other files read it. The product is the library,
# its readers and writers, and the program. Tables of catalogues (methods, verbs, ops) have their list for
# a reader: one reader is too few for a function only.
find "$BUILD"/src/CMakeFiles/crease_{objects,parts,verbs,program}.dir -name '*.o' | while read -r object; do
  source=${object#*.dir/}
  [ -f "src/${source%.o}" ] && echo "$object" # not what an earlier build has left
done >"$work/objects"
nm -A $(cat "$work/objects") | sed -E 's|^[^ ]*\.dir/([^ ]*)\.o:|\1 |' | awk -v work="$work" '
  function folder(f) { sub("/[^/]*$", "", f); return f }
  $NF !~ /^crs_/ { next }
  $(NF - 1) ~ /^[TDRBV]$/ { home[$NF] = $1; kind[$NF] = $(NF - 1) }
  $(NF - 1) == "U" { readers[$NF]++; reader[$NF] = $1 }
  END {
    for (s in home)
      if (!readers[s]) print s, home[s] > (work "/unread")
      else if (kind[s] == "T" && readers[s] == 1 && folder(reader[s]) == folder(home[s]))
        print s, home[s], "<-", reader[s] > (work "/single")
  }'
touch "$work/single" "$work/unread"
sort -k2 -o "$work/single" "$work/single"
sort -k2 -o "$work/unread" "$work/unread"
at_most 448 "functions with one reader, in their own folder" "$work/single"
at_most 37 "exports that no other product file reads" "$work/unread"

# Files: all of src, and of a folder those that its list does not name.
find src -type f ! -name CMakeLists.txt ! -name '*.cmake' | sort >"$work/files"
at_most 560 "files in src" "$work/files"
for folder in $(sed 's|/[^/]*$||' "$work/files" | sort -u); do
  cat "$folder"/*.def 2>/dev/null | tr -c 'a-z0-9_' '\n' | sort -u >"$work/listed"
  grep -E "^$folder/[^/]*$" "$work/files" | while read -r file; do
    stem=${file##*/}
    grep -qx "${stem%%.*}" "$work/listed" || echo "$file"
  done >"$work/plain"
  at_most 27 "files of $folder outside its list" "$work/plain"
done

# One header for others: (room, header) pairs beyond the first that files of other rooms include.
grep -oE '^ *# *include "[^"]*/[^"]*\.h"' -r src | sed -E 's|/[^/]*: *# *include "| src/|; s|"$||' |
  awk '{ room = $2; sub("/[^/]*$", "", room); if (room != $1) print room, $2 }' | sort -u |
  awk '$1 == before { print } { before = $1 }' >"$work/doors"
at_most 12 "second headers that other rooms include" "$work/doors"
wc -l $(cat "$work/files") | awk '$1 > 600 && $2 != "total"' >"$work/long"
# What a checkpoint keeps of an engine stands beside the state it visits: six engines, and its own file, are longer for it; and
# what a format gives or takes a slab at a time beside what it gives or takes whole: three readers, the
# result's folder and the fit that runs over them are.
at_most 15 "files of more than 600 lines" "$work/long"

# One mechanism: a trait is asked, not the address of a table; a method is known in its folder alone.
grep -nE '(ops|penalty) *[!=]= *&crs_' -r src | grep -vE '^src/(reg|set|map|smooth|method)/' >"$work/tables"
at_most 21 "tables compared by address outside catalogues" "$work/tables"
grep -nE 'CREASE_METHOD_[A-Z]|"(gcg|admm-g|admm-m|extension|prox-bcd|bcd)"' -r src |
  grep -vE '^src/method/' >"$work/methods"
at_most 37 "method names outside src/method" "$work/methods"

# Functions: lines between their braces.
find src study -name '*.[ch]' -o -name '*.inc' | sort | xargs awk '
  FNR == 1 { open = 0 }
  /^\{$/ { open = FNR }
  /^\}/ && open { if (FNR - open - 1 > 40) print FILENAME ":" open, FNR - open - 1; open = 0 }' >"$work/functions"
at_most 0 "functions of more than 40 lines" "$work/functions"
find src study -name '*.c' -o -name '*.inc' | sort | xargs awk '
  FNR == 1 || /;$/ { head = "" }
  /^[a-z].*\(/ && !/;$/ && !/^(typedef|return)/ { head = " " }
  head != "" && !/^\{/ { head = head $0 }
  /^\{$/ && head != "" { if (gsub(",", ",", head) > 6) print FILENAME ":" FNR; head = "" }' >"$work/parameters"
at_most 21 "functions of more than 7 parameters" "$work/parameters"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
