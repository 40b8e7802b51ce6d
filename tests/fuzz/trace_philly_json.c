/* Fuzzes the trace reader "philly-json". */
#include "trace.h"

FUZZ_TRACE("philly-json")
