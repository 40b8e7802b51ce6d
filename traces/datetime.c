/* Calendar times. Days from civil dates by the usual shifted-March formula (a year from March has its leap day last).
 */
#include <stdio.h>
#include <string.h>
#include "datetime.h"

struct scan {
    const char *at, *end;
};

/* Exactly digits decimal digits. */
static bool number(struct scan *s, int digits, int *out)
{
    int v = 0;

    if (s->end - s->at < digits)
        return false;
    for (int i = 0; i < digits; i++) {
        char c = s->at[i];
        if (c < '0' || c > '9')
            return false;
        v = v * 10 + (c - '0');
    }
    s->at += digits;
    *out = v;
    return true;
}

static bool take(struct scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool leap(int y)
{
    return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static int64_t days_from_civil(int y, int m, int d)
{
    int64_t year = m <= 2 ? y - 1 : y;
    int64_t from_march = (m + 9) % 12;
    int64_t day_of_year = (153 * from_march + 2) / 5 + d - 1;

    return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}

static void civil_from_days(int64_t days, int *y, int *m, int *d)
{
    int64_t z = days + 719468; /* ≥ 0 for the years in question */
    int64_t era = z / 146097, of_era = z % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;

    *d = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *m = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *y = (int)(year + era * 400 + (*m <= 2));
}

static bool date(struct scan *s, int64_t *days)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y, m, d;

    if (!number(s, 4, &y) || s->at == s->end)
        return false;
    char sep = *s->at;
    if ((sep != '-' && sep != '/') || !take(s, sep) || !number(s, 2, &m) || !take(s, sep) || !number(s, 2, &d))
        return false;
    if (y < 1970 || y > 2114 || m < 1 || m > 12 || d < 1 || d > length[m - 1] + (m == 2 && leap(y)))
        return false;
    *days = days_from_civil(y, m, d);
    return true;
}

static bool clock_time(struct scan *s, gy_time *out)
{
    int h, m, sec = 0;
    gy_time fraction = 0;

    if (!number(s, 2, &h) || !take(s, ':') || !number(s, 2, &m))
        return false;
    if (take(s, ':')) {
        if (!number(s, 2, &sec))
            return false;
        size_t n = 0;
        while (s->end - s->at > (ptrdiff_t)n && (n == 0 ? *s->at == '.' : s->at[n] >= '0' && s->at[n] <= '9'))
            n++;
        if (n == 1 || (n > 1 && !gy_time_parse(s->at, n, &fraction)))
            return false;
        s->at += n;
    }
    if (h > 23 || m > 59 || sec > 60)
        return false;
    *out = h * GY_HOUR + m * GY_MINUTE + sec * GY_SECOND + fraction;
    return true;
}

static bool named_zone(const char *name, size_t len, int32_t *offset)
{
    static const struct {
        const char *name;
        int32_t hours;
    } zones[] = {{"Z", 0},    {"UTC", 0},  {"GMT", 0},  {"PST", -8}, {"PDT", -7}, {"MST", -7},
                 {"MDT", -6}, {"CST", -6}, {"CDT", -5}, {"EST", -5}, {"EDT", -4}};

    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (strlen(zones[i].name) == len && memcmp(zones[i].name, name, len) == 0) {
            *offset = zones[i].hours * 3600;
            return true;
        }
    return false;
}

static bool zone(struct scan *s, struct gy_datetime *out)
{
    int h, m = 0;

    while (take(s, ' '))
        ;
    if (s->at == s->end)
        return true;
    out->zoned = true;
    if (*s->at != '+' && *s->at != '-') {
        bool known = named_zone(s->at, (size_t)(s->end - s->at), &out->offset_s);
        s->at = s->end;
        return known;
    }
    int sign = *s->at++ == '-' ? -1 : 1;
    if (!number(s, 2, &h))
        return false;
    bool colon = take(s, ':');
    if ((colon || s->at < s->end) && !number(s, 2, &m))
        return false;
    out->offset_s = sign * (h * 3600 + m * 60);
    return h <= 23 && m <= 59;
}

bool gy_datetime_parse(const char *text, size_t len, struct gy_datetime *out)
{
    struct scan s = {text, text + len};
    int64_t days;
    gy_time in_day = 0;

    *out = (struct gy_datetime){0};
    if (!date(&s, &days))
        return false;
    if (s.at < s.end) {
        if (!take(&s, 'T') && !take(&s, ' '))
            return false;
        if (!clock_time(&s, &in_day) || !zone(&s, out) || s.at != s.end)
            return false;
    }
    out->local = days * GY_DAY + in_day;
    return true;
}

void gy_datetime_print(const struct gy_datetime *d, char *buf)
{
    int64_t days = d->local / GY_DAY;
    gy_time t = d->local % GY_DAY;
    int y, m, day;

    if (t < 0) {
        t += GY_DAY;
        days--;
    }
    civil_from_days(days, &y, &m, &day);
    int n = snprintf(buf, 40, "%04d-%02d-%02d %02d:%02d:%02d", y, m, day, (int)(t / GY_HOUR),
                     (int)(t % GY_HOUR / GY_MINUTE), (int)(t % GY_MINUTE / GY_SECOND));
    if (t % GY_SECOND != 0) {
        char fraction[32];
        gy_time_print(t % GY_SECOND, fraction);
        n += snprintf(buf + n, 40 - (size_t)n, "%s", fraction + 1);
    }
    if (d->zoned) {
        int32_t o = d->offset_s < 0 ? -d->offset_s : d->offset_s;
        snprintf(buf + n, 40 - (size_t)n, "%c%02d:%02d", d->offset_s < 0 ? '-' : '+', (int)(o / 3600),
                 (int)(o / 60 % 60));
    }
}
