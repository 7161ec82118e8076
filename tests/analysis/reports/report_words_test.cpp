#include "analysis/reports/report_words.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

TEST_CASE("classes are named as the JSON contract names them") {
  CHECK(class_name(DeviceClass::compute) == "compute");
  CHECK(class_name(DeviceClass::comm) == "comm");
  CHECK(class_name(DeviceClass::copy) == "copy");
}

TEST_CASE("the PARTIAL line says where the text ends or breaks") {
  TraceSummary trace;
  CHECK(partial_line(trace).empty());
  trace.complete = false;
  CHECK(partial_line(trace) == "PARTIAL: some of the trace could not be read");
  trace.damaged = {{77, "not a JSON value"}, {99, "bad escape"}};
  trace.damaged_count = 1;
  CHECK(partial_line(trace) ==
        "PARTIAL: damaged at byte 77 of the uncompressed text (not a JSON value), 1 place");
  trace.damaged_count = 2'345;
  CHECK(partial_line(trace) ==
        "PARTIAL: damaged at byte 77 of the uncompressed text (not a JSON value), 2 345 places");
  trace.cut_at_byte = 1'048'576;
  CHECK(partial_line(trace) == "PARTIAL: cut at byte 1048576 of the uncompressed text");
}

TEST_CASE("a report without a title bears the first file's name") {
  Breakdown breakdown = tests::sample_breakdown();
  CHECK(title_of(breakdown, tests::sample_context()) == "DeepSeek-R1 FP4, B200, conc 4");
  CHECK(title_of(breakdown, {}) == "run-TP-0-DECODE.trace.json.gz and 1 more file");
  breakdown.trace.files.pop_back();
  CHECK(title_of(breakdown, {}) == "run-TP-0-DECODE.trace.json.gz");
  breakdown.trace.files.clear();
  CHECK(title_of(breakdown, {}) == "Trace");
}

TEST_CASE("places, components and sources in words") {
  CHECK(place_of(3, "77", "1") == "rank 3, device 1");
  CHECK(place_of(std::nullopt, "77", "1") == "process 77, device 1");
  CHECK(component_label("moe") == "MoE");
  CHECK(component_label("attention") == "attention");
  CHECK(component_label("of an operator") == "of an operator");
  CHECK(source_words("engine") == "The step comes from the markers that the engine writes");
  CHECK(source_words("new_source") == "new_source");
}

TEST_CASE("figures in ms are strong in a sentence, other numbers are not") {
  const auto marked = [](std::string_view sentence) {
    std::string out;
    for (const Span& span : with_strong_figures(sentence).spans) {
      out += span.kind == Span::Kind::strong ? "[" + span.text + "]" : span.text;
    }
    return out;
  };
  CHECK(marked("1.250 ms of 61 layers (0.000 ms exposed)") ==
        "[1.250 ms] of 61 layers ([0.000 ms] exposed)");
  CHECK(marked("3 msg, 4.0 µs, a ms") == "3 msg, 4.0 µs, a ms");
  CHECK(marked("in step 3. 4 ms") == "in step 3. [4 ms]");
  CHECK(marked("").empty());
}

TEST_CASE("what is shown has a name, what is absent a dash") {
  Step step;
  CHECK(whole_label(step) == "one step");
  step.phase = "decode";
  CHECK(whole_label(step) == "one decode step");
  step.source = "file";
  CHECK(whole_label(step) == "the whole file");
  CHECK(ms_or_dash(1'500'000) == "1.500");
  CHECK(ms_or_dash(std::nullopt) == "–");
}

TEST_CASE("notes become sentences, names at their start stay") {
  CHECK(sentence("steps overlap") == "Steps overlap.");
  CHECK(sentence("a.json: cut at byte 7") == "a.json: cut at byte 7.");
  CHECK(sentence("Ends already.") == "Ends already.");
  CHECK(sentence("").empty());
}

TEST_CASE("digits stand in groups of three") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(84'487'178) == "84 487 178");
  CHECK(grouped(-1'000) == "-1 000");
  CHECK(grouped(std::numeric_limits<std::int64_t>::min()) == "-9 223 372 036 854 775 808");
  CHECK(counted(1, "event") == "1 event");
  CHECK(counted(0, "event") == "0 events");
  CHECK(counted(1'024, "event") == "1 024 events");
  CHECK(counted(1, "copy", "copies") == "1 copy");
  CHECK(counted(2, "copy", "copies") == "2 copies");
}

TEST_CASE("amounts close in both columns") {
  // 1.4 + 1.4 + 1.4 us of 4.2: 2 + 1 + 1; 333.3 each: 334 + 333 + 333.
  const std::vector<Ns> parts = {1'400, 1'400, 1'400};
  const Amounts amounts = amounts_of(parts, 4'200);
  CHECK(amounts.rounded == std::vector<Ns>{2'000, 1'000, 1'000});
  CHECK(amounts.permille == std::vector<int>{334, 333, 333});
}

TEST_CASE("a table is cut only where more than one row goes") {
  CHECK(rows_shown(20, 20) == 20);
  CHECK(rows_shown(21, 20) == 21);
  CHECK(rows_shown(22, 20) == 20);
}

}  // namespace
}  // namespace stepscope::analysis
