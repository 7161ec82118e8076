#include <doctest/doctest.h>

#include "tests/analysis/reports/takeaway_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

TEST_CASE("one call far above the median of its name") {
  ShownStep shown = bare_step();
  KernelRow row = kernel("gemm", DeviceClass::compute, 61, 4 * kMs);
  row.median_ns = 20 * kUs;
  row.max_ns = 2 * kMs;
  shown.accounting.kernels = {row};
  CHECK(text_of(shown, {}, "outlier_kernel") ==
        "One call of gemm lasts 2.000 ms; the median of its 61 calls is 0.020 ms.");
  CHECK(find_rule(takeaways_of(shown, {}), "outlier_kernel")->at_stake_ns ==
        (2 * kMs) - (20 * kUs));
  shown.accounting.kernels.push_back(row);
  CHECK(text_of(shown, {}, "outlier_kernel").ends_with("0.020 ms. 1 more name of such a kind."));
  shown.accounting.kernels = {row};
  shown.accounting.kernels[0].calls = 2;  // too few to speak of
  CHECK(text_of(shown, {}, "outlier_kernel").empty());
  shown.accounting.kernels[0] = row;
  shown.accounting.kernels[0].max_ns = 200 * kUs;  // 10 times is not more than 10 times
  CHECK(text_of(shown, {}, "outlier_kernel").empty());
  shown.accounting.kernels[0] = row;
  shown.accounting.kernels[0].charged_ns = 0;  // hidden
  CHECK(text_of(shown, {}, "outlier_kernel").empty());
}

TEST_CASE("a long call of communication is named once, as waiting") {
  ShownStep shown = bare_step();
  KernelRow row = kernel("nccl", DeviceClass::comm, 61, 4 * kMs);
  row.median_ns = 20 * kUs;
  row.max_ns = 2 * kMs;
  shown.accounting.kernels = {row};
  CHECK_FALSE(text_of(shown, {}, "outlier_kernel").empty());
  shown.where = {{"wait", "waiting", 1, 2 * kMs, false, true}};
  CHECK(text_of(shown, {}, "outlier_kernel").empty());
}

TEST_CASE("layers that stand out, counted from 1") {
  ShownStep shown = bare_step();
  shown.layers = Layers{};
  shown.layers->count = 61;
  shown.layers->outliers = {{17, kMs, 200 * kUs}};
  CHECK(text_of(shown, {}, "outlier_layers") ==
        "Layer 18 of 61 takes 1.000 ms, against a median of 0.200 ms of its kind.");
  shown.layers->outliers.push_back({30, 600 * kUs, 200 * kUs});
  shown.layers->outliers.push_back({31, 100 * kUs, 200 * kUs});  // short: nothing is lost
  CHECK(text_of(shown, {}, "outlier_layers") ==
        "Layer 18 of 61 takes 1.000 ms, against a median of 0.200 ms of its kind; 2 such layers "
        "take 1.200 ms longer than their medians in all.");
}

TEST_CASE("names that no rule knows, above 1 % of the wall") {
  ShownStep shown = bare_step();
  Breakdown breakdown;
  breakdown.diagnostics.unmatched_names = {"mystery"};
  shown.accounting.kernels = {kernel("mystery", DeviceClass::compute, 3, 400 * kUs),
                              kernel("gemm", DeviceClass::compute, 3, 4 * kMs)};
  CHECK(text_of(shown, breakdown, "unmatched_names") ==
        "0.400 ms (1.6 % of the wall) are kernels that no rule of the table knows, 1 name: "
        "mystery.");
  breakdown.diagnostics.unmatched_names = {"gemm", "mystery"};
  CHECK(text_of(shown, breakdown, "unmatched_names") ==
        "4.400 ms (17.6 % of the wall) are kernels that no rule of the table knows, 2 names; the "
        "largest is gemm with 4.000 ms.");
  breakdown.diagnostics.unmatched_names = {"mystery"};
  shown.accounting.kernels[0].charged_ns = 250 * kUs;
  CHECK(text_of(shown, breakdown, "unmatched_names").empty());
}

TEST_CASE("suspects of the shown device") {
  ShownStep shown = bare_step();
  Breakdown breakdown;
  breakdown.suspects = {{0, "0", "7", {}, "stuck", 9 * kMs, kMs},
                        {1, "0", "7", {}, "elsewhere", 90 * kMs, kMs}};
  CHECK(text_of(shown, breakdown, "suspects") ==
        "1 event of this device claimed a duration that can not be true and is cut, by 8.000 ms in "
        "all; the largest, stuck, claimed 9.000 ms and keeps 1.000 ms.");
  breakdown.suspects[1].rank = 0;
  const auto all = takeaways_of(shown, breakdown);
  CHECK(find_rule(all, "suspects")->text.starts_with("2 events of this device"));
  CHECK(find_rule(all, "suspects")->at_stake_ns == 25 * kMs);  // no more than the wall
}

TEST_CASE("the first step is a warning, with its wait") {
  ShownStep shown = bare_step();
  shown.spread.only_first = true;
  shown.spread.of = 1;
  CHECK(text_of(shown, {}, "first_step") ==
        "Only one step was captured, the first after the profiler started: there is no median.");
  shown.where = {{"wait", "waiting", 1, 14 * kMs, false, true}};
  shown.head_wait_ns = 13 * kMs;
  shown.spread.of = 5;
  CHECK(text_of(shown, {}, "first_step") ==
        "Only one of 5 steps is of this kind, and it is the first after the profiler started: "
        "there is no median, and 13.000 ms of waiting may be an effect of the profiler.");
  shown.head_wait_ns = 15 * kMs;  // some of it had compute beside it
  CHECK(text_of(shown, {}, "first_step").contains("and 14.000 ms of waiting"));
}

TEST_CASE("the unprofiled run: a note above 5 %, a warning above 20 %") {
  ShownStep shown = bare_step();
  shown.cross_check = {.period_ns = 12 * kMs,
                       .millitokens_per_s_per_user = 83'333,
                       .unprofiled_ns = 11 * kMs,
                       .ratio_permille = 1091};
  CHECK(text_of(shown, {}, "cross_check") ==
        "Note: the profiled run takes 12.000 ms a token, 1.091 times the 11.000 ms of the "
        "unprofiled run.");
  CHECK(find_rule(takeaways_of(shown, {}), "cross_check")->at_stake_ns == kMs);
  shown.cross_check.ratio_permille = 1201;
  CHECK(text_of(shown, {}, "cross_check").starts_with("Warning: "));
  shown.cross_check.ratio_permille = 799;
  CHECK(text_of(shown, {}, "cross_check").starts_with("Warning: "));
  shown.cross_check.ratio_permille = 1050;
  CHECK(text_of(shown, {}, "cross_check").empty());
}

TEST_CASE("events of other steps, from a tenth") {
  ShownStep shown = bare_step();
  shown.accounting.streams = {{"7", 90, 0, 0}, {"8", 10, 0, 0}};
  shown.foreign_events = 10;
  CHECK(text_of(shown, {}, "foreign_events") ==
        "10 of the 100 events in the window belong to no or another step.");
  shown.step.gap_ns = -2 * kMs;
  CHECK(text_of(shown, {}, "foreign_events") ==
        "10 of the 100 events in the window belong to no or another step; the next step begins "
        "2.000 ms before this one ends.");
  shown.foreign_events = 9;
  CHECK(text_of(shown, {}, "foreign_events").empty());
}
