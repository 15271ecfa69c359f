# What the build needs from the machine; scripts/install-dependencies names the Debian packages.
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas REQUIRED)
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
add_library(crease_lapack INTERFACE)
target_include_directories(crease_lapack SYSTEM INTERFACE ${CBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
target_link_libraries(crease_lapack INTERFACE ${LAPACKE_LIBRARY} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})

# Sparse Cholesky factors, from SuiteSparse.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
add_library(crease_cholmod INTERFACE)
target_include_directories(crease_cholmod SYSTEM INTERFACE ${CHOLMOD_INCLUDE_DIR})
target_link_libraries(crease_cholmod INTERFACE ${CHOLMOD_LIBRARY})

# Threads are optional: without OpenMP everything runs on the caller's.
find_package(OpenMP COMPONENTS C)
add_library(crease_threads INTERFACE)
if(OpenMP_C_FOUND)
  target_link_libraries(crease_threads INTERFACE OpenMP::OpenMP_C)
  set(CREASE_OPENMP_FLAGS ${OpenMP_C_FLAGS})
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(FFTW REQUIRED IMPORTED_TARGET fftw3>=3.3.5)
find_library(FFTW_THREADS_LIBRARY fftw3_threads HINTS ${FFTW_LIBRARY_DIRS} REQUIRED) # its lock
add_library(crease_fftw INTERFACE)
target_link_libraries(crease_fftw INTERFACE ${FFTW_THREADS_LIBRARY} PkgConfig::FFTW)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)

# Formats of files, each optional: without its library src/io/formats/absent.c says what is missing.
# crease_format(NAME): after CREASE_NAME, an option, comes CREASE_HAS_NAME.
add_library(crease_formats INTERFACE)
macro(crease_format name what)
  option(CREASE_${name} "Read and write ${what}" ON)
  set(CREASE_HAS_${name} OFF)
  if(CREASE_${name} AND ${ARGN})
    set(CREASE_HAS_${name} ON)
    target_compile_definitions(crease_formats INTERFACE CRS_HAS_${name})
  elseif(CREASE_${name})
    message(STATUS "crease: no ${what} in this build")
  endif()
endmacro()

pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5-serial)
if(NOT HDF5_FOUND)
  pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5)
endif()
find_library(HDF5_HL_LIBRARY NAMES hdf5_serial_hl hdf5_hl HINTS ${HDF5_LIBRARY_DIRS})
crease_format(HDF5 "HDF5 (libhdf5-dev)" HDF5_FOUND AND HDF5_HL_LIBRARY)
if(CREASE_HAS_HDF5)
  target_link_libraries(crease_formats INTERFACE ${HDF5_HL_LIBRARY} PkgConfig::HDF5)
endif()
if(CREASE_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
