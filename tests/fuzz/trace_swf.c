/* Fuzzes the trace reader "swf". */
#include "trace.h"

FUZZ_TRACE("swf")
