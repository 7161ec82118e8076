#include <doctest/doctest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/passes/accounting/intervals.h"
#include "analysis/reading/read_trace.h"
#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

struct FileTotals {
  Ns span_ns = 0;
  Ns sum_ns = 0;
  Ns union_ns = 0;
};

// Over all devices of a file, which the product never adds up.
FileTotals totals_of(const std::filesystem::path& path) {
  const auto trace = read_trace(std::span(&path, 1), {});
  REQUIRE(trace.has_value());
  FileTotals totals;
  RunningUnion busy;
  Ns last_ns = 0;
  for (const DeviceEvent& event : trace->device_events) {
    const Interval interval{event.start_ns, event.start_ns + event.dur_ns};
    busy.add(interval);
    totals.sum_ns += event.dur_ns;
    last_ns = std::max(last_ns, interval.end_ns);
  }
  totals.span_ns = last_ns - trace->device_events.front().start_ns;
  totals.union_ns = busy.total_ns();
  return totals;
}

FileTotals totals_of(const Accounting& accounting) {
  return {accounting.window_ns, accounting.kernel_sum_ns, accounting.busy_ns};
}

std::set<std::string> stream_figures(const Breakdown& breakdown) {
  std::set<std::string> figures;
  for (const DeviceBreakdown& device : breakdown.devices) {
    for (const StreamRow& row : device.accounting.streams) {
      figures.insert(device.device + ":" + row.stream + "=" + std::to_string(row.calls) + "/" +
                     std::to_string(row.sum_ns) + "/" + std::to_string(row.busy_ns));
    }
  }
  return figures;
}

}  // namespace

TEST_SUITE("facts") {
  TEST_CASE("every row of the fact table") {
    std::istringstream table(read_text(shared_folder() / "traces" / "facts.tsv"));
    std::string line;
    std::getline(table, line);
    int rows = 0;
    while (std::getline(table, line)) {
      const std::vector<std::string> cell = split(line, '\t');
      REQUIRE(cell.size() == 10);
      CAPTURE(cell[0]);
      ++rows;
      const std::filesystem::path path = shared_folder() / "traces" / cell[0];
      const auto result = analyze_file(path);
      REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
      CHECK(result->trace.complete);
      CHECK(std::to_string(result->trace.kernels) == cell[1]);
      CHECK(std::to_string(result->trace.memcpys) == cell[2]);
      CHECK(std::to_string(result->trace.memsets) == cell[3]);
      const std::vector<std::string> streams = split(cell[9], ' ');
      CHECK(stream_figures(*result) == std::set<std::string>(streams.begin(), streams.end()));
      CHECK(std::to_string(streams.size()) == cell[4]);
      CHECK(std::to_string(result->devices.size()) == cell[5]);
      const FileTotals totals =
          result->devices.size() == 1 ? totals_of(result->devices[0].accounting) : totals_of(path);
      CHECK(std::to_string(totals.span_ns) == cell[6]);
      CHECK(std::to_string(totals.sum_ns) == cell[7]);
      CHECK(std::to_string(totals.union_ns) == cell[8]);
    }
    CHECK(rows > 30);
  }
}
