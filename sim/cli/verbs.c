/* The verbs: one row each. */
#include "gy_cli.h"

const struct gy_verb gy_verbs[] = {
    {"run", "SCENARIO.json", 1, 1,
     GY_CLI_SCENARIO | GY_CLI_FORMAT | GY_CLI_OUT | GY_CLI_JSON | GY_CLI_QUIET | GY_CLI_PROGRESS, gy_run_options,
     "Runs one simulation; prints a summary; writes a run folder with --out DIR",
     "The scenario file says which cluster, trace and scheduler (gpuyard schema scenario --keys lists every key). "
     "SCENARIO.json may be - for standard input, and any file may be .gz. "
     "A threshold of the scenario that is not met makes the exit status 1.",
     gy_verb_run},
    {"validate", "SCENARIO.json", 1, 1, GY_CLI_SCENARIO | GY_CLI_FORMAT | GY_CLI_JSON | GY_CLI_QUIET, NULL,
     "Loads and resolves a scenario and prints what was understood; no run", NULL, gy_verb_validate},
    {"schema", "scenario", 1, 1, GY_CLI_OUT, gy_schema_options, "Prints the JSON Schema that the loader itself obeys",
     NULL, gy_verb_schema},
    {"policies list", "", 0, 0, GY_CLI_JSON, NULL, "Lists the scheduling policies", NULL, gy_verb_policies_list},
    {"policies show", "NAME", 1, 1, GY_CLI_JSON, NULL,
     "Shows a policy's parameters with unit, default, range and source", NULL, gy_verb_policies_show},
    {"trace info", "FILE", 1, 1, GY_CLI_FORMAT | GY_CLI_JSON, gy_trace_file_options,
     "Tells what a trace holds, and which rows cannot be used and why", NULL, gy_verb_trace_info},
    {"trace convert", "FILE", 1, 1, GY_CLI_FORMAT | GY_CLI_OUT | GY_CLI_QUIET, gy_trace_file_options,
     "Writes a trace of any format as gpuyard CSV, to --out or standard output", NULL, gy_verb_trace_convert},
    {"predict collective", "", 0, 0, GY_CLI_JSON, gy_predict_collective_options,
     "Time, bandwidth and bound of a collective operation, without a simulation",
     "All built-in calibrations are used unless one is named; the last column says how far the nearest of them was off "
     "on sizes that its fit did not see, and whose machine it is of.",
     gy_verb_predict_collective},
    {"calibrate import", "LOG...", 1, 4096, GY_CLI_OUT | GY_CLI_QUIET, gy_calibrate_import_options,
     "Turns nccl-tests logs and kernel tables into one measurement file", NULL, gy_verb_calibrate_import},
    {"calibrate fit", "MEASUREMENTS.json...", 1, 4096, GY_CLI_OUT | GY_CLI_QUIET, gy_calibrate_fit_options,
     "Fits curves and parameters to measurements, and measures the fit's hold-out errors", NULL, gy_verb_calibrate_fit},
    {"calibrate validate", "CALIBRATION MEASUREMENTS...", 2, 4096, GY_CLI_JSON | GY_CLI_QUIET,
     gy_calibrate_validate_options, "Compares predictions with measurements, by operation, size decade and system",
     "CALIBRATION is a name, a file, or \"built-in\" for all of them together. Errors are |predicted/measured - 1|.",
     gy_verb_calibrate_validate},
    {"models list", "", 0, 0, GY_CLI_JSON, NULL,
     "Lists hardware, fabrics, workloads and calibrations that are built in", NULL, gy_verb_models_list},
    {"models show", "NAME", 1, 1, GY_CLI_JSON, NULL, "Shows a model's figures with their sources", NULL,
     gy_verb_models_show},
    {0},
};
