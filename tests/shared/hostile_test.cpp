#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

struct Expected {
  std::int64_t kernels = 0;  // 0: an error
  bool complete = true;
  bool cut = false;
};

// The decode file that most of these were made from has 555 kernels.
const std::map<std::string, Expected> kExpected = {
    {"derived/bare_array.trace.json.gz", {555}},
    {"derived/bare_array_unclosed.trace.json", {0}},  // cut before the first kernel
    {"derived/control_char.trace.json", {555, false}},
    {"derived/duplicated_kernels.trace.json.gz", {555}},
    {"derived/empty.trace.json", {0}},
    {"derived/empty_events.trace.json", {0}},
    {"derived/gz_garbage_tail.trace.json.gz", {555}},
    {"derived/invalid_utf8.trace.json", {555, false}},
    {"derived/merged-dlrm-8rank.trace.json.gz", {2104}},
    {"derived/multi_member.trace.json.gz", {555}},
    {"derived/nan_infinity.trace.json", {555}},  // the bad durations are those of CPU events
    {"derived/odd_fields.trace.json.gz", {552}},
    {"derived/reversed_order.trace.json.gz", {555}},
    {"derived/string_ts.trace.json.gz", {555}},
    {"derived/truncated_gzip.trace.json.gz", {0}},  // cut before the first kernel
    {"derived/truncated_json.trace.json", {272, false, true}},
    {"derived/unclosed_array_trailing_comma.trace.json", {0}},
    {"derived/utf8_bom.trace.json", {555}},
    {"derived/wrong_suffix.json", {555}},
    {"broken/ends_after_comma_epoch_us.json", {2, false, true}},
    {"broken/illegal_escape.json", {2, false}},
    {"broken/unescaped_quotes.json", {2, false}},
};

void check_closes(const Accounting& accounting) {
  Ns charged_ns = 0;
  for (const KernelRow& row : accounting.kernels) charged_ns += row.charged_ns;
  CHECK(charged_ns + accounting.idle_ns == accounting.window_ns);
}

}  // namespace

TEST_SUITE("hostile") {
  TEST_CASE("broken and odd files give what they hold, or one line why not") {
    for (const auto& [file, expected] : kExpected) {
      CAPTURE(file);
      const auto result = analyze_file(shared_folder() / "traces" / file);
      REQUIRE(result.has_value() == (expected.kernels > 0));
      if (!result) continue;
      CHECK(result->trace.kernels == expected.kernels);
      CHECK(result->trace.complete == expected.complete);
      CHECK(result->trace.cut_at_byte.has_value() == expected.cut);
      CHECK(result->shown.size() == 1);
    }
  }

  TEST_CASE("the broken files keep both kernels' time") {
    // k_one 3.000 us and k_two 2.500 us; the third file has whole microseconds, 5 us in all.
    for (const std::string file : {"illegal_escape", "unescaped_quotes"}) {
      const auto result = analyze_file(shared_folder() / "traces/broken" / (file + ".json"));
      REQUIRE(result.has_value());
      CHECK(result->devices[0].accounting.kernel_sum_ns == 5500);
      CHECK(result->trace.damaged_count == 1);
    }
    const auto cut = analyze_file(shared_folder() / "traces/broken/ends_after_comma_epoch_us.json");
    REQUIRE(cut.has_value());
    CHECK(cut->devices[0].accounting.kernel_sum_ns == 5000);
  }

  TEST_CASE("dropped and doubled events are counted") {
    const auto odd = analyze_file(shared_folder() / "traces/derived/odd_fields.trace.json.gz");
    REQUIRE(odd.has_value());
    CHECK(odd->trace.dropped.no_dur == 1);
    CHECK(odd->trace.dropped.negative_dur == 1);
    CHECK(odd->trace.dropped.bad_ts == 1);
    const auto twice =
        analyze_file(shared_folder() / "traces/derived/duplicated_kernels.trace.json.gz");
    REQUIRE(twice.has_value());
    CHECK(twice->trace.duplicates == 555);
  }

  TEST_CASE("every file of the folder ends in a result that closes or in one line of text") {
    const std::filesystem::path folder = shared_folder() / "traces";
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      CAPTURE(entry.path().string());
      ++files;
      const auto result = analyze_file(entry.path());
      if (!result) {
        CHECK_FALSE(result.error().message.empty());
        CHECK(result.error().message.find('\n') == std::string::npos);
        continue;
      }
      for (const DeviceBreakdown& device : result->devices) check_closes(device.accounting);
      for (const ShownStep& shown : result->shown) check_closes(shown.accounting);
    }
    CHECK(files > 60);
  }

  TEST_CASE("ranks in files of their own are the ranks of one run") {
    std::vector<std::filesystem::path> ranks;
    for (const auto& entry :
         std::filesystem::directory_iterator(shared_folder() / "traces/param-dlrm-8rank")) {
      ranks.push_back(entry.path());
    }
    REQUIRE(ranks.size() == 8);
    AnalyzeOptions options;
    options.rank = 3;
    const auto result = analyze(ranks, options);
    REQUIRE(result.has_value());
    REQUIRE(result->devices.size() == 8);
    for (int rank = 0; rank < 8; ++rank) {
      CHECK(result->devices[static_cast<std::size_t>(rank)].rank == rank);
    }
    REQUIRE(result->shown.size() == 1);
    CHECK(result->shown[0].step.rank == 3);
    CHECK(result->shown[0].step.span_ns == 17'511'000);  // worker3's row of structure.json
  }
}
