// Model shapes that are known from how they are made: steps, layers and kinds
// must be found whatever marks them, and every table must close.

#include "tests/support/model_traces.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

ShownStep analyzed(const ModelTraceOptions& options, std::size_t& steps) {
  const TempFolder folder;
  const std::vector<std::filesystem::path> files = {
      write_file(folder.path(), "model.trace.json", model_trace(options))};
  auto result = analyze(files, {});
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  REQUIRE(result->shown.size() == 1);
  steps = result->steps.size();
  return std::move(result->shown[0]);
}

Ns sum_of(const std::vector<WhereRow>& rows) {
  Ns sum_ns = 0;
  for (const WhereRow& row : rows) sum_ns += row.charged_ns;
  return sum_ns;
}

void check_sums(const ShownStep& shown) {
  const Ns wall_ns = shown.accounting.window_ns;
  CHECK(sum_of(shown.where) == wall_ns);
  Ns components_ns = shown.accounting.idle_ns;
  for (const ComponentRow& row : shown.components) components_ns += row.charged_ns;
  CHECK(components_ns == wall_ns);
  Ns phases_ns = 0;
  for (const Phase& phase : shown.phases) {
    phases_ns += phase.wall_ns;
    Ns inside_ns = phase.classes.idle;
    for (const ChargedCategory& row : phase.charged) inside_ns += row.charged_ns;
    CHECK(inside_ns == phase.wall_ns);
  }
  CHECK(phases_ns == wall_ns);
  for (const KernelRow& row : shown.accounting.kernels) {
    Ns charged_ns = 0;
    std::int64_t calls = 0;
    for (const KernelRole& role : row.roles) {
      charged_ns += role.charged_ns;
      calls += role.calls;
    }
    CHECK(charged_ns == row.charged_ns);
    CHECK(calls == row.calls);
  }
}

void check_layers(const ShownStep& shown, const ModelFacts& facts) {
  REQUIRE_MESSAGE(shown.layers.has_value(), shown.no_layers_reason);
  const Layers& layers = *shown.layers;
  CHECK(layers.count == facts.layers);
  std::vector<int> moe;
  Ns walls_ns = 0;
  for (int layer = 0; layer < layers.count; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    walls_ns += layers.wall_ns[at];
    if (layers.kinds[static_cast<std::size_t>(layers.kind_of[at])].moe) moe.push_back(layer);
  }
  CHECK(moe == facts.moe_layers);
  for (const Phase& phase : shown.phases) {
    if (phase.name == "layers") CHECK(walls_ns == phase.wall_ns);
  }
  for (const LayerKind& kind : layers.kinds) {
    Ns median_ns = kind.idle_ns;
    Ns total_ns = kind.idle_in_kind_ns;
    for (const LayerRow& row : kind.rows) {
      median_ns += row.charged_ns;
      total_ns += row.charged_in_kind_ns;
    }
    CHECK(median_ns == kind.median_wall_ns);
    CHECK(total_ns == kind.total_wall_ns);
  }
}

}  // namespace

TEST_CASE("steps and layers of every shape, with markers or a graph or neither") {
  unsigned seed = 100;
  for (const ModelShape shape :
       {ModelShape::dense, ModelShape::gpt_oss, ModelShape::deepseek, ModelShape::hybrid,
        ModelShape::moe_primary, ModelShape::fused_norms}) {
    for (const bool markers : {true, false}) {
      for (const bool graph : {true, false}) {
        // The stream of the experts is the critical one there, and its names
        // tell no step.
        if (shape == ModelShape::moe_primary && !markers && !graph) continue;
        CAPTURE(static_cast<int>(shape));
        CAPTURE(markers);
        CAPTURE(graph);
        std::size_t steps = 0;
        const ShownStep shown = analyzed({.shape = shape,
                                          .steps = 3,
                                          .markers = markers,
                                          .graph = graph,
                                          .autotuned = seed % 2 == 0,
                                          .seed = seed},
                                         steps);
        ++seed;
        CHECK(steps == 3);
        check_layers(shown, facts_of(shape));
        check_sums(shown);
      }
    }
  }
}

TEST_CASE("roles of GEMMs in a dense model") {
  std::size_t steps = 0;
  const ShownStep shown = analyzed({.shape = ModelShape::dense}, steps);
  std::map<std::string, std::int64_t> calls;
  for (const KernelRow& row : shown.accounting.kernels) {
    if (!row.category.starts_with("gemm-")) continue;
    for (const KernelRole& role : row.roles) calls[role.role] += role.calls;
  }
  CHECK(
      calls ==
      std::map<std::string, std::int64_t>{
          {"q/kv projection", 36}, {"o_proj", 36}, {"gate_up", 36}, {"down", 36}, {"lm_head", 1}});
}

TEST_CASE("roles of GEMMs where one name serves router, experts and projections") {
  std::size_t steps = 0;
  const ShownStep shown = analyzed({.shape = ModelShape::gpt_oss}, steps);
  std::map<std::string, std::int64_t> calls;
  for (const KernelRow& row : shown.accounting.kernels) {
    if (!row.category.starts_with("gemm-")) continue;
    for (const KernelRole& role : row.roles) calls[role.role] += role.calls;
  }
  CHECK(calls["router"] == 24);
  CHECK(calls["q/kv projection"] == 24);
  CHECK(calls["o_proj"] == 24);
  CHECK(calls["lm_head"] == 1);
  REQUIRE(shown.moe.has_value());
  CHECK(shown.moe->layers == 24);
}
