/* Fuzzes the trace reader "acme-kalos". */
#include "trace.h"

FUZZ_TRACE("acme-kalos")
