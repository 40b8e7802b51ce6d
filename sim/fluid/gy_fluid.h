/* The fluid network: running jobs share links max-min fairly, and a job's speed follows from the rate that is left for
 * its collectives. An implementation of struct gy_rates (sim/job/gy_rates.h).
 *
 * A job with a profile that runs on n > 1 nodes all-reduces S bytes a step in a ring over its nodes, in the order of
 * its placement: each hop carries 2(n-1)/n·S, shared evenly by the rails (NICs of equal index) of both nodes. Its
 * variable x is bytes of all-reduce a second; on a link its coefficient is the bytes there a byte of all-reduce. Rates
 * are weighted max-min over all links (gy_solver.h). A step takes
 *
 *     T(x) = (compute^γ + comm(x)^γ)^(1/γ)      γ = 1: nothing overlaps; γ → ∞: the longer hides the shorter
 *     comm(x) = comm(x_ref)·x_ref/x             comm(x_ref): of a collective model where there is one, else S/x_ref
 *
 * (Qiao et al., "Pollux", OSDI 2021, for the form). The recorded run time is taken as the time at the reference
 * placement: the same nodes under one switch, nobody else on the links, x limited by NICs alone. The job's factor is
 * T(ref)/T(x).
 *
 * What it leaves out: latencies; bursts — a job counts as communicating all the time, so two jobs on a full link always
 * slow each other, which is an upper bound where their bursts could interleave; traffic inside a node. */
#ifndef GY_FLUID_H
#define GY_FLUID_H
#include "gy_graph.h"
#include "gy_rates.h"

struct gy_profile { /* of a training job's step */
    const char *name;
    double compute_s;       /* ≥ 0 */
    double allreduce_bytes; /* S, ≥ 0; 0: no communication */
    double gamma;           /* ≥ 1 */
};

struct gy_fluid_config {
    const struct gy_graph *graph; /* its node i is the cluster's node i; end points are NICs; borrowed */
    enum gy_route_rule rule;
    uint64_t seed; /* of the stream "ecmp" */
    /* The job's profile, NULL: it does not communicate. Must stay valid while the job runs. */
    const struct gy_profile *(*profile_of)(void *ctx, const struct gy_job_rec *rec);
    /* Seconds of the all-reduce at the reference placement, from a model of collectives; NaN: S/x_ref. May be NULL. */
    double (*comm_s)(void *ctx, const struct gy_job *job, const struct gy_profile *p);
    void *ctx;
    bool tell_why; /* rate changes carry a text that names the link which holds the job back */
};

struct gy_fluid;
struct gy_fluid *gy_fluid_new(const struct gy_fluid_config *config, struct gy_error *err); /* NULL with err */
void gy_fluid_free(struct gy_fluid *f);
struct gy_rates gy_fluid_rates(struct gy_fluid *f); /* valid as long as f */

/* Bytes that crossed a link up to now (the last settle or stop, or the time given to gy_fluid_advance). */
double gy_fluid_link_bytes(const struct gy_fluid *f, uint32_t link);
void gy_fluid_advance(struct gy_fluid *f, gy_time now);
/* The seconds a step takes now for a running job; NaN when it has no traffic between nodes. */
double gy_fluid_step_s(const struct gy_fluid *f, gy_job_id job);
/* T of the formula above, from the seconds of communication. */
double gy_profile_step_s(const struct gy_profile *p, double comm_s);
#endif
