/* Fuzzes the trace reader "tiresias". */
#include "trace.h"

FUZZ_TRACE("tiresias")
