#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/reports/report_sections.h"
#include "tests/analysis/reports/table_sums.h"
#include "tests/support/sample_breakdown.h"

namespace stepscope::analysis {
namespace {

std::vector<std::string> sentences(const Breakdown& breakdown, const Detail& detail = {}) {
  const Section section = method_section(breakdown, tests::sample_context(), detail);
  std::vector<std::string> out;
  for (const Line& item : std::get<List>(section.blocks.front()).items) {
    out.push_back(tests::text_of(item));
  }
  return out;
}

bool says(const Breakdown& breakdown, std::string_view words) {
  return std::ranges::any_of(sentences(breakdown),
                             [&](const std::string& one) { return one.contains(words); });
}

TEST_CASE("everything that was refused, cut or not understood is said") {
  const Breakdown breakdown = tests::sample_breakdown();
  CHECK(says(breakdown, "The step comes from the markers that the engine writes."));
  CHECK(says(breakdown,
             "Cut off at the window's begin: 3 events with 0.012 ms of busy time, "
             "463.000 ms before the rest of the step."));
  CHECK(says(breakdown, "2 events of other steps ran in this window."));
  CHECK(says(breakdown, "Cut off as prefetch"));
  CHECK(says(breakdown,
             "Dropped: 3 without a duration, 1 without a usable timestamp. Exact "
             "duplicates, counted once: 6."));
  CHECK(says(breakdown, "Suspect events: 1, clipped"));
  CHECK(says(breakdown, "14 device events without a launch in the file, 0.183 ms together."));
  CHECK(says(breakdown, "4 launch records without any device event."));
  CHECK(says(breakdown, "8 events inside a longer one of the same stream"));
  CHECK(says(breakdown, "12 device events outside every step."));
  CHECK(says(breakdown, "1 step marker without device events."));
  CHECK(says(breakdown, "Names that no rule matched, over the whole file: 0.003 ms, the largest "));
  CHECK(says(breakdown, "77 077 bytes, sha256 3f1c00aa11bb…."));
  CHECK(says(breakdown, "Category table 3, analyser 0.1.0."));
  CHECK_FALSE(says(breakdown, "without a role"));
  CHECK(says(breakdown, "Understood as profile model=dsr1"));
  CHECK(says(breakdown, "whole microseconds"));
  CHECK(says(breakdown, "Calls of attention kernels divide by 61."));
  const Table suspects =
      tests::tables_of(method_section(breakdown, tests::sample_context(), {})).front();
  CHECK(tests::column(suspects, 3) == std::vector<std::string>{"13.700"});
  CHECK(tests::column(suspects, 4) == std::vector<std::string>{"0.041"});
  const Table roles =
      tests::tables_of(method_section(breakdown, tests::sample_context(), {})).back();
  CHECK(tests::column(roles, 0)[1] == "o_proj");
  CHECK(tests::column(roles, 2)[0] == "between RMSNorm and attention, 122 calls = 2 x 61 layers");
  CHECK(tests::column(roles, 2)[1] == "between attention and all-reduce, 61 calls = 61 layers");
}

TEST_CASE("what did not happen is not listed, what is absent is named") {
  Breakdown breakdown;
  breakdown.trace.world_size = 8;
  breakdown.trace.events = breakdown.trace.device_events = breakdown.trace.memcpys = 1;
  breakdown.trace.memsets = 2;
  CHECK(says(breakdown, "Dropped: none. Exact duplicates, counted once: 0."));
  CHECK(says(breakdown, "1 event read, of them 1 device event: 0 kernels, 1 copy, 2 fills."));
  CHECK(says(breakdown, "Suspect events: 0."));
  CHECK(says(breakdown, "Every kernel name was matched by a rule."));
  CHECK(says(breakdown, "World size 8, but no communication was recognised in the file."));
  CHECK_FALSE(says(breakdown, "Cut off"));
  CHECK_FALSE(says(breakdown, "outside every step"));
  CHECK_FALSE(says(tests::sample_breakdown(), "no communication was recognised"));
}

TEST_CASE("damage is listed with its places") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.complete = false;
  breakdown.trace.damaged = {{5, "bad number"}, {9, "bad escape"}};
  breakdown.trace.damaged_count = 40;
  CHECK(says(breakdown, "Damaged at byte 5 of the uncompressed text: bad number."));
  CHECK(says(breakdown, "38 more damaged places, not listed."));
}

TEST_CASE("long lists end in a count") {
  Breakdown breakdown = tests::sample_breakdown();
  breakdown.trace.files.resize(64, breakdown.trace.files.front());
  breakdown.suspects.resize(50, breakdown.suspects.front());
  const Detail detail{.kernel_rows = 25, .list_rows = 6};
  const std::vector<std::string> all = sentences(breakdown, detail);
  CHECK(std::ranges::find(all, "and 58 more files") != all.end());
  const Table suspects =
      tests::tables_of(method_section(breakdown, tests::sample_context(), detail)).front();
  CHECK(tests::column(suspects, 0).back() == "other (44 rows)");
  CHECK(tests::column(suspects, 3).back() == "602.800");  // 44 * 13.7 ms
}

}  // namespace
}  // namespace stepscope::analysis
