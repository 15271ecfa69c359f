# Headers, libraries, program, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS crease_shared crease_job EXPORT creaseTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS crease_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS crease_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/crease ${PROJECT_BINARY_DIR}/include/crease
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "mpi.h" EXCLUDE)

install(FILES ${PROJECT_SOURCE_DIR}/docs/problem.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/crease)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/crease)
install(EXPORT creaseTargets NAMESPACE crease:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/creaseConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/creaseConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/creaseConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/creaseConfig.cmake ${PROJECT_BINARY_DIR}/creaseConfigVersion.cmake
        DESTINATION ${package_dir})

if(CREASE_FFTW)
  string(APPEND CREASE_PRIVATE_LIBS "-lfftw3_threads -lfftw3 ")
endif()
if(CREASE_CHOLMOD)
  string(APPEND CREASE_PRIVATE_LIBS "-lcholmod ")
endif()
# The component mpi, for find_package(crease COMPONENTS mpi) and pkg-config crease_mpi.
if(MPI_C_FOUND)
  install(TARGETS crease_mpi EXPORT creaseMpiTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi NAMELINK_COMPONENT mpi)
  install(TARGETS crease_mpi_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  install(EXPORT creaseMpiTargets NAMESPACE crease:: DESTINATION ${package_dir} COMPONENT mpi)
  install(FILES ${PROJECT_SOURCE_DIR}/include/crease/mpi.h COMPONENT mpi
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/crease)
  foreach(folder ${MPI_C_INCLUDE_DIRS})
    string(APPEND CREASE_MPI_CFLAGS " -I${folder}")
  endforeach()
  string(REPLACE ";" " " CREASE_MPI_LIBS "${MPI_C_LIBRARIES}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/crease_mpi.pc.in ${PROJECT_BINARY_DIR}/crease_mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/crease_mpi.pc COMPONENT mpi
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/crease.pc.in ${PROJECT_BINARY_DIR}/crease.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/crease_job.pc.in ${PROJECT_BINARY_DIR}/crease_job.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/crease.pc ${PROJECT_BINARY_DIR}/crease_job.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
