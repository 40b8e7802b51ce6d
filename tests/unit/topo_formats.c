/* Small dumps of every format, written by hand: what is in them, each link once, what is odd, and what is refused
 * where. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_topo.h"

static struct gy_topo good(const char *text, const char *format)
{
    struct gy_topo t;
    struct gy_error err = {0};
    cr_assert_eq(gy_topo_parse(&t, "x", text, strlen(text), NULL, &err), 0, "%s: %s", err.place, err.what);
    cr_assert_str_eq(t.format, format);
    return t;
}

static void refused(const char *text, const char *format, const char *place, const char *word)
{
    struct gy_topo t;
    struct gy_error err = {0};
    cr_assert_eq(gy_topo_parse(&t, "x", text, strlen(text), format, &err), -1, "%s", text);
    cr_assert_str_eq(err.place, place, "%s: %s", err.place, err.what);
    cr_assert(strstr(err.what, word), "%s", err.what);
    gy_topo_free(&t);
}

static const char fabric[] =
    "# made by hand\nvendid=0x2c9\nswitchguid=0x1(1)\n"
    "Switch\t3 \"S-1\"\t\t# \"MF0;leaf-1:MQM9701/U1\" enhanced port 0 lid 7 lmc 0\n"
    "[1]\t\"H-a\"[1](a) \t\t# \"box1 mlx5_0\" lid 1 4xNDR\n"
    "[2]\t\"H-b\"[1](b) \t\t# \"box1 HCA-2\" lid 2 4xNDR\n"
    "[3]\t\"S-2\"[1]\t\t# \"MF0;top:MCS8500/S01/U1\" lid 9 4xHDR\n\n"
    "Switch\t3 \"S-2\"\t\t# \"MF0;top:MCS8500/S01/U1\" enhanced port 0 lid 9 lmc 0\n"
    "[1]\t\"S-1\"[3]\t\t# \"MF0;leaf-1:MQM9701/U1\" lid 7 4xHDR\n"
    "[2]\t\"H-c\"[1](c) \t\t# \"Mellanox Technologies Aggregation Node\" lid 4 4xHDR\n\n"
    "Ca\t1 \"H-a\"\t\t# \"box1 mlx5_0\"\n[1](a) \t\"S-1\"[1]\t\t# lid 1 lmc 0 \"MF0;leaf-1:MQM9701/U1\" lid 7 4xNDR\n"
    "Ca\t1 \"H-b\"\t\t# \"box1 HCA-2\"\n[1](b) \t\"S-1\"[2]\t\t# lid 2 lmc 0 \"MF0;leaf-1:MQM9701/U1\" lid 7 4xNDR\n";

Test(topo_formats, ibnetdiscover)
{
    struct gy_topo t = good(fabric, "ibnetdiscover");
    struct gy_graph g;
    struct gy_error err = {0};

    cr_assert_eq(gy_topo_count(&t, GY_T_SWITCH, false), 2);
    cr_assert_eq(gy_topo_count(&t, GY_T_HOST, false), 1); /* both adapters are box1's */
    cr_assert_eq(gy_topo_count(&t, GY_T_NIC, false), 2);
    cr_assert_eq(gy_topo_count(&t, GY_T_NIC, true), 1);
    cr_assert_eq(t.links.n, 4);
    cr_assert_eq(t.one_sided, 1);
    cr_assert_eq(t.links.at[0].rate, 50e9);
    cr_assert_eq(t.links.at[2].rate, 25e9);
    cr_assert_eq(gy_topo_graph(&t, 1, 0, &g, &err), 0);
    cr_assert_eq(g.nodes, 1);
    cr_assert_eq(g.links.n, 2 * 3);
    cr_assert_eq(gy_graph_leaf(&g, 0), 0);
    gy_graph_free(&g);
    gy_topo_free(&t);
}

Test(topo_formats, ibnetdiscover_refuses)
{
    refused("vendid=0x1\n[1]\t\"H-a\"[1](a) # \"x mlx5_0\" lid 1 4xNDR\n", NULL, "x:2", "before any");
    refused("vendid=0x1\nSwitch 3 \"S-1\" # \"MF0;a:M/U1\" lid 1\n[1]\t\"H-a\"[1](a) # \"x ml", NULL, "x:3",
            "wants a port");
    refused("vendid=0x1\nSwitch 3 \"S-1\" # \"MF0;a:M/U1\" lid 1\n[1]\t\"H-a\"[1](a) # \"x mlx5_0\" lid 1 4xN", NULL,
            "x:3", "4xNDR");
    refused(
        "vendid=0x1\nSwitch 3 \"S-1\" # \"MF0;a:M/U1\" lid 1\n[9999999999]\t\"H-a\"[1](a) # \"x mlx5_0\" lid 1 4xNDR",
        NULL, "x:3", "wants a port");
    refused("vendid=0x1\nSwitch 3\n", NULL, "x:2", "wants a record");
    refused("vendid=0x1\nnonsense\n", NULL, "x:2", "wants Switch");
    refused("vendid=0x1\nSwitch 3 \"S-1\" # \"MF0;a:M/U1\" lid 1\n[1]\t\"H-a\"[1](a) # \"x mlx5_0\" lid 1 4xNDR\n"
            "[1]\t\"H-b\"[1](b) # \"y mlx5_0\" lid 1 4xNDR\n",
            NULL, "x:4", "already joined");
    refused("vendid=0x1\n", NULL, "x", "no topology");
}

Test(topo_formats, slurm)
{
    struct gy_topo t =
        good("# tree\nSwitchName=l1 Nodes=n[1-3],m-[01-02]-[1-2]\nswitchname=l2 nodes=n[4-6] LinkSpeed=100\n"
             "SwitchName=top \\\n  Switches=l[1-2]\n",
             "slurm-topology");
    struct gy_graph g;
    struct gy_error err = {0};

    cr_assert_eq(gy_topo_count(&t, GY_T_SWITCH, false), 3);
    cr_assert_eq(gy_topo_count(&t, GY_T_HOST, false), 10);
    cr_assert_eq(t.links.n, 12);
    cr_assert_eq(gy_topo_graph(&t, 5e9, 100, &g, &err), 0);
    cr_assert_eq(g.leaves, 2);
    cr_assert_eq(g.links.at[0].capacity, 5e9);
    gy_graph_free(&g);
    gy_topo_free(&t);
    refused("SwitchName=a Nodes=n[1-\n", NULL, "x:1", "n[1-");
    refused("SwitchName=a Nodes=n[1-99999999999]\n", NULL, "x:1", "");
    refused("SwitchName=a Switches=b\nSwitchName=b Switches=a\n", NULL, "x:2", "circle");
    refused("SwitchName=a Switches=b\n", NULL, "x:1", "without a line");
    refused("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", NULL, "x:2", "twice");
    refused("SwitchName=a Nodes=n1\nSwitchName=n1 Nodes=n2\n", NULL, "x:2", "already");
    refused("SwitchName=a Nodes=n1 Colour=red\n", NULL, "x:1", "Colour");
    refused("Nodes=n1\n", "slurm-topology", "x:1", "before it");
    refused("SwitchName=a Nodes=n1 \\", NULL, "x:1", "goes on");
}

Test(topo_formats, csv)
{
    struct gy_topo t = good("ip,top,mid,low\nh1,T,P1,S1\nh2,T,P1,S1\nh3,T,P2,S1\nh4,T,P2,S2\n", "csv");

    cr_assert_eq(gy_topo_count(&t, GY_T_SWITCH, false), 1 + 2 + 3); /* S1 below P1 is not S1 below P2 */
    cr_assert_eq(t.links.n, 2 + 3 + 4);
    gy_topo_free(&t);
    t = good("a,b,gbit,count\nh1,s1,100,1\nh2,s1,100,1\ns1,s2,400,2\nh3,s2,100,1\n", "csv");
    cr_assert_eq(gy_topo_count(&t, GY_T_HOST, false), 3);
    cr_assert_eq(t.links.n, 4);
    cr_assert_eq(t.links.at[2].rate, 100e9);
    gy_topo_free(&t);
    t = good("from,to\nh1,s1\ns1,h1\nh2,s1\ns1,h2\n", "csv"); /* every link told twice */
    cr_assert_eq(t.links.n, 2);
    cr_assert_eq(t.links.at[0].count, 1);
    gy_topo_free(&t);
    refused("ip,top,low\nh1,T\n", NULL, "x:2", "columns");
    refused("ip,top,low\nh1,T,\n", NULL, "x:2", "no name");
    refused("a,b,gbps\nh1,s1,fast\n", NULL, "x:2", "number");
    refused("a,b\nh1,h1\n", NULL, "x:2", "itself");
    refused("a,b\n", NULL, "x", "no topology");
}

Test(topo_formats, nvidia_smi)
{
    struct gy_topo t = good(
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV2\tPIX\t0-3\t0\nGPU1\tNV2\t X \tSYS\t0-3\t0\n"
        "NIC0\tPIX\tSYS\t X \t\n\nLegend:\n\n  X    = Self\n",
        "nvidia-smi-topo");

    cr_assert_eq(gy_topo_count(&t, GY_T_GPU, false), 2);
    cr_assert_eq(t.links.n, 3);
    cr_assert_eq(t.links.at[0].count, 2);
    cr_assert_eq(t.links.at[0].via, GY_VIA_NVLINK);
    cr_assert_str_eq(gy_strings_text(t.strings, t.links.at[1].label), "PIX");
    gy_topo_free(&t);
    refused("\tGPU0\tGPU1\nGPU0\t X \tNV2\n", NULL, "x:2", "before every device");
    refused("\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV4\t X \n", NULL, "x:3", "another relation");
    refused("\tGPU0\tGPU1\nGPU0\t X \tWAT\nGPU1\tNV4\t X \n", NULL, "x:2", "wants X");
    refused("\tGPU0\tGPU1\nGPU0\t X \t X \nGPU1\t X \t X \n", NULL, "x:2", "diagonal");
}

static const char node[] =
    "\n<!-- by hand -->\n<system version=\"1\">\n <cpu numaid=\"0\">\n"
    "  <pci busid=\"01\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"><gpu dev=\"0\" sm=\"80\">"
    "<nvlink target=\"02\" count=\"4\" tclass=\"0x030200\"/><nvlink target=\"sw\" count=\"2\" "
    "tclass=\"0x068000\"/></gpu></pci>\n"
    "  <pci busid=\"02\" class=\"0x030200\" link_speed=\"\" link_width=\"0\"><gpu dev=\"1\" sm=\"80\">"
    "<nvlink target=\"01\" count=\"4\" tclass=\"0x030200\"/></gpu></pci>\n"
    "  <pci busid=\"03\" class=\"0x020700\"><nic><net name=\"m0\" speed=\"200000\"/><net name=\"m1\" "
    "speed=\"200000\"/></nic></pci>\n"
    "  <pci busid=\"04\" class=\"0x040300\"/>\n </cpu>\n</system>\n";

Test(topo_formats, nccl_xml)
{
    struct gy_topo t = good(node, "nccl-xml");

    cr_assert_eq(gy_topo_count(&t, GY_T_GPU, false), 2);
    cr_assert_eq(gy_topo_count(&t, GY_T_NIC, false), 1);
    cr_assert_eq(gy_topo_count(&t, GY_T_NVSWITCH, false), 1);
    cr_assert_eq(gy_topo_count(&t, GY_T_OTHER, true), 1);
    cr_assert_eq(t.links.n, 4 + 2);
    cr_assert_float_eq(t.links.at[0].rate, 31.507692e9, 1e3);
    cr_assert_eq(t.links.at[1].rate, 0);
    cr_assert_eq(t.links.at[4].rate, 80e9);
    gy_topo_free(&t);
    refused("<graphs version=\"1\"/>", NULL, "x:1", "graphs");
    refused("\n\n<system>\n<cpu numaid=\"0\">", NULL, "x:4", "");
    refused("<system><pci class=\"0x030200\"/></system>", NULL, "x:1", "bus id");
    refused("<system>\n<pci busid=\"1\"/><pci busid=\"1\"/></system>", NULL, "x:2", "twice");
    refused("<!DOCTYPE a [<!ENTITY b \"bbbb\">]><system/>", NULL, "x:1", "entity");
    refused("<system><gpu dev=\"0\"/></system>", NULL, "x:1", "outside");
}

Test(topo_formats, cut_and_spoiled_texts_do_no_harm)
{
    const char *const all[] = {fabric,
                               node,
                               "SwitchName=l1 Nodes=n[1-3]\nSwitchName=top Switches=l1\n",
                               "\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n",
                               "ip,a,b\nx,y,z\n",
                               "a,b,gbps\nx,y,3\n"};
    uint64_t rng = 1;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t len = strlen(all[i]);
        for (size_t k = 0; k < 2 * len; k++) {
            struct gy_topo t;
            struct gy_error err = {0};
            size_t n = k < len ? k : len;
            char *copy = malloc(n + 1);
            memcpy(copy, all[i], n);
            rng = rng * 6364136223846793005u + 1442695040888963407u;
            if (k >= len && n > 0)
                copy[(rng >> 33) % n] = (char)(rng >> 20);
            int done = gy_topo_parse(&t, "x", copy, n, NULL, &err);
            cr_assert(done == 0 || (err.what[0] && err.place[0]));
            if (done == 0) {
                struct gy_writer *w = gy_writer_open(NULL, &err);
                gy_topo_print(&t, w);
                gy_writer_abandon(w);
            }
            gy_topo_free(&t);
            free(copy);
        }
    }
}
