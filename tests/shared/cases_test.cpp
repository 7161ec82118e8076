#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/shared/shared_folder.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using nlohmann::json;

namespace {

std::string class_word(DeviceClass device_class) {
  return device_class == DeviceClass::compute ? "compute"
         : device_class == DeviceClass::comm  ? "comm"
                                              : "copy";
}

json streams_json(const Accounting& accounting) {
  json streams = json::object();
  for (const StreamRow& row : accounting.streams) {
    streams[row.stream] = {{"calls", row.calls}, {"sum_ns", row.sum_ns}, {"busy_ns", row.busy_ns}};
  }
  return streams;
}

json kernels_json(const Accounting& accounting) {
  json kernels = json::array();
  for (const KernelRow& row : accounting.kernels) {
    kernels.push_back({{"stream", row.stream},
                       {"name", row.name},
                       {"calls", row.calls},
                       {"sum_ns", row.sum_ns},
                       {"class", class_word(row.device_class)},
                       {"wall_ns", row.charged_ns}});
  }
  return kernels;
}

json device_json(const Accounting& a) {
  return {{"window_ns", a.window_ns},
          {"busy_ns", a.busy_ns},
          {"idle_ns", a.idle_ns},
          {"kernel_sum_ns", a.kernel_sum_ns},
          {"streams", streams_json(a)},
          {"primary_stream", a.primary_stream},
          {"classes_ns",
           {{"compute", a.classes.compute},
            {"comm_exposed", a.classes.comm_exposed},
            {"copy_exposed", a.classes.copy_exposed},
            {"idle", a.classes.idle}}},
          {"comm_total_ns", a.comm_total_ns},
          {"comm_hidden_ns", a.comm_hidden_ns},
          {"copy_total_ns", a.copy_total_ns},
          {"partition_ns",
           {{"primary", a.partition.primary},
            {"exposed_other", a.partition.exposed_other},
            {"hidden_other", a.partition.hidden_other},
            {"idle", a.partition.idle}}},
          {"kernels", kernels_json(a)}};
}

json breakdown_json(const Breakdown& breakdown) {
  json dropped = json::object();
  const auto count = [&](const char* reason, std::int64_t events) {
    if (events != 0) dropped[reason] = events;
  };
  count("no_dur", breakdown.trace.dropped.no_dur);
  count("negative_dur", breakdown.trace.dropped.negative_dur);
  count("bad_ts", breakdown.trace.dropped.bad_ts);
  count("duplicate", breakdown.trace.duplicates);
  json devices = json::object();
  for (const DeviceBreakdown& device : breakdown.devices) {
    devices["pid " + device.pid + " device " + device.device] = device_json(device.accounting);
  }
  return {{"events", breakdown.trace.events},
          {"device_events", breakdown.trace.device_events},
          {"dropped", dropped},
          {"devices", devices}};
}

json known_answer(const std::filesystem::path& page) {
  const std::string text = read_text(page);
  const std::string fence = "```json\n";
  const std::size_t begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  const std::size_t from = begin + fence.size();
  return json::parse(text.substr(from, text.find("```", from) - from));
}

}  // namespace

TEST_SUITE("cases") {
  TEST_CASE("every case equals its known answer in every field") {
    int cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(shared_folder() / "cases")) {
      if (entry.path().extension() != ".md") continue;
      CAPTURE(entry.path().filename().string());
      std::filesystem::path file = entry.path();
      file.replace_extension(".json");
      if (!std::filesystem::exists(file)) file += ".gz";
      const auto result = analyze_file(file);
      REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
      const json want = known_answer(entry.path());
      const json got = breakdown_json(*result);
      CHECK_MESSAGE(got == want, json::diff(want, got).dump(1));
      ++cases;
    }
    CHECK(cases == 14);
  }
}
