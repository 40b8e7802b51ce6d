# MPI for C, wanted by nobody so much that the build should fail without it. Sets GyMpi_FOUND and the target MPI::MPI_C.
if(NOT TARGET MPI::MPI_C)
  find_package(MPI QUIET COMPONENTS C)
endif()
if(TARGET MPI::MPI_C)
  set(GyMpi_FOUND TRUE)
else()
  set(GyMpi_FOUND FALSE)
endif()
