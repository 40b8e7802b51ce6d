/* Puts the HTML report together: head, style, the runs' files (gzip in base64, so that nothing in them can be markup),
 * and the script that shows them. Not the page itself: that is reports/web. */
#include "gy_report.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_table.h"

#define RUNS_MAX 26 /* they are called A to Z */

/* No request is allowed to go anywhere: the page works from a disk and stays there. */
static const char policy[] = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                             "img-src data: blob:; base-uri 'none'; form-action 'none'";

static void put_name(struct gy_writer *to, const char *text)
{
    char shown[512];

    gy_visible(text, strlen(text) < 300 ? strlen(text) : 300, shown, sizeof shown);
    gy_html_text(to, shown);
}

static void put_head(const struct gy_run *runs, size_t n, struct gy_writer *to)
{
    gy_writer_text(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    gy_writer_printf(to, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy);
    gy_writer_text(
        to, "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"gpuyard " GY_VERSION
            "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    for (size_t i = 0; i < n && i < 4; i++) {
        gy_writer_text(to, i > 0 ? ", " : "");
        put_name(to, runs[i].label);
    }
    gy_writer_text(to, n > 4 ? " and more – gpuyard</title>\n<style>" : " – gpuyard</title>\n<style>");
    gy_writer_put(to, gy_report_page.style, gy_report_page.style_len);
    gy_writer_text(to, "</style>\n</head>\n<body>\n<div id=\"top\"></div>\n<main><p>Reading the run…</p></main>\n"
                       "<noscript><p>This report is drawn by a script that is part of this file; scripts are switched "
                       "off here.</p></noscript>\n");
}

static int put_file(const struct gy_run *run, size_t index, const char *name, struct gy_writer *to,
                    struct gy_error *err)
{
    char path[4096];
    const int len = snprintf(path, sizeof path, "%s/%s", run->path, name);

    if (len < 0 || (size_t)len >= sizeof path)
        return gy_fail(err, GY_EINPUT, run->path, "the path is too long");
    if (access(path, R_OK) != 0)
        return 0; /* a run writes what its scenario asks for */
    gy_writer_printf(to, "<script type=\"application/octet-stream\" data-run=\"%zu\" data-file=\"%s\" data-label=\"",
                     index, name);
    put_name(to, run->label);
    gy_writer_text(to, "\">");
    if (gy_writer_packed(to, path, err))
        return -1;
    gy_writer_text(to, "</script>\n");
    return 0;
}

static int put_runs(const struct gy_run *runs, size_t n, struct gy_writer *to, struct gy_error *err)
{
    static const char *const files[] = {"manifest.json", "summary.json", "timeline.csv", "jobs.csv", "links.csv"};

    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < sizeof files / sizeof *files; f++)
            if (put_file(&runs[i], i, files[f], to, err))
                return -1;
    return 0;
}

int gy_report_write(const struct gy_run *runs, size_t n, const char *path, struct gy_error *err)
{
    if (gy_report_page.missing) {
        gy_fail(err, GY_EIO, NULL, "this gpuyard was built without the page of the HTML report");
        return gy_hint(err, "%s", gy_report_page.missing);
    }
    if (n == 0 || n > RUNS_MAX)
        return gy_fail(err, GY_EUSAGE, NULL, "report: %zu runs; one page holds 1 to %d", n, RUNS_MAX);
    struct gy_writer *to = gy_writer_open(path, err);
    if (!to)
        return -1;
    put_head(runs, n, to);
    if (put_runs(runs, n, to, err)) {
        gy_writer_abandon(to);
        return -1;
    }
    gy_writer_text(to, "<script>");
    gy_writer_put(to, gy_report_page.script, gy_report_page.script_len);
    gy_writer_text(to, "</script>\n</body>\n</html>\n");
    return gy_writer_commit(to, err);
}
