#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

std::string wall(const Breakdown& breakdown) {
  return tests::text_of(wall_line(breakdown, breakdown.shown.front()));
}

std::vector<std::string> lines(const Breakdown& breakdown) {
  std::vector<std::string> out;
  for (const Block& block : first_lines(breakdown, breakdown.shown.front())) {
    if (const auto* quote = std::get_if<Quote>(&block)) {
      out.push_back("> " + tests::text_of(quote->line));
    } else {
      out.push_back(tests::text_of(std::get<Line>(block)));
    }
  }
  return out;
}

TEST_CASE("wall and wait come first, then MoE, the period, and where the step comes from") {
  const std::vector<std::string> all = lines(tests::sample_breakdown());
  REQUIRE(all.size() == 4);
  CHECK(all[0] ==
        "7.895 ms, step 2 (decode), rank 0 of 2, device 0. 0.300 ms of it is rank 0 waiting for "
        "other ranks in 1 collective; the rest is 7.595 ms.");
  CHECK(all[1].starts_with("> How long did MoE take? Shared experts took 1.324 ms"));
  CHECK(all[2] ==
        "From one start to the next: 8.001 ms in the median, which is 125.0 tokens per second per "
        "user. Unprofiled, this configuration takes 7.200 ms per output token: ratio 1.111. They "
        "differ by more than 5 %.");
  CHECK(all[3] ==
        "The step comes from the markers that the engine writes, label step[DECODE bs=4 toks=4]. "
        "Spread over n = 3 of 5 steps: min 7.790, median 7.895, max 8.022 ms; step 0 was left out. "
        "The next step starts 8.001 ms after this one, 0.106 ms after its end.");
}

TEST_CASE("missing ranks make the wait a lower bound, no wait is not spoken of") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.collectives->complete = false;
  CHECK(wall(breakdown).contains(
      "At least 0.300 ms of it is rank 0 waiting for other ranks in 1 collective (files of 2 ranks "
      "are here); the rest is 7.595 ms."));
  for (WhereRow& row : breakdown.shown.front().where) row.wait = false;
  CHECK(wall(breakdown) == "7.895 ms, step 2 (decode), rank 0 of 2, device 0.");
}

TEST_CASE("the only step is given without the wait in its head") {
  Breakdown breakdown = tests::sample_breakdown();
  ShownStep& shown = breakdown.shown.front();
  shown.head_wait_ns = 200'000;
  CHECK_FALSE(wall(breakdown).contains("before the first layer"));  // several steps
  shown.spread = {.count = 1, .of = 1};
  CHECK(wall(breakdown).ends_with(
      " Without the 0.200 ms of waiting before the first layer it is 7.695 ms."));
  shown.head_wait_ns = 300'000;
  CHECK(wall(breakdown).ends_with(
      " in 1 collective, all of it before the first layer; the rest is 7.595 ms."));
  shown.layers.reset();
  CHECK(wall(breakdown).ends_with("the rest is 7.595 ms."));
  shown.head_wait_ns = 0;
  CHECK(wall(breakdown).ends_with("the rest is 7.595 ms."));
}

TEST_CASE("the cross-check notes above 5 % and warns above 20 %") {
  Breakdown breakdown = tests::sample_breakdown();
  CrossCheck& check = breakdown.shown.front().cross_check;
  check.ratio_permille = 1'050;
  CHECK(lines(breakdown)[2].ends_with("ratio 1.050."));
  check.ratio_permille = 799;
  CHECK(lines(breakdown)[2].ends_with(
      "ratio 0.799. Profiled and unprofiled times differ by more than 20 %: read shares, not "
      "absolute times."));
  check.unprofiled_ns.reset();
  check.ratio_permille.reset();
  CHECK(lines(breakdown)[2].ends_with("tokens per second per user."));
  check = {};
  CHECK(lines(breakdown).size() == 3);
  CHECK(lines(breakdown).back().contains("Median from start to next start: 8.001 ms."));
}

TEST_CASE("the first step after the profiler started is named where its source is") {
  Breakdown breakdown = tests::sample_breakdown();
  ShownStep& shown = breakdown.shown.front();
  shown.step.period_ns.reset();
  shown.spread = {.count = 1, .of = 1, .only_first = true};
  CHECK(tests::text_of(source_line(shown))
            .ends_with(" It is the only step found (n = 1), and the first after the profiler "
                       "started: set-up and waiting in it may be the profiler's doing. Ask for "
                       "more steps to get a median."));
  shown.spread.of = 5;
  CHECK(tests::text_of(source_line(shown))
            .contains(" It is the only one of its kind among 5 steps, and the first after"));
}

}  // namespace
}  // namespace stepscope::analysis
