#include "analysis/reports/breakdown_csv.h"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/analysis/reports/golden.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

std::string csv(const Breakdown& breakdown, std::string_view table,
                const ReportContext& context = {}) {
  return breakdown_csv(breakdown, context, table).value();
}

TEST_CASE("every table of one step") {
  const Breakdown breakdown = tests::sample_breakdown();
  std::string all;
  for (const std::string& table : csv_table_names()) {
    if (table == "collectives") continue;  // 121 rows
    all += csv(breakdown, table) + "\r\n";
  }
  tests::check_golden("report-step.csv", all);
}

TEST_CASE("lines end as RFC 4180 says, and times sum to the window") {
  const std::string idle = csv(tests::sample_breakdown(), "idle");
  CHECK(idle ==
        "rank,device,step,cause,idle_ns\r\n"
        "0,0,2,host,20000\r\n"
        "0,0,2,latency_or_dependency,57\r\n"
        "0,0,2,between_graph_nodes,1090000\r\n"
        "0,0,2,unknown,10000\r\n");
  std::istringstream lines(csv(tests::sample_breakdown(), "components"));
  std::string line;
  std::getline(lines, line);
  CHECK(line == "rank,device,step,component,calls,charged_ns,sum_ns,hidden_ns\r");
  long long charged = 0;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 6; ++i) std::getline(fields, field, ',');
    charged += std::stoll(field);
  }
  CHECK(charged == 7'895'007);
}

// The sum of a column of integers, absent ones left out; rows without their header.
struct Column {
  long long sum = 0;
  std::size_t rows = 0;
};
Column column_of(const std::string& text, const std::string& title) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::size_t index = 0;
  std::istringstream titles(line.substr(0, line.size() - 1));
  for (std::string field; std::getline(titles, field, ',') && field != title;) ++index;
  Column out;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    for (std::size_t i = 0; i <= index; ++i) std::getline(fields, field, ',');
    if (!field.empty()) out.sum += std::stoll(field);
    ++out.rows;
  }
  return out;
}

TEST_CASE("the tables of structure are complete and close") {
  Breakdown breakdown = tests::sample_breakdown();
  const ShownStep& shown = breakdown.shown.front();
  // Labels and names hold commas, so the tables are read without them.
  for (LayerKind& kind : breakdown.shown.front().layers->kinds) {
    kind.label = "x";
    for (LayerRow& row : kind.rows) row.name = "x";
  }
  for (WhereRow& row : breakdown.shown.front().where) row.label = "x";
  CHECK(column_of(csv(breakdown, "layers"), "wall_ns").sum == 7'851'188);
  CHECK(column_of(csv(breakdown, "layers"), "wall_ns").rows == 61);
  CHECK(column_of(csv(breakdown, "collectives"), "max_wait_ns").rows == 121);
  CHECK(column_of(csv(breakdown, "collectives"), "max_wait_ns").sum == 300'000);
  CHECK(column_of(csv(breakdown, "ranks"), "wall_ns").sum == 7'895'007 + 7'595'007);
  CHECK(column_of(csv(breakdown, "where"), "charged_ns").sum == 7'895'007);
  CHECK(column_of(csv(breakdown, "phases"), "charged_ns").sum == 7'895'007);
  CHECK(column_of(csv(breakdown, "layer_rows"), "charged_in_kind_ns").sum == 7'851'188);
  CHECK(column_of(csv(breakdown, "moe"), "charged_ns").sum == 2 * shown.moe->total.charged_ns);
  breakdown.shown = {ShownStep{}};
  breakdown.collectives.reset();
  for (const char* table :
       {"layers", "layer_rows", "where", "phases", "moe", "ranks", "collectives"}) {
    CHECK(column_of(csv(breakdown, table), "rank").rows == 0);
  }
}

TEST_CASE("foreign text is quoted and is never a formula") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.steps.resize(1);
  Step& step = breakdown.steps.front();
  const auto field = [&](const std::string& label) {
    step.label = label;
    const std::string text = csv(breakdown, "steps");
    const std::size_t at = text.find("engine,") + 7;
    return text.substr(at, text.rfind(",0,494000000") - at);
  };
  CHECK(field("plain") == "plain");
  CHECK(field("a,b \"c\"") == "\"a,b \"\"c\"\"\"");
  CHECK(field("=HYPERLINK(\"x\")") == "\"'=HYPERLINK(\"\"x\"\")\"");
  CHECK(field("+1+2") == "'+1+2");
  CHECK(field("-2+3") == "'-2+3");
  CHECK(field("@SUM(A1)") == "'@SUM(A1)");
  CHECK(field("\t=1") == " =1");
  CHECK(field("\u200B=1") == "'=1");
  CHECK(field("-7") == "-7");  // a number, such as the stream of a null queue
  CHECK(field("two\nlines\xFF") == "two lines\uFFFD");
  step.rank.reset();
  CHECK(csv(breakdown, "steps").contains("\r\n,0,0,prefill,"));
}

TEST_CASE("partial and replayed traces say so before the header") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.complete = false;
  breakdown.trace.cut_at_byte = 17;
  ReportContext context;
  context.replayed = true;
  CHECK(csv(breakdown, "idle", context)
            .starts_with("# PARTIAL: cut at byte 17 of the uncompressed text\r\n"
                         "# Replayed: this trace was recorded earlier\r\nrank,"));
}

TEST_CASE("an unknown table is refused by naming the known ones") {
  CHECK(breakdown_csv(tests::sample_breakdown(), {}, "layer\n").error() ==
        "no CSV table \"layer \": choose one of kernels, streams, layers, layer_rows, components, "
        "where, phases, moe, ranks, collectives, idle, steps");
  CHECK(csv(Breakdown{}, "streams") == "rank,device,step,stream,primary,calls,sum_ns,busy_ns\r\n");
}

}  // namespace
}  // namespace stepscope::analysis
