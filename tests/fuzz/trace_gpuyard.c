/* Fuzzes the trace reader "gpuyard". */
#include "trace.h"

FUZZ_TRACE("gpuyard")
