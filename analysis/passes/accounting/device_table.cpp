#include "analysis/passes/accounting/device_table.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace stepscope::analysis {
namespace {

struct Number {
  bool negative = false;
  std::string_view digits;  // without leading zeros
};

std::optional<Number> as_number(std::string_view id) {
  Number number;
  if (id.starts_with('-')) {
    number.negative = true;
    id.remove_prefix(1);
  }
  if (id.empty() || id.find_first_not_of("0123456789") != std::string_view::npos) return {};
  number.digits = id.substr(std::min(id.find_first_not_of('0'), id.size()));
  if (number.digits.empty()) number.negative = false;
  return number;
}

// Of any length: HIP stream handles and hostile files have more digits than an integer holds.
std::strong_ordering compare_numbers(const Number& a, const Number& b) {
  if (a.negative != b.negative) return b.negative <=> a.negative;
  const auto size = a.digits.size() <=> b.digits.size();
  const auto magnitude = size != 0 ? size : a.digits <=> b.digits;
  return a.negative ? 0 <=> magnitude : magnitude;
}

std::strong_ordering compare_devices(const Trace& trace, const Timeline& a, const Timeline& b) {
  const auto rank_a = trace.scopes[a.scope].rank.value_or(std::numeric_limits<int>::max());
  const auto rank_b = trace.scopes[b.scope].rank.value_or(std::numeric_limits<int>::max());
  if (const auto order = rank_a <=> rank_b; order != 0) return order;
  if (const auto order = a.scope <=> b.scope; order != 0) return order;
  if (const auto order = compare_ids(a.device, b.device); order != 0) return order;
  return compare_ids(a.pid, b.pid);
}

Device device_at(const Trace& trace, const Timeline& timeline) {
  Device device;
  device.scope = timeline.scope;
  device.rank = trace.scopes[timeline.scope].rank;
  device.pid = timeline.pid;
  device.device = timeline.device;
  return device;
}

}  // namespace

std::strong_ordering compare_ids(std::string_view a, std::string_view b) {
  const auto number_a = as_number(a);
  const auto number_b = as_number(b);
  if (number_a && number_b) {
    if (const auto order = compare_numbers(*number_a, *number_b); order != 0) return order;
  } else if (number_a || number_b) {
    return number_a ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a <=> b;
}

DeviceTable devices_of(const Trace& trace) {
  assert(trace.device_events.size() < std::numeric_limits<EventIndex>::max());
  const std::vector<Timeline>& timelines = trace.timelines;
  std::vector<TimelineId> order(timelines.size());
  std::iota(order.begin(), order.end(), TimelineId{0});
  std::sort(order.begin(), order.end(), [&](TimelineId a, TimelineId b) {
    const auto device = compare_devices(trace, timelines[a], timelines[b]);
    if (device != 0) return device < 0;
    const auto stream = compare_ids(timelines[a].stream, timelines[b].stream);
    return stream != 0 ? stream < 0 : a < b;
  });

  DeviceTable table;
  table.stream_of_timeline.resize(timelines.size());
  std::vector<std::uint32_t> device_of(timelines.size());
  const Timeline* last = nullptr;
  for (const TimelineId id : order) {
    const Timeline& timeline = timelines[id];
    if (last == nullptr || compare_devices(trace, *last, timeline) != 0) {
      table.devices.push_back(device_at(trace, timeline));
    }
    Device& device = table.devices.back();
    if (device.streams.empty() || device.streams.back() != timeline.stream) {
      device.streams.push_back(timeline.stream);
    }
    device_of[id] = static_cast<std::uint32_t>(table.devices.size() - 1);
    table.stream_of_timeline[id] = static_cast<StreamIndex>(device.streams.size() - 1);
    last = &timeline;
  }
  for (std::size_t i = 0; i < trace.device_events.size(); ++i) {
    const std::uint32_t device = device_of[trace.device_events[i].timeline];
    table.devices[device].events.push_back(static_cast<EventIndex>(i));
  }
  std::erase_if(table.devices, [](const Device& device) { return device.events.empty(); });
  return table;
}

}  // namespace stepscope::analysis
