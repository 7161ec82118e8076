#include "analysis/compare.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "tests/support/compare_sides.h"

using namespace stepscope;
using namespace stepscope::analysis;
using tests::compared_row;
using tests::plain_side;

namespace {

Ns charged_sum(const std::vector<Delta>& deltas) {
  Ns sum = 0;
  for (const Delta& delta : deltas) sum += delta.charged_delta_ns;
  return sum;
}

bool has_warning(const Comparison& comparison, std::string_view words) {
  return std::ranges::any_of(comparison.warnings, [&](const std::string& warning) {
    return warning.find(words) != std::string::npos;
  });
}

// Three steps with these walls and ranges of the only row.
CompareSide ranged_side(Ns charged, Ns least, Ns most) {
  CompareSide side = plain_side(charged, 0);
  side.steps = 3;
  side.min_ns = least;
  side.max_ns = most;
  for (auto* rows : {&side.categories, &side.components, &side.kernels}) {
    rows->front().charged_min_ns = least;
    rows->front().charged_max_ns = most;
  }
  return side;
}

}  // namespace

TEST_CASE("deltas of every list and idle sum to the delta of the walls") {
  CompareSide a = plain_side(0, 100);
  CompareSide b = plain_side(0, 250);
  a.kernels = {compared_row("gemm", 700, 700, "7"), compared_row("old", 200, 260, "7")};
  b.kernels = {compared_row("gemm", 640, 640, "7"), compared_row("new", 310, 310, "8")};
  a.categories = a.components = {compared_row("mlp", 700, 700), compared_row("norm", 200, 260)};
  b.categories = b.components = {compared_row("mlp", 640, 640), compared_row("moe", 310, 310)};
  a.wall_ns = 1000;
  b.wall_ns = 1200;
  const Comparison result = compare(a, b);
  CHECK(result.wall_delta_ns == 200);
  CHECK(result.idle_delta_ns == 150);
  // 200 - 150: gemm -60, new +310, old -200.
  for (const auto* list : {&result.categories, &result.components, &result.kernels}) {
    CHECK(charged_sum(*list) == 50);
    CHECK(list->size() == 3);
  }
  CHECK(result.kernels[0].key == "new");
  CHECK_FALSE(result.kernels[0].a);
  CHECK(result.kernels[0].charged_delta_ns == 310);
  CHECK(result.kernels[1].key == "old");
  CHECK_FALSE(result.kernels[1].b);
  CHECK(result.kernels[1].busy_delta_ns == -260);
  CHECK(result.kernels[2].charged_delta_ns == -60);
}

TEST_CASE("ten thousand random pairs: the lists sum to the same, and swapping turns the signs") {
  std::mt19937 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const CompareSide a = tests::random_side(random);
    const CompareSide b = tests::random_side(random);
    const Comparison there = compare(a, b);
    const Comparison back = compare(b, a);
    const Ns rows = there.wall_delta_ns - there.idle_delta_ns;
    REQUIRE(charged_sum(there.categories) == rows);
    REQUIRE(charged_sum(there.components) == rows);
    REQUIRE(charged_sum(there.kernels) == rows);
    REQUIRE(charged_sum(back.kernels) == -rows);
    std::size_t in_a = 0;
    std::size_t in_b = 0;
    for (const Delta& delta : there.kernels) {
      in_a += delta.a ? 1 : 0;
      in_b += delta.b ? 1 : 0;
      if (delta.a && delta.b) REQUIRE(delta.a->key == delta.b->key);
    }
    REQUIRE(in_a == a.kernels.size());
    REQUIRE(in_b == b.kernels.size());
    REQUIRE(there.kernels.size() == back.kernels.size());
  }
}

TEST_CASE("a side against itself: no difference") {
  std::mt19937 random(3);
  const CompareSide side = tests::random_side(random);
  const Comparison result = compare(side, side);
  CHECK(result.no_difference);
  for (const auto* list : {&result.categories, &result.components, &result.kernels}) {
    CHECK(list->size() > 1);
    for (const Delta& delta : *list) {
      CHECK(delta.charged_delta_ns == 0);
      CHECK(delta.busy_delta_ns == 0);
    }
  }
  CompareSide other = side;
  ++other.kernels.front().calls;
  CHECK_FALSE(compare(side, other).no_difference);
}

TEST_CASE("within noise where the ranges of the steps touch") {
  const auto result = compare(ranged_side(100, 90, 110), ranged_side(120, 110, 130));
  CHECK(result.within_noise);
  CHECK(result.noise_known);
  CHECK(result.kernels[0].within_noise == true);
  const auto beyond = compare(ranged_side(100, 90, 110), ranged_side(121, 111, 130));
  CHECK_FALSE(beyond.within_noise);
  CHECK(beyond.components[0].within_noise == false);
  CHECK(beyond.warnings.empty());
}

TEST_CASE("a kernel that one side lacks is 0 in all of its steps") {
  CompareSide a = ranged_side(100, 90, 110);
  CompareSide b = ranged_side(100, 90, 110);
  b.kernels[0].key = "sometimes";
  b.kernels[0].charged_min_ns = 0;
  auto result = compare(a, b);
  REQUIRE(result.kernels.size() == 2);
  for (const Delta& delta : result.kernels) {
    CHECK(delta.within_noise == (delta.key == "sometimes"));
  }
  a.idle_min_ns.reset();  // its ranges are not recorded
  result = compare(a, b);
  for (const Delta& delta : result.kernels) {
    if (delta.key == "sometimes") CHECK_FALSE(delta.within_noise.has_value());
  }
  CHECK(has_warning(result, "A: range not recorded"));
}

TEST_CASE("one step: noise cannot be told, and the report says of which side") {
  const auto result = compare(plain_side(100, 0), ranged_side(120, 110, 130));
  CHECK_FALSE(result.noise_known);
  CHECK(has_warning(result, "A has one step only: noise cannot be told"));
  CHECK_FALSE(has_warning(result, "B has one step"));
}

TEST_CASE("kernels match on the critical stream whatever its id, then across streams") {
  CompareSide a = plain_side(100, 0);
  CompareSide b = plain_side(100, 0);
  b.primary_stream = "39";
  a.kernels = {compared_row("gemm", 70, 70, "7"), compared_row("gemm", 10, 10, "39"),
               compared_row("moe", 20, 20, "7")};
  b.kernels = {compared_row("gemm", 30, 30, "7"), compared_row("gemm", 60, 60, "39"),
               compared_row("moe", 10, 10, "8")};
  const Comparison result = compare(a, b);
  REQUIRE(result.kernels.size() == 3);
  // gemm on the critical streams 70 -> 60; what is left of gemm 10 -> 30; moe moved, 20 -> 10.
  CHECK(result.kernels[0].charged_delta_ns == 20);
  CHECK(result.kernels[0].a->stream == "39");
  CHECK(result.kernels[0].b->stream == "7");
  CHECK(result.kernels[1].a->stream == "7");
  CHECK(result.kernels[1].b->stream == "39");
  CHECK(result.kernels[1].charged_delta_ns == -10);
  CHECK(result.kernels[2].key == "moe");
  CHECK(result.kernels[2].b->stream == "8");
}

TEST_CASE("kernels of another framework or vendor are not matched, and that is said") {
  CompareSide a = plain_side(100, 0);
  CompareSide b = plain_side(90, 0);
  a.facts.framework = "sglang";
  b.facts.framework = "vllm";
  Comparison result = compare(a, b);
  CHECK_FALSE(result.kernels_matched);
  CHECK(result.kernels.empty());
  CHECK(charged_sum(result.categories) == -10);
  CHECK(has_warning(result, "the framework differs (sglang and vllm)"));
  b.facts.framework = "SGLang";
  a.facts.family = "NVIDIA";
  b.facts.family = "AMD";
  result = compare(a, b);
  CHECK(result.kernels.empty());
  CHECK(has_warning(result, "the hardware family differs (NVIDIA and AMD)"));
  b.facts.family = "";
  CHECK(compare(a, b).kernels_matched);
}

TEST_CASE("another leading category: busy figures order the rows, and the report says so") {
  CompareSide a = plain_side(0, 0);
  CompareSide b = plain_side(0, 0);
  a.components = {compared_row("moe", 10, 500), compared_row("mlp", 90, 90)};
  b.components = {compared_row("moe", 60, 510), compared_row("mlp", 40, 390)};
  a.kernels = b.kernels = a.categories = b.categories = {};
  b.leading_category = "gemm-moe";
  const Comparison result = compare(a, b);
  CHECK(result.busy_compared);
  CHECK(result.components[0].key == "mlp");  // busy +300 before busy +10
  CHECK(has_warning(result, "gemm-dense in A and gemm-moe in B"));
  b.leading_category = a.leading_category;
  CHECK(compare(a, b).components[0].charged_delta_ns == -50);  // equal sizes: by busy again
  CHECK_FALSE(compare(a, b).busy_compared);
}

TEST_CASE("different phases and partial traces are said before all else") {
  CompareSide a = plain_side(100, 0);
  CompareSide b = plain_side(100, 0);
  b.phase = "prefill";
  b.partial = "PARTIAL: cut at byte 7 of the uncompressed text";
  const Comparison result = compare(a, b);
  REQUIRE(result.first_warnings.size() == 2);
  CHECK(result.first_warnings[0] == "different phases: A shows a decode step, B a prefill step");
  CHECK(result.first_warnings[1] == "B: PARTIAL: cut at byte 7 of the uncompressed text");
  b.phase = "unknown";
  CHECK(compare(a, b).first_warnings.size() == 1);
}

TEST_CASE("under two versions of the table only wall and idle are compared") {
  CompareSide a = plain_side(100, 10);
  CompareSide b = plain_side(130, 10);
  b.table_version = "4";
  const Comparison result = compare(a, b);
  CHECK(result.wall_delta_ns == 30);
  CHECK(result.categories.empty());
  CHECK(result.components.empty());
  CHECK(result.kernels.empty());
  CHECK(result.not_compared.find("3 in A, 4 in B") != std::string::npos);
  CHECK(has_warning(result, "only wall and idle are compared"));
  CHECK_FALSE(compare(a,
                      [&] {
                        b = a;
                        b.table_version = "4";
                        return b;
                      }())
                  .no_difference);
}

TEST_CASE("layers: rows of the same kind and role in the layer's order, new ones after them") {
  CompareSide a = plain_side(100, 0);
  CompareSide b = plain_side(100, 0);
  a.layer_kinds = {compared_row("MoE", 50, 40)};
  b.layer_kinds = {compared_row("MoE", 47, 40), compared_row("dense", 30, 30)};
  a.layer_rows = {compared_row("MoE / o_proj / 1", 40, 40), compared_row("MoE / idle", 10, 0)};
  b.layer_rows = {compared_row("MoE / norm / 1", 2, 2), compared_row("MoE / o_proj / 1", 38, 38),
                  compared_row("MoE / idle", 7, 0)};
  const Comparison result = compare(a, b);
  REQUIRE(result.layer_rows.size() == 3);
  CHECK(result.layer_rows[0].charged_delta_ns == -2);
  CHECK(result.layer_rows[1].charged_delta_ns == -3);
  CHECK(result.layer_rows[2].key == "MoE / norm / 1");
  CHECK(charged_sum(result.layer_rows) == result.layer_kinds[0].charged_delta_ns);
  CHECK_FALSE(result.layer_kinds[1].a);
}

TEST_CASE("facts that differ are named; the analyser's version as well") {
  CompareSide a = plain_side(100, 0);
  CompareSide b = plain_side(100, 0);
  a.facts.image = "sglang 0.5.6";
  b.facts.image = "sglang 0.5.7";
  b.analyzer_version = "0.2.0";
  const Comparison result = compare(a, b);
  CHECK(has_warning(result, "the image differs: sglang 0.5.6 in A, sglang 0.5.7 in B"));
  CHECK(has_warning(result, "the analyser differs: version 0.1.0 in A, 0.2.0 in B"));
}
