# cmake -DOUT=assets.c -DSTYLE=page.css -DSCRIPT=page.js -P embed.cmake: the files as arrays of C,
# crs_page_style and crs_page_style_size, ...
set(text "/* SPDX-License-Identifier: MIT */\n#include \"report/assets.h\"\n")
foreach(name STYLE SCRIPT)
  file(READ "${${name}}" bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(TOLOWER ${name} name)
  string(APPEND text "const unsigned char crs_page_${name}[] = { ${bytes} };\n"
                     "const size_t crs_page_${name}_size = ${length};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
