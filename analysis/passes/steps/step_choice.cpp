#include "analysis/passes/steps/step_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/lower_median.h"
#include "analysis/passes/steps/step_parts.h"

namespace stepscope::analysis {
namespace {

using Members = std::vector<std::size_t>;  // into the steps, in time order
using GroupKey = std::tuple<std::string, std::optional<std::int64_t>, std::optional<std::int64_t>>;

GroupKey key_of(const MeasuredStep& step) {
  return {step.step.phase, step.batch_size, step.tokens};
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe_size(const MeasuredStep& step) {
  std::string text;
  if (step.batch_size) text = fmt::format("batch size {}", *step.batch_size);
  if (step.tokens) text += fmt::format("{}{} tokens", text.empty() ? "" : ", ", *step.tokens);
  return text.empty() ? "no batch size named" : text;
}

Members members_of(DeviceSteps steps, const std::string& phase) {
  Members found;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].step.phase == phase) found.push_back(i);
  }
  return found;
}

Members steps_of_phase(DeviceSteps steps, const std::string& phase) {
  for (const std::string& wanted : phases_answering(phase)) {
    if (Members found = members_of(steps, wanted); !found.empty()) return found;
  }
  return {};
}

// Start to the start of the next step; of a verify step to that of what follows its draft work.
std::optional<Ns> period_of(DeviceSteps steps, std::size_t at) {
  if (steps[at].step.phase != "verify") return steps[at].step.period_ns;
  const std::size_t past = speculative_cycle(steps, at).second;
  if (past == steps.size()) return {};
  return steps[past].step.start_ns - steps[at].step.start_ns;
}

// The rank's first step carries the profiler's start. Says whether one was left out.
bool leave_first_out(Members& members) {
  if (members.size() < 2 || members.front() != 0) return false;
  members.erase(members.begin());
  return true;
}

StepSpread spread_of(DeviceSteps steps, const Members& group, bool first_left_out) {
  std::vector<Ns> spans_ns;
  std::vector<Ns> periods_ns;
  for (const std::size_t i : group) {
    const Step& step = steps[i].step;
    spans_ns.push_back(step.span_ns);
    if (const auto period_ns = period_of(steps, i)) periods_ns.push_back(*period_ns);
  }
  StepSpread spread;
  spread.min_ns = *std::min_element(spans_ns.begin(), spans_ns.end());
  spread.max_ns = *std::max_element(spans_ns.begin(), spans_ns.end());
  spread.median_ns = lower_median(std::move(spans_ns));
  spread.count = static_cast<int>(group.size());
  spread.of = static_cast<int>(steps.size());
  spread.first_left_out = first_left_out;
  const bool marked = steps[group.front()].step.source != "file";
  spread.only_first = marked && group.size() == 1 && group.front() == 0;
  if (!periods_ns.empty()) spread.median_period_ns = lower_median(std::move(periods_ns));
  return spread;
}

std::size_t median_step(DeviceSteps steps, Members group) {
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>((group.size() - 1) / 2);
  const auto key = [&](std::size_t i) {
    return std::tuple(steps[i].step.span_ns, steps[i].step.busy_ns, i);
  };
  std::nth_element(group.begin(), middle, group.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return *middle;
}

std::map<GroupKey, Members> groups_of(DeviceSteps steps, const Members& members) {
  std::map<GroupKey, Members> groups;
  for (const std::size_t i : members) groups[key_of(steps[i])].push_back(i);
  return groups;
}

// The most steps, then the most busy time, then the first in time.
const Members* largest(DeviceSteps steps, const std::map<GroupKey, Members>& groups,
                       std::optional<int> batch_size) {
  const auto rating = [&](const Members& members) {
    Ns busy_ns = 0;
    for (const std::size_t i : members) busy_ns += steps[i].step.busy_ns;
    return std::tuple(members.size(), busy_ns, -static_cast<std::ptrdiff_t>(members.front()));
  };
  const Members* best = nullptr;
  for (const auto& [key, members] : groups) {
    if (batch_size && std::get<1>(key) != *batch_size) continue;
    if (best == nullptr || rating(members) > rating(*best)) best = &members;
  }
  return best;
}

struct GroupChoice {
  Members members;
  std::vector<std::string> notes;
};

GroupChoice choose_group(DeviceSteps steps, const Members& candidates,
                         std::optional<int> concurrency) {
  const std::map<GroupKey, Members> groups = groups_of(steps, candidates);
  GroupChoice choice;
  const Members* group = concurrency ? largest(steps, groups, concurrency) : nullptr;
  const bool names_sizes = std::any_of(candidates.begin(), candidates.end(), [&](std::size_t i) {
    return steps[i].batch_size.has_value();
  });
  if (concurrency && group == nullptr) {
    choice.notes.push_back(
        names_sizes
            ? fmt::format("no step has batch size {}; the largest group is shown", *concurrency)
            : fmt::format("the steps name no batch size, so {} could not be looked for",
                          *concurrency));
  }
  if (group == nullptr) group = largest(steps, groups, {});
  choice.members = *group;
  if (groups.size() > 1) {
    choice.notes.push_back(fmt::format("steps of {}; {} of other sizes left out",
                                       describe_size(steps[group->front()]),
                                       plural(candidates.size() - group->size(), "step")));
  }
  return choice;
}

// With speculative decoding the model's own steps are the verify steps.
std::vector<std::string> notes_on_speculation(DeviceSteps steps, const std::string& asked,
                                              const std::string& shown) {
  if (asked != "decode" || shown == "unknown") return {};
  const std::size_t verify = members_of(steps, "verify").size();
  if (shown == "verify") {
    return {"speculative decoding: no step is marked decode, so a verify step is shown"};
  }
  if (verify == 0) return {};
  return {
      fmt::format("the trace has {} as well: with speculative decoding a decode step may be "
                  "the draft model's",
                  plural(verify, "verify step"))};
}

// What a reader must know of this step whatever the way it was chosen.
std::vector<std::string> notes_on(const MeasuredStep& measured, const StepSpread& spread,
                                  const std::string& phase) {
  std::vector<std::string> notes;
  const Step& step = measured.step;
  if (step.source == "file") notes.emplace_back("no step markers: the whole file is one window");
  if (step.phase == "unknown" && phase != "unknown") {
    notes.push_back(fmt::format("the phase of the step is unknown; it answers for {}", phase));
  }
  if (spread.only_first) notes.emplace_back("first step after the profiler started");
  if (spread.first_left_out) {
    notes.emplace_back("step 0 left out: the first after the profiler started");
  }
  if (step.gap_ns && *step.gap_ns < 0) notes.emplace_back("steps overlap");
  return notes;
}

StepPick pick(DeviceSteps steps, std::size_t at, const StepSpread& spread,
              const std::string& phase) {
  return {at, spread, notes_on(steps[at], spread, phase)};
}

std::expected<std::vector<StepPick>, std::string> pick_index(DeviceSteps steps, int index,
                                                             const std::string& phase) {
  if (index < 0 || std::cmp_greater_equal(index, steps.size())) {
    return std::unexpected(fmt::format("there is no step {}: the trace has {}, counted from 0",
                                       index, plural(steps.size(), "step")));
  }
  const auto at = static_cast<std::size_t>(index);
  Members group;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (key_of(steps[i]) == key_of(steps[at])) group.push_back(i);
  }
  const bool left_out = at != 0 && leave_first_out(group);
  std::vector<StepPick> picks = {pick(steps, at, spread_of(steps, group, left_out), phase)};
  picks[0].notes.insert(picks[0].notes.begin(), fmt::format("step {} was asked for", index));
  return picks;
}

std::vector<StepPick> pick_all(DeviceSteps steps, const Members& candidates,
                               const std::string& phase) {
  std::vector<StepPick> picks;
  const std::vector<std::string> speculation =
      notes_on_speculation(steps, phase, steps[candidates.front()].step.phase);
  std::map<GroupKey, StepSpread> spreads;
  for (auto& [key, members] : groups_of(steps, candidates)) {
    Members compared = members;
    const bool left_out = leave_first_out(compared);
    spreads[key] = spread_of(steps, compared, left_out);
  }
  for (const std::size_t i : candidates) {
    StepPick one = pick(steps, i, spreads[key_of(steps[i])], phase);
    one.notes.insert(one.notes.begin(), speculation.begin(), speculation.end());
    picks.push_back(std::move(one));
  }
  return picks;
}

}  // namespace

std::vector<std::string> phases_answering(const std::string& asked) {
  if (asked == "decode") return {"decode", "verify", "unknown"};
  if (asked == "unknown") return {asked};
  return {asked, "unknown"};
}

PhaseChoice choose_phase(std::span<const DeviceSteps> devices,
                         const std::optional<std::string>& asked) {
  if (asked) return {asked, {}};
  std::map<std::string, Ns> busy_ns;
  for (const DeviceSteps& steps : devices) {
    for (const MeasuredStep& step : steps) busy_ns[step.step.phase] += step.step.busy_ns;
  }
  if (busy_ns.empty()) return {};
  const auto most =
      std::max_element(busy_ns.begin(), busy_ns.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;  // of equals the first by name
      });
  PhaseChoice choice{most->first, {}};
  if (busy_ns.size() > 1) {
    choice.notes.push_back(
        fmt::format("no phase was asked for; {} has most of the busy time", most->first));
  }
  return choice;
}

std::expected<std::vector<std::size_t>, std::string> devices_of_rank(
    const std::vector<Device>& devices, std::optional<int> asked) {
  std::vector<std::size_t> found;
  if (devices.empty()) return found;
  const std::optional<int> wanted = asked ? asked : devices.front().rank;
  std::set<int> ranks;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = devices[i];
    if (device.rank) ranks.insert(*device.rank);
    const bool same = wanted ? device.rank == wanted : device.scope == devices.front().scope;
    if (same) found.push_back(i);
  }
  if (!found.empty() || !asked) return found;
  if (ranks.empty()) {
    return std::unexpected(fmt::format("there is no rank {}: the trace names no ranks", *asked));
  }
  return std::unexpected(fmt::format("there is no rank {}: the trace has device events of rank {}",
                                     *asked, fmt::join(ranks, ", ")));
}

std::expected<std::vector<StepPick>, std::string> choose_steps(DeviceSteps steps,
                                                               const std::string& phase,
                                                               const AnalyzeOptions& options) {
  if (options.step == StepChoice::index) return pick_index(steps, options.step_index, phase);
  Members candidates = steps_of_phase(steps, phase);
  if (candidates.empty()) return std::vector<StepPick>{};
  if (options.step == StepChoice::all) return pick_all(steps, candidates, phase);

  const bool left_out = leave_first_out(candidates);
  GroupChoice group = choose_group(steps, candidates, options.concurrency);
  const StepSpread spread = spread_of(steps, group.members, left_out);
  StepPick shown = pick(steps, median_step(steps, group.members), spread, phase);
  shown.notes.insert(shown.notes.begin(), group.notes.begin(), group.notes.end());
  const auto speculation = notes_on_speculation(steps, phase, steps[shown.step].step.phase);
  shown.notes.insert(shown.notes.begin(), speculation.begin(), speculation.end());
  return std::vector{std::move(shown)};
}

}  // namespace stepscope::analysis
