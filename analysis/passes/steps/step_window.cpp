#include "analysis/passes/steps/step_window.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/window_index.h"

namespace stepscope::analysis {
namespace {

// At most 1 % of the busy time.
bool is_stray(Ns part_ns, Ns busy_ns) { return part_ns <= busy_ns / 100; }

// Twice `gap_ns` > `rest_ns`, without overflow.
bool longer_than_half(Ns gap_ns, Ns rest_ns) { return gap_ns > rest_ns - gap_ns; }

Ns gap_before(const std::vector<Interval>& parts, std::size_t at) {
  return parts[at].start_ns - parts[at - 1].end_ns;
}

// The part of the union that the window begins with: after the last gap that cuts strays off.
std::size_t first_kept(const std::vector<Interval>& parts, Ns busy_ns) {
  std::size_t first = 0;
  Ns before_ns = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    before_ns += parts[i - 1].length_ns();
    if (!is_stray(before_ns, busy_ns)) break;
    if (longer_than_half(gap_before(parts, i), parts.back().end_ns - parts[i].start_ns)) first = i;
  }
  return first;
}

// One past the part that it ends with, mirrored.
std::size_t past_kept(const std::vector<Interval>& parts, std::size_t first, Ns busy_ns) {
  std::size_t past = parts.size();
  Ns after_ns = 0;
  for (std::size_t i = parts.size() - 1; i > first; --i) {
    after_ns += parts[i].length_ns();
    if (!is_stray(after_ns, busy_ns)) break;
    const Ns rest_ns = parts[i - 1].end_ns - parts[first].start_ns;
    if (longer_than_half(gap_before(parts, i), rest_ns)) past = i;
  }
  return past;
}

Ns length_of(std::span<const Interval> parts) {
  Ns sum_ns = 0;
  for (const Interval& part : parts) sum_ns += part.length_ns();
  return sum_ns;
}

template <typename Wanted>
std::int64_t count_if(const TraceView& view, std::span<const EventIndex> own,
                      const Wanted& wanted) {
  return std::count_if(own.begin(), own.end(),
                       [&](EventIndex event) { return wanted(view.interval(event)); });
}

}  // namespace

StepWindow step_window(const TraceView& view, std::span<const EventIndex> own,
                       std::optional<Ns> not_before, std::optional<Ns> not_after) {
  assert(!own.empty());
  std::vector<Interval> parts;
  for (const EventIndex event : own) append_to_union(parts, view.interval(event));
  if (parts.empty()) parts.push_back(view.interval(own.front()));  // nothing has a duration
  const Ns busy_ns = length_of(parts);
  const std::size_t first = first_kept(parts, busy_ns);
  const std::size_t past = past_kept(parts, first, busy_ns);

  StepWindow cut;
  const Interval whole{parts[first].start_ns, parts[past - 1].end_ns};
  cut.window = whole;
  if (not_before && whole.start_ns < *not_before && *not_before < whole.end_ns) {
    cut.window.start_ns = *not_before;
    cut.early_events = count_if(view, own, [&](const Interval& event) {
      return event.start_ns >= whole.start_ns && event.end_ns <= *not_before;
    });
  }
  if (not_after && cut.window.start_ns < *not_after && *not_after < whole.end_ns) {
    cut.window.end_ns = *not_after;
    cut.late_events = count_if(view, own, [&](const Interval& event) {
      return event.start_ns >= *not_after && event.end_ns <= whole.end_ns;
    });
  }
  const std::span<const Interval> all(parts);
  if (first > 0) {
    const Ns last_ns = parts[first - 1].end_ns;
    cut.leading = {gap_before(parts, first),
                   count_if(view, own, [&](const Interval& e) { return e.end_ns <= last_ns; }),
                   length_of(all.first(first))};
  }
  if (past < parts.size()) {
    const Ns next_ns = parts[past].start_ns;
    cut.trailing = {gap_before(parts, past),
                    count_if(view, own, [&](const Interval& e) { return e.start_ns >= next_ns; }),
                    length_of(all.subspan(past))};
  }
  return cut;
}

namespace {

// A step's work on the primary stream; all its work when it has none there.
Interval primary_work(const TraceView& view, const std::vector<EventIndex>& events,
                      std::optional<StreamIndex> primary) {
  std::vector<EventIndex> on_primary;
  for (const EventIndex event : events) {
    if (view.stream(event) == primary) on_primary.push_back(event);
  }
  return extent(view, on_primary.empty() ? events : on_primary);
}

Step describe(const TraceView& view, const Device& device, StepSource source,
              const OwnedStep& owned, const StepWindow& cut) {
  Step step;
  step.rank = device.rank;
  step.pid = device.pid;
  step.device = device.device;
  step.phase = owned.phase;
  step.source = std::string(source_name(source));
  step.label = owned.label;
  step.batch_size = owned.batch_size;
  step.tokens = owned.tokens;
  step.kv_tokens = owned.kv_tokens;
  step.start_ns = cut.window.start_ns - view.trace.summary.origin_ns;
  step.span_ns = cut.window.length_ns();
  step.events = static_cast<std::int64_t>(owned.events.size());
  RunningUnion busy;
  for (const EventIndex event : owned.events) {
    const Interval interval = view.interval(event);
    if (touches(interval, cut.window)) busy.add(clipped(interval, cut.window));
  }
  step.busy_ns = busy.total_ns();
  return step;
}

}  // namespace

std::vector<MeasuredStep> measure_steps(const TraceView& view, const Device& device,
                                        const StepSet& set) {
  const auto primary = primary_stream(view, device, device.events, extent(view, device.events));
  struct Placed {
    const OwnedStep* step;
    Interval work;
    Ns first_ns;
  };
  std::vector<Placed> order;
  order.reserve(set.steps.size());
  for (const OwnedStep& step : set.steps) {
    order.push_back({&step, primary_work(view, step.events, primary),
                     view.event(step.events.front()).start_ns});
  }
  std::sort(order.begin(), order.end(), [](const Placed& a, const Placed& b) {
    return std::tuple(a.work.start_ns, a.first_ns, a.step) <
           std::tuple(b.work.start_ns, b.first_ns, b.step);
  });

  std::vector<MeasuredStep> measured;
  measured.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const OwnedStep& owned = *order[i].step;
    std::optional<Ns> not_before;
    std::optional<Ns> not_after;
    if (i > 0 && order[i - 1].work.end_ns <= order[i].work.start_ns) {
      not_before = order[i - 1].work.end_ns;
    }
    if (i + 1 < order.size() && order[i + 1].work.start_ns >= order[i].work.end_ns) {
      not_after = order[i + 1].work.start_ns;
    }
    const StepWindow cut = step_window(view, owned.events, not_before, not_after);
    Step step = describe(view, device, set.source, owned, cut);
    step.index = static_cast<int>(i);
    measured.push_back(
        {std::move(step), owned.batch_size, owned.tokens, cut, owned.events, owned.marker});
    if (i == 0) continue;
    Step& previous = measured[i - 1].step;
    previous.period_ns = measured[i].step.start_ns - previous.start_ns;
    previous.gap_ns = *previous.period_ns - previous.span_ns;
  }
  return measured;
}

}  // namespace stepscope::analysis
