# The kernels are compiled once per instruction set and chosen at run time. A product and a sum may
# become one operation; floating-point traps and errno are not used.
# Sanitizers take minutes for them at -O3, or with every check inline: the address sanitizer is called,
# and what it finds as well is left to it.
include(CheckCCompilerFlag)
set(kernel_flags -O3)
set(kernel_options -ffp-contract=fast -fno-trapping-math -fno-math-errno)
if(CMAKE_C_FLAGS MATCHES "-fsanitize")
  set(kernel_flags -O1)
  list(APPEND kernel_options -fno-var-tracking --param=asan-instrumentation-with-call-threshold=0
       -fno-sanitize=null,alignment,pointer-overflow,object-size)
endif()
foreach(flag ${kernel_options})
  string(MAKE_C_IDENTIFIER "HAS${flag}" has)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    list(APPEND kernel_flags ${flag})
  endif()
endforeach()
set_source_files_properties(rpca/kernels/fused_base.c rpca/kernels/fused_base_single.c
  rpca/kernels/envelope_base.c PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(rpca/kernels/fused_avx2.c rpca/kernels/fused_avx2_single.c
    rpca/kernels/envelope_avx2.c PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2;-mfma")
  set_source_files_properties(rpca/kernels/fused_avx512.c rpca/kernels/fused_avx512_single.c
    rpca/kernels/envelope_avx512.c PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx512f")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  set_source_files_properties(rpca/kernels/fused_neon.c rpca/kernels/fused_neon_single.c
    rpca/kernels/envelope_neon.c PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
endif()
