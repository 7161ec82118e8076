#include "analysis/passes/names/event_classes.h"

#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace stepscope::analysis {
namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

// A copy keeps the component of its name when the table knows the name as a copy.
KernelCategory category_of(std::string_view name, DeviceKind kind,
                           const EventClasses::Classify& classify) {
  KernelCategory found = classify(name);
  if (kind == DeviceKind::kernel) return found;
  if (found.device_class != DeviceClass::copy || found.component.empty()) {
    found.component = "other";
  }
  found.category = kind == DeviceKind::memcpy ? "memcpy" : "memset";
  found.device_class = DeviceClass::copy;
  found.matched = true;
  return found;
}

}  // namespace

EventClasses::EventClasses(const Trace& trace, const Classify& classify)
    : category_ids_(trace.names.size() * 3, kUnseen) {
  // Millions of names share a few dozen categories; only those are kept as strings.
  std::map<std::tuple<std::string, std::string, DeviceClass, bool>, std::uint32_t> known;
  for (const DeviceEvent& event : trace.device_events) {
    std::uint32_t& id = category_ids_[slot(event.name, event.kind)];
    if (id != kUnseen) continue;
    KernelCategory found = category_of(trace.names[event.name], event.kind, classify);
    auto key = std::tuple(found.category, found.component, found.device_class, found.matched);
    const auto next = static_cast<std::uint32_t>(categories_.size());
    const auto [place, added] = known.try_emplace(std::move(key), next);
    id = place->second;
    if (!added) continue;
    found.rule.clear();
    categories_.push_back(std::move(found));
  }
}

}  // namespace stepscope::analysis
