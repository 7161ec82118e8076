#include "analysis/passes/accounting/device_table.h"

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

TEST_CASE("ids compare as numbers when both are") {
  CHECK(compare_ids("9", "10") < 0);
  CHECK(compare_ids("-3", "-2") < 0);
  CHECK(compare_ids("-1", "0") < 0);
  CHECK(compare_ids("-0", "1") < 0);
  CHECK(compare_ids("7", "default") < 0);
  CHECK(compare_ids("b", "a") > 0);
  CHECK(compare_ids("7", "7") == 0);
  CHECK(compare_ids("07", "7") != 0);  // equal numbers, yet two streams
  CHECK(compare_ids("-", "5") > 0);    // a lone sign is a word
}

TEST_CASE("numbers of any length compare by value") {
  CHECK(compare_ids("99999999999999999999999", "100000000000000000000000") < 0);
  CHECK(compare_ids("0000000000000000000000000000008", "9") < 0);
  CHECK(compare_ids("-100000000000000000000000", "-99999999999999999999999") < 0);
}

TEST_CASE("devices with equal stream and device ids stay apart") {
  TraceMaker maker;
  const ScopeId second = maker.scope(0);
  maker.add({"a", 0, 1, "7", {}, "1"}).add({"a", 0, 1, "7", {}, "0"});
  maker.add({"b", 0, 1, "7", {}, "0", DeviceKind::kernel, second});
  const Trace trace = maker.build();
  const DeviceTable table = devices_of(trace);
  REQUIRE(table.devices.size() == 3);
  // The scope with a rank comes first, then the devices of the one without.
  CHECK(table.devices[0].rank == 0);
  CHECK(table.devices[0].scope == second);
  CHECK(table.devices[1].device == "0");
  CHECK(table.devices[2].device == "1");
  CHECK_FALSE(table.devices[2].rank.has_value());
  for (const Device& device : table.devices) CHECK(device.events.size() == 1);
}

TEST_CASE("streams of a device are numbered from the lowest id") {
  TraceMaker maker;
  maker.add({"a", 0, 1, "23"}).add({"a", 1, 1, "7"}).add({"a", 2, 1, "null"});
  const Trace trace = maker.build();
  const DeviceTable table = devices_of(trace);
  REQUIRE(table.devices.size() == 1);
  CHECK(table.devices[0].streams == std::vector<std::string>{"7", "23", "null"});
  CHECK(table.stream_of_timeline == std::vector<StreamIndex>{1, 0, 2});
  CHECK(table.devices[0].events == std::vector<EventIndex>{0, 1, 2});
}

TEST_CASE("a timeline without events makes no device") {
  TraceMaker maker;
  maker.add({"a", 0, 1, "7", {}, "0"}).add({"a", 0, 1, "7", {}, "1"});
  Trace trace = maker.build();
  std::erase_if(trace.device_events, [](const DeviceEvent& event) { return event.timeline == 0; });
  const DeviceTable table = devices_of(trace);
  REQUIRE(table.devices.size() == 1);
  CHECK(table.devices[0].device == "1");
}
