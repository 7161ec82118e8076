#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("the critical stream stands first and every table closes") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Section section = kernels_section(shown, {});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 3);  // the last one holds sizes
  CHECK(tables[0].columns.front().title == "stream 39, critical");
  CHECK(tables[1].columns.front().title == "stream 461");
  CHECK(tables[0].rows.size() == 7);
  for (const Table& table : {tables[0], tables[1]}) {
    for (const std::size_t number : {3U, 4U, 5U, 6U}) {
      CHECK(tests::printed_sum(table, number) ==
            tests::printed(tests::column(table, number).back()));
    }
  }
  CHECK(tests::paragraph(section, 2) ==
        "As printed: stream 39, critical 6.584 ms + stream 461 0.191 ms + idle 1.120 ms = wall "
        "7.895 ms.");
}

TEST_CASE("roles stand beside the kernels, with their calls when there are several") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const std::vector<Table> tables = tests::tables_of(kernels_section(shown, {}));
  const std::vector<std::string> roles = tests::column(tables[0], 2);
  CHECK(roles[0] == "q/kv projection 122, o_proj 61");
  CHECK(roles[2] ==
        "shared expert down 58, shared expert gate_up 58, down 3, gate_up 3, lm_head 1");
  CHECK(roles[3] == "attention");
  CHECK(roles[5] == "–");
}

TEST_CASE("a GEMM without a role says so") {
  ShownStep shown;
  shown.accounting.streams = {{"7", 6, 1'000, 1'000}};
  shown.accounting.kernels = {
      {.stream = "7",
       .name = "by_place",
       .category = "gemm-dense",
       .component = "other",
       .calls = 4,
       .charged_ns = 300,
       .roles = {{"o_proj", "attention", 3, 200, ""}, {"", "other", 1, 100, ""}}},
      {.stream = "7",
       .name = "alone",
       .category = "gemm-dense",
       .component = "other",
       .calls = 2,
       .charged_ns = 100}};
  const Section section = kernels_section(shown, {});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 1);
  CHECK(tests::column(tables[0], 2) ==
        std::vector<std::string>{"o_proj 3, not told 1", "not told", ""});
  CHECK(calls_without_role(shown.accounting) == 3);
  CHECK(tests::paragraph(section, 2) ==
        "Size not recorded: 2 GEMM or attention kernels with 6 calls.");
}

TEST_CASE("sizes are listed with their source") {
  const ShownStep shown = tests::sample_breakdown().shown.front();
  const Section section = kernels_section(shown, {});
  CHECK(
      tests::column(tests::tables_of(section).back(), 3) ==
      std::vector<std::string>{"M 4, N 2112, K 7168 (Input Dims) ×122; M 4, N 7168, K 2048 (Input "
                               "Dims) ×61",
                               "tile 64x32 (tile in the name)"});
  // 61 calls of the attention kernel and 116 of the expert GEMM.
  CHECK(tests::paragraph(section, 4) ==
        "Size not recorded: 2 GEMM or attention kernels with 177 calls.");
}

TEST_CASE("many sizes are folded, and kernels of one stem are told apart") {
  ShownStep shown;
  shown.accounting.streams = {{"7", 3, 3'000, 3'000}};
  for (const char* tile : {"MT64x32x256_SN", "MT32x32x256_SN", "MT16x32x512_SN"}) {
    KernelRow row{.stream = "7",
                  .name = std::string("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_") + tile +
                          "_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_EPS0_WS64_WG16_4_4",
                  .category = "gemm-dense",
                  .component = "mlp",
                  .calls = 1,
                  .charged_ns = 1'000};
    row.shapes = {{tile, "tile in the name", 1}};
    shown.accounting.kernels.push_back(row);
  }
  const Table all = tests::tables_of(kernels_section(shown, {})).back();
  REQUIRE(all.rows.size() == 3);
  CHECK(tests::column(all, 0)[0].contains("MT64x32x256"));
  CHECK(tests::column(all, 0)[1].contains("MT32x32x256"));
  const Table folded =
      tests::tables_of(kernels_section(shown, {.kernel_rows = 25, .list_rows = 1})).back();
  CHECK(tests::column(folded, 0).back() == "other (2 rows)");
}

TEST_CASE("the plain sum has a column only where a kernel overlaps itself") {
  ShownStep shown;
  shown.accounting.streams = {{"7", 2, 1'000, 1'500}};
  shown.accounting.kernels = {{.stream = "7",
                               .name = "twice",
                               .calls = 2,
                               .sum_ns = 1'000'000,
                               .busy_ns = 1'000'000,
                               .charged_ns = 1'000'000}};
  CHECK(tests::tables_of(kernels_section(shown, {}))[0].columns.back().title == "hidden ms");
  shown.accounting.kernels[0].sum_ns = 1'500'000;
  const Table table = tests::tables_of(kernels_section(shown, {}))[0];
  CHECK(table.columns.back().title == "sum ms");
  CHECK(tests::column(table, 7) == std::vector<std::string>{"1.500", "1.500"});
}

TEST_CASE("long tables and many streams are folded, and still close") {
  const ShownStep shown = tests::large_breakdown(300).shown.front();
  const Section section = kernels_section(shown, {.kernel_rows = 10, .list_rows = 10});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 9);  // 8 streams and one table for the 6 others; no sizes
  CHECK(tables[0].rows.size() == 12);
  CHECK(tests::column(tables[0], 0)[10] == "other (296 rows)");  // 306 rows on stream 39
  CHECK(tables[8].columns.front().title == "6 other streams");
  long long charged = 0;
  long long permille = 0;
  for (const Table& table : tables) {
    for (const std::size_t number : {3U, 4U, 5U, 6U}) {
      CHECK(tests::printed_sum(table, number) ==
            tests::printed(tests::column(table, number).back()));
    }
    charged += tests::printed_sum(table, 4);
    permille += tests::printed_sum(table, 5);
  }
  const std::string closing = tests::paragraph(section, 9);
  CHECK(closing.starts_with("As printed: "));
  // wall - idle as printed, in us: all tables together.
  const Ns busy_us = ((shown.accounting.window_ns + 500) / 1000) - 1'120;
  CHECK(charged == busy_us);
  const std::vector<Ns> idle = {shown.accounting.idle_ns};
  CHECK(std::abs(permille - (1000 - ((idle[0] * 1000) / shown.accounting.window_ns))) <= 1);
}

// The first column of the table of a step with these kernels.
std::vector<std::string> printed_names(const std::vector<std::string>& names) {
  ShownStep shown;
  shown.accounting.primary_stream = "7";
  shown.accounting.streams = {{"7", 1, 1'000, 1'000}};
  for (const std::string& name : names) {
    shown.accounting.kernels.push_back(
        {.stream = "7", .name = name, .calls = 1, .sum_ns = 1'000, .charged_ns = 1'000});
  }
  std::vector<std::string> printed =
      tests::column(tests::tables_of(kernels_section(shown, {})).front(), 0);
  printed.pop_back();
  return printed;
}

TEST_CASE("names that fold to the same words show where they differ") {
  CHECK(printed_names({"void f<g<h<A> > >(int)", "void f<g<h<B> > >(int)"}) ==
        std::vector<std::string>{"f<g<h<…>>> … A> > >(int)", "f<g<h<…>>> … B> > >(int)"});
  // Of a mangled name the word begins too far back to be shown whole.
  const std::string mangled = "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bDF16bDF16bDF16bLi";
  CHECK(printed_names({mangled + "64EEEvPT_", mangled + "256EEEvPT_"}) ==
        std::vector<std::string>{"aiter::add_rmsnorm_quant_kernel<…> … 6bLi256EEEvPT_",
                                 "aiter::add_rmsnorm_quant_kernel<…> … 6bLi64EEEvPT_"});
  // A name that the other one begins with has nothing of its own; what differs is cut when long.
  const std::string tail(60, 'x');
  CHECK(printed_names({"void f<int>(A)", "void f<int>(A)::g(" + tail, "f<int>"})[0] == "f<int>");
}

TEST_CASE("a step without kernels has a section") {
  const Section section = kernels_section(ShownStep{}, {});
  CHECK(section.title == "Kernels by stream (0 rows)");
  CHECK(tests::paragraph(section, 0) == "As printed: idle 0.000 ms = wall 0.000 ms.");
}

}  // namespace
}  // namespace stepscope::analysis
