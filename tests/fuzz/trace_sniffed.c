/* Fuzzes the choice of a reader by the first bytes. */
#include "trace.h"

FUZZ_TRACE(NULL)
