#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("idle causes sum to idle as printed") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Section section = idle_section(shown, true);
  CHECK(section.title == "Idle by cause: 1.120 ms");
  const Table table = tests::tables_of(section).front();
  // 20000 + 57 + 1090000 + 10000 = 1120057 ns
  CHECK(tests::column(table, 1) ==
        std::vector<std::string>{"0.020", "0.000", "1.090", "0.010", "1.120"});
  CHECK(tests::printed_sum(table, 1) == 1120);
  CHECK(tests::printed_sum(table, 2) == 1000);
  CHECK(tests::paragraph(section, 1).starts_with("Python stacks were recorded"));
  const Section calm = idle_section(shown, false);
  REQUIRE(calm.blocks.size() == 2);
  std::vector<std::string> launches;
  for (const Line& item : std::get<List>(calm.blocks[1]).items) {
    launches.push_back(tests::text_of(item));
  }
  CHECK(launches == std::vector<std::string>{
                        "4 launches on the host for this window, 1 of them graph launches with 785 "
                        "events together (785 each in the median).",
                        "From the call on the host to the start on the device, of launches of one "
                        "kernel: min 3.1, median 4.2, max 21.7 µs.",
                        "Launched but not started, at each start: median 390, at most 784.",
                        "1 event of the window without a launch in the file."});
  CHECK(tests::text_of(idle_line(shown)) ==
        "Idle: 1.120 ms, the largest part of it (1.090 ms) between graph nodes.");
  CHECK(tests::text_of(idle_line(ShownStep{})) == "Idle: 0.000 ms.");
}

TEST_CASE("components and idle sum to the wall as printed") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Table table = tests::tables_of(components_section(shown)).front();
  CHECK(tests::printed_sum(table, 2) == 7895);
  CHECK(tests::printed_sum(table, 3) == 1000);
  CHECK(tests::column(table, 0).back() == "wall");
}

TEST_CASE("lm_head is no GEMM without a role and nothing unknown") {
  ShownStep shown;
  shown.accounting.window_ns = 5'000;
  shown.components = {{"other", 3, 5'000, 5'000, 0}};
  KernelRow row{.stream = "7", .name = "gemm", .category = "gemm-dense", .component = "other"};
  row.calls = 3;
  row.roles = {{"lm_head", "other", 3, 5'000, ""}};
  shown.accounting.kernels = {row};
  const auto label = [&] {
    return tests::column(tests::tables_of(components_section(shown)).front(), 0)[0];
  };
  CHECK(label() == "lm_head");
  shown.accounting.kernels[0].roles[0].calls = 1;
  CHECK(label() == "lm_head; not classified");
  shown.accounting.kernels[0].roles.push_back({"", "other", 2, 2'000, ""});
  CHECK(label() == "GEMM, role not told; lm_head");
}

TEST_CASE("classes sum to the wall; the partition sentence closes") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Section section = streams_section(shown, {});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 2);
  CHECK(tests::printed_sum(tables[0], 1) == 7895);
  CHECK(tests::printed_sum(tables[0], 2) == 1000);
  CHECK(tests::column(tables[1], 0) == std::vector<std::string>{"39, critical", "461"});
  CHECK(
      tests::paragraph(section, 3) ==
      "Critical stream 39 active 6 584 450 ns + other streams alone 190 500 ns + idle 1 120 057 "
      "ns = wall 7 895 007 ns; for 3 352 930 ns the critical stream and another one ran together.");
  ShownStep one = shown;
  one.accounting.streams.resize(1);
  CHECK(tests::paragraph(streams_section(one, {}), 3) ==
        "Critical stream 39 active 6 584 450 ns + idle 1 120 057 ns = wall 7 895 007 ns.");
}

TEST_CASE("many streams are folded without adding up what overlaps") {
  const ShownStep shown = tests::large_breakdown(3).shown.front();
  const Section section = streams_section(shown, {.kernel_rows = 10, .list_rows = 5});
  const Table table = tests::tables_of(section)[1];
  CHECK(table.rows.size() == 6);
  CHECK(tests::column(table, 0).back() == "other (9 rows)");  // 14 streams
  CHECK(tests::column(table, 2).back() == "–");
}

TEST_CASE("a component's sentence gives charged and hidden") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const auto line = component_line(shown, "moe");
  REQUIRE(line);
  // 2700100 + 651330 + 12004 = 3363434 hidden; + 190500 + 1324024 charged = 4877958
  CHECK(tests::text_of(*line) ==
        "MoE: 1.515 ms charged, 3.363 ms hidden behind other work; 290 calls, 4.878 ms as a plain "
        "sum of durations.");
  CHECK_FALSE(component_line(shown, "embedding"));
}

}  // namespace
}  // namespace stepscope::analysis
