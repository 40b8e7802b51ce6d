#!/usr/bin/env bash
# Installs into a folder and builds a program against the library, by pkg-config and by CMake.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$gpuyard")
if grep -q 'GY_SANITIZE:BOOL=ON\|GY_COVERAGE:BOOL=ON\|GY_FUZZ:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "SKIP: an instrumented build is not one to install"
    exit 77
fi
last="cmake --install"
: >out
ok cmake --install "$build" --prefix "$tmp/prefix" >out 2>err
ok test -x prefix/bin/gpuyard
equal "the installed version" "$(prefix/bin/gpuyard --version)" "$("$gpuyard" --version)"

cat >user.c <<'END'
#include <gy_scenario.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    const struct gy_overrides none = {0};
    struct gy_diags diags = {0};
    struct gy_scenario *s = argc < 2 ? NULL : gy_scenario_load(argv[1], &none, &diags);
    if (s == NULL)
        return 1;
    printf("%s %s\n", s->name, s->policy->name);
    gy_scenario_free(s);
    return 0;
}
END
pc=$(dirname "$(find "$PWD/prefix" -name gpuyard.pc)")
last="cc with pkg-config"
# shellcheck disable=SC2046 # a list of flags
ok cc -o user user.c $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs gpuyard)
equal "the program's answer" "$(./user "$root/scenarios/quickstart.json")" "quickstart composed"

mkdir project
cp user.c project
printf 'cmake_minimum_required(VERSION 3.20)\nproject(user C)\nfind_package(gpuyard REQUIRED)\nadd_executable(user user.c)\ntarget_link_libraries(user gpuyard::gpuyard)\n' >project/CMakeLists.txt
last="cmake with find_package"
ok cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$PWD/prefix" >out 2>err
ok cmake --build project/build >out 2>err
equal "the program's answer" "$(project/build/user "$root/scenarios/quickstart.json")" "quickstart composed"
finish
