# hardening: program and library have a stack protector, checked copies (release), full RELRO, no executable
# stack, and the program is position independent; read off the built files
set -u
passed=0 failed=0
holds() { # holds STATUS WHAT
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $2"; fi
}
library=$(ls "$BUILD"/src/libcrease.so | head -1)
[ -e "$library" ]
holds $? "the shared library is there"
for file in "$CREASE" "$library"; do
  [ -e "$file" ] || continue
  header=$(readelf -hW "$file") segments=$(readelf -lW "$file") dynamic=$(readelf -dW "$file")
  symbols=$(readelf --dyn-syms -W "$file")
  [[ $header == *"Type:"*"DYN "* ]]
  holds $? "$file: position independent"
  [[ $segments == *GNU_RELRO* ]] && [[ $dynamic == *BIND_NOW* || $dynamic == *"Flags: NOW"* ]]
  holds $? "$file: full RELRO"
  grep -qE 'GNU_STACK .* RW +0x' <<<"$segments"
  holds $? "$file: no executable stack"
  [[ $symbols == *__stack_chk_fail* ]]
  holds $? "$file: stack protector"
  if grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD/CMakeCache.txt"; then
    [[ $symbols == *__snprintf_chk* || $symbols == *__vsnprintf_chk* ]]
    holds $? "$file: checked copies"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
