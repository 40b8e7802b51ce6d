# Installing: the binary, libgpuyard (all folders' libraries in one archive) with its headers, pkg-config and CMake files,
# and the example scenarios.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(gpuyard_library STATIC)
set_target_properties(gpuyard_library PROPERTIES OUTPUT_NAME gpuyard LINKER_LANGUAGE C)
foreach(folder core io cluster net topo job fluid sched engine account models traces calibrate scenarios reports)
  if(NOT TARGET gy_${folder})
    continue()
  endif()
  get_target_property(type gy_${folder} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    target_sources(gpuyard_library PRIVATE $<TARGET_OBJECTS:gy_${folder}>)
  endif()
endforeach()
foreach(folder sim/core sim/io sim/cluster sim/net sim/topo sim/job sim/fluid sim/sched sim/engine sim/account models traces calibrate scenarios
        reports)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/gy_*.h)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpuyard)
endforeach()

install(TARGETS gpuyard RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS gpuyard_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY scenarios/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuyard/scenarios FILES_MATCHING PATTERN "*.json" PATTERN "*.md")
install(DIRECTORY traces/samples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gpuyard/traces/samples)

file(RELATIVE_PATH GY_PC_UP /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_SOURCE_DIR}/cmake/gpuyard.pc.in gpuyard.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/gpuyard.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/gpuyardConfig.cmake.in gpuyardConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gpuyard
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(gpuyardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gpuyardConfig.cmake ${CMAKE_BINARY_DIR}/gpuyardConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gpuyard)

set(CPACK_PACKAGE_VENDOR gpuyard)
set(CPACK_PACKAGE_CONTACT "the gpuyard authors")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "A simulator of GPU clusters")
set(CPACK_GENERATOR TGZ)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
