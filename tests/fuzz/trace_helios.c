/* Fuzzes the trace reader "helios". */
#include "trace.h"

FUZZ_TRACE("helios")
