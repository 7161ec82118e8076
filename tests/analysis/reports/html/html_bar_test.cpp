#include "analysis/reports/html/html_bar.h"

#include <doctest/doctest.h>

#include <vector>

namespace stepscope::analysis {
namespace {

// A wall of 10 ms: 6 attention, 2 MoE in two rows, 2 idle.
ShownStep small_step() {
  ShownStep shown;
  shown.accounting.window_ns = 10'000'000;
  shown.accounting.idle_ns = 2'000'000;
  shown.where = {{"attention", "attention, 3 layers", 9, 6'000'000},
                 {"idle.host", "idle, waiting for the host", 0, 2'000'000, true},
                 {"moe.shared_expert", "MoE <shared> expert", 3, 1'500'000},
                 {"moe.routed_experts", "MoE routed experts", 3, 500'000},
                 {"norm", "norms", 3, 0}};
  return shown;
}

TEST_CASE("the most special word that is known gives the colour") {
  CHECK(colour_name("moe") == "moe");
  CHECK(colour_name("moe.collective") == "communication");
  CHECK(colour_name("moe.shared_expert") == "moe");
  CHECK(colour_name("head.setup") == "setup");
  CHECK(colour_name("head.collective") == "communication");
  CHECK(colour_name("idle.between_graph_nodes") == "idle");
  CHECK(colour_name("lm_head") == "sampling");
  CHECK(colour_name("comm.dispatch") == "communication");
  CHECK(colour_name("tail.lm_head") == "sampling");
  CHECK(colour_name("gemm.unknown") == "gemm");
  CHECK(colour_name("copy") == "setup");
  CHECK(colour_name("head.rest") == "other");
  CHECK(colour_name("\"><script>") == "other");
  CHECK(colour_name("") == "other");
}

TEST_CASE("the bar is filled by charged time and idle") {
  const std::string html = component_bar(small_step());
  CHECK(html.contains("fill the wall of 10.000 ms"));
  CHECK(
      html.contains("x=\"0%\" width=\"60%\"><title>attention, 3 layers: 6.000 ms, 60.0 %</title>"
                    "<rect class=\"part c-attention\""));
  CHECK(html.contains("x=\"60%\" width=\"20%\"><title>idle, waiting for the host: 2.000 ms"));
  CHECK(html.contains("x=\"80%\" width=\"15%\""));
  // The second row of a component is deeper; what takes no time is not drawn.
  CHECK(
      html.contains("x=\"95%\" width=\"5%\"><title>MoE routed experts: 0.500 ms, 5.0 %</title>"
                    "<rect class=\"part c-moe v2\""));
  CHECK(html.contains("</svg>MoE &lt;shared&gt; expert: 1.500 ms, 15.0 %</li>"));
  CHECK_FALSE(html.contains("norms"));
}

TEST_CASE("a row of waiting has its own colour whatever its key says") {
  ShownStep shown = small_step();
  shown.where[0].wait = true;
  CHECK(component_bar(shown).contains("<rect class=\"part c-wait\""));
}

TEST_CASE("without rows the components fill the bar; without time there is none") {
  ShownStep shown;
  shown.accounting.idle_ns = 1000;
  shown.components = {{"norm", 2, 3000, 3000, 0}};
  const std::string html = component_bar(shown);
  CHECK(html.contains("width=\"75%\"><title>norms, 2 calls: 0.003 ms, 75.0 %"));
  CHECK(html.contains("x=\"75%\" width=\"25%\"><title>idle: 0.001 ms, 25.0 %"));
  CHECK(component_bar(ShownStep()).empty());
}

TEST_CASE("bars of several steps have one scale and one order of colours") {
  std::vector<ShownStep> steps = {small_step(), small_step()};
  steps[1].step.index = 1;
  for (WhereRow& row : steps[1].where) row.charged_ns /= 2;
  const std::string html = component_bars(steps);
  CHECK(html.contains("step 0, process , device : 10.000 ms"));
  CHECK(html.contains("step 1, process , device : 5.000 ms"));
  // Of the longer step: attention 60 %, MoE 15 and 5, idle last.
  CHECK(html.contains("x=\"80%\" width=\"20%\"><title>idle"));
  // Half as long: attention 30 %, then MoE.
  CHECK(html.contains("x=\"30%\" width=\"7.5%\"><title>MoE &lt;shared"));
  CHECK(html.contains("x=\"40%\" width=\"10%\"><title>idle"));
  CHECK(html.contains("</svg>attention</li>\n"));
  CHECK_FALSE(html.contains("the first"));
}

TEST_CASE("more bars than a page has room for are left out, and it is said") {
  const std::vector<ShownStep> steps(61, small_step());
  CHECK(component_bars(steps).contains("to one scale; the first 60 of 61 steps</figcaption>"));
}

}  // namespace
}  // namespace stepscope::analysis
