#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("one row per component and idle, falling, and both columns add up as printed") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Table table = where_table(shown);
  CHECK(tests::column(table, 0) ==
        std::vector<std::string>{
            "attention, 244 calls", "dense MLP, 116 calls", "communication, exposed, 121 calls",
            "idle", "communication, compute running beside it", "norms, 122 calls",
            "MoE, 174 calls", "copies and set-up, 2 calls",
            "not classified, 1 call, all hidden behind other work", "one decode step"});
  // 3478728 1401350 1200111 1120057 290111 211049 190500 3101 0 of 7895007 ns: floors to 1 us sum
  // to 7892, three left: .728, .500 (MoE), .350 (MLP).
  CHECK(tests::column(table, 1) == std::vector<std::string>{"3.479", "1.401", "1.200", "1.120",
                                                            "0.290", "0.211", "0.191", "0.003",
                                                            "0.000", "7.895"});
  CHECK(tests::printed_sum(table, 1) == 7895);
  CHECK(tests::printed_sum(table, 2) == 1000);
  CHECK(tests::column(table, 2).back() == "100.0");
}

TEST_CASE("the last row is named after what is shown") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  shown.step.phase = "unknown";
  CHECK(tests::column(where_table(shown), 0).back() == "one step");
  shown.step.source = "file";
  CHECK(tests::column(where_table(shown), 0).back() == "the whole file");
}

TEST_CASE("communication is one row when other kernels bear its component as well") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  shown.accounting.kernels.push_back({.device_class = DeviceClass::comm, .charged_ns = 100});
  const Table table = where_table(shown);
  CHECK(tests::column(table, 0)[1] == "communication, 121 calls");
  CHECK(tests::printed_sum(table, 1) == 7895);
}

TEST_CASE("the check sentence is computed, not asserted") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  // 6774950 = 2702417 + 1490222 + 1401350 + 776311 + 211049 + 3101 + 190500
  CHECK(check_line(shown).spans.front().text ==
        "Charged 6 774 950 ns + idle 1 120 057 ns = wall 7 895 007 ns, over all kernels.");
  shown.accounting.idle_ns += 1;
  CHECK(check_line(shown).spans.front().text.starts_with("These figures do NOT add up: "));
}

TEST_CASE("GEMMs whose role nothing tells stand apart from names that no rule matched") {
  ShownStep shown;
  shown.step.phase = "decode";
  shown.accounting.window_ns = 500'000;
  const KernelRow gemm{.name = "nvjet",
                       .category = "gemm-dense",
                       .component = "other",
                       .calls = 2,
                       .charged_ns = 400'000};
  const KernelRow unknown{
      .name = "x", .category = "other", .component = "other", .calls = 1, .charged_ns = 100'000};
  shown.accounting.kernels = {gemm, unknown};
  shown.components = {{.component = "other", .calls = 3, .charged_ns = 500'000}};
  const Table table = where_table(shown);
  CHECK(tests::column(table, 0) ==
        std::vector<std::string>{"GEMM, role not told by the name, 2 calls",
                                 "not classified, 1 call", "idle", "one decode step"});
  CHECK(tests::column(table, 1) == std::vector<std::string>{"0.400", "0.100", "0.000", "0.500"});
}

TEST_CASE("an empty step has a table") {
  const Table table = where_table(ShownStep{});
  CHECK(tests::column(table, 1) == std::vector<std::string>{"0.000", "0.000"});
  CHECK(tests::column(table, 2) == std::vector<std::string>{"0.0", "0.0"});
}

}  // namespace
}  // namespace stepscope::analysis
