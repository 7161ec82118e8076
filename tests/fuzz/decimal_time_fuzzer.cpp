// parse_scaled() against the same in string arithmetic: the number is written out as digits without
// an exponent, moved by the scale, cut at the point and rounded by looking at the digits behind it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/reading/json/decimal_time.h"
#include "tests/fuzz/require.h"

namespace {

using namespace stepscope;

struct Number {
  bool negative = false;
  std::string digits;      // all of them, the point taken out
  std::int64_t point = 0;  // digits before it
  std::string exponent;    // its digits without leading zeros
  bool exponent_negative = false;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Number> read() {
    Number n;
    blanks();
    n.negative = sign();
    const std::string whole = digits();
    n.point = static_cast<std::int64_t>(whole.size());
    n.digits = whole + (take('.') ? digits() : "");
    if (n.digits.empty()) return std::nullopt;
    if (take('e') || take('E')) {
      n.exponent_negative = sign();
      n.exponent = digits();
      if (n.exponent.empty()) return std::nullopt;
      n.exponent.erase(0, n.exponent.find_first_not_of('0'));
    }
    blanks();
    if (at_ != text_.size()) return std::nullopt;
    return n;
  }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void blanks() {
    while (take(' ') || take('\t') || take('\n') || take('\r')) {
    }
  }
  bool sign() { return take('-') || (take('+') && false); }
  std::string digits() {
    std::string run;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') run += text_[at_++];
    return run;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// One more in the last place.
void increment(std::string& digits) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      return;
    }
    digits[i] = '0';
  }
  digits.insert(0, 1, '1');
}

std::optional<std::int64_t> reference(std::string_view text, int scale) {
  std::optional<Number> n = Reader(text).read();
  if (!n) return std::nullopt;
  if (n->digits.find_first_not_of('0') == std::string::npos) return 0;
  // No input is so long that its digits could outweigh an exponent of seven.
  if (n->exponent.size() > 6) {
    return n->exponent_negative ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  std::int64_t exponent = n->exponent.empty() ? 0 : std::stoll(n->exponent);
  if (n->exponent_negative) exponent = -exponent;
  const std::int64_t point = n->point + exponent + scale;
  const std::int64_t length = static_cast<std::int64_t>(n->digits.size());
  if (point < 0) n->digits.insert(0, static_cast<std::size_t>(-point), '0');
  if (point > length) n->digits.append(static_cast<std::size_t>(point - length), '0');
  const auto cut = static_cast<std::size_t>(std::max<std::int64_t>(point, 0));
  std::string whole = n->digits.substr(0, cut);
  std::string behind = n->digits.substr(cut);
  behind.erase(behind.find_last_not_of('0') + 1);
  const bool odd = !whole.empty() && (whole.back() - '0') % 2 != 0;
  if (behind > "5" || (behind == "5" && odd)) increment(whole);
  whole.erase(0, whole.find_first_not_of('0'));
  if (whole.empty()) return 0;
  constexpr std::string_view kMax = "9223372036854775807";
  if (whole.size() > kMax.size() || (whole.size() == kMax.size() && whole > kMax)) {
    return std::nullopt;
  }
  const std::int64_t value = std::stoll(whole);
  return n->negative ? -value : value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int scale : {analysis::kNanoseconds, analysis::kMicroseconds, 6}) {
    fuzz::require(analysis::parse_scaled(text, scale) == reference(text, scale),
                  "the value is that of string arithmetic", text);
  }
  return 0;
}
