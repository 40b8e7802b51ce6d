/* Fuzzes the trace reader "pai-100k". */
#include "trace.h"

FUZZ_TRACE("pai-100k")
