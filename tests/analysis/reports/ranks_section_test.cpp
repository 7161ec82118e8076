#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("ranks stand side by side, the last row says how even they are") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const auto section = ranks_section(shown, {});
  REQUIRE(section);
  CHECK(section->title == "The same step on 2 ranks");
  const Table table = tests::tables_of(*section).front();
  CHECK(tests::column(table, 0) == std::vector<std::string>{"0, shown", "1", "max / mean"});
  CHECK(tests::column(table, 2) ==
        std::vector<std::string>{"7.895", "7.595", "1.02"});  // 7895007 / 7745007 = 1.0194
  CHECK(tests::column(table, 6) == std::vector<std::string>{"0.300", "0.000", "2.00"});
}

TEST_CASE("what can not be told is a dash, merged files name their ranks, long lists are folded") {
  ShownStep shown = tests::sample_breakdown().shown.front();
  shown.ranks.resize(1);
  CHECK_FALSE(ranks_section(shown, {}));
  shown.ranks.resize(9);
  shown.ranks[1].label = "TP01-EP01";
  for (RankRow& row : shown.ranks) row.wait_ns.reset();
  const Table table =
      tests::tables_of(*ranks_section(shown, {.kernel_rows = 25, .list_rows = 4})).front();
  CHECK(tests::column(table, 0) == std::vector<std::string>{"0, shown", "TP01-EP01", "device ",
                                                            "device ", "other (5 rows)",
                                                            "max / mean"});
  CHECK(tests::column(table, 6) == std::vector<std::string>{"–", "–", "–", "–", "–", "–"});
}

TEST_CASE("the parts of a speculative step are listed") {
  ShownStep shown;
  CHECK_FALSE(parts_section(shown, {}));
  shown.parts = {{"draft", "draft[0]", 0, 1'000'000, 900'000, 40},
                 {"verify", "", 1'100'000, 5'000'000, 4'800'000, 700}};
  const auto section = parts_section(shown, {});
  REQUIRE(section);
  CHECK(section->title == "Parts of the step (2)");
  const Table table = tests::tables_of(*section).front();
  CHECK(tests::column(table, 0) == std::vector<std::string>{"draft", "verify"});
  CHECK(tests::column(table, 1) == std::vector<std::string>{"draft[0]", "–"});
  CHECK(tests::column(table, 3) == std::vector<std::string>{"1.000", "5.000"});
}

}  // namespace
}  // namespace stepscope::analysis
