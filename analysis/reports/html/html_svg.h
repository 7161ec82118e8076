#pragma once
// What bars and strips are drawn with: cells of an SVG at places in per cent, so that they need
// neither a script nor a style attribute and keep their words undistorted at any width.

#include <string>
#include <string_view>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// "12.5%": a place or a width in a picture of `whole`. whole 0: "0%".
std::string svg_percent(Ns part, Ns whole);

struct SvgCell {
  Ns start_ns = 0;
  Ns dur_ns = 0;
  std::string look;   // CSS classes of the rectangle: "c-attention v2"
  std::string title;  // plain text, shown under the pointer
  std::string words;  // plain text inside, where there is room, and
  std::string brief;  // what replaces it where there is less
  bool marked = false;
  bool zooms = false;  // start and duration are places of the step's window, for the script
};
// The cell in a picture from `from_ns` on that is `whole` long.
std::string svg_cell(const SvgCell& cell, Ns from_ns, Ns whole);

// A picture that is read out as `label`, plain text; `cells` are cells.
std::string svg_picture(std::string_view css_class, std::string_view label, std::string_view cells);

// An item of a legend: a square in the look, then plain text.
std::string legend_item(std::string_view look, std::string_view text);

}  // namespace stepscope::analysis
