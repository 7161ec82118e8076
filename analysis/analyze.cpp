#include "analysis/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/launch_links.h"
#include "analysis/passes/accounting/suspects.h"
#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/names/kernel_category.h"
#include "analysis/passes/ranks/collectives.h"
#include "analysis/passes/ranks/rank_table.h"
#include "analysis/passes/shown_step.h"
#include "analysis/passes/steps/cross_check.h"
#include "analysis/passes/steps/step_choice.h"
#include "analysis/passes/steps/step_source.h"
#include "analysis/passes/steps/step_window.h"
#include "analysis/reading/read_trace.h"
#include "analysis/reports/takeaways/takeaways.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kUnmatchedNamesMax = 20;
// With StepChoice::all windows may overlap; this many events are accounted for,
// then it is refused.
constexpr std::size_t kShownEventsMax = 100'000'000;

// What the passes share. The trace is changed once: suspects are clipped in it.
struct Work {
  Trace& trace;
  TraceView view;
  LaunchLinks links;
  std::vector<StepSet> sources;                  // by device
  std::vector<std::vector<MeasuredStep>> steps;  // by device
};

AnalyzeError bad_option(std::string message) {
  return {AnalyzeFault::bad_option, std::move(message)};
}

bool is_cancelled(const AnalyzeOptions& options) {
  return options.cancelled != nullptr && options.cancelled->load();
}

// Sums of times must fit 64 bits with room to spare; a file in which they do
// not is broken.
std::optional<AnalyzeError> check_times(const Trace& trace) {
  constexpr double kMost = 4e18;  // 127 years in ns
  double sum_ns = 0;
  double first_ns = std::numeric_limits<double>::max();
  double last_ns = std::numeric_limits<double>::lowest();
  const auto add = [&](Ns start_ns, Ns dur_ns) {
    first_ns = std::min(first_ns, static_cast<double>(start_ns));
    last_ns = std::max(last_ns, static_cast<double>(start_ns) + static_cast<double>(dur_ns));
  };
  for (const DeviceEvent& event : trace.device_events) {
    add(event.start_ns, event.dur_ns);
    sum_ns += static_cast<double>(event.dur_ns);
  }
  for (const Launch& launch : trace.launches) add(launch.start_ns, launch.dur_ns);
  for (const Marker& marker : trace.markers) add(marker.start_ns, marker.dur_ns);
  if (sum_ns < kMost && last_ns < 2 * kMost && first_ns > -2 * kMost &&
      last_ns - first_ns < 2 * kMost) {
    return {};
  }
  return AnalyzeError{AnalyzeFault::limit,
                      fmt::format("{}: times or durations are beyond 127 years: the file is broken",
                                  trace.summary.files.empty() ? std::string("trace")
                                                              : trace.summary.files[0].name)};
}

void add_devices(const Work& work, Breakdown& out) {
  const std::vector<LaunchCounts> counts = count_launches(work.view, work.links);
  for (std::size_t i = 0; i < work.view.table.devices.size(); ++i) {
    const Device& device = work.view.table.devices[i];
    DeviceBreakdown row;
    row.rank = device.rank;
    row.pid = device.pid;
    row.device = device.device;
    row.unlinked_events = counts[i].unlinked_events;
    row.unlinked_sum_ns = counts[i].unlinked_sum_ns;
    row.launches = counts[i].launches;
    row.graph_launches = counts[i].graph_launches;
    row.graph_kernels = counts[i].graph_kernels;
    row.launches_without_kernels = counts[i].launches_without_kernels;
    row.accounting = account(work.view, device, device.events, extent(work.view, device.events));
    out.devices.push_back(std::move(row));
  }
}

void clip(Work& work, const Device& device, const std::vector<Container>& suspects,
          std::vector<Suspect>& out) {
  for (const Container& container : suspects) {
    DeviceEvent& event = work.trace.device_events[container.event];
    Suspect suspect;
    suspect.rank = device.rank;
    suspect.device = device.device;
    suspect.stream = device.streams[work.view.stream(container.event)];
    if (event.correlation != kNoCorrelation) suspect.correlation = event.correlation;
    suspect.name = work.trace.names[event.name];
    suspect.claimed_ns = event.dur_ns;
    event.dur_ns = container.next_start_ns - event.start_ns;
    suspect.clipped_ns = event.dur_ns;
    out.push_back(std::move(suspect));
  }
}

// R1's window is the whole file for an event of no step, and the step's for the
// others; so the steps are measured, and again when that shows further
// suspects.
void add_steps(Work& work, Breakdown& out) {
  for (std::size_t i = 0; i < work.view.table.devices.size(); ++i) {
    const Device& device = work.view.table.devices[i];
    const SuspectFinder finder(work.view, device);
    const Ns window_ns = out.devices[i].accounting.window_ns;
    clip(work, device, finder.in_window(window_ns), out.suspects);

    StepSet source = find_steps(work.view, work.links, device);
    std::vector<MeasuredStep> steps = measure_steps(work.view, device, source);
    std::vector<Container> late;
    for (const MeasuredStep& step : steps) {
      for (const Container& rare : finder.rare_in_step(step.events, step.step.span_ns)) {
        late.push_back(rare);
      }
    }
    if (!late.empty()) {
      clip(work, device, late, out.suspects);
      steps = measure_steps(work.view, device, source);
    }
    out.devices[i].contained_events = count_contained(work.view, device);
    for (const MeasuredStep& step : steps) out.steps.push_back(step.step);
    for (OwnedStep& step : source.steps) step.events = {};  // the measured steps have them
    work.sources.push_back(std::move(source));
    work.steps.push_back(std::move(steps));
  }
}

// The first device of the rank with a step of the phase, else with any.
std::size_t choose_device(const Work& work, const std::vector<std::size_t>& of_rank,
                          const std::string& phase) {
  for (const std::string& wanted : phases_answering(phase)) {
    for (const std::size_t device : of_rank) {
      const std::vector<MeasuredStep>& steps = work.steps[device];
      const bool has = std::any_of(steps.begin(), steps.end(), [&](const MeasuredStep& step) {
        return step.step.phase == wanted;
      });
      if (has) return device;
    }
  }
  return of_rank.front();
}

// What the ranks of the run tell of one step together.
struct Ranks {
  RankSteps same;
  std::optional<CollectiveMatch> match;

  std::span<const EventWait> waits_of_shown() const {
    if (!match || match->figures.ranks < 2) return {};
    return match->waits[same.shown];
  }
};

Ranks look_at_ranks(const Work& work, std::size_t at, const StepPick& pick) {
  Ranks ranks;
  ranks.same = same_step(work.view, work.view.table.devices, work.steps, at, pick.step);
  ranks.match = match_collectives(work.view, ranks.same.ranks, ranks.same.shown,
                                  work.trace.summary.world_size);
  return ranks;
}

void add_ranks(const Work& work, const Ranks& ranks, ShownStep& shown, Breakdown& out) {
  shown.ranks = rank_rows(work.view, work.links, ranks.same);
  if (ranks.match) {
    add_waits(shown.ranks, ranks.same, *ranks.match);
    out.collectives = ranks.match->figures;
  }
  shown.notes.insert(shown.notes.end(), ranks.same.notes.begin(), ranks.same.notes.end());
}

std::optional<AnalyzeError> show(const Work& work, std::size_t at,
                                 const std::vector<StepPick>& picks, const PhaseChoice& phase,
                                 const AnalyzeOptions& options, Breakdown& out) {
  const Device& device = work.view.table.devices[at];
  const WindowIndex index(work.view, device);
  std::size_t events = 0;
  for (const StepPick& pick : picks) {
    if (is_cancelled(options)) return AnalyzeError{AnalyzeFault::cancelled, "cancelled"};
    const Ranks ranks = out.all_steps ? Ranks{} : look_at_ranks(work, at, pick);
    ShownStep shown = show_step(work.view, work.links, device, index, {work.steps[at], pick.step},
                                ranks.waits_of_shown());
    for (const StreamRow& stream : shown.accounting.streams) {
      events += static_cast<std::size_t>(stream.calls);
    }
    if (events > kShownEventsMax) {
      return AnalyzeError{AnalyzeFault::limit,
                          "the steps hold too many events to show all: choose "
                          "one with --step N"};
    }
    shown.spread = pick.spread;
    shown.cross_check = cross_check(shown, options.unprofiled_ns, options.accepted_tokens);
    shown.notes = phase.notes;
    shown.notes.insert(shown.notes.end(), pick.notes.begin(), pick.notes.end());
    if (!out.all_steps) add_ranks(work, ranks, shown, out);
    out.shown.push_back(std::move(shown));
  }
  return {};
}

// A rank has several devices, or several files: those of its stages (-DECODE, -EXTEND).
std::string note_devices(const Work& work, const std::vector<std::size_t>& of_rank,
                         std::size_t at) {
  const auto file_of = [&](std::size_t device) {
    return work.trace.scopes[work.view.table.devices[device].scope].file;
  };
  const bool one_file = std::ranges::all_of(
      of_rank, [&](std::size_t device) { return file_of(device) == file_of(at); });
  const std::string& device = work.view.table.devices[at].device;
  if (one_file || file_of(at) >= work.trace.summary.files.size()) {
    return fmt::format("device {} is shown; the rank has {} devices", device, of_rank.size());
  }
  return fmt::format("device {} of {} is shown; the rank has {} devices in several files", device,
                     work.trace.summary.files[file_of(at)].name, of_rank.size());
}

std::optional<AnalyzeError> add_shown(const Work& work, const AnalyzeOptions& options,
                                      Breakdown& out) {
  const auto of_rank = devices_of_rank(work.view.table.devices, options.rank);
  if (!of_rank) return bad_option(of_rank.error());
  std::vector<DeviceSteps> candidates;
  for (const std::size_t device : *of_rank) candidates.emplace_back(work.steps[device]);
  PhaseChoice phase = choose_phase(candidates, options.phase);
  if (!phase.phase) return {};
  const std::size_t at = choose_device(work, *of_rank, *phase.phase);
  const auto picks = choose_steps(work.steps[at], *phase.phase, options);
  if (!picks) return bad_option(picks.error());
  if (of_rank->size() > 1) {
    phase.notes.push_back(note_devices(work, *of_rank, at));
  }
  if (picks->empty()) {
    out.diagnostics.notes.push_back(fmt::format("no step of phase {} in this trace", *phase.phase));
  }
  out.all_steps = options.step == StepChoice::all;
  return show(work, at, *picks, phase, options, out);
}

// Over the raw durations, so before suspects are clipped.
void add_unmatched(const Work& work, Diagnostics& out) {
  std::vector<Ns> sums_ns(work.trace.names.size());
  for (const DeviceEvent& event : work.trace.device_events) {
    if (work.view.classes.category(event).matched) continue;
    sums_ns[event.name] += event.dur_ns;
    out.unmatched_names_sum_ns += event.dur_ns;
  }
  std::vector<NameId> names;
  for (NameId name = 0; name < sums_ns.size(); ++name) {
    if (sums_ns[name] > 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [&](NameId a, NameId b) {
    return sums_ns[a] != sums_ns[b] ? sums_ns[a] > sums_ns[b]
                                    : work.trace.names[a] < work.trace.names[b];
  });
  if (names.size() > kUnmatchedNamesMax) names.resize(kUnmatchedNamesMax);
  for (const NameId name : names) out.unmatched_names.push_back(work.trace.names[name]);
}

void add_diagnostics(const Work& work, Diagnostics& out) {
  out.python_stacks = work.trace.python_stacks;
  // Markers belong to a process: one is empty when it is so on all the devices
  // of its process.
  std::optional<ScopeId> scope;
  std::int64_t fewest = 0;
  for (std::size_t i = 0; i < work.sources.size(); ++i) {
    const StepSet& source = work.sources[i];
    out.outside_steps += source.outside_events;
    const ScopeId of_device = work.view.table.devices[i].scope;
    if (scope != of_device) out.empty_markers += std::exchange(fewest, source.empty_markers);
    fewest = std::min(fewest, source.empty_markers);
    scope = of_device;
  }
  out.empty_markers += fewest;
  const bool by_span = std::any_of(work.sources.begin(), work.sources.end(),
                                   [](const StepSet& set) { return set.by_device_span; });
  const bool marked = std::any_of(work.sources.begin(), work.sources.end(), [](const StepSet& set) {
    return set.source != StepSource::file;
  });
  if (by_span && marked) {
    out.notes.emplace_back("no launches in the file: steps are the annotations on the device");
  }
}

void note_first(const std::string& note, Breakdown& out) {
  out.diagnostics.notes.push_back(note);
  for (ShownStep& shown : out.shown) shown.notes.insert(shown.notes.begin(), note);
}

// While a graph is captured, kernels are launched but do not run. The few
// events that did run make a step all the same, and a reader must not take it
// for one of the model.
void note_capture(const Trace& trace, Breakdown& out) {
  std::int64_t without_kernels = 0;
  for (const DeviceBreakdown& device : out.devices) {
    without_kernels += device.launches_without_kernels;
  }
  if (!trace.has_capture_markers || without_kernels <= out.trace.device_events) return;
  note_first(fmt::format("this file records a graph capture: {} of its launches have no device "
                         "work; profile while requests run",
                         without_kernels),
             out);
}

}  // namespace

std::expected<Breakdown, AnalyzeError> analyze(std::span<const std::filesystem::path> paths,
                                               const AnalyzeOptions& options) {
  auto classifier = KernelClassifier::create(options.extra_rules);
  if (!classifier) return std::unexpected(bad_option(classifier.error()));
  auto trace = read_trace(paths, options);
  if (!trace) return std::unexpected(std::move(trace.error()));
  auto result = analyze_trace(*std::move(trace), *classifier, options);
  return result;
}

std::expected<Breakdown, AnalyzeError> analyze_trace(Trace trace,
                                                     const KernelClassifier& classifier,
                                                     const AnalyzeOptions& options) {
  if (auto fault = check_times(trace)) return std::unexpected(*std::move(fault));
  Breakdown out;
  out.analyzer_version = STEPSCOPE_VERSION;
  out.table_version = classifier.table_version();
  out.trace = trace.summary;

  const EventClasses classes(trace,
                             [&](std::string_view name) { return classifier.classify(name); });
  const DeviceTable table = devices_of(trace);
  Work work{trace, {trace, classes, table}, LaunchLinks(trace), {}, {}};
  if (is_cancelled(options))
    return std::unexpected(AnalyzeError{AnalyzeFault::cancelled, "cancelled"});
  add_unmatched(work, out.diagnostics);
  add_devices(work, out);
  add_steps(work, out);
  if (auto fault = add_shown(work, options, out)) return std::unexpected(*std::move(fault));
  add_diagnostics(work, out.diagnostics);
  note_capture(work.trace, out);
  for (const std::string& note : work.trace.first_notes) note_first(note, out);
  for (ShownStep& shown : out.shown) shown.takeaways = takeaways_of(shown, out);
  return out;
}

}  // namespace stepscope::analysis
