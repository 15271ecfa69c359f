# Manual pages (with scdoc) and completions of the shells, made by the program from its tables and
# installed where man, bash, zsh and fish look.
if(CMAKE_CROSSCOMPILING)
  message(STATUS "Cross compiling: no manual pages and completions, which the program itself writes")
  return()
endif()

set(pages ${PROJECT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages})
set(tail ${PROJECT_SOURCE_DIR}/docs/man/tail.scd)
find_program(SCDOC scdoc)
set(manuals)
if(SCDOC)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/cli/verbs.def verbs REGEX "^VERB\\(")
  string(REGEX REPLACE "VERB\\(([a-z]+)\\)" "\\1" verbs "${verbs}")
  foreach(verb program ${verbs})
    set(name crease-${verb})
    set(word ${verb})
    if(verb STREQUAL program)
      set(name crease)
      set(word)
    endif()
    add_custom_command(
      OUTPUT ${pages}/${name}.1
      COMMAND sh -c "'$<TARGET_FILE:crease_program>' help ${word} --scdoc > ${name}.scd && \
cat '${tail}' >> ${name}.scd && '${SCDOC}' < ${name}.scd > ${name}.1"
      DEPENDS crease_program ${tail} WORKING_DIRECTORY ${pages} VERBATIM)
    list(APPEND manuals ${pages}/${name}.1)
  endforeach()
  install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "scdoc was not found: no manual pages (Debian: scdoc)")
endif()

set(completions)
foreach(shell bash zsh fish)
  add_custom_command(
    OUTPUT ${pages}/completion.${shell}
    COMMAND sh -c "'$<TARGET_FILE:crease_program>' completion ${shell} > completion.${shell}"
    DEPENDS crease_program WORKING_DIRECTORY ${pages} VERBATIM)
  list(APPEND completions ${pages}/completion.${shell})
endforeach()
install(FILES ${pages}/completion.bash RENAME crease
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/completion.zsh RENAME _crease
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${pages}/completion.fish RENAME crease.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
add_custom_target(crease_pages ALL DEPENDS ${manuals} ${completions})
