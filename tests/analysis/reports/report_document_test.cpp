#include "analysis/reports/report_document.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

std::vector<std::string> titles(const Document& document) {
  std::vector<std::string> out;
  for (const Section& section : document.sections) out.push_back(section.title);
  return out;
}

std::string head_text(const Document& document) {
  std::string out;
  for (const Block& block : document.head) {
    if (const auto* line = std::get_if<Line>(&block)) out += tests::text_of(*line) + "\n";
  }
  return out;
}

Document sample_document(const std::vector<std::string>& asks = {}) {
  ReportContext context = tests::sample_context();
  context.asks = asks;
  return report_document(tests::sample_breakdown(), context, {});
}

TEST_CASE("a step's report: headline, wall, table, sections in order") {
  const Document document = sample_document();
  CHECK(document.first_line.empty());
  CHECK(tests::text_of(document.heading) ==
        "DeepSeek-R1 FP4, B200, conc 4: where one decode step went");
  CHECK(titles(document) ==
        std::vector<std::string>{
            "Phases and layers: head 0.023, 61 layers 7.851, tail 0.021 ms",
            "Kernels by stream (9 rows)", "Communication: 1.490 ms charged, 1.200 ms exposed",
            "The same step on 2 ranks", "MoE, 58 layers: 2.085 ms charged, 1.900 ms hidden",
            "Idle by cause: 1.120 ms", "Overlap and streams (2)",
            "Components: charged, sum and hidden", "Devices over the whole file (2)",
            "Steps found (10)", "How these figures were made"});
  CHECK(std::ranges::none_of(document.sections, &Section::open));
  const std::string head = head_text(document);
  CHECK(head.starts_with("7.895 ms, step 2 (decode), rank 0 of 2, device 0."));
  CHECK(
      head.contains("Spread over n = 3 of 5 steps: min 7.790, median 7.895, max 8.022 ms; step 0 "
                    "was left out."));
  CHECK(head.contains("The next step starts 8.001 ms after this one, 0.106 ms after its end."));
  CHECK(head.contains("Ran on 2 of the 8 GPUs of b200-0."));
  CHECK_FALSE(head.contains("Replayed"));
}

TEST_CASE("what was asked for comes first and is open") {
  const Document idle = sample_document({"idle"});
  CHECK(idle.sections.front().title == "Idle by cause: 1.120 ms");
  CHECK(idle.sections.front().open);
  CHECK_FALSE(idle.sections[1].open);
  CHECK(head_text(idle).contains("Idle: 1.120 ms, the largest part"));

  const Document overlap = sample_document({"overlap"});
  CHECK(overlap.sections[0].title.starts_with("Communication"));
  CHECK(overlap.sections[1].title.starts_with("Overlap"));
  CHECK(overlap.sections[1].open);

  CHECK(sample_document({"kernels"}).sections.front().open);
  CHECK(sample_document({"layers"}).sections.front().title.starts_with("Phases and layers"));
  CHECK(sample_document({"shapes"}).sections.front().title.starts_with("Kernels"));
  const Document skew = sample_document({"skew"});
  CHECK(skew.sections[0].title.starts_with("Communication"));
  CHECK(skew.sections[1].title == "The same step on 2 ranks");
  CHECK(head_text(sample_document({"attention"})).contains("Attention: 3.479 ms charged"));

  const Document moe = sample_document({"moe"});
  CHECK(std::holds_alternative<Quote>(moe.head.front()));
  CHECK(moe.sections.front().title.starts_with("MoE"));
  CHECK(std::holds_alternative<Quote>(sample_document().head[1]));

  Breakdown without = tests::sample_breakdown();
  without.shown.front().components.clear();
  without.shown.front().moe.reset();
  ReportContext context;
  context.asks = {"moe"};
  CHECK(head_text(report_document(without, context, {}))
            .contains("No kernel of this step was recognised as MoE."));
}

TEST_CASE("findings are a numbered list behind the table") {
  const Document document = sample_document();
  const auto& list = std::get<List>(document.head.back());
  CHECK(list.numbered);
  REQUIRE(list.items.size() == 4);
  CHECK(tests::text_of(list.items[0]).starts_with("Attention is 3.479 ms of 7.895 ms"));
  CHECK(list.items[0].spans[1].kind == Span::Kind::strong);
  CHECK(tests::text_of(std::get<Line>(document.head[document.head.size() - 2])) ==
        "What stands out");
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.front().takeaways.clear();
  CHECK_FALSE(head_text(report_document(breakdown, {}, {})).contains("What stands out"));
}

TEST_CASE("what a reader must know first is said first") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.complete = false;
  breakdown.trace.cut_at_byte = 123;
  breakdown.shown.front().spread.only_first = true;
  breakdown.shown.front().notes = {"first step after the profiler started", "steps overlap"};
  breakdown.shown.front().step.gap_ns = -5'000;
  breakdown.shown.front().takeaways.push_back({"first_step", "Only one step was captured.", 0});
  ReportContext context;
  context.replayed = true;
  const Document document = report_document(breakdown, context, {});
  CHECK(document.first_line == "PARTIAL: cut at byte 123 of the uncompressed text");
  const std::string head = head_text(document);
  CHECK(head.contains("Replayed: this trace was recorded earlier"));
  CHECK(head.contains("the first after the profiler started"));
  CHECK_FALSE(head.contains("irst step after"));  // once is enough
  CHECK_FALSE(head.contains("Only one step was captured"));
  CHECK(head.contains("the steps overlap by 0.005 ms"));
  CHECK(head.contains("Steps overlap."));
}

TEST_CASE("a single step has no spread, and the whole file no label") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.front().spread = {.count = 1, .of = 1};
  CHECK(head_text(report_document(breakdown, {}, {})).contains("the only step found (n = 1)."));
  breakdown.shown.front().step.source = "file";
  breakdown.shown.front().step.label = "file";
  const std::string head = head_text(report_document(breakdown, {}, {}));
  CHECK(
      head.contains("The whole file is one window: no step could be told apart by markers, graph "
                    "launches or repetition."));
  CHECK_FALSE(head.contains("label"));
  CHECK_FALSE(head.contains("n = 1"));
}

TEST_CASE("without a step the whole file is told as such") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.front().step.source = "file";
  breakdown.shown.front().step.label.clear();
  const Document document = report_document(breakdown, {}, {});
  CHECK(tests::text_of(document.heading) ==
        "run-TP-0-DECODE.trace.json.gz and 1 more file: where 7.895 ms went");
  CHECK(head_text(document).contains("The whole file is one window"));
  CHECK_FALSE(head_text(document).contains("Spread"));
}

TEST_CASE("an unknown phase is not guessed") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.front().step.phase = "unknown";
  const Document document = report_document(breakdown, tests::sample_context(), {});
  CHECK(tests::text_of(document.heading).ends_with(": where one step went"));
}

TEST_CASE("when no step fits, the trace itself is shown") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.shown.clear();
  const Document document = report_document(breakdown, tests::sample_context(), {});
  CHECK(tests::text_of(document.heading).ends_with(": no step fits the question"));
  CHECK(titles(document) == std::vector<std::string>{"Devices over the whole file (2)",
                                                     "Steps found (10)",
                                                     "How these figures were made"});
}

TEST_CASE("all steps: one row each that closes, one section each") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.all_steps = true;
  breakdown.shown.resize(30, breakdown.shown.front());
  const Document document = report_document(breakdown, tests::sample_context(), {});
  CHECK(tests::text_of(document.heading).ends_with(": where 30 steps went"));
  const auto& table = std::get<Table>(document.head.back());
  CHECK(table.rows.size() == 21);
  CHECK(tests::column(table, 0).back() == "other (10 rows)");
  long long parts = 0;
  for (const std::size_t number : {4U, 5U, 6U, 7U}) {
    parts += tests::printed(tests::column(table, number).front());
  }
  CHECK(parts == 7895);
  CHECK(document.sections.front().title == "Step 2: 7.895 ms");
  CHECK(document.sections.size() == 20 + 3);
}

}  // namespace
}  // namespace stepscope::analysis
