#include "analysis/passes/accounting/window_index.h"

#include <algorithm>
#include <cassert>

namespace stepscope::analysis {
namespace {

constexpr std::size_t kBlock = 512;

}  // namespace

WindowIndex::WindowIndex(const TraceView& view, const Device& device)
    : view_(view), device_(device) {
  const std::vector<EventIndex>& events = device.events;
  block_end_ns_.reserve(events.size() / kBlock + 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Ns end_ns = view.interval(events[i]).end_ns;
    if (i % kBlock == 0) block_end_ns_.push_back(end_ns);
    block_end_ns_.back() = std::max(block_end_ns_.back(), end_ns);
  }
}

std::vector<EventIndex> WindowIndex::events_in(const Interval& window) const {
  const std::vector<EventIndex>& events = device_.events;
  const auto past = std::upper_bound(
      events.begin(), events.end(), window.end_ns,
      [&](Ns end_ns, EventIndex event) { return end_ns < view_.event(event).start_ns; });
  const auto count = static_cast<std::size_t>(past - events.begin());
  std::vector<EventIndex> inside;
  for (std::size_t block = 0; block * kBlock < count; ++block) {
    if (block_end_ns_[block] < window.start_ns) continue;
    const std::size_t end = std::min(count, (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      if (touches(view_.interval(events[i]), window)) inside.push_back(events[i]);
    }
  }
  return inside;
}

Interval extent(const TraceView& view, const std::vector<EventIndex>& events) {
  assert(!events.empty());
  Interval found = view.interval(events.front());
  for (const EventIndex event : events) {
    found.end_ns = std::max(found.end_ns, view.interval(event).end_ns);
  }
  return found;
}

}  // namespace stepscope::analysis
