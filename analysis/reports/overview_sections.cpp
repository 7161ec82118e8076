// The steps that were found and the devices of the whole file.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLabelChars = 60;

bool is_shown(const Breakdown& breakdown, const Step& step) {
  return std::ranges::any_of(breakdown.shown, [&](const ShownStep& shown) {
    return shown.step.rank == step.rank && shown.step.pid == step.pid &&
           shown.step.device == step.device && shown.step.index == step.index;
  });
}

std::vector<Line> step_row(const Step& step, bool shown) {
  const std::string index = std::to_string(step.index);
  return {shown ? strong(index + " shown") : plain(index),
          plain(place_of(step.rank, step.pid, step.device)),
          plain(step.phase),
          step.label.empty() ? plain("–") : code(shortened(step.label, kLabelChars)),
          plain(format_ms(step.start_ns)),
          plain(format_ms(step.span_ns)),
          plain(format_ms(step.busy_ns)),
          plain(ms_or_dash(step.period_ns)),
          plain(ms_or_dash(step.gap_ns)),
          plain(grouped(step.events))};
}

// Where a folded table begins, such that the first shown step lies in it.
std::size_t first_row(const Breakdown& breakdown, std::size_t rows) {
  const auto found = std::ranges::find_if(
      breakdown.steps, [&](const Step& step) { return is_shown(breakdown, step); });
  if (found == breakdown.steps.end()) return 0;
  const auto at = static_cast<std::size_t>(found - breakdown.steps.begin());
  return at < rows ? 0 : std::min(at - (rows / 2), breakdown.steps.size() - rows);
}

}  // namespace

Section steps_section(const Breakdown& breakdown, const Detail& detail) {
  const std::vector<Step>& steps = breakdown.steps;
  Table table{{{"step"},
               {"where"},
               {"phase"},
               {"label"},
               {"start ms", true},
               {"span ms", true},
               {"busy ms", true},
               {"period ms", true},
               {"gap ms", true},
               {"events", true}},
              {}};
  const std::size_t rows = rows_shown(steps.size(), detail.list_rows);
  const bool fold = rows < steps.size();
  const std::size_t first = fold ? first_row(breakdown, rows) : 0;
  std::int64_t other_events = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i < first || i >= first + rows) {
      other_events += steps[i].events;
    } else {
      table.rows.push_back(step_row(steps[i], is_shown(breakdown, steps[i])));
    }
  }
  if (fold) {
    std::vector<Line> other(table.columns.size(), plain("–"));
    other.front() = plain(fmt::format("other ({} rows)", steps.size() - rows));
    other.back() = plain(grouped(other_events));
    table.rows.push_back(std::move(other));
  }
  Section section{fmt::format("Steps found ({})", steps.size()), 20, false, {std::move(table)}};
  section.blocks.emplace_back(
      plain("Span: first start to last end of the step's own events. Period: start to the next "
            "step's start. Gap: period - span; below zero the steps overlap. Starts count from the "
            "first device event of the trace."));
  return section;
}

Section devices_section(const Breakdown& breakdown, const Detail& detail) {
  const std::vector<DeviceBreakdown>& devices = breakdown.devices;
  Table table{{{"where"},
               {"critical stream"},
               {"window ms", true},
               {"busy ms", true},
               {"idle ms", true},
               {"sum of kernels ms", true}},
              {}};
  const std::size_t shown = rows_shown(devices.size(), detail.list_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const Accounting& all = devices[i].accounting;
    const Ns parts[] = {all.busy_ns, all.idle_ns};
    const std::vector<Ns> rounded = round_to_unit(parts, all.window_ns, 1000);
    table.rows.push_back({plain(place_of(devices[i].rank, devices[i].pid, devices[i].device)),
                          plain(all.primary_stream), plain(format_ms(all.window_ns)),
                          plain(format_ms(rounded[0])), plain(format_ms(rounded[1])),
                          plain(format_ms(all.kernel_sum_ns))});
  }
  if (shown < devices.size()) {
    std::vector<Line> other(table.columns.size(), plain("–"));
    other.front() = plain(fmt::format("other ({} rows)", devices.size() - shown));
    table.rows.push_back(std::move(other));
  }
  return {fmt::format("Devices over the whole file ({})", devices.size()),
          30,
          false,
          {std::move(table)}};
}

}  // namespace stepscope::analysis
