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
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].columns.front().title == "stream 39, critical");
  CHECK(tables[1].columns.front().title == "stream 461");
  CHECK(tables[0].rows.size() == 7);
  for (const Table& table : tables) {
    for (const std::size_t number : {2U, 3U, 4U, 5U, 6U}) {
      CHECK(tests::printed_sum(table, number) ==
            tests::printed(tests::column(table, number).back()));
    }
  }
  CHECK(tests::paragraph(section, 2) ==
        "As printed: stream 39, critical 6.584 ms + stream 461 0.191 ms + idle 1.120 ms = wall "
        "7.895 ms.");
}

TEST_CASE("long tables and many streams are folded, and still close") {
  const ShownStep shown = tests::large_breakdown(300).shown.front();
  const Section section = kernels_section(shown, {.kernel_rows = 10, .list_rows = 10});
  const std::vector<Table> tables = tests::tables_of(section);
  REQUIRE(tables.size() == 9);  // 8 streams and one table for the 6 others
  CHECK(tables[0].rows.size() == 12);
  CHECK(tests::column(tables[0], 0)[10] == "other (296 rows)");  // 306 rows on stream 39
  CHECK(tables[8].columns.front().title == "6 other streams");
  long long charged = 0;
  long long permille = 0;
  for (const Table& table : tables) {
    for (const std::size_t number : {2U, 3U, 4U, 5U, 6U}) {
      CHECK(tests::printed_sum(table, number) ==
            tests::printed(tests::column(table, number).back()));
    }
    charged += tests::printed_sum(table, 3);
    permille += tests::printed_sum(table, 4);
  }
  const std::string closing = tests::paragraph(section, 9);
  CHECK(closing.starts_with("As printed: "));
  // wall - idle as printed, in us: all tables together.
  const Ns busy_us = ((shown.accounting.window_ns + 500) / 1000) - 1'120;
  CHECK(charged == busy_us);
  const std::vector<Ns> idle = {shown.accounting.idle_ns};
  CHECK(std::abs(permille - (1000 - ((idle[0] * 1000) / shown.accounting.window_ns))) <= 1);
}

TEST_CASE("names that fold to the same words show more of themselves") {
  ShownStep shown;
  shown.accounting.primary_stream = "7";
  shown.accounting.streams = {{"7", 2, 2'000, 2'000}};
  shown.accounting.window_ns = 2'000;
  for (const char* last : {"A", "B"}) {
    KernelRow row;
    row.stream = "7";
    row.name = std::string("void f<g<h<") + last + "> > >(int)";
    row.calls = 1;
    row.charged_ns = 1'000;
    row.busy_ns = 1'000;
    row.sum_ns = 1'000;
    shown.accounting.kernels.push_back(row);
  }
  const Table table = tests::tables_of(kernels_section(shown, {})).front();
  CHECK(tests::column(table, 0) ==
        std::vector<std::string>{"void f<g<h<A> > >(int)", "void f<g<h<B> > >(int)", "all"});
}

TEST_CASE("a step without kernels has a section") {
  const Section section = kernels_section(ShownStep{}, {});
  CHECK(section.title == "Kernels by stream (0 rows)");
  CHECK(tests::paragraph(section, 0) == "As printed: idle 0.000 ms = wall 0.000 ms.");
}

}  // namespace
}  // namespace stepscope::analysis
