# What the build needs from the machine: BLAS, CBLAS, LAPACKE and jansson. All else is optional, and what
# is absent is told at the end; scripts/install-dependencies names the Debian packages.
function(crease_need what header library package)
  if(NOT ${header} OR NOT ${library})
    message(FATAL_ERROR "crease needs ${what}, which was not found (Debian: ${package})")
  endif()
endfunction()

find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas)
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas)
find_library(LAPACKE_LIBRARY lapacke)
crease_need("CBLAS" CBLAS_INCLUDE_DIR BLAS_LIBRARIES libopenblas-dev)
crease_need("LAPACKE" LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY liblapacke-dev)
add_library(crease_lapack INTERFACE)
target_include_directories(crease_lapack SYSTEM INTERFACE ${CBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
target_link_libraries(crease_lapack INTERFACE ${LAPACKE_LIBRARY} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})

find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY jansson)
crease_need("jansson" JANSSON_INCLUDE_DIR JANSSON_LIBRARY libjansson-dev)
add_library(crease_json INTERFACE)
target_include_directories(crease_json SYSTEM INTERFACE ${JANSSON_INCLUDE_DIR})
target_link_libraries(crease_json INTERFACE ${JANSSON_LIBRARY})

# crease_optional(NAME header library package "what is lost" [SUFFIX folder]): the target crease_<name> and
# CREASE_<NAME>, which is also defined for the compiler; -DCREASE_WITHOUT=NAME;NAME leaves some out.
set(CREASE_WITHOUT "" CACHE STRING "Optional libraries to leave out, as FFTW;CHOLMOD")
function(crease_optional name header library package lost)
  string(TOLOWER ${name} lower)
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${ARGN})
  find_library(${name}_LIBRARY NAMES ${library})
  add_library(crease_${lower} INTERFACE)
  if(${name}_INCLUDE_DIR AND ${name}_LIBRARY AND NOT ${name} IN_LIST CREASE_WITHOUT)
    set(CREASE_${name} ON PARENT_SCOPE)
    target_include_directories(crease_${lower} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
    target_link_libraries(crease_${lower} INTERFACE ${${name}_LIBRARY})
    target_compile_definitions(crease_${lower} INTERFACE CREASE_${name})
  else()
    set(CREASE_${name} OFF PARENT_SCOPE)
    list(GET library -1 library)
    message(STATUS "without ${library} (Debian: ${package}): ${lost}")
  endif()
endfunction()

crease_optional(CHOLMOD cholmod.h cholmod libsuitesparse-dev
                "sparse problems are solved by conjugate gradients" suitesparse)
crease_optional(FFTW fftw3.h fftw3 libfftw3-dev "no convolutions and cosine transforms")
crease_optional(NETTLE nettle/sha2.h nettle nettle-dev "files are hashed more slowly")
if(CREASE_FFTW)
  find_library(FFTW_THREADS_LIBRARY fftw3_threads) # its lock
  target_link_libraries(crease_fftw INTERFACE ${FFTW_THREADS_LIBRARY} ${FFTW_LIBRARY})
endif()

# Without OpenMP everything runs on the caller's thread.
find_package(OpenMP COMPONENTS C)
add_library(crease_threads INTERFACE)
if(OpenMP_C_FOUND)
  target_link_libraries(crease_threads INTERFACE OpenMP::OpenMP_C)
  set(CREASE_OPENMP_FLAGS ${OpenMP_C_FLAGS})
endif()

# Formats of files: without its library src/io/formats/absent.c says what one needs.
crease_optional(ZLIB zlib.h z zlib1g-dev "no .gz, .npz and compressed files")
crease_optional(HDF5 hdf5.h "hdf5_serial;hdf5" libhdf5-dev "no HDF5, netCDF-4 and MATLAB 7.3 files" hdf5/serial)
crease_optional(MATIO matio.h matio libmatio-dev "no MATLAB files")
crease_optional(PNG png.h png libpng-dev "no PNG images")
crease_optional(TIFF tiffio.h tiff libtiff-dev "no TIFF images")
if(CREASE_HDF5)
  find_library(HDF5_HL_LIBRARY NAMES hdf5_serial_hl hdf5_hl)
  target_link_libraries(crease_hdf5 INTERFACE ${HDF5_HL_LIBRARY} ${HDF5_LIBRARY})
endif()

# crease_mpi, a library of its own: libcrease never needs MPI.
if(NOT MPI IN_LIST CREASE_WITHOUT)
  find_package(MPI QUIET COMPONENTS C)
endif()
# Tests have more ranks than cores, and are run by root in containers.
set(CREASE_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_hwloc_base_binding_policy=none
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    CMOCKA_TEST_ABORT=1) # a rank whose check has failed ends all, which would wait for it
if(NOT MPI_C_FOUND)
  message(STATUS "without mpi (Debian: libopenmpi-dev): no problems over several machines")
endif()

if(CREASE_TESTS)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
