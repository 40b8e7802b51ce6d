/* The readers, in the order in which they are asked whether a file is theirs; the surest wins, the earlier at a tie. */
#include "reader.h"

const struct gy_reader_type *const gy_readers[] = {
    &gy_read_gpuyard, &gy_read_csv, &gy_read_philly, &gy_read_openb, &gy_read_batsim, &gy_read_swf, NULL,
};
