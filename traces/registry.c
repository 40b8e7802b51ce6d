/* The readers, in the order in which they are asked whether a file is theirs; the surest wins, the earlier at a tie. */
#include "reader.h"

const struct gy_reader_type *const gy_readers[] = {
    &gy_read_gpuyard,
    &gy_read_csv,
    &gy_read_philly,
    &gy_read_philly_json,
    &gy_read_helios,
    &gy_read_acme,
    &gy_read_acme_kalos,
    &gy_read_openb,
    &gy_read_pai2020,
    &gy_read_pai100k,
    &gy_read_spot2026,
    &gy_read_tiresias,
    &gy_read_gavel,
    &gy_read_batsim,
    &gy_read_sacct,
    &gy_read_swf,
    NULL,
};
