#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("steps are listed, the shown one marked, absent figures dashed") {
  const Breakdown breakdown = tests::sample_breakdown();
  const Section section = steps_section(breakdown, {});
  CHECK(section.title == "Steps found (10)");
  const Table table = tests::tables_of(section).front();
  CHECK(tests::column(table, 0) ==
        std::vector<std::string>{"0", "1", "2 shown", "3", "4", "0", "1", "2", "3", "4"});
  CHECK(tests::column(table, 8)[3] == "-0.010");  // 7780000 - 7790001: steps overlap
  CHECK(tests::column(table, 8)[4] == "–");
}

TEST_CASE("a folded list of steps keeps the shown one in sight") {
  Breakdown breakdown = tests::sample_breakdown();
  const Step last = breakdown.steps.back();
  for (int i = 5; i < 100; ++i) {
    breakdown.steps.push_back(last);
    breakdown.steps.back().index = i;
  }
  breakdown.shown.front().step = breakdown.steps[70];  // index 65: 10 rows of two ranks come first
  const Table table =
      tests::tables_of(steps_section(breakdown, {.kernel_rows = 25, .list_rows = 6})).front();
  const std::vector<std::string> indices = tests::column(table, 0);
  CHECK(indices ==
        std::vector<std::string>{"62", "63", "64", "65 shown", "66", "67", "other (99 rows)"});
  CHECK(tests::column(table, 9).back() == "78 012");  // 99 * 788
  breakdown.shown.front().step = breakdown.steps.back();
  const Table end =
      tests::tables_of(steps_section(breakdown, {.kernel_rows = 25, .list_rows = 6})).front();
  CHECK(tests::column(end, 0)[5] == "99 shown");
}

TEST_CASE("devices close: busy + idle = window") {
  Breakdown breakdown = tests::sample_breakdown();
  const Table table = tests::tables_of(devices_section(breakdown, {})).front();
  REQUIRE(table.rows.size() == 2);
  CHECK(tests::column(table, 0)[1] == "rank 1, device 1");
  // 6774950 + 41000001 = 47774951
  CHECK(tests::column(table, 2)[1] == "47.775");
  CHECK(tests::column(table, 3)[1] == "6.775");
  CHECK(tests::column(table, 4)[1] == "41.000");
  breakdown.devices.resize(40, breakdown.devices.front());
  const Table folded =
      tests::tables_of(devices_section(breakdown, {.kernel_rows = 25, .list_rows = 6})).front();
  CHECK(folded.rows.size() == 7);
  CHECK(tests::column(folded, 0).back() == "other (34 rows)");
}

}  // namespace
}  // namespace stepscope::analysis
