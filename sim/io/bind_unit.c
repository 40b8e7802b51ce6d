/* Units that keys name by their suffix, and choices. No parsing of quantities: that is sim/core's gy_units. */
#include <string.h>
#include "bind_row.h"

static const struct suffix {
    enum gy_unit unit;
    const char *text;
    struct gy_key_unit is;
} suffixes[] = {
    {GY_U_TIME, "_ns", {1, 1e9, 1, "ns"}},
    {GY_U_TIME, "_us", {1, 1e6, 1000, "us"}},
    {GY_U_TIME, "_ms", {1, 1e3, 1000000, "ms"}},
    {GY_U_TIME, "_s", {1, 1, GY_SECOND, "s"}},
    {GY_U_TIME, "_min", {60, 1, GY_MINUTE, "min"}},
    {GY_U_TIME, "_h", {3600, 1, GY_HOUR, "h"}},
    {GY_U_TIME, "_d", {86400, 1, GY_DAY, "d"}},
    {GY_U_BYTES, "_kib", {0x1p10, 1, 0, "KiB"}},
    {GY_U_BYTES, "_mib", {0x1p20, 1, 0, "MiB"}},
    {GY_U_BYTES, "_gib", {0x1p30, 1, 0, "GiB"}},
    {GY_U_BYTES, "_tib", {0x1p40, 1, 0, "TiB"}},
    {GY_U_BYTES, "_kb", {1e3, 1, 0, "kB"}},
    {GY_U_BYTES, "_mb", {1e6, 1, 0, "MB"}},
    {GY_U_BYTES, "_gb", {1e9, 1, 0, "GB"}},
    {GY_U_BYTES, "_tb", {1e12, 1, 0, "TB"}},
    {GY_U_BYTES_PER_S, "_mbps", {1e6, 1, 0, "MB/s"}},
    {GY_U_BYTES_PER_S, "_gbps", {1e9, 1, 0, "GB/s"}},
    {GY_U_BYTES_PER_S, "_tbps", {1e12, 1, 0, "TB/s"}},
    {GY_U_BYTES_PER_S, "_mbit", {1e6, 8, 0, "Mbit/s"}},
    {GY_U_BYTES_PER_S, "_gbit", {1e9, 8, 0, "Gbit/s"}},
    {GY_U_WATT, "_kw", {1e3, 1, 0, "kW"}},
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

struct gy_key_unit gy_key_unit(const struct gy_param *row)
{
    enum gy_unit unit = row->type == GY_P_TIME ? GY_U_TIME : row->unit;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].unit == unit && ends_with(row->name, suffixes[i].text))
            return suffixes[i].is;
    return (struct gy_key_unit){1, 1, unit == GY_U_TIME ? GY_SECOND : 0, gy_unit_name(unit)};
}

bool gy_choice(const char *choices, size_t i, char *buf, size_t size)
{
    for (; i > 0 && choices != NULL; i--) {
        choices = strchr(choices, '|');
        choices = choices == NULL ? NULL : choices + 1;
    }
    if (choices == NULL)
        return false;
    size_t n = strcspn(choices, "|");
    n = n < size ? n : size - 1;
    memcpy(buf, choices, n);
    buf[n] = '\0';
    return true;
}
