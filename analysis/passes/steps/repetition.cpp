#include "analysis/passes/steps/repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/steps/attention_groups.h"
#include "analysis/passes/steps/graph_steps.h"

namespace stepscope::analysis {
namespace {

using Events = std::span<const EventIndex>;

// The longest stretch in which every name is the one a period later; of equals the first.
Repeat longest_repeat(std::span<const NameId> names, std::size_t period) {
  std::size_t run = 0;
  std::size_t longest = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i + period < names.size(); ++i) {
    run = names[i] == names[i + period] ? run + 1 : 0;
    if (run <= longest) continue;
    longest = run;
    first = i + 1 - run;
  }
  return {first, period, (longest + period) / period};
}

bool is_whole_step(const TraceView& view, Events events) {
  if (attention_groups(view, events).size() < kWholeStepGroups) return false;
  std::unordered_map<NameId, int> uses;
  for (const EventIndex event : events) ++uses[view.event(event).name];
  return std::ranges::any_of(uses, [](const auto& use) { return use.second == 1; });
}

// Copies, embedding and sampling stand before and behind the layers of a step.
bool has_outside_work(const TraceView& view, Events events) {
  return std::ranges::any_of(events, [&](EventIndex event) {
    const std::string& category = view.category(event).category;
    return category == "embedding/gather" || category == "sampling" || category == "memcpy";
  });
}

// What repeats are groups of layers (one of another kind every fourth or sixth, or autotuned
// names), of a step whose own beginning and end lie outside of all repeats.
bool are_layers(const TraceView& view, Events events, const Repeat& repeat) {
  if (has_outside_work(view, events.subspan(repeat.first, repeat.covered()))) return false;
  return has_outside_work(view, events.first(repeat.first)) ||
         has_outside_work(view, events.subspan(repeat.first + repeat.covered()));
}

std::vector<EventIndex> events_of_primary(const TraceView& view, const Device& device) {
  const auto primary = primary_stream(view, device, device.events, extent(view, device.events));
  std::vector<EventIndex> events;
  for (const EventIndex event : device.events) {
    if (view.stream(event) == primary) events.push_back(event);
  }
  return events;
}

// A sequence that repeats has its period between one use of a name and the next: of every name that
// a period holds once.
std::set<std::size_t> periods_of(std::span<const NameId> names, std::size_t longest) {
  std::unordered_map<NameId, std::size_t> last;
  std::set<std::size_t> periods;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [found, first_use] = last.try_emplace(names[i], i);
    if (first_use) continue;
    const std::size_t period = i - std::exchange(found->second, i);
    if (period <= longest) periods.insert(period);
  }
  return periods;
}

}  // namespace

std::optional<Repeat> best_repeat(
    std::span<const NameId> names, std::size_t count_min,
    const std::function<bool(std::size_t first, std::size_t period)>& accept) {
  std::optional<Repeat> best;
  std::size_t tried = 0;
  for (const std::size_t period : periods_of(names, names.size() / count_min)) {
    if (++tried > kRepeatPeriodsMax) break;
    const Repeat repeat = longest_repeat(names, period);
    if (repeat.count < count_min || (best && repeat.covered() <= best->covered())) continue;
    if (!accept || accept(repeat.first, period)) best = repeat;
  }
  return best;
}

std::vector<OwnedStep> repeated_steps(const TraceView& view, const Device& device, Ns work_ns) {
  const std::vector<EventIndex> events = events_of_primary(view, device);
  // Two periods of a whole step hold twice its attention groups.
  if (events.size() > kRepeatEventsMax ||
      attention_groups(view, events).size() < 2 * kWholeStepGroups) {
    return {};
  }
  std::vector<NameId> names;
  names.reserve(events.size());
  for (const EventIndex event : events) names.push_back(view.event(event).name);
  const auto best = best_repeat(names, 2, [&](std::size_t first, std::size_t period) {
    return is_whole_step(view, Events(events).subspan(first, period));
  });
  if (!best || 10 * best->covered() < 8 * events.size()) return {};
  if (are_layers(view, events, *best)) return {};
  std::vector<OwnedStep> steps;
  Ns owned_ns = 0;
  for (std::size_t i = 0; i < best->count; ++i) {
    const Events own = Events(events).subspan(best->first + i * best->period, best->period);
    owned_ns += work_ns_of(view, own);
    steps.push_back({.label = fmt::format("repeat of {} events", best->period),
                     .events = {own.begin(), own.end()}});
  }
  return owned_ns < work_ns - owned_ns ? std::vector<OwnedStep>() : steps;
}

}  // namespace stepscope::analysis
