# The libraries and flags that the whole build shares. One library behind one folder: see ARCHITECTURE.md.
find_package(PkgConfig REQUIRED)
pkg_check_modules(GSL REQUIRED IMPORTED_TARGET gsl)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat) # sim/topo only
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1) # sim/io/yaml.c only
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3) # reports/export_sqlite.c only
pkg_check_modules(CAIRO IMPORTED_TARGET cairo)             # reports/draw_png.c only; optional
if(GY_TESTS)
  pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
endif()
find_library(CSV_LIBRARY csv REQUIRED)
find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
add_library(gy_libcsv INTERFACE)
target_include_directories(gy_libcsv SYSTEM INTERFACE ${CSV_INCLUDE_DIR})
target_link_libraries(gy_libcsv INTERFACE ${CSV_LIBRARY})
find_package(Threads REQUIRED)

add_library(gy_flags INTERFACE)
target_compile_options(gy_flags INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow
  -Wstrict-prototypes -Wmissing-prototypes -ffp-contract=off
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>) # texts for people are cut on purpose
target_compile_definitions(gy_flags INTERFACE _GNU_SOURCE GY_VERSION="${PROJECT_VERSION}")
target_link_libraries(gy_flags INTERFACE m)
if(GY_WERROR)
  target_compile_options(gy_flags INTERFACE -Werror)
endif()
if(GY_SANITIZE)
  target_compile_options(gy_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(gy_flags INTERFACE -fsanitize=address,undefined)
endif()
if(GY_COVERAGE)
  target_compile_options(gy_flags INTERFACE --coverage)
  target_link_options(gy_flags INTERFACE --coverage)
endif()
if(GY_FUZZ)
  target_compile_options(gy_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
