#include "analysis/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

// Nanoseconds of years times a scale of 1000 pass 2^63.
__extension__ using Wide = __int128;

Wide floor_div(Wide value, Wide divisor) {
  const Wide quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

Wide round_half_even(Wide value, Wide divisor) {
  const Wide quotient = floor_div(value, divisor);
  const Wide twice = 2 * (value - (quotient * divisor));
  const bool up = twice > divisor || (twice == divisor && quotient % 2 != 0);
  return up ? quotient + 1 : quotient;
}

// value / divisor with `decimals` decimals, rounded half to even.
std::string decimal(Ns value, Ns divisor, Wide scale, int decimals) {
  const Wide units = round_half_even(Wide{value} * scale, divisor);
  const Wide magnitude = units < 0 ? -units : units;
  return fmt::format("{}{}.{:0{}}", units < 0 ? "-" : "",
                     static_cast<std::int64_t>(magnitude / scale),
                     static_cast<std::int64_t>(magnitude % scale), decimals);
}

// Rounds each part * scale / divisor to an integer such that they sum to `target`, as far as one
// unit more per part reaches: whole parts first, then the largest remainders.
std::vector<Ns> apportion(std::span<const Ns> parts, Wide scale, Wide divisor, Wide target) {
  std::vector<Ns> result(parts.size());
  std::vector<Wide> remainders(parts.size());
  Wide left = target;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Wide scaled = Wide{parts[i]} * scale;
    const Wide whole = floor_div(scaled, divisor);
    result[i] = static_cast<Ns>(whole);
    remainders[i] = scaled - (whole * divisor);
    left -= whole;
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  stable_order(order, [&](std::size_t a, std::size_t b) {
    return remainders[a] != remainders[b] ? remainders[a] > remainders[b] : parts[a] > parts[b];
  });
  for (const std::size_t i : order) {
    if (left <= 0) break;
    ++result[i];
    --left;
  }
  return result;
}

}  // namespace

std::string format_ms(Ns ns) { return decimal(ns, 1'000'000, 1000, 3); }

std::string format_us(Ns ns) { return decimal(ns, 1000, 10, 1); }

std::vector<int> shares_permille(std::span<const Ns> parts, Ns total) {
  if (total <= 0) return std::vector<int>(parts.size(), 0);
  Wide sum = 0;
  for (const Ns part : parts) sum += part;
  const std::vector<Ns> shares = apportion(parts, 1000, total, round_half_even(sum * 1000, total));
  std::vector<int> result;
  result.reserve(shares.size());
  for (const Ns share : shares) result.push_back(static_cast<int>(share));
  return result;
}

std::string format_permille(int permille) { return decimal(permille, 10, 10, 1); }

std::vector<Ns> round_to_unit(std::span<const Ns> parts, Ns total, Ns unit) {
  std::vector<Ns> result = apportion(parts, 1, unit, round_half_even(total, unit));
  for (Ns& units : result) units *= unit;
  return result;
}

std::string bar(Ns part, Ns whole, int width) {
  if (part <= 0 || whole <= 0 || width <= 0) return "";
  const Wide full = Wide{8} * width;
  const Wide exact = round_half_even(Wide{std::min(part, whole)} * full, whole);
  const auto eighths = static_cast<int>(std::max<Wide>(exact, 1));  // a sliver is still there
  static constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string result;
  for (int i = 0; i < eighths / 8; ++i) result += "█";
  result += kParts[eighths % 8];
  return result;
}

}  // namespace stepscope::analysis
