# The kernels are compiled once per instruction set and chosen at run time. A product and a sum may
# become one operation; floating-point traps and errno are not used.
include(CheckCCompilerFlag)
set(kernel_flags -O3)
foreach(flag -ffp-contract=fast -fno-trapping-math -fno-math-errno)
  string(MAKE_C_IDENTIFIER "HAS${flag}" has)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    list(APPEND kernel_flags ${flag})
  endif()
endforeach()
set_source_files_properties(model/cp_kernel_base.c model/cp_kernel_base_single.c
  model/envelope_kernel_base.c PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(model/cp_kernel_avx2.c model/cp_kernel_avx2_single.c
    model/envelope_kernel_avx2.c PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2;-mfma")
  set_source_files_properties(model/cp_kernel_avx512.c model/cp_kernel_avx512_single.c
    model/envelope_kernel_avx512.c PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx512f")
endif()
