/* Inside sim/io only: the error of a file that cannot be opened, with the nearest existing name as its hint. */
#ifndef GY_FILE_HINT_H
#define GY_FILE_HINT_H
#include "gy_error.h"

/* Fills err for opening path for reading, which failed with number (an errno). Always returns -1. */
int gy_fail_open(struct gy_error *err, const char *path, int number);
#endif
