#include "analysis/reading/json/decimal_time.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace stepscope::analysis {

namespace {

constexpr int kExponentMax = 100'000;  // larger ones say the same: nothing, or beyond int64

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Decimal {
  bool negative = false;
  std::string_view whole;     // digits before the point
  std::string_view fraction;  // digits after it
  int exponent = 0;

  std::size_t size() const { return whole.size() + fraction.size(); }
  int digit(std::size_t i) const {
    return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0';
  }
};

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  bool negative = text[0] == '-';
  text.remove_prefix(1);
  return negative;
}

std::optional<Decimal> split(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  Decimal d;
  d.negative = take_sign(text);
  d.whole = take_digits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    d.fraction = take_digits(text);
  }
  if (d.size() == 0) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    bool negative = take_sign(text);
    std::string_view digits = take_digits(text);
    if (digits.empty()) return std::nullopt;
    for (char c : digits) d.exponent = std::min(d.exponent * 10 + (c - '0'), kExponentMax);
    if (negative) d.exponent = -d.exponent;
  }
  if (!text.empty()) return std::nullopt;
  return d;
}

// Digits from `first` on, read as a fraction, against one half: -1, 0 or 1.
int against_half(const Decimal& d, std::size_t first) {
  if (first >= d.size()) return -1;
  if (d.digit(first) != 5) return d.digit(first) < 5 ? -1 : 1;
  for (std::size_t i = first + 1; i < d.size(); ++i) {
    if (d.digit(i) != 0) return 1;
  }
  return 0;
}

// What nearly all times look like: digits, at most as many as surely fit, and perhaps a point with
// no more digits behind it than the scale moves in front of it.
std::optional<std::int64_t> parse_plain(std::string_view text, int scale) {
  constexpr std::size_t kDigitsMax = 18;
  const std::size_t whole_max = kDigitsMax - static_cast<std::size_t>(scale);
  std::int64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && at < whole_max && is_digit(text[at]); ++at) {
    value = value * 10 + (text[at] - '0');
  }
  if (at == 0) return {};
  int places = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && places < scale && is_digit(text[at]); ++at, ++places) {
      value = value * 10 + (text[at] - '0');
    }
  }
  if (at != text.size()) return {};
  for (; places < scale; ++places) value *= 10;
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_scaled(std::string_view text, int scale) {
  if (const std::optional<std::int64_t> plain = parse_plain(text, scale)) return plain;
  const std::optional<Decimal> d = split(text);
  if (!d) return std::nullopt;
  std::size_t first = 0;  // leading zeros carry nothing
  while (first < d->size() && d->digit(first) == 0) ++first;
  if (first == d->size()) return 0;
  // Digits of the result's whole part; may lie outside of the digits that are there.
  std::int64_t point = static_cast<std::int64_t>(d->whole.size()) + d->exponent + scale;
  std::int64_t places = point - static_cast<std::int64_t>(first);
  if (places > 19) return std::nullopt;
  if (places < 0) return 0;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t value = 0;
  for (std::int64_t i = 0; i < places; ++i) {
    std::size_t at = first + static_cast<std::size_t>(i);
    std::uint64_t digit = at < d->size() ? static_cast<std::uint64_t>(d->digit(at)) : 0;
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  int half = against_half(*d, first + static_cast<std::size_t>(places));
  if (half > 0 || (half == 0 && (value & 1) != 0)) {
    if (value == kMax) return std::nullopt;
    ++value;
  }
  std::int64_t result = static_cast<std::int64_t>(value);
  return d->negative ? -result : result;
}

}  // namespace stepscope::analysis
