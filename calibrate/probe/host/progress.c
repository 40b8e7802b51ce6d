/* The progress bar: on a terminal one line that is rewritten at most ten times a second, else (when asked for) a line a
 * family. No colour. */
#include "gy_probe.h"

void gy_probe_bar_open(struct gy_probe_bar *b, FILE *to, enum gy_probe_progress mode, bool terminal)
{
    bool show = mode == GY_PROBE_PROGRESS_ALWAYS || (mode == GY_PROBE_PROGRESS_AUTO && terminal);
    *b = (struct gy_probe_bar){.to = show ? to : NULL, .rewrite = terminal, .width = 24, .last_s = -1};
}

void gy_probe_bar_step(struct gy_probe_bar *b, const char *family, size_t done, size_t total, double now_s)
{
    if (!b->to || total == 0 || (b->last_s >= 0 && now_s - b->last_s < 0.1 && done < total)) {
        return;
    }
    b->last_s = now_s;
    int filled = (int)((double)b->width * (double)done / (double)total);
    if (!b->rewrite) {
        fprintf(b->to, "%zu/%zu %s\n", done, total, family);
        return;
    }
    fprintf(b->to, "\r[%.*s%*s] %zu/%zu %.0f s %-16s", filled, "########################", b->width - filled, "", done,
            total, now_s, family);
    fflush(b->to);
}

void gy_probe_bar_close(struct gy_probe_bar *b)
{
    if (b->to && b->rewrite && b->last_s >= 0) {
        fputc('\n', b->to);
    }
    b->to = NULL;
}
