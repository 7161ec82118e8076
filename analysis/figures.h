#pragma once
// Figures as decimal text from integers, never through a double, and the largest remainder method
// that makes printed columns add up. Pure functions.

#include <span>
#include <string>
#include <vector>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// "24.976": nanoseconds as milliseconds with three decimals, rounded half to even.
std::string format_ms(Ns ns);
// "132.9": nanoseconds as microseconds with one decimal.
std::string format_us(Ns ns);

// Shares of `total` in tenths of a percent by largest remainder: they sum to 1000 when the parts
// sum to `total`. Equal remainders go to the larger value, then to the earlier one. total 0: all 0.
std::vector<int> shares_permille(std::span<const Ns> parts, Ns total);
// "54.6" from 546.
std::string format_permille(int permille);

// Largest remainder for values that are printed with less precision than they have: rounds each
// part to a multiple of `unit` such that they sum to `total` rounded likewise.
std::vector<Ns> round_to_unit(std::span<const Ns> parts, Ns total, Ns unit);

// A bar of eighth blocks, `width` characters for `whole`.
std::string bar(Ns part, Ns whole, int width);

}  // namespace stepscope::analysis
