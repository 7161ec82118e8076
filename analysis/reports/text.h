#pragma once
// The small pieces that every report is written with, beside the figures: foreign text made
// harmless for Markdown and HTML, names made short.

#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/figures.h"

namespace stepscope::analysis {

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

}  // namespace stepscope::analysis
