#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

const StreamRow& stream(const Accounting& accounting, std::string_view id) {
  const auto row = std::ranges::find(accounting.streams, id, &StreamRow::stream);
  REQUIRE(row != accounting.streams.end());
  return *row;
}

}  // namespace

TEST_SUITE("rocprof") {
  // Counts, sums and unions of intervals of the file's 43,915 dispatch records, by stream_id.
  TEST_CASE("a real file of rocprofv3, of one training process on one GPU") {
    const auto result =
        analyze_file(shared_folder() / "traces" / "tracelens" / "rocprofv3_908_results.json.gz");
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
    CHECK(result->trace.complete);
    CHECK(result->trace.events == 43'915);
    CHECK(result->trace.device_events == 43'915);
    CHECK(result->trace.duplicates == 0);
    CHECK(result->trace.damaged_count == 0);
    CHECK(result->trace.origin_ns == 63'857'982'592'000);
    CHECK(result->trace.device_names == std::vector<std::string>{"AMD Instinct MI350X"});
    REQUIRE(result->devices.size() == 1);
    const DeviceBreakdown& device = result->devices[0];
    CHECK(device.pid == "908");
    CHECK(device.device == "0");
    const Accounting& all = device.accounting;
    CHECK(all.window_ns == 15'122'023'494);
    CHECK(all.kernel_sum_ns == 4'441'741'378);
    CHECK(all.busy_ns == 4'233'112'334);
    CHECK(all.streams.size() == 567);
    CHECK(all.kernels.size() == 653);
    CHECK(stream(all, "567").calls == 37'300);
    CHECK(stream(all, "567").sum_ns == 233'839'859);
    CHECK(stream(all, "567").busy_ns == 233'652'183);
    CHECK(stream(all, "565").calls == 1'309);
    CHECK(stream(all, "565").busy_ns == 4'031'075'598);
    CHECK(stream(all, "0").sum_ns == 129'114'885);
  }
}
