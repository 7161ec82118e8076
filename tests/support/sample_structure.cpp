// The figures of one layer are chosen such that 61 of them, with what is left over in the last one,
// give the totals of the kernel rows.

#include "tests/support/sample_structure.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope::tests {
namespace {

using analysis::LayerKind;
using analysis::LayerRow;
using analysis::Ns;
using analysis::ShownStep;

constexpr std::string_view kAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
constexpr std::string_view kNorm =
    "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>";
constexpr std::string_view kFmha = "fmhaSm100fKernel_QkvE4m3OBfloat16H192";
constexpr std::string_view kShared = "nvjet_tst_64x32_64x16_2x2_2cta_h";

constexpr Ns kFirstWait = 300'000;
constexpr Ns kTransfer = 9'836;       // of one all-reduce
constexpr Ns kFirstTransfer = 9'902;  // 66 ns are left over

analysis::KernelRow& kernel(ShownStep& shown, std::string_view part) {
  return *std::ranges::find_if(shown.accounting.kernels,
                               [&](const auto& row) { return row.name.contains(part); });
}

void add_roles(ShownStep& shown) {
  kernel(shown, "cutlass").roles = {{"q/kv projection", "attention", 122, 1'801'574,
                                     "between RMSNorm and attention, 122 calls = 2 x 61 layers"},
                                    {"o_proj", "attention", 61, 900'843,
                                     "between attention and all-reduce, 61 calls = 61 layers"}};
  kernel(shown, "cutlass").shapes = {{"M 4, N 2112, K 7168", "Input Dims", 122},
                                     {"M 4, N 7168, K 2048", "Input Dims", 61}};
  kernel(shown, "AllReduce").roles = {
      {"attention all-reduce", "communication", 61, 900'062, "after o_proj"},
      {"MoE all-reduce", "communication", 58, 570'488, "at the end of a MoE layer"},
      {"MLP all-reduce", "communication", 2, 19'672, "at the end of a dense layer"}};
  kernel(shown, "AllReduce").median_ns = kTransfer;
  kernel(shown, "AllReduce").min_ns = kTransfer;
  kernel(shown, "AllReduce").max_ns = kFirstWait + kFirstTransfer;
  kernel(shown, "nvjet").roles = {
      {"shared expert down", "moe", 58, 662'012, "58 calls = 58 MoE layers"},
      {"shared expert gate_up", "moe", 58, 662'012, "58 calls = 58 MoE layers"},
      {"down", "mlp", 3, 34'242, "3 calls = 3 dense layers"},
      {"gate_up", "mlp", 3, 34'242, "3 calls = 3 dense layers"},
      {"lm_head", "sampling", 1, 8'842, "after the last layer"}};
  kernel(shown, "nvjet").shapes = {{"tile 64x32", "tile in the name", 123}};
  kernel(shown, "fmha").roles = {{"attention", "attention", 61, 776'311, ""}};
  kernel(shown, "FusedAdd").roles = {{"norm", "norm", 122, 209'230, ""},
                                     {"final norm", "norm", 1, 1'819, ""}};
  kernel(shown, "bmm_").roles = {
      {"expert down", "moe", 58, 95'250, "between routing and the end of the layer"},
      {"expert gate_up", "moe", 58, 95'250, "between routing and the end of the layer"}};
  kernel(shown, "routingIndices").roles = {{"routing", "moe", 58, 0, ""}};
}

LayerRow layer_row(std::string_view name, std::string category, std::string role,
                   std::string component, Ns charged, const LayerKind& kind, Ns rest = 0) {
  LayerRow out;
  out.stream = "39";
  out.name = name;
  out.category = std::move(category);
  out.role = std::move(role);
  out.component = std::move(component);
  out.calls = 1;
  out.charged_ns = out.sum_ns = charged;
  out.calls_in_kind = kind.count;
  out.charged_in_kind_ns = out.sum_in_kind_ns = (charged * kind.count) + rest;
  return out;
}

LayerRow side_row(ShownStep& shown, std::string_view part, std::string role, Ns charged, Ns hidden,
                  const LayerKind& kind, Ns rest, Ns hidden_rest) {
  const analysis::KernelRow& row = kernel(shown, part);
  LayerRow out = layer_row(row.name, row.category, std::move(role), "moe", charged, kind, rest);
  out.stream = "461";
  out.sum_ns += hidden;
  out.sum_in_kind_ns += (hidden * kind.count) + hidden_rest;
  return out;
}

// `first_call` is the all-reduce after attention; `left_over` the kind that has the last layer.
LayerKind layer_kind(ShownStep& shown, int first, int last, Ns first_call, bool second_call,
                     bool moe) {
  LayerKind kind;
  kind.first = first;
  kind.last = last;
  kind.count = last - first + 1;
  kind.moe = moe;
  kind.median_layer = first;
  const Ns rest = moe ? 1 : 0;
  const std::string gemm_of = moe ? "shared expert " : "";
  const std::string component = moe ? "moe" : "mlp";
  const std::string& projection = kernel(shown, "cutlass").name;
  kind.rows = {layer_row(kNorm, "normalisation", "norm", "norm", 1'715, kind),
               layer_row(projection, "gemm-dense", "q/kv projection", "attention", 14'767, kind),
               layer_row(projection, "gemm-dense", "q/kv projection", "attention", 14'767, kind),
               layer_row(kFmha, "attention-mla", "attention", "attention", 12'726, kind, 25 * rest),
               layer_row(projection, "gemm-dense", "o_proj", "attention", 14'767, kind, 56 * rest),
               layer_row(kAllReduce, "comm-allreduce-nccl", "attention all-reduce", "communication",
                         first_call, kind),
               layer_row(kNorm, "normalisation", "norm", "norm", 1'715, kind),
               layer_row(kShared, "gemm-dense", gemm_of + "gate_up", component, 11'414, kind),
               layer_row(kShared, "gemm-dense", gemm_of + "down", component, 11'414, kind)};
  if (second_call) {
    kind.rows.push_back(layer_row(kAllReduce, "comm-allreduce-nccl",
                                  moe ? "MoE all-reduce" : "MLP all-reduce", "communication",
                                  kTransfer, kind));
  }
  kind.events = static_cast<std::int64_t>(kind.rows.size());
  if (moe) {
    kind.side_events = 3;
    kind.rows.push_back(side_row(shown, "routingIndices", "routing", 0, 11'229, kind, 0, 48));
    kind.rows.push_back(side_row(shown, "bmm_", "expert gate_up", 1'642, 23'276, kind, 14, 42));
    kind.rows.push_back(side_row(shown, "bmm_", "expert down", 1'642, 23'276, kind, 14, 42));
  }
  kind.idle_ns = 17'868;
  kind.idle_in_kind_ns = (kind.idle_ns * kind.count) + (52 * rest);
  kind.median_wall_ns = kind.idle_ns;
  kind.total_wall_ns = kind.idle_in_kind_ns;
  for (const LayerRow& row : kind.rows) {
    kind.median_wall_ns += row.charged_ns;
    kind.total_wall_ns += row.charged_in_kind_ns;
  }
  kind.min_wall_ns = kind.median_wall_ns;
  kind.max_wall_ns = kind.total_wall_ns - (kind.median_wall_ns * (kind.count - 1));
  kind.mean_wall_ns = (kind.total_wall_ns + (kind.count / 2)) / kind.count;
  return kind;
}

// 411 055 + 2 x 120 825 + 57 x 124 109 + 124 270 = 7 851 188
analysis::Layers sample_layers(ShownStep& shown) {
  analysis::Layers layers;
  layers.count = 61;
  layers.stream = "39";
  layers.events_before = 2;
  layers.events_after = 2;
  layers.kinds = {layer_kind(shown, 0, 0, kFirstWait + kFirstTransfer, false, false),
                  layer_kind(shown, 1, 2, kTransfer, true, false),
                  layer_kind(shown, 3, 60, kTransfer, true, true)};
  layers.kinds[0].label = "dense, one all-reduce less";
  layers.kinds[1].label = "dense";
  layers.kinds[2].label = "MoE";
  for (int layer = 0; layer < layers.count; ++layer) {
    layers.kind_of.push_back(layer == 0 ? 0 : layer < 3 ? 1 : 2);
    const LayerKind& kind = layers.kinds[static_cast<std::size_t>(layers.kind_of.back())];
    layers.wall_ns.push_back(layer == kind.last ? kind.max_wall_ns : kind.median_wall_ns);
  }
  layers.notes = {"183 GEMM calls of stream 39 = 3 x 61 layers"};
  return layers;
}

void add_phases(ShownStep& shown) {
  const analysis::ClassTimes all = shown.accounting.classes;
  shown.phases = {{"head", 0, 23'158, {0, 0, 3'101, 20'057}, {{"memcpy", "setup", 2, 3'101}}},
                  {"layers",
                   23'158,
                   7'851'188,
                   {all.compute - 10'661, all.comm_exposed, 0, 1'090'000},
                   {{"gemm-dense", "attention", 183, 2'702'417},
                    {"comm-allreduce-nccl", "communication", 121, 1'490'222},
                    {"gemm-dense", "mlp", 122, 1'392'508},
                    {"attention-mla", "attention", 61, 776'311},
                    {"normalisation", "norm", 122, 209'230},
                    {"gemm-moe", "moe", 116, 190'500},
                    {"moe-routing", "moe", 58, 0}}},
                  {"tail",
                   7'874'346,
                   20'661,
                   {10'661, 0, 0, 10'000},
                   {{"gemm-dense", "mlp", 1, 8'842},
                    {"normalisation", "norm", 1, 1'819},
                    {"other", "other", 1, 0}}}};
}

void add_where(ShownStep& shown) {
  shown.where = {{"attention", "attention, 61 layers", 244, 3'478'728, false, false},
                 {"moe.shared", "MoE shared experts, 58 layers", 116, 1'324'024, false, false},
                 {"layers.collective", "all-reduce in the layers", 121, 1'190'222, false, false},
                 {"idle.graph", "idle, between graph nodes", 0, 1'090'000, true, false},
                 {"wait", "waiting for other ranks, 1 all-reduce", 1, kFirstWait, false, true},
                 {"norm", "norms", 123, 211'049, false, false},
                 {"moe.routed", "MoE routed experts, exposed", 116, 190'500, false, false},
                 {"mlp", "dense MLP, 3 layers", 6, 68'484, false, false},
                 {"idle.host", "idle, waiting for the host", 0, 20'000, true, false},
                 {"idle.unknown", "idle, cause not told", 0, 10'000, true, false},
                 {"tail", "lm_head", 1, 8'842, false, false},
                 {"head.setup", "set-up before the first layer", 2, 3'101, false, false},
                 {"idle.latency", "idle, launch latency or dependency", 0, 57, true, false}};
}

void add_moe(ShownStep& shown) {
  analysis::Moe moe;
  moe.layers = 58;
  moe.parts = {
      {"router", 58, 0, 651'330, 0, 651'330, 651'330},
      {"routed_experts", 116, 190'500, 2'700'100, 190'500, 2'890'600, 2'890'600},
      {"shared_expert", 116, 1'324'024, 12'004, 0, 1'336'028, 1'336'028},
      {"collectives", 58, 570'488, 0, 480'000, 570'488, 570'488},
  };
  moe.total = {"total", 348, 2'085'012, 1'900'000, 750'000, 3'985'012, 5'448'446};
  moe.sentence =
      "Shared experts took 1.324 ms on the critical stream, and the all-reduces that end the MoE "
      "layers 0.570 ms. Routed experts worked 2.891 ms on stream 461: 0.190 ms charged, 2.700 ms "
      "hidden behind stream 39.";
  shown.moe = std::move(moe);
}

}  // namespace

void add_sample_structure(ShownStep& shown) {
  add_roles(shown);
  shown.components = {{"attention", 244, 3'478'728, 3'478'728, 0},
                      {"moe", 290, 1'514'524, 4'877'958, 3'363'434},
                      {"communication", 121, 1'490'222, 1'490'222, 0},
                      {"norm", 123, 211'049, 211'049, 0},
                      {"mlp", 6, 68'484, 68'484, 0},
                      {"sampling", 1, 8'842, 8'842, 0},
                      {"setup", 2, 3'101, 3'101, 0},
                      {"other", 1, 0, 1'500, 1'500}};
  // 20 000 + 57 in the head, 1 090 000 in the layers, 10 000 in the tail
  shown.idle_causes = {20'000, 57, 1'090'000, 10'000};
  shown.launch_stats = {.launches = 4,
                        .graph_launches = 1,
                        .graph_kernels = 785,
                        .unlinked_events = 1,
                        .kernels_per_graph_median = 785,
                        .latency_min_ns = 3'100,
                        .latency_median_ns = 4'200,
                        .latency_max_ns = 21'700,
                        .depth_median = 390,
                        .depth_max = 784};
  shown.layers = sample_layers(shown);
  add_phases(shown);
  add_where(shown);
  add_moe(shown);
  shown.ranks = {
      {0, "", "0", 2, true, 7'895'007, 6'774'950, 5'571'738, 1'200'111, 2'085'012, kFirstWait,
       1'190'222},
      {1, "", "1", 2, false, 7'595'007, 6'474'950, 5'571'738, 900'111, 2'085'012, 0, 1'190'222}};
  // 10^12 / 8 001 000 = 124 984.4; 8 001 000 / 7 200 000 = 1.11125
  shown.cross_check = {8'001'000, 124'984, 7'200'000, 1'111};
  shown.takeaways = {
      {"largest_category",
       "Attention is 3.479 ms of 7.895 ms (44.1 %): the kernel itself 0.776 ms, its projections "
       "2.702 ms.",
       3'478'728},
      {"exposed_communication",
       "121 all-reduces cost 1.490 ms (9.8 µs each in the median), 1.200 ms of it exposed.",
       1'200'111},
      {"idle", "The GPU idles 1.120 ms, 1.090 ms of it between graph nodes.", 1'120'057},
      {"wait",
       "Rank 0 entered an all-reduce of layer 1 0.300 ms before the last rank; its transfer took "
       "0.010 ms: skew, not bandwidth.",
       kFirstWait}};
}

analysis::Collectives sample_collectives() {
  analysis::Collectives out;
  out.ranks = 2;
  out.world_size = 2;
  out.complete = true;
  out.matched = 121;
  out.release_mad_ns = 210;
  out.largest_wait_ns = kFirstWait;
  out.largest_release_spread_ns = 900;
  out.by_rank = {{0, "", 0, 0, kFirstWait, 1'190'222}, {1, "", 0, 1, 0, 1'190'222}};
  Ns start = 508'124'000 + 70'000;
  for (int i = 0; i < 121; ++i) {
    const Ns wait = i == 0 ? kFirstWait : 0;
    analysis::CollectiveCall call;
    call.kind = "AllReduce";
    call.group = "tp";
    call.name = kAllReduce;
    call.start_ns = start;
    call.last_arrival_ns = start + wait;
    call.max_wait_ns = wait;
    call.shortest_ns = i == 0 ? kFirstTransfer : kTransfer;
    call.release_spread_ns = i == 0 ? 900 : 200;
    if (wait > 0) call.late_rank = 1;
    call.bytes = 57'344;
    start += wait + 62'000;
    out.calls.push_back(std::move(call));
  }
  out.notes = {"clocks not corrected: offsets are below 5 us"};
  return out;
}

}  // namespace stepscope::tests
