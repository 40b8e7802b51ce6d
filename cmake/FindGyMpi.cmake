# MPI for C, wanted by nobody so much that the build should fail without it. Sets GyMpi_FOUND and the target MPI::MPI_C.
# The target alone says nothing: FindMPI makes it on machines without MPI too.
find_package(MPI QUIET COMPONENTS C)
set(GyMpi_FOUND ${MPI_C_FOUND})
