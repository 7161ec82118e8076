#include "analysis/passes/steps/cross_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace stepscope::analysis {
namespace {

constexpr double kAcceptedTokensMax = 1e6;  // far above any draft length

// A step of unknown phase may be one of training or of an image model: only layers that no engine
// says anything of are taken for a decode.
bool makes_output_tokens(const ShownStep& shown, bool accepted_known) {
  const std::string_view phase = shown.step.phase;
  if (phase == "verify") return accepted_known;
  if (phase == "unknown") return shown.layers.has_value() && shown.step.source != "engine";
  return phase == "decode" || phase == "mixed";
}

Ns rounded_div(Ns value, Ns divisor) { return (value + divisor / 2) / divisor; }

}  // namespace

CrossCheck cross_check(const ShownStep& shown, std::optional<Ns> unprofiled_ns,
                       std::optional<double> accepted_tokens) {
  CrossCheck check;
  if (unprofiled_ns && *unprofiled_ns > 0) check.unprofiled_ns = unprofiled_ns;
  const bool accepted_known =
      accepted_tokens && *accepted_tokens > 0 && *accepted_tokens <= kAcceptedTokensMax;
  const std::optional<Ns> median_ns = shown.spread.median_period_ns;
  if (!median_ns || *median_ns <= 0) return check;  // overlapping steps have no rate
  check.period_ns = median_ns;
  if (accepted_known) {
    const double period_ns = static_cast<double>(*check.period_ns) / *accepted_tokens;
    if (period_ns < 1 || period_ns > 1e18) {  // no time per token
      check.period_ns.reset();
      return check;
    }
    check.period_ns = static_cast<Ns>(std::llround(period_ns));
  }
  if (!makes_output_tokens(shown, accepted_known)) return check;
  constexpr Ns kMilliNsPerSecond = 1'000'000'000'000;
  check.millitokens_per_s_per_user = rounded_div(kMilliNsPerSecond, *check.period_ns);
  if (!check.unprofiled_ns) return check;
  const double permille =
      1000.0 * static_cast<double>(*check.period_ns) / static_cast<double>(*check.unprofiled_ns);
  constexpr double kMost = std::numeric_limits<int>::max();
  check.ratio_permille = static_cast<int>(std::lround(std::min(permille, kMost)));
  return check;
}

}  // namespace stepscope::analysis
