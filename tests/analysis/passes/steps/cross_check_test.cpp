#include "analysis/passes/steps/cross_check.h"

#include <doctest/doctest.h>

#include <limits>

using namespace stepscope::analysis;

namespace {

ShownStep with_period(const std::string& phase, std::optional<Ns> period_ns) {
  ShownStep shown;
  shown.step.phase = phase;
  shown.spread.median_period_ns = period_ns;
  return shown;
}

}  // namespace

TEST_CASE("period, rate and ratio to the unprofiled time per token") {
  // 12.5 ms a token: 80 tokens a second; 12.5 / 10 = 1.25.
  const CrossCheck check = cross_check(with_period("decode", 12'500'000), 10'000'000, {});
  CHECK(check.period_ns == 12'500'000);
  CHECK(check.millitokens_per_s_per_user == 80'000);
  CHECK(check.unprofiled_ns == 10'000'000);
  CHECK(check.ratio_permille == 1250);
}

TEST_CASE("speculative decoding: over the accepted tokens, and no rate without them") {
  // 30 ms for 2.5 tokens: 12 ms, 83.333 a second.
  const CrossCheck check = cross_check(with_period("verify", 30'000'000), 12'000'000, 2.5);
  CHECK(check.period_ns == 12'000'000);
  CHECK(check.millitokens_per_s_per_user == 83'333);
  CHECK(check.ratio_permille == 1000);
  const CrossCheck unknown = cross_check(with_period("verify", 30'000'000), 12'000'000, {});
  CHECK(unknown.period_ns == 30'000'000);
  CHECK_FALSE(unknown.millitokens_per_s_per_user.has_value());
  CHECK_FALSE(unknown.ratio_permille.has_value());
}

TEST_CASE("a number of tokens that is none is left out") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const double tokens : {0.0, -1.0, kNone, std::numeric_limits<double>::infinity()}) {
    const CrossCheck check = cross_check(with_period("decode", 10'000'000), {}, tokens);
    CHECK(check.period_ns == 10'000'000);
    CHECK(check.millitokens_per_s_per_user == 100'000);
  }
}

TEST_CASE("absent figures stay absent") {
  const CrossCheck alone = cross_check(with_period("decode", {}), 10'000'000, {});
  CHECK_FALSE(alone.period_ns.has_value());
  CHECK(alone.unprofiled_ns == 10'000'000);
  CHECK_FALSE(alone.ratio_permille.has_value());
  CHECK_FALSE(cross_check(with_period("decode", 5), 0, {}).unprofiled_ns.has_value());
  const CrossCheck overlapping = cross_check(with_period("decode", -5), 10, {});
  CHECK_FALSE(overlapping.period_ns.has_value());
  CHECK_FALSE(overlapping.millitokens_per_s_per_user.has_value());
}

TEST_CASE("a prefill step has a period but no rate") {
  const CrossCheck check = cross_check(with_period("prefill", 40'000'000), 10'000'000, {});
  CHECK(check.period_ns == 40'000'000);
  CHECK_FALSE(check.millitokens_per_s_per_user.has_value());
  CHECK_FALSE(check.ratio_permille.has_value());
}

TEST_CASE("rate and ratio of extremes") {
  const CrossCheck check = cross_check(with_period("decode", 1'000'000'000'000'000'000), 1, {});
  CHECK(check.ratio_permille == std::numeric_limits<int>::max());
  CHECK(check.millitokens_per_s_per_user == 0);
}

TEST_CASE("a step of unknown phase has a rate when it has layers that no engine speaks of") {
  ShownStep shown = with_period("unknown", 10'000'000);
  shown.step.source = "graph_launch";
  CHECK_FALSE(cross_check(shown, {}, {}).millitokens_per_s_per_user.has_value());  // training
  shown.layers.emplace();
  CHECK(cross_check(shown, {}, {}).millitokens_per_s_per_user == 100'000);  // 1 / 10 ms
  shown.step.source = "engine";                                             // execute_diffusion_..
  CHECK_FALSE(cross_check(shown, {}, {}).millitokens_per_s_per_user.has_value());
}
