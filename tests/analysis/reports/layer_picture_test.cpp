#include <doctest/doctest.h>

#include "analysis/reports/report_sections.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("a layer as text: a line for each kernel, sides, idle; the figures add up") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const FixedText picture = layer_picture(*shown.layers, shown.layers->kinds[2]);
  // 1715 2x14767 12726 14767 9836 1715 11414 11414 9836 3284 17868 = 124109 ns
  REQUIRE(picture.lines.size() == 14);
  CHECK(picture.lines[0].starts_with("layer 4, MoE: the median of 58"));
  CHECK(picture.lines[2].starts_with("q/kv projection"));
  CHECK(picture.lines[2].contains("  cutlass::device_kernel<GemmUniversal<…>> ×2 "));
  CHECK(picture.lines[2].ends_with("  ████████████"));
  CHECK(picture.lines[10].starts_with("stream 461, charged"));
  CHECK(picture.lines[10].contains("  of 61.1 µs in sum "));
  CHECK(picture.lines[11] == "  routing, expert gate_up, expert down");
  CHECK(picture.lines[12].starts_with("idle"));
  CHECK(picture.lines[13].ends_with("   124.1"));
}

TEST_CASE("a name that does not fit is told by its stem") {
  ShownStep shown;
  shown.layers = Layers{};
  LayerKind kind;
  kind.count = 1;
  LayerRow row;
  row.name = "void ns::paged_attention_kernel<ns::Traits<float, 128>, 16, 32, false, true, 4>(int)";
  row.calls = 1;
  kind.rows = {row};
  CHECK(layer_picture(*shown.layers, kind).lines[1].contains(" paged_attention_kernel "));
}

TEST_CASE("what another stream does is broken into lines that a comment shows whole") {
  ShownStep shown;
  shown.layers = Layers{};
  shown.layers->stream = "7";
  LayerKind kind;
  kind.count = 1;
  for (int i = 0; i < 11; ++i) {
    LayerRow row;
    row.stream = "8";
    row.role = "role number " + std::to_string(i);
    row.calls = 1;
    kind.rows.push_back(row);
  }
  const FixedText picture = layer_picture(*shown.layers, kind);
  // title, stream 8, 11 roles of 15 characters with 6 on a line, idle, wall
  REQUIRE(picture.lines.size() == 6);
  CHECK(picture.lines[3] ==
        "  role number 6, role number 7, role number 8, role number 9, role number 10");
}

TEST_CASE("a long layer is folded, hostile names stay on their line") {
  ShownStep shown;
  shown.layers = Layers{};
  shown.layers->stream = "7";
  LayerKind kind;
  kind.count = 1;
  for (int i = 0; i < 60; ++i) {
    LayerRow row;
    row.stream = "7";
    row.name = "kernel\n" + std::to_string(i);
    row.category = i == 0 ? "gemm-dense" : "elementwise";
    row.component = i == 0 ? "other" : "elementwise";
    row.calls = 1;
    row.charged_ns = 1'000;
    row.names_vary = i == 0;
    kind.rows.push_back(row);
    kind.median_wall_ns += 1'000;
  }
  const FixedText picture = layer_picture(*shown.layers, kind);
  // title, 48 rows, the other 12, idle, wall
  CHECK(picture.lines.size() == 52);
  CHECK(picture.lines[1].starts_with("GEMM, role not told"));
  CHECK(picture.lines[1].ends_with("name varies"));
  CHECK(picture.lines[49].contains("×12"));
  CHECK(picture.lines[49].contains("12.0"));
  for (const std::string& line : picture.lines) CHECK_FALSE(line.contains('\n'));
}

}  // namespace
}  // namespace stepscope::analysis
