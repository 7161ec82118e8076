#include "analysis/reports/takeaways/takeaways.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "analysis/reports/report_words.h"
#include "analysis/reports/takeaways/takeaway_rules.h"
#include "analysis/reports/text.h"
#include "tests/analysis/reports/takeaway_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// Wait, exposed communication, attention, idle, an outlier, a suspect, a first step and a
// ratio: more than seven rules have something to say.
struct Busy {
  ShownStep shown = bare_step();
  Breakdown breakdown;

  Busy() {
    shown.where = {{"wait", "waiting", 1, 5 * kMs, false, true}};
    breakdown.collectives = Collectives{.matched = 40};
    shown.accounting.classes.comm_exposed = 7 * kMs;
    shown.accounting.idle_ns = 900 * kUs;
    shown.idle_causes.host = 900 * kUs;
    KernelRow gemm = kernel("gemm", DeviceClass::compute, 61, 6 * kMs);
    gemm.component = "attention";
    gemm.median_ns = 50 * kUs;
    gemm.max_ns = kMs;
    shown.accounting.kernels = {gemm, kernel("nccl", DeviceClass::comm, 40, 7 * kMs)};
    shown.components = {{"attention", 61, 6 * kMs, 6 * kMs, 0}};
    shown.spread.only_first = true;
    shown.spread.of = 1;
    shown.cross_check.period_ns = 26 * kMs;
    shown.cross_check.unprofiled_ns = 20 * kMs;
    shown.cross_check.ratio_permille = 1300;
    breakdown.suspects = {{0, "0", "7", {}, "stuck", 110 * kUs, 10 * kUs}};
  }
};

std::vector<std::string> rules_of(const std::vector<Takeaway>& all) {
  std::vector<std::string> rules;
  for (const Takeaway& takeaway : all) rules.push_back(takeaway.rule);
  return rules;
}

// "1.100", "102", "20.0": runs of digits with a point between digits.
std::vector<std::string> numbers_in(const std::string& text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!digit(i)) continue;
    std::string number;
    for (; digit(i) || (i < text.size() && text[i] == '.' && digit(i + 1)); ++i) number += text[i];
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

TEST_CASE("sorted by what is at stake, at most seven, warnings stay") {
  // Stakes in ms: cross_check 6, largest 6 (an earlier rule), wait 5, first step 5, exposed 2,
  // outlier 0.95, idle 0.9, suspects 0.1. Idle goes: suspects are a warning.
  const Busy made;
  CHECK(rules_of(takeaways_of(made.shown, made.breakdown)) ==
        std::vector<std::string>{"largest_component", "cross_check", "wait", "first_step",
                                 "exposed_communication", "outlier_kernel", "suspects"});
}

TEST_CASE("every number of every sentence rests on a figure") {
  const Busy made;
  const ShownStep& shown = made.shown;
  const Ns wall_ns = shown.accounting.window_ns;
  std::vector<Ns> figures = {wall_ns,
                             shown.where[0].charged_ns,
                             shown.accounting.classes.comm_exposed,
                             shown.accounting.idle_ns,
                             shown.idle_causes.host,
                             *shown.cross_check.period_ns,
                             *shown.cross_check.unprofiled_ns,
                             made.breakdown.suspects[0].claimed_ns,
                             made.breakdown.suspects[0].clipped_ns};
  for (const KernelRow& row : shown.accounting.kernels) {
    figures.insert(figures.end(), {row.charged_ns, row.median_ns, row.max_ns});
  }
  // Derived, each by one subtraction: exposed without the wait, what is cut off.
  figures.push_back(shown.accounting.classes.comm_exposed - shown.where[0].charged_ns);
  figures.push_back(made.breakdown.suspects[0].claimed_ns - made.breakdown.suspects[0].clipped_ns);
  std::set<std::string> allowed = {"1.300", "0", "1"};  // ratio, rank, count of suspects
  for (const Ns figure : figures) {
    allowed.insert(format_ms(figure));
    const std::string share = percent(figure, wall_ns);
    const std::string rest = percent(figure, wall_ns - shown.where[0].charged_ns);
    allowed.insert(share.substr(0, share.find(' ')));
    allowed.insert(rest.substr(0, rest.find(' ')));
  }
  for (const KernelRow& row : shown.accounting.kernels) {
    allowed.insert(grouped(row.calls));
  }
  const auto all = takeaways_of(shown, made.breakdown);
  CHECK(all.size() == 7);
  for (const Takeaway& takeaway : all) {
    CHECK_FALSE(numbers_in(takeaway.text).empty());
    for (const std::string& number : numbers_in(takeaway.text)) {
      INFO(takeaway.text << " has " << number);
      CHECK(allowed.contains(number));
    }
  }
}

TEST_CASE("nothing below 0.5 % of the wall") {
  ShownStep shown = bare_step();
  shown.accounting.idle_ns = 125 * kUs;  // 0.5 % of 25 ms
  shown.idle_causes.unknown = 125 * kUs;
  CHECK(rules_of(takeaways_of(shown, {})) == std::vector<std::string>{"idle"});
  shown.accounting.idle_ns = 124 * kUs;
  shown.idle_causes.unknown = 124 * kUs;
  CHECK(takeaways_of(shown, {}).empty());
}

TEST_CASE("a window without length says nothing") {
  Busy made;
  made.shown.accounting.window_ns = 0;
  CHECK(takeaways_of(made.shown, made.breakdown).empty());
}

TEST_CASE("what the rules write figures with") {
  CHECK(in_ms(13'625'000) == "13.625 ms");
  CHECK(in_us_each(1'490'000, 121) == "12.3 µs");
  CHECK(in_us_each(5'000, 0) == "5.0 µs");
  CHECK(percent(13'625, 24'976) == "54.6 %");
  CHECK(kernel_words(std::string(500, 'k')).size() < 100);
  // The template goes, whatever its length: the family keeps its middle.
  CHECK(kernel_words(
            "void ns::allreduce_fusion_kernel_oneshot_lamport<(ns::Pattern)1, __nv_bfloat16, "
            "2, false, true>(ns::Params<__nv_bfloat16>)") ==
        "ns::allreduce_fusion_kernel_oneshot_lamport");
  // So do the namespaces, where the name would be cut for them.
  CHECK(kernel_words(
            "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<2>") ==
        "allreduce_fusion_kernel_oneshot_lamport");
}
