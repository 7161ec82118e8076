#include "analysis/reports/html/html_svg.h"

#include <doctest/doctest.h>

namespace stepscope::analysis {
namespace {

TEST_CASE("places are per cent of the whole, without trailing zeros") {
  CHECK(svg_percent(1, 8) == "12.5%");
  CHECK(svg_percent(1, 3) == "33.333%");
  CHECK(svg_percent(7, 7) == "100%");
  CHECK(svg_percent(0, 7) == "0%");
  CHECK(svg_percent(5, 0) == "0%");
}

TEST_CASE("a cell lies where its time lies; foreign text is text") {
  const SvgCell cell{.start_ns = 150, .dur_ns = 50, .look = "c-moe", .title = "<b>&"};
  // 50 after the picture's start, 50 of 200.
  CHECK(svg_cell(cell, 100, 200) ==
        "<svg class=\"cell\" x=\"25%\" width=\"25%\"><title>&lt;b&gt;&amp;</title>"
        "<rect class=\"part c-moe\" width=\"100%\" height=\"100%\"/></svg>\n");
}

TEST_CASE("cells that zoom carry their place in nanoseconds, marked ones a mark") {
  const SvgCell cell{
      .start_ns = 150, .dur_ns = 50, .look = "k0", .title = "a", .marked = true, .zooms = true};
  const std::string html = svg_cell(cell, 100, 200);
  CHECK(html.contains(" data-start=\"150\" data-dur=\"50\">"));
  CHECK(html.contains("<rect class=\"mark\" width=\"100%\" height=\"5\"/>"));
}

TEST_CASE("words stand in a cell where there is room for them") {
  // 20 characters take 124 pixels: 12 % of 1,050 is 126, 11 % is 115.5. Four take 28: 8 % of 370
  // is 29.6, 7 % is 25.9.
  SvgCell cell{.dur_ns = 12, .look = "k0", .words = "twenty characters in", .brief = "four"};
  CHECK(svg_cell(cell, 0, 100).contains("class=\"wide\" x=\"4\" y=\"50%\" dy=\"0.35em\">twenty "));
  CHECK(svg_cell(cell, 0, 100).contains("class=\"narrow\" x=\"4\" y=\"50%\" dy=\"0.35em\">four<"));
  cell.dur_ns = 11;
  CHECK(svg_cell(cell, 0, 100).contains("class=\"wide\" x=\"4\" y=\"50%\" dy=\"0.35em\">four<"));
  cell.dur_ns = 7;
  CHECK(svg_cell(cell, 0, 100).contains("class=\"wide\""));
  CHECK_FALSE(svg_cell(cell, 0, 100).contains("class=\"narrow\""));
  cell.dur_ns = 2;
  CHECK_FALSE(svg_cell(cell, 0, 100).contains("<text"));
}

TEST_CASE("a sliver has no line around it, which would hide it") {
  CHECK(svg_cell({.dur_ns = 3, .look = "k0"}, 0, 1000).contains("\"part k0 thin\""));
  CHECK(svg_cell({.dur_ns = 4, .look = "k0"}, 0, 1000).contains("\"part k0\""));
}

TEST_CASE("a picture has a name, a legend has squares") {
  CHECK(svg_picture("bar", "a \"b\"", "x") ==
        "<svg class=\"bar\" role=\"group\" aria-label=\"a &quot;b&quot;\">\nx</svg>\n");
  CHECK(legend_item("c-moe", "a<b") ==
        "<li><svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"part c-moe\" "
        "width=\"100%\" height=\"100%\"/></svg>a&lt;b</li>\n");
}

}  // namespace
}  // namespace stepscope::analysis
