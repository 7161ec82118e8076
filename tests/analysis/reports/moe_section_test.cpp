#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("the answer has its figures strong") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const auto answer = moe_answer(shown);
  REQUIRE(answer);
  std::vector<std::string> bold;
  for (const Span& span : answer->line.spans) {
    if (span.kind == Span::Kind::strong) bold.push_back(span.text);
  }
  CHECK(bold == std::vector<std::string>{"How long did MoE take?", "1.324 ms", "0.570 ms",
                                         "2.891 ms", "0.190 ms", "2.700 ms"});
  CHECK_FALSE(moe_answer(ShownStep{}));
}

TEST_CASE("charged adds up over the parts as printed") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const auto section = moe_section(shown);
  REQUIRE(section);
  CHECK(section->title == "MoE, 58 layers: 2.085 ms charged, 1.900 ms hidden");
  const Table table = tests::tables_of(*section).front();
  CHECK(tests::column(table, 0) == std::vector<std::string>{"router", "routed experts",
                                                            "shared expert", "its collectives",
                                                            "all of MoE"});
  // 190500 + 1324024 + 570488 = 2085012: one us is left for .500
  CHECK(tests::column(table, 2) ==
        std::vector<std::string>{"0.000", "0.191", "1.324", "0.570", "2.085"});
  CHECK(tests::printed_sum(table, 2) == 2085);
  CHECK(tests::column(table, 3).back() == "1.900");
  CHECK(tests::printed_sum(table, 6) == tests::printed(tests::column(table, 6).back()));
  CHECK_FALSE(moe_section(ShownStep{}));
}

}  // namespace
}  // namespace stepscope::analysis
