#include "analysis/reports/html/html_timeline.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace stepscope::analysis {
namespace {

KernelRow kernel(std::string stream, std::string name, std::string category,
                 std::string component) {
  KernelRow row;
  row.stream = std::move(stream);
  row.name = std::move(name);
  row.category = std::move(category);
  row.component = std::move(component);
  row.calls = 1;
  return row;
}

// Stream 7 is critical although 5 and 9 come first in their own ways; 9 is busier than 5.
ShownStep drawn() {
  ShownStep shown;
  shown.accounting.window_ns = 1000;
  shown.accounting.primary_stream = "7";
  shown.accounting.streams = {{"5", 1, 100, 100}, {"7", 2, 300, 300}, {"9", 1, 400, 400}};
  shown.accounting.kernels = {kernel("7", "void norm_kernel<8>(int)", "normalisation", "norm"),
                              kernel("9", "</script><!--\xE2\x80\xA8&", "other", "other"),
                              kernel("5", "gemm", "gemm-dense", "other")};
  shown.timeline = {
      {500, 400, 2, 1, -1}, {0, 200, 1, 0, 0}, {200, 100, 1, 0, 1}, {0, 100, 0, 2, 0}};
  return shown;
}

TEST_CASE("events as rows of five by start; the critical stream is the first lane") {
  const auto json = nlohmann::json::parse(timeline_json(drawn()));
  CHECK(json["wall"] == 1000);
  CHECK(json["streams"] == nlohmann::json({"stream 7, critical", "stream 9", "stream 5"}));
  // Of two that start at once the longer one is first.
  CHECK(json["events"] ==
        nlohmann::json({0, 200, 0, 0, 0, 0, 100, 2, 2, 0, 200, 100, 0, 0, 1, 500, 400, 1, 1, -1}));
  CHECK(json["kernels"][0] == nlohmann::json({"norm_kernel<8>", "normalisation", "c-norm", ""}));
  CHECK(json["kernels"][2][2] == "c-gemm");  // a GEMM without a role
  CHECK(json["layers"].empty());
}

TEST_CASE("the block can not be left by a name") {
  const std::string text = timeline_json(drawn());
  for (const char* forbidden : {"<", ">", "&", "\xE2\x80\xA8"}) {
    CHECK_FALSE(text.contains(forbidden));
  }
  // The line separator is no part of a harmless name: a blank stands for it.
  CHECK(nlohmann::json::parse(text)["kernels"][1][0] == "</script><!-- &");
}

TEST_CASE("roles and their component, and where layers begin") {
  ShownStep shown = drawn();
  shown.accounting.kernels[2].roles = {{"q/kv projection", "attention", 1, 90, ""},
                                       {"lm_head", "sampling", 1, 10, ""}};
  Phase phase;
  phase.name = "layers";
  phase.start_ns = 100;
  phase.wall_ns = 700;
  shown.phases = {phase};
  shown.layers = Layers();
  shown.layers->wall_ns = {300, 400};
  const auto json = nlohmann::json::parse(timeline_json(shown));
  CHECK(json["kernels"][2] ==
        nlohmann::json({"gemm", "gemm-dense", "c-attention", "q/kv projection or lm_head"}));
  CHECK(json["layers"] == nlohmann::json({100, 400, 800}));
  shown.accounting.kernels[2].roles = {{"lm_head", "", 1, 100, ""}};
  CHECK(nlohmann::json::parse(timeline_json(shown))["kernels"][2][2] == "c-sampling");
}

TEST_CASE("events that point nowhere are left out") {
  ShownStep shown = drawn();
  shown.timeline = {{0, 1, 3, 0, 0}, {0, 1, 0, 3, 0}, {7, 1, 0, 2, 0}};
  CHECK(nlohmann::json::parse(timeline_json(shown))["events"] == nlohmann::json({7, 1, 2, 2, 0}));
}

TEST_CASE("a step without events to draw says why") {
  ShownStep shown = drawn();
  CHECK(step_timeline(shown).contains("<figcaption>Timeline: 4 device events on 3 streams<"));
  CHECK(step_timeline(shown).contains("<p class=\"no-script\">The timeline is drawn by a script"));
  shown.timeline.clear();
  CHECK(step_timeline(shown) ==
        "<p>4 device events are too many to draw one by one: this report has no timeline, its "
        "tables hold all of them.</p>\n");
  CHECK(step_timeline(ShownStep()).empty());
}

TEST_CASE("a step of 2,000 events takes less than 100 kB") {
  ShownStep shown = drawn();
  shown.accounting.window_ns = 30'000'000;
  shown.timeline.clear();
  for (int i = 0; i < 2000; ++i) shown.timeline.push_back({i * 15'000, 14'321, 1, 0, i / 33});
  CHECK(timeline_json(shown).size() < 100'000);
}

}  // namespace
}  // namespace stepscope::analysis
