/* Fuzzes the trace reader "acme". */
#include "trace.h"

FUZZ_TRACE("acme")
