#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("the rows of the answer and every column add up as printed") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Table table = where_table(shown);
  CHECK(tests::column(table, 0).front() == "attention, 61 layers");
  CHECK(tests::column(table, 0).back() == "one decode step");
  // 3478728 1324024 1190222 1090000 300000 211049 190500 68484 20000 10000 8842 3101 57 of 7895007
  // ns: floors to 1 us sum to 7892 us, three left: .842 .728 .500.
  CHECK(tests::column(table, 1) ==
        std::vector<std::string>{"3.479", "1.324", "1.190", "1.090", "0.300", "0.211", "0.191",
                                 "0.068", "0.020", "0.010", "0.009", "0.003", "0.000", "7.895"});
  CHECK(table.columns[3].title == "without wait");
  CHECK(tests::printed_sum(table, 1) == 7895);
  CHECK(tests::printed_sum(table, 2) == 1000);
  CHECK(tests::printed_sum(table, 3) == 1000);
  CHECK(tests::column(table, 2).back() == "100.0");
  CHECK(tests::column(table, 3).back() == "100.0");
  CHECK(tests::column(table, 3)[4] == "–");
  CHECK(tests::column(table, 3)[0] == "45.8");  // 3478728 / 7595007
  CHECK(wait_ns(shown) == 300'000);
}

TEST_CASE("without a wait there is no column for it") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  for (WhereRow& row : shown.where) row.wait = false;
  const Table table = where_table(shown);
  REQUIRE(table.columns.size() == 4);
  CHECK(table.columns[3].title.empty());
  CHECK(tests::printed_sum(table, 2) == 1000);
}

TEST_CASE("a step that only waits has no shares without the wait") {
  ShownStep shown;
  shown.accounting.window_ns = 1'000;
  shown.where = {{"wait", "waiting for other ranks", 1, 1'000, false, true}};
  const Table table = where_table(shown);
  CHECK(tests::column(table, 2) == std::vector<std::string>{"100.0", "100.0"});
  CHECK(tests::column(table, 3) == std::vector<std::string>{"–", "0.0"});
}

TEST_CASE("the last row is named after what is shown") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  shown.step.phase = "unknown";
  CHECK(tests::column(where_table(shown), 0).back() == "one step");
  shown.step.source = "file";
  CHECK(tests::column(where_table(shown), 0).back() == "the whole file");
}

TEST_CASE("the check sentence is computed, not asserted") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  // 6774950 = 2702417 + 1490222 + 1401350 + 776311 + 211049 + 3101 + 190500
  CHECK(check_line(shown).spans.front().text ==
        "Charged 6 774 950 ns + idle 1 120 057 ns = wall 7 895 007 ns, over all kernels.");
  shown.where.front().charged_ns -= 1;
  CHECK(check_line(shown).spans.front().text.starts_with(
      "These figures do NOT add up: the rows of the table sum to 7 895 006 ns"));
  shown.accounting.idle_ns += 1;
  CHECK(check_line(shown).spans.front().text.starts_with("These figures do NOT add up: charged "));
}

TEST_CASE("an empty step has a table") {
  const Table table = where_table(ShownStep{});
  CHECK(tests::column(table, 1) == std::vector<std::string>{"0.000"});
  CHECK(tests::column(table, 2) == std::vector<std::string>{"0.0"});
}

}  // namespace
}  // namespace stepscope::analysis
