#include "analysis/reading/tables/trace_metadata.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/reading/json/decimal_time.h"

namespace stepscope::analysis {

namespace {

using nlohmann::json;

constexpr std::string_view kBase = "baseTimeNanoseconds";
constexpr std::string_view kDevices = "deviceProperties";
constexpr std::string_view kOldDevices = "computeProperties";  // PyTorch 1.8
constexpr std::string_view kDistributed = "distributedInfo";
constexpr std::size_t kDeviceNamesMax = 64;

std::optional<int> count_of(const json& object, const char* key) {
  auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  std::string text = it->is_string() ? it->get<std::string>() : it->dump();
  std::optional<std::int64_t> value = parse_scaled(text, 0);
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

void add_device_names(const json& devices, std::vector<std::string>& names) {
  for (const json& device : devices) {
    if (!device.is_object()) continue;
    auto it = device.find("name");
    if (it == device.end() || !it->is_string()) continue;
    std::string name = it->get<std::string>();
    if (name.empty() || names.size() == kDeviceNamesMax) continue;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

bool read_base(std::string_view text, TraceMetadata& metadata) {
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  std::optional<std::int64_t> base = parse_scaled(text, 0);
  if (base) metadata.base_ns = *base;
  return base.has_value();
}

bool read_object(std::string_view key, std::string_view text, TraceMetadata& metadata) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return false;
  if (key == kDistributed) {
    if (!value.is_object()) return value.is_null();
    metadata.rank = count_of(value, "rank");
    metadata.world_size = count_of(value, "world_size");
    return true;
  }
  if (!value.is_array()) return value.is_null();
  add_device_names(value, metadata.device_names);
  return true;
}

}  // namespace

bool is_metadata_key(std::string_view key) {
  return key == kBase || key == kDevices || key == kOldDevices || key == kDistributed;
}

void read_metadata(std::string_view key, std::string_view text, TraceMetadata& metadata) {
  bool understood = key == kBase ? read_base(text, metadata) : read_object(key, text, metadata);
  if (!understood) metadata.problems.emplace_back(key);
}

}  // namespace stepscope::analysis
