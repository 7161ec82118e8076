#include "analysis/reports/compare/compare_words.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

// A nanosecond count of years times 1000 passes 2^63.
__extension__ using Wide = __int128;

}  // namespace

std::optional<std::int64_t> permille_of(Ns part, Ns whole) {
  if (whole <= 0) return {};
  const Wide scaled = Wide{part < 0 ? -part : part} * 1000;
  Wide units = scaled / whole;
  const Wide twice = 2 * (scaled - units * whole);
  if (twice > whole || (twice == whole && units % 2 != 0)) ++units;
  if (units > std::numeric_limits<std::int64_t>::max()) return {};
  return static_cast<std::int64_t>(part < 0 ? -units : units);
}

std::string change_words(Ns delta, Ns from) {
  if (delta == 0) return "0.0 %";
  const auto permille = permille_of(delta, from);
  if (!permille) return "from 0";
  const std::int64_t magnitude = std::abs(*permille);
  return fmt::format("{}{}.{} %", delta < 0 ? "-" : "+", magnitude / 10, magnitude % 10);
}

std::string signed_ms(Ns delta) {
  const std::string text = format_ms(delta);
  return delta > 0 && !text.starts_with('-') && text != "0.000" ? "+" + text : text;
}

std::string verdict_words(const Comparison& comparison) {
  const Ns delta = comparison.wall_delta_ns;
  if (comparison.no_difference) return "no difference";
  const std::string change =
      delta == 0
          ? "the walls are equal"
          : fmt::format("B is {} by {} ms ({})", delta > 0 ? "slower" : "faster",
                        format_ms(std::abs(delta)), change_words(delta, comparison.a.wall_ns));
  if (comparison.within_noise && (delta != 0 || comparison.noise_known)) {
    return change + ", within noise: the ranges of the steps overlap";
  }
  if (!comparison.noise_known) return change + "; whether that is noise cannot be told";
  return change + ", beyond the range of the steps";
}

}  // namespace stepscope::analysis
