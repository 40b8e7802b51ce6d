# gy_library(NAME DIR folder LINK libs… PRIVATE libs…): one static library of every .c in the folder.
# LINK names the libraries whose headers the folder's own headers may include; PRIVATE those for its .c files.
# A folder without a .c yet is an interface library, so that what links it still configures.
function(gy_library name)
  cmake_parse_arguments(A "" "DIR" "LINK;PRIVATE" ${ARGN})
  if(NOT A_DIR)
    set(A_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${A_DIR}/*.c)
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${A_DIR})
    target_link_libraries(${name} INTERFACE ${A_LINK})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${A_DIR})
  target_link_libraries(${name} PUBLIC ${A_LINK} PRIVATE ${A_PRIVATE} gy_flags)
endfunction()

# gy_test(NAME source… LINK libs…): one criterion program, one ctest entry.
function(gy_test name)
  cmake_parse_arguments(A "" "" "LINK" ${ARGN})
  add_executable(${name} ${A_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${A_LINK} PkgConfig::CRITERION gy_flags)
  target_compile_definitions(${name} PRIVATE GY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name} --short-filename)
endfunction()
