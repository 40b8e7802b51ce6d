/* Fuzzes the trace reader "spot2026". */
#include "trace.h"

FUZZ_TRACE("spot2026")
