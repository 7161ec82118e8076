#include "tests/support/sample_breakdown.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "tests/support/sample_structure.h"

namespace stepscope::tests {
namespace {

using analysis::Accounting;
using analysis::Breakdown;
using analysis::ComponentRow;
using analysis::DeviceClass;
using analysis::KernelRow;
using analysis::Ns;
using analysis::ShownStep;
using analysis::Step;

constexpr std::string_view kFourGroups =
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
    "int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm100BlockScaled<4, 2>, "
    "cute::tuple<cute::C<128> > > > >(Params)";

KernelRow row(std::string stream, std::string_view name, std::string category,
              std::string component, std::int64_t calls, Ns charged, Ns hidden) {
  KernelRow out;
  out.stream = std::move(stream);
  out.name = name;
  out.category = std::move(category);
  out.component = std::move(component);
  out.calls = calls;
  out.charged_ns = charged;
  out.busy_ns = charged + hidden;
  out.sum_ns = out.busy_ns;
  out.median_ns = out.sum_ns / calls;
  out.min_ns = out.median_ns - 100;
  out.max_ns = out.sum_ns - (out.median_ns * (calls - 1)) + 100;
  if (out.category.starts_with("comm-")) out.device_class = DeviceClass::comm;
  if (out.category == "memcpy" || out.category == "memset") out.device_class = DeviceClass::copy;
  return out;
}

// Stream 39 is the critical one; stream 461 runs the routed experts beside it.
std::vector<KernelRow> step_rows() {
  return {
      row("39", kFourGroups, "gemm-dense", "attention", 183, 2'702'417, 0),
      row("39", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "comm-allreduce-nccl", "communication", 121, 1'490'222, 0),
      row("39", "nvjet_tst_64x32_64x16_2x2_2cta_h", "gemm-dense", "mlp", 123, 1'401'350, 12'004),
      row("39", "fmhaSm100fKernel_QkvE4m3OBfloat16H192", "attention-mla", "attention", 61, 776'311,
          0),
      row("39", "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>", "normalisation",
          "norm", 123, 211'049, 0),
      row("39", "Memcpy DtoD (Device -> Device)", "memcpy", "setup", 2, 3'101, 0),
      row("461", "bmm_E2m1_E2m1E2m1_Fp32_t128x16x256u2_sm100f", "gemm-moe", "moe", 116, 190'500,
          2'700'100),
      row("461",
          "void moe::dev::routing::routingIndicesHistogramKernel<moe::dev::routing::"
          "routingRenormalize::KernelParams<__nv_bfloat16, 128, true> >(Params)",
          "moe-routing", "moe", 58, 0, 651'330),
      row("461", "evil|name`with``ticks @octocat #12\n<img src=x>", "other", "other", 1, 0, 1'500),
  };
}

// Totals from the rows. `overlapped`: communication with compute running on another stream.
Accounting account(std::vector<KernelRow> rows, Ns idle, Ns overlapped) {
  Accounting out;
  out.primary_stream = "39";
  out.idle_ns = idle;
  std::map<std::string, analysis::StreamRow> streams;
  Ns charged = 0;
  for (const KernelRow& one : rows) {
    analysis::StreamRow& stream = streams[one.stream];
    stream.stream = one.stream;
    stream.calls += one.calls;
    stream.sum_ns += one.sum_ns;
    // On the critical stream every active instant is charged; elsewhere rows do not overlap.
    stream.busy_ns += one.stream == "39" ? one.charged_ns : one.busy_ns;
    out.kernel_sum_ns += one.sum_ns;
    charged += one.charged_ns;
    if (one.stream != "39") out.partition.exposed_other += one.charged_ns;
    if (one.device_class == DeviceClass::comm) out.comm_total_ns += one.busy_ns;
    if (one.device_class == DeviceClass::copy) out.copy_total_ns += one.busy_ns;
  }
  for (auto& [name, stream] : streams) {
    if (name != "39") out.partition.hidden_other += stream.busy_ns;
    out.streams.push_back(std::move(stream));
  }
  out.partition.hidden_other -= out.partition.exposed_other;
  out.partition.primary = charged - out.partition.exposed_other;
  out.partition.idle = idle;
  out.window_ns = charged + idle;
  out.busy_ns = charged;
  out.comm_hidden_ns = overlapped;
  out.comm_beside_compute_ns = overlapped;  // all communication is on the critical stream
  out.classes.comm_exposed = out.comm_total_ns - overlapped;
  out.classes.copy_exposed = out.copy_total_ns;
  out.classes.idle = idle;
  out.classes.compute = charged - out.classes.comm_exposed - out.classes.copy_exposed;
  std::ranges::sort(rows, [](const KernelRow& a, const KernelRow& b) {
    return std::tie(b.sum_ns, a.stream, a.name) < std::tie(a.sum_ns, b.stream, b.name);
  });
  out.kernels = std::move(rows);
  return out;
}

std::vector<ComponentRow> components_of(const std::vector<KernelRow>& rows) {
  std::vector<ComponentRow> out;
  for (const KernelRow& one : rows) {
    auto found = std::ranges::find(out, one.component, &ComponentRow::component);
    if (found == out.end()) {
      out.push_back({one.component, 0, 0, 0, 0});
      found = std::prev(out.end());
    }
    found->calls += one.calls;
    found->charged_ns += one.charged_ns;
    found->sum_ns += one.sum_ns;
    found->hidden_ns += one.busy_ns - one.charged_ns;
  }
  std::ranges::sort(out, [](const ComponentRow& a, const ComponentRow& b) {
    return std::tie(b.charged_ns, a.component) < std::tie(a.charged_ns, b.component);
  });
  return out;
}

Step step(int rank, int index, std::string phase, Ns start, Ns span, std::optional<Ns> period) {
  Step out;
  out.rank = rank;
  out.pid = std::to_string(100 + rank);
  out.device = std::to_string(rank);
  out.index = index;
  out.label = phase == "prefill" ? "step[EXTEND bs=4 toks=32768]" : "step[DECODE bs=4 toks=4]";
  out.phase = std::move(phase);
  out.source = "engine";
  out.start_ns = start;
  out.span_ns = span;
  out.busy_ns = span - 310'000;
  out.events = 788;
  out.batch_size = 4;
  out.tokens = out.phase == "prefill" ? 32'768 : 4;
  out.period_ns = period;
  if (period) out.gap_ns = *period - span;
  return out;
}

ShownStep shown_step(const Step& chosen) {
  ShownStep shown;
  shown.step = chosen;
  shown.accounting = account(step_rows(), 1'120'057, 290'111);
  shown.spread = {.min_ns = 7'790'001,
                  .median_ns = shown.accounting.window_ns,
                  .max_ns = 8'022'345,
                  .count = 3,
                  .of = 5,
                  .first_left_out = true,
                  .only_first = false,
                  .median_period_ns = 8'001'000};
  shown.leading_cut = analysis::StrayCut{463'000'500, 3, 12'250};
  shown.foreign_events = 2;
  shown.prefetch_events = 1;
  shown.components = components_of(step_rows());
  shown.notes = {
      "Shown is the group of 3 decode steps with batch size 4; 1 prefill step and 1 "
      "decode step of other sizes were left out."};
  add_sample_structure(shown);
  return shown;
}

analysis::DeviceBreakdown device(int rank) {
  analysis::DeviceBreakdown out;
  out.rank = rank;
  out.pid = std::to_string(100 + rank);
  out.device = std::to_string(rank);
  out.contained_events = 4;
  out.unlinked_events = 7;
  out.unlinked_sum_ns = 91'500;
  out.launches = 60;
  out.graph_launches = 5;
  out.graph_kernels = 3850;
  out.launches_without_kernels = 2;
  out.accounting = account(step_rows(), 41'000'000 + rank, 290'111);
  return out;
}

analysis::TraceSummary trace_summary() {
  analysis::TraceSummary trace;
  trace.files = {{"run-TP-0-DECODE.trace.json.gz",
                  "3f1c00aa11bb22cc33dd44ee55ff66003f1c00aa11bb22cc33dd44ee55ff9a2e", 77'077},
                 {"run-TP-1-DECODE.trace.json.gz", "", 76'001}};
  trace.events = 51'204;
  trace.device_events = 7'880;
  trace.kernels = 7'860;
  trace.memcpys = 16;
  trace.memsets = 4;
  trace.dropped.no_dur = 3;
  trace.dropped.bad_ts = 1;
  trace.duplicates = 6;
  trace.origin_ns = 1'754'380'800'000'000'123;
  trace.device_names = {"NVIDIA B200"};
  trace.world_size = 2;
  trace.notes = {"Times of the second file are whole microseconds."};
  return trace;
}

}  // namespace

Breakdown sample_breakdown() {
  Breakdown out;
  out.analyzer_version = "0.1.0";
  out.table_version = "3";
  out.trace = trace_summary();
  out.devices = {device(0), device(1)};
  out.suspects = {
      {0, "0", "461", 8123, "bmm_E2m1_E2m1E2m1_Fp32_t128x16x256u2_sm100f", 13'700'000, 41'200}};
  for (const int rank : {0, 1}) {
    out.steps.push_back(step(rank, 0, "prefill", 0, 494'000'000, 500'000'000));
    out.steps.push_back(step(rank, 1, "decode", 500'000'000, 8'022'345, 8'101'000));
    out.steps.push_back(step(rank, 2, "decode", 508'101'000, 7'895'007, 8'001'000));
    out.steps.push_back(step(rank, 3, "decode", 516'102'000, 7'790'001, 7'780'000));
    out.steps.push_back(step(rank, 4, "decode", 523'882'000, 9'100'000, std::nullopt));
  }
  out.shown = {shown_step(out.steps[2])};
  out.collectives = sample_collectives();
  out.diagnostics.outside_steps = 12;
  out.diagnostics.empty_markers = 1;
  out.diagnostics.unmatched_names_sum_ns = 3'000;
  out.diagnostics.unmatched_names = {"evil|name`with``ticks @octocat #12\n<img src=x>"};
  out.diagnostics.python_stacks = true;
  out.diagnostics.notes = {"Calls of attention kernels divide by 61."};
  return out;
}

analysis::ReportContext sample_context() {
  analysis::ReportContext context;
  context.title = "DeepSeek-R1 FP4, B200, conc 4";
  context.hardware_note = "Ran on 2 of the 8 GPUs of b200-0.";
  context.provenance = {
      "Understood as profile model=dsr1 precision=fp4 hardware=b200 conc=4 phase=decode steps=1.",
      "Asked by @octocat in org/repo#7, image commit 89ce609ab."};
  context.more_url = "https://stepscope.example/runs/57";
  return context;
}

Breakdown large_breakdown(int rows) {
  Breakdown out = sample_breakdown();
  std::vector<KernelRow> kernels = step_rows();
  for (int i = 0; i < rows; ++i) {
    kernels.push_back(row("39", "triton_poi_fused_add_mul_" + std::to_string(i), "elementwise/copy",
                          "elementwise", 1 + (i % 7), 1'333 + (i * 7), 0));
  }
  for (int stream = 500; stream < 512; ++stream) {
    kernels.push_back(row(std::to_string(stream), "side_kernel", "other", "other", 2, 1'501, 77));
  }
  ShownStep& shown = out.shown.front();
  shown.components = components_of(kernels);
  const Ns before = shown.accounting.window_ns;
  shown.accounting = account(std::move(kernels), 1'120'057, 290'111);
  // The further kernels run behind the last layer.
  const Ns more = shown.accounting.window_ns - before;
  shown.where.insert(shown.where.begin(), {"tail", "further kernels", rows + 24, more});
  std::ranges::sort(shown.where, std::ranges::greater(), &analysis::WhereRow::charged_ns);
  shown.phases.back().wall_ns += more;
  shown.phases.back().classes.compute += more;
  shown.phases.back().charged.push_back({"elementwise/copy", "elementwise", rows + 24, more});
  return out;
}

}  // namespace stepscope::tests
