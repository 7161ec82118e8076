#pragma once
// The small pieces that every report is written with: exact figures from integers, percentages by
// largest remainder, and foreign text made harmless for Markdown and HTML.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"

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

// Removes control, zero-width and bidirectional characters and repairs invalid UTF-8 (U+FFFD); line
// breaks and tabs become one space.
std::string harmless_text(std::string_view text);
// Characters of valid UTF-8, each as wide as one in a font of fixed width.
std::size_t char_count(std::string_view text);
// The text and blanks up to `chars` characters; longer text stays as it is.
std::string padded(std::string text, std::size_t chars);
// Blanks in front.
std::string right_aligned(std::string_view text, std::size_t chars);

// Harmless text of at most `chars_max` characters, an ellipsis in its middle where some went.
std::string shortened(std::string_view text, std::size_t chars_max);
// A Markdown code span whose fence is longer than any run of backticks inside.
std::string code_span(std::string_view text);
// The same for a table cell, where a bar would end the cell.
std::string code_span_in_cell(std::string_view text);
// Plain text for Markdown: no markup, no mention, no issue link, no line break, no table break.
std::string markdown_text(std::string_view text);
std::string html_text(std::string_view text);

// A kernel name short enough to read: template arguments and parameter lists folded, the family
// kept. At most `chars_max` characters.
std::string short_kernel_name(std::string_view name, std::size_t chars_max);

// A bar of eighth blocks, `width` characters for `whole`.
std::string bar(Ns part, Ns whole, int width);

}  // namespace stepscope::analysis
