/* Inside models/: what the calibrated answer and its error share. */
#ifndef GY_CALIBRATED_H
#define GY_CALIBRATED_H
#include "gy_calibration.h"

bool gy_coll_domain(const struct gy_coll_query *q); /* one NVLink domain over several trays */
/* What an answer at `bytes` rests on, and the error that goes with it. curve: the nearest; NULL: the prior. */
void gy_coll_basis(const struct gy_calibration *cal, const struct gy_coll_query *q, double bytes,
                   const struct gy_curve *curve, double trust, struct gy_coll_basis *out);
#endif
