# One set of warnings for everything that is compiled here.
add_library(crease_warnings INTERFACE)
target_compile_options(crease_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  $<$<BOOL:${CREASE_WERROR}>:-Werror>)
