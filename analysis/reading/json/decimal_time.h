#pragma once
// Decimal text to an integer, exactly: times of a trace never pass through a double (R0).

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope::analysis {

// Value of a JSON number times 10^scale, rounded half to even at 1. Blanks around it are skipped;
// a sign, a fraction and an exponent may be there. Nothing for text that is no finite number and
// for values beyond +-(2^63 - 1).
std::optional<std::int64_t> parse_scaled(std::string_view text, int scale);

// Decimal places that turn a trace's unit into nanoseconds.
inline constexpr int kMicroseconds = 3;
inline constexpr int kNanoseconds = 0;

}  // namespace stepscope::analysis
