#include "analysis/reports/compare/compare_markdown.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/support/compare_sides.h"

using namespace stepscope;
using namespace stepscope::analysis;
using tests::compared_row;
using tests::plain_side;

TEST_CASE("walls and verdict come first, then the sides, then a table that adds up") {
  CompareSide a = plain_side(10'000'000, 1'000'000);
  CompareSide b = plain_side(11'000'000, 500'000);
  const std::string text = compare_markdown(compare(a, b));
  CHECK(
      text.starts_with("### A against B\n\nA **11.000 ms**, B **11.500 ms**: B is slower by "
                       "0.500 ms (+4.5 %); whether that is noise cannot be told.\n"));
  CHECK(text.contains("- **A**: run, run.json; decode step 0, the only one of its kind."));
  CHECK(text.contains("| dense MLP | 10.000 | 11.000 |") == false);  // labels come from the side
  CHECK(text.contains("| mlp | 10.000 | 11.000 | +1.000 | +10.0 % | 9.1 |"));
  CHECK(text.contains("| idle | 1.000 | 0.500 | -0.500 | -50.0 % | -4.6 |"));
  CHECK(
      text.contains("Deltas of the components 1 000 000 ns + idle -500 000 ns = wall 500 000 ns"));
  CHECK(text.contains("- A has one step only: noise cannot be told."));
  CHECK(text.contains("<summary>Kernels that changed most</summary>"));
  CHECK_FALSE(text.contains("Kernels that appeared"));
  CHECK_FALSE(text.contains("<summary>Layers</summary>"));
}

TEST_CASE("the same run twice is no difference") {
  std::mt19937 random(2);
  const CompareSide side = tests::random_side(random);
  const std::string text = compare_markdown(compare(side, side));
  CHECK(text.contains(": no difference."));
  CHECK_FALSE(text.contains("<details"));
}

TEST_CASE("phases and cut traces are said above the heading") {
  CompareSide a = plain_side(10, 0);
  CompareSide b = plain_side(10, 0);
  b.phase = "prefill";
  a.partial = "PARTIAL: cut at byte 9 of the uncompressed text";
  const std::string text = compare_markdown(compare(a, b));
  CHECK(
      text.starts_with("Different phases: A shows a decode step, B a prefill step. A: PARTIAL: "
                       "cut at byte 9 of the uncompressed text.\n\n### A against B\n"));
}

TEST_CASE("two versions of the table: wall and idle only, with the reason") {
  CompareSide a = plain_side(10'000'000, 0);
  CompareSide b = plain_side(12'000'000, 1'000'000);
  b.table_version = "4";
  const std::string text = compare_markdown(compare(a, b));
  CHECK(text.contains("Wall +3.000 ms, idle +1.000 ms, charged to work +2.000 ms"));
  CHECK(text.contains("- Only wall and idle are compared: "));
  CHECK_FALSE(text.contains("| A ms |"));
}

TEST_CASE("without kernels the categories stand open; new kernels and layers have their sections") {
  CompareSide a = plain_side(10'000'000, 0);
  CompareSide b = plain_side(10'000'000, 0);
  b.kernels[0].key = b.kernels[0].label = "evil|name`<img>@octocat";
  b.layer_kinds = {compared_row("MoE", 50, 50)};
  b.layer_rows = {compared_row("MoE / o_proj / 1", 50, 50)};
  b.layer_kinds[0].calls = 58;
  std::string text = compare_markdown(compare(a, b));
  CHECK(text.contains("Kernels that appeared or vanished"));
  CHECK(text.contains("vanished from A"));
  CHECK(text.contains("MoE: 0 layers in A, 58 layers in B."));
  CHECK(text.contains("| ``evil\\|name`<img>@octocat`` |"));  // a code span inside its cell
  CHECK(text.contains("<details><summary>Categories"));
  a.facts.family = "NVIDIA";
  b.facts.family = "AMD";
  text = compare_markdown(compare(a, b));
  CHECK(text.contains("<details open><summary>Categories"));
  CHECK_FALSE(text.contains("Kernels that changed most"));
  CHECK(text.contains("those of categories sum to the same."));
}
