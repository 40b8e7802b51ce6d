/* Fuzzes the trace reader "openb". */
#include "trace.h"

FUZZ_TRACE("openb")
