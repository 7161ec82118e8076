#include "analysis/reports/html/html_strips.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace stepscope::analysis {
namespace {

Phase phase(std::string name, Ns start, Ns wall) {
  Phase out;
  out.name = std::move(name);
  out.start_ns = start;
  out.wall_ns = wall;
  return out;
}

// Head 200 µs, four layers of 100, 150, 150 and 400 µs, nothing after them.
ShownStep layered() {
  ShownStep shown;
  shown.accounting.window_ns = 1'000'000;
  shown.phases = {phase("head.setup", 0, 200'000), phase("layers", 200'000, 800'000),
                  phase("tail", 1'000'000, 0)};
  Layers layers;
  layers.count = 4;
  layers.wall_ns = {100'000, 150'000, 150'000, 400'000};
  layers.kind_of = {0, 1, 1, 1};
  layers.kinds.resize(2);
  layers.kinds[0].label = "dense";
  layers.kinds[0].count = 1;
  layers.kinds[0].median_wall_ns = 100'000;
  layers.kinds[1].label = "MoE <b>";
  layers.kinds[1].count = 3;
  layers.kinds[1].median_wall_ns = 150'000;
  layers.outliers = {{3, 400'000, 150'000}};
  shown.layers = std::move(layers);
  return shown;
}

TEST_CASE("phases to the scale of the window, layers to the scale of their phase") {
  const std::string html = step_strips(layered());
  CHECK(
      html.contains("x=\"0%\" width=\"20%\" data-start=\"0\" data-dur=\"200000\">"
                    "<title>head, set-up: 0.200 ms</title>"));
  CHECK(html.contains("x=\"20%\" width=\"80%\" data-start=\"200000\" data-dur=\"800000\">"));
  CHECK_FALSE(html.contains("tail"));  // takes no time
  // Layer 2 starts 100 of 800 µs into the phase, 300 into the window.
  CHECK(
      html.contains("x=\"12.5%\" width=\"18.75%\" data-start=\"300000\" data-dur=\"150000\">"
                    "<title>layer 2: 150.0 µs, MoE &lt;b&gt;</title><rect class=\"part k1\""));
  CHECK(html.contains("<line x1=\"20%\" x2=\"0\" y1=\"0\" y2=\"100%\"/>"));
  CHECK(html.contains("</svg>dense: 1 layer, median 100.0 µs</li>"));
}

TEST_CASE("outliers are marked and said") {
  const std::string html = step_strips(layered());
  CHECK(
      html.contains("<title>layer 4: 400.0 µs, MoE &lt;b&gt;, outlier: its kind&#39;s median is "
                    "150.0 µs</title><rect class=\"part k1\" width=\"100%\" height=\"100%\"/>"
                    "<rect class=\"mark\""));
  CHECK(html.contains("</svg>outlier: 1 layer</li>"));
}

TEST_CASE("without layers there are the parts of the step, or nothing") {
  ShownStep shown;
  CHECK(step_strips(shown).empty());
  shown.accounting.window_ns = 1000;
  CHECK(step_strips(shown).empty());
  shown.parts = {{"draft", "d", 0, 250, 200, 3}, {"verify", "v", 500, 500, 400, 4}};
  const std::string html = step_strips(shown);
  CHECK(html.contains("Parts of the step"));
  CHECK(
      html.contains("x=\"50%\" width=\"50%\" data-start=\"500\" data-dur=\"500\">"
                    "<title>verify: 0.000 ms</title>"));
  CHECK_FALSE(html.contains("Phases"));
}

TEST_CASE("more kinds than colours are drawn deeper") {
  ShownStep shown = layered();
  shown.layers->kinds.resize(20, shown.layers->kinds[0]);
  shown.layers->kind_of = {0, 6, 13, 19};
  const std::string html = step_strips(shown);
  for (const char* look : {"k0", "k0 v2", "k1 v3"}) {
    CHECK(html.contains(fmt::format("<rect class=\"part {}\" width", look)));
  }
}

TEST_CASE("too many layers are said, not drawn") {
  ShownStep shown = layered();
  shown.layers->wall_ns.assign(2001, 1);
  shown.layers->count = 2001;
  CHECK(step_strips(shown).contains("<p>2 001 layers are too many to draw.</p>"));
}

}  // namespace
}  // namespace stepscope::analysis
