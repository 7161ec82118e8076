#include "analysis/reports/compare/compare_tables.h"

#include <doctest/doctest.h>

#include <random>

#include "analysis/reports/text.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/compare_sides.h"

using namespace stepscope;
using namespace stepscope::analysis;
using tests::column;
using tests::compared_row;
using tests::plain_side;
using tests::printed;
using tests::printed_sum;
using tests::text_of;

namespace {

std::size_t column_at(const Table& table, std::string_view title) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].title == title) return i;
  }
  FAIL("no column " << title);
  return 0;
}

std::string last(const Table& table, std::size_t column) {
  return text_of(table.rows.back().at(column));
}

}  // namespace

TEST_CASE("columns of any pair add up to the walls and their delta as printed") {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const Comparison comparison = compare(tests::random_side(random), tests::random_side(random));
    for (const auto* list : {&comparison.components, &comparison.kernels}) {
      const Table table = wall_table(comparison, *list, "row", 5);
      REQUIRE(table.rows.size() <= 9);  // five, or six when one more; other, idle, wall
      for (const char* title : {"A ms", "B ms", "B − A"}) {
        const std::size_t at = column_at(table, title);
        REQUIRE(printed_sum(table, at) == printed(last(table, at)));
      }
      CHECK(last(table, column_at(table, "A ms")) == format_ms(comparison.a.wall_ns));
    }
  }
}

TEST_CASE("a kernel's row: streams, change, ranges and noise") {
  CompareSide a = plain_side(1'000'000, 0);
  CompareSide b = plain_side(1'100'000, 0);
  b.primary_stream = b.kernels[0].stream = "39";
  a.steps = b.steps = 3;
  a.kernels[0].charged_max_ns = 1'050'000;
  const Comparison comparison = compare(a, b);
  const Table table = wall_table(comparison, comparison.kernels, "kernel", 15);
  std::vector<std::string> row;
  for (const Line& cell : table.rows[0]) row.push_back(text_of(cell));
  CHECK(row == std::vector<std::string>{"gemm", "7 → 39", "1.000", "1.100", "+0.100", "+10.0 %",
                                        "10.0", "1.000–1.050", "1.100–1.100", ""});
  CHECK(column(table, 0) == std::vector<std::string>{"gemm", "idle", "wall"});
}

TEST_CASE("noise: within, not recorded, or not to be told from one step") {
  CompareSide a = plain_side(1'000'000, 0);
  CompareSide b = plain_side(1'100'000, 0);
  const auto cell = [&](std::string_view title) {
    const Comparison comparison = compare(a, b);
    const Table table = wall_table(comparison, comparison.components, "component", 15);
    for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
    return text_of(table.rows[0][column_at(table, title)]);
  };
  a.steps = 2;
  CHECK(cell("noise") == "cannot be told");
  CHECK(cell("B min–max") == "one step");
  a.components[0].charged_max_ns = 1'100'000;
  CHECK(cell("noise") == "within noise");
  b.steps = 2;
  a.components[0].charged_max_ns = 1'000'000;
  CHECK(cell("noise") == "");
  CHECK(cell("B min–max") == "1.100–1.100");
  a.components[0].charged_max_ns.reset();
  CHECK(cell("noise") == "cannot be told");
  CHECK(cell("A min–max") == "not recorded");
}

TEST_CASE("two sides of one step each have no columns of ranges") {
  const Comparison comparison = compare(plain_side(1'000'000, 0), plain_side(1'100'000, 0));
  const Table table = wall_table(comparison, comparison.components, "component", 15);
  CHECK(table.columns.back().title == "% of A's wall");
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
}

TEST_CASE("busy columns lead when the critical streams do different work") {
  CompareSide a = plain_side(1'000'000, 0);
  CompareSide b = plain_side(1'000'000, 0);
  b.leading_category = "gemm-moe";
  b.components[0].busy_ns = 1'500'000;
  const Comparison comparison = compare(a, b);
  const Table table = wall_table(comparison, comparison.components, "component", 15);
  CHECK(table.columns[1].title == "busy A ms");
  CHECK(text_of(table.rows[0][3]) == "+0.500");
  CHECK(text_of(table.rows[1][1]) == "–");  // idle is never busy
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
}

TEST_CASE("names that shorten to the same words are told apart") {
  CompareSide a = plain_side(0, 0);
  CompareSide b = plain_side(0, 0);
  const std::string stem = "void cutlass::device_kernel<cutlass::gemm::GemmUniversal<";
  a.kernels = {compared_row(stem + "1>>(Params)", 2'000'000, 0, "7"),
               compared_row(stem + "2>>(Params)", 1'000'000, 0, "7")};
  b.kernels = {};
  const Comparison comparison = compare(a, b);
  const Table table = wall_table(comparison, comparison.kernels, "kernel", 15);
  CHECK(text_of(table.rows[0][0]) != text_of(table.rows[1][0]));
}

TEST_CASE("what one side has alone, the tail folded") {
  CompareSide a = plain_side(0, 0);
  CompareSide b = plain_side(0, 0);
  a.kernels = {};
  b.kernels = {};
  for (int i = 0; i < 5; ++i) {
    b.kernels.push_back(compared_row("k" + std::to_string(i), (i + 1) * 1'000'000, 0, "7"));
  }
  const Comparison comparison = compare(a, b);
  CHECK(has_one_sided(comparison.kernels, true));
  CHECK_FALSE(has_one_sided(comparison.kernels, false));
  const Table table = one_side_table(comparison.kernels, true, 3);
  CHECK(column(table, 0) == std::vector<std::string>{"k4", "k3", "k2", "other (2 rows)"});
  CHECK(column(table, 3) == std::vector<std::string>{"5.000", "4.000", "3.000", "3.000"});
}

TEST_CASE("a layer's rows and idle add up to its wall") {
  CompareSide a = plain_side(0, 0);
  CompareSide b = plain_side(0, 0);
  a.layer_kinds = {compared_row("MoE", 50'049, 40'000), compared_row("MoE, kind 2", 7, 7)};
  b.layer_kinds = {compared_row("MoE", 47'000, 40'000)};
  a.layer_rows = {compared_row("MoE / o_proj / 1", 40'024, 0),
                  compared_row("MoE / idle", 10'025, 0), compared_row("MoE, kind 2 / idle", 7, 0)};
  b.layer_rows = {compared_row("MoE / o_proj / 1", 38'000, 0),
                  compared_row("MoE / idle", 9'000, 0)};
  const Comparison comparison = compare(a, b);
  const Table table = layer_table(comparison, comparison.layer_kinds[0]);
  REQUIRE(table.rows.size() == 3);
  for (const std::size_t at : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    CHECK(printed_sum(table, at) == printed(last(table, at)));
  }
  CHECK(last(table, 4) == "-3.0");  // 47.000 - 50.049 µs
}
