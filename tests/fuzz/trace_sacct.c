/* Fuzzes the trace reader "sacct". */
#include "trace.h"

FUZZ_TRACE("sacct")
