/* Fuzzes the trace reader "philly". */
#include "trace.h"

FUZZ_TRACE("philly")
