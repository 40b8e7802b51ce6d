/* Fuzzes the trace reader "batsim". */
#include "trace.h"

FUZZ_TRACE("batsim")
