#include "analysis/reports/html/html_svg.h"

#include <fmt/format.h>

#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

// Lines between cells would hide one that is narrower than this.
constexpr double kThin = 0.004;
// Pictures are about as wide as this, on a desk and on a telephone; a character of their font is
// no wider than that.
constexpr double kWidePx = 1050;
constexpr double kNarrowPx = 370;
constexpr double kCharPx = 6;
constexpr double kPadPx = 4;

bool fits(std::string_view text, double px) {
  return static_cast<double>(text.size()) * kCharPx + kPadPx <= px;
}

std::string text_inside(std::string_view css_class, const std::string& text, double px) {
  if (text.empty() || !fits(text, px)) return "";
  return fmt::format(R"(<text class="{}" x="4" y="50%" dy="0.35em">{}</text>)", css_class,
                     html_text(text));
}

double ratio(Ns part, Ns whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string svg_percent(Ns part, Ns whole) {
  std::string out = fmt::format("{:.3f}", 100 * ratio(part, whole));
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out + "%";
}

std::string svg_cell(const SvgCell& cell, Ns from_ns, Ns whole) {
  const bool thin = ratio(cell.dur_ns, whole) < kThin;
  std::string out =
      fmt::format(R"(<svg class="cell" x="{}" width="{}")",
                  svg_percent(cell.start_ns - from_ns, whole), svg_percent(cell.dur_ns, whole));
  if (cell.zooms) {
    out += fmt::format(R"( data-start="{}" data-dur="{}")", cell.start_ns, cell.dur_ns);
  }
  out += fmt::format(R"(><title>{}</title><rect class="part {}{}" width="100%" height="100%"/>)",
                     html_text(cell.title), cell.look, thin ? " thin" : "");
  if (cell.marked) out += R"(<rect class="mark" width="100%" height="5"/>)";
  const double share = ratio(cell.dur_ns, whole);
  const bool has_room = !cell.words.empty() && fits(cell.words, share * kWidePx);
  const std::string& wide = has_room ? cell.words : cell.brief;
  return out + text_inside("wide", wide, share * kWidePx) +
         text_inside("narrow", cell.brief, share * kNarrowPx) + "</svg>\n";
}

std::string svg_picture(std::string_view css_class, std::string_view label,
                        std::string_view cells) {
  return fmt::format("<svg class=\"{}\" role=\"group\" aria-label=\"{}\">\n{}</svg>\n", css_class,
                     html_text(label), cells);
}

std::string legend_item(std::string_view look, std::string_view text) {
  return fmt::format(
      "<li><svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"part {}\" width=\"100%\" "
      "height=\"100%\"/></svg>{}</li>\n",
      look, html_text(text));
}

}  // namespace stepscope::analysis
