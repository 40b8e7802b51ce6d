/* Node lists of traces. */
#include <stdlib.h>
#include "traces_help.h"

static int load(const char *text, const char *format, struct gy_cluster_spec *spec, struct gy_error *err)
{
    char path[] = "/tmp/gy_nodes_XXXXXX", sha[65] = "";
    int fd = mkstemp(path);

    memset(spec, 0, sizeof *spec);
    memset(err, 0, sizeof *err);
    spec->strings = gy_strings_new();
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int done = gy_nodes_load(path, format, spec, sha, err);
    unlink(path);
    cr_expect(done < 0 || strlen(sha) == 64);
    return done;
}

static void drop(struct gy_cluster_spec *spec)
{
    gy_strings_free(spec->strings);
    gy_vec_free(&spec->nodes);
    gy_vec_free(&spec->label_sets);
}

static const char *name(const struct gy_cluster_spec *s, size_t i)
{
    return gy_strings_text(s->strings, s->nodes.at[i].name);
}

Test(traces_nodes, formats)
{
    struct gy_cluster_spec s;
    struct gy_error err;

    cr_assert_eq(load("sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,32000,1024,0,\n", NULL, &s, &err),
                 0);
    cr_expect_eq(s.nodes.n, 2);
    cr_expect_str_eq(name(&s, 0), "n0");
    cr_expect_eq(s.nodes.at[0].gpus, 2);
    cr_expect_eq(s.nodes.at[0].cpu_milli, 64000);
    cr_expect_eq(s.nodes.at[0].mem_mib, 262144);
    cr_expect_str_eq(gy_strings_text(s.strings, s.nodes.at[0].gpu_type), "P100");
    cr_expect_eq(s.nodes.at[0].hardware, UINT32_MAX);
    cr_expect_float_eq(s.nodes.at[0].speed, 1, 0);
    cr_expect_eq(s.nodes.at[1].gpus, 0);
    cr_expect_eq(s.nodes.at[1].gpu_type, 0);
    drop(&s);
    cr_assert_eq(load("aa,CPU,96,512,0\nbb,V100,96,512,8\n", NULL, &s, &err), 0, "%s", err.what);
    cr_expect_eq(s.nodes.at[0].gpu_type, 0);
    cr_expect_eq(s.nodes.at[1].cpu_milli, 96000);
    cr_expect_eq(s.nodes.at[1].mem_mib, 512 * 1024);
    cr_expect_eq(s.nodes.at[1].gpus, 8);
    drop(&s);
    cr_assert_eq(load("machineId, number of GPUs, single GPU mem\nm0,2, 12GB\nm1,8,24GB\n", NULL, &s, &err), 0, "%s",
                 err.what);
    cr_expect_eq(s.nodes.at[1].gpus, 8);
    cr_expect_eq(s.nodes.at[0].gpu_mem_mib, 12288);
    cr_expect_eq(s.nodes.at[0].cpu_milli, 0);
    drop(&s);
    cr_assert_eq(load(",machineId,number of GPUs\n0,m0,8\n1,m7,0\n", NULL, &s, &err), 0, "%s", err.what);
    cr_expect_str_eq(name(&s, 1), "m7");
    cr_expect_eq(s.nodes.at[1].gpus, 0);
    drop(&s);
    cr_assert_eq(
        load("num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n2,3,8,128,256", NULL, &s, &err),
        0);
    cr_expect_eq(s.nodes.n, 6);
    cr_expect_str_eq(name(&s, 5), "s1n2");
    cr_expect_eq(s.nodes.at[5].leaf, 1);
    drop(&s);
}

Test(traces_nodes, a_bad_row_is_an_error_with_its_line)
{
    static const struct {
        const char *text, *what;
    } table[] = {
        {"", "empty"},
        {"sn,cpu_milli,memory_mib,gpu,model\n", "no node"},
        {"x,y\n1,2\n", "not a node list"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn0,1,2,-1,\n", "gpu"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn0,1,2,1.5,\n", "gpu"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn0,1,2,5000,\n", "gpu"},
        {"sn,cpu_milli,memory_mib,gpu,model\n,1,2,1,\n", "sn"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn0,1\n", "fields"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn0,x,2,1,\n", "cpu_milli"},
        {"num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n9999999,9999999,8,1,1",
         "num_node_p_switch"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gy_cluster_spec s;
        struct gy_error err;
        cr_expect_eq(load(table[i].text, NULL, &s, &err), -1, "%s", table[i].text);
        cr_expect(strstr(err.what, table[i].what) != NULL, "%s: %s", table[i].text, err.what);
        cr_expect_eq(gy_exit_status(err.code), 2);
        drop(&s);
    }
}
