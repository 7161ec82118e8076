// Order and first words of a report.

#include "analysis/reports/report_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLabelChars = 80;
constexpr std::size_t kSentenceChars = 500;
constexpr std::size_t kNotesShown = 6;
constexpr int kAskedKeep = 100;  // added to a section that was asked for

bool has_phase(const Step& step) { return !step.phase.empty() && step.phase != "unknown"; }

std::string headline(const Breakdown& breakdown) {
  if (breakdown.shown.empty()) return "no step fits the question";
  if (breakdown.all_steps) {
    return fmt::format("where {} went",
                       counted(static_cast<std::int64_t>(breakdown.shown.size()), "step"));
  }
  const ShownStep& shown = breakdown.shown.front();
  if (shown.step.source == "file") {
    return fmt::format("where {} ms went", format_ms(shown.accounting.window_ns));
  }
  if (!has_phase(shown.step)) return "where one step went";
  return fmt::format("where one {} step went", shown.step.phase);
}

// "step 3 (decode), rank 0 of 2, device 0"
std::string step_words(const Step& step, std::optional<int> world_size) {
  std::string place = place_of(step.rank, step.pid, step.device);
  if (step.rank && world_size) {
    place = fmt::format("rank {} of {}, device {}", *step.rank, *world_size, step.device);
  }
  if (step.source == "file") return "the whole file, " + place;
  return fmt::format("step {}{}, {}", step.index,
                     has_phase(step) ? " (" + step.phase + ")" : std::string(), place);
}

std::string spread_words(const StepSpread& spread) {
  if (spread.of == 1) return " It is the only step found (n = 1).";
  std::string out = fmt::format(
      " Spread over n = {} of {}: min {}, median {}, max {} ms{}.", grouped(spread.count),
      counted(spread.of, "step"), format_ms(spread.min_ns), format_ms(spread.median_ns),
      format_ms(spread.max_ns), spread.first_left_out ? "; step 0 was left out" : "");
  if (spread.median_period_ns) {
    out += fmt::format(" Median from start to next start: {} ms.",
                       format_ms(*spread.median_period_ns));
  }
  return out;
}

std::string period_words(const Step& step) {
  if (!step.period_ns || !step.gap_ns) return "";
  if (*step.gap_ns < 0) {
    return fmt::format(" The next step starts {} ms after this one: the steps overlap by {} ms.",
                       format_ms(*step.period_ns), format_ms(-*step.gap_ns));
  }
  return fmt::format(" The next step starts {} ms after this one, {} ms after its end.",
                     format_ms(*step.period_ns), format_ms(*step.gap_ns));
}

Line wall_line(const ShownStep& shown, const Breakdown& breakdown) {
  Line line;
  line.strong(format_ms(shown.accounting.window_ns) + " ms")
      .text(" is the wall of " + step_words(shown.step, breakdown.trace.world_size) + ".");
  const bool whole_file = shown.step.source == "file";
  line.text(" " + source_words(shown.step.source));
  if (!shown.step.label.empty() && !whole_file) {
    line.text(", label ").code(shortened(shown.step.label, kLabelChars));
  }
  line.text(".");
  if (!whole_file) line.text(spread_words(shown.spread));
  return line.text(period_words(shown.step));
}

void add_context_lines(Document& document, const ReportContext& context) {
  if (context.replayed) {
    document.head.emplace_back(
        plain("Replayed: this trace was recorded earlier, it does not come from a new run."));
  }
  if (!context.hardware_note.empty()) {
    document.head.emplace_back(plain(shortened(context.hardware_note, kSentenceChars)));
  }
}

// What the lines around them say in more words.
bool is_said_elsewhere(std::string_view note, const ShownStep& shown) {
  return (shown.spread.only_first && note == "first step after the profiler started") ||
         (shown.step.source == "file" && note.starts_with("no step markers")) ||
         (shown.spread.first_left_out && note.starts_with("step 0 left out"));
}

void add_notes(Document& document, const ShownStep& shown) {
  std::string notes;
  std::size_t count = 0;
  for (const std::string& note : shown.notes) {
    if (is_said_elsewhere(note, shown) || ++count > kNotesShown) continue;
    notes += (notes.empty() ? "" : " ") + sentence(shortened(note, kSentenceChars));
  }
  if (!notes.empty()) document.head.emplace_back(plain(std::move(notes)));
  if (shown.spread.only_first) {
    document.head.emplace_back(
        plain("First step after the profiler started, and the only one: set-up and waiting in it "
              "may be the profiler's doing. Ask for more steps to get a median."));
  }
}

// A sentence for each component that was asked for by name.
void add_asked_components(Document& document, const ShownStep& shown,
                          const ReportContext& context) {
  for (const std::string_view component : {"moe", "attention"}) {
    if (!is_asked(context, component)) continue;
    auto line = component_line(shown, component);
    document.head.emplace_back(
        line ? std::move(*line)
             : plain(fmt::format("No kernel of this step was recognised as {}.",
                                 component_label(component))));
  }
}

// What was asked for comes first, unfolded, and is the last to go when the text is too long.
void add_sections(Document& document, std::vector<Section> sections,
                  const std::vector<bool>& asked) {
  for (const bool turn : {true, false}) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (asked[i] != turn) continue;
      if (turn) {
        sections[i].open = true;
        sections[i].keep += kAskedKeep;
      }
      document.sections.push_back(std::move(sections[i]));
    }
  }
}

void describe_step(Document& document, const Breakdown& breakdown, const ReportContext& context,
                   const Detail& detail) {
  const ShownStep& shown = breakdown.shown.front();
  document.head.emplace_back(wall_line(shown, breakdown));
  add_context_lines(document, context);
  add_notes(document, shown);
  add_asked_components(document, shown, context);
  if (is_asked(context, "idle")) document.head.emplace_back(idle_line(shown));
  document.head.emplace_back(where_table(shown));
  document.head.emplace_back(check_line(shown));
  document.head.emplace_back(communication_line(shown));

  const bool overlap = is_asked(context, "overlap");
  std::vector<Section> sections = {kernels_section(shown, detail),
                                   idle_section(shown, breakdown.diagnostics.python_stacks),
                                   streams_section(shown, detail), components_section(shown)};
  std::vector<bool> asked = {is_asked(context, "kernels"), is_asked(context, "idle"), overlap,
                             false};
  if (communication_figures(shown.accounting).calls > 0) {
    sections.insert(sections.begin() + 2, communication_section(shown, detail));
    asked.insert(asked.begin() + 2, is_asked(context, "comm") || overlap);
  }
  add_sections(document, std::move(sections), asked);
}

// step | wall | four classes: each row adds up as printed.
Table all_steps_table(const Breakdown& breakdown, const Detail& detail) {
  Table table{{{"step"},
               {"where"},
               {"phase"},
               {"wall ms", true},
               {"compute", true},
               {"exposed communication", true},
               {"exposed copy", true},
               {"idle", true}},
              {}};
  const std::size_t steps = breakdown.shown.size();
  const std::size_t rows = steps > detail.list_rows + 1 ? detail.list_rows : steps;
  for (std::size_t i = 0; i < rows; ++i) {
    const ShownStep& shown = breakdown.shown[i];
    const ClassTimes& classes = shown.accounting.classes;
    const Ns parts[] = {classes.compute, classes.comm_exposed, classes.copy_exposed, classes.idle};
    std::vector<Line> row = {plain(std::to_string(shown.step.index)),
                             plain(place_of(shown.step.rank, shown.step.pid, shown.step.device)),
                             plain(shown.step.phase), plain(format_ms(shown.accounting.window_ns))};
    for (const Ns ns : round_to_unit(parts, shown.accounting.window_ns, 1000)) {
      row.push_back(plain(format_ms(ns)));
    }
    table.rows.push_back(std::move(row));
  }
  if (rows == steps) return table;
  std::vector<Line> other(table.columns.size(), plain("–"));
  other.front() = plain(fmt::format("other ({} rows)", steps - rows));
  table.rows.push_back(std::move(other));
  return table;
}

void describe_all_steps(Document& document, const Breakdown& breakdown,
                        const ReportContext& context, const Detail& detail) {
  add_context_lines(document, context);
  document.head.emplace_back(all_steps_table(breakdown, detail));
  for (std::size_t i = 0; i < breakdown.shown.size() && i < detail.list_rows; ++i) {
    const ShownStep& shown = breakdown.shown[i];
    document.sections.push_back(
        {fmt::format("Step {}: {} ms", shown.step.index, format_ms(shown.accounting.window_ns)),
         10,
         false,
         {wall_line(shown, breakdown), where_table(shown), check_line(shown),
          communication_line(shown)}});
  }
}

}  // namespace

bool is_asked(const ReportContext& context, std::string_view ask) {
  return std::ranges::find(context.asks, ask) != context.asks.end();
}

Document report_document(const Breakdown& breakdown, const ReportContext& context,
                         const Detail& detail) {
  Document document;
  document.first_line = partial_line(breakdown.trace);
  document.heading = plain(title_of(breakdown, context) + ": " + headline(breakdown));
  if (breakdown.shown.empty()) {
    add_context_lines(document, context);
    document.head.emplace_back(
        plain("None of the steps in this trace fits what was asked for. Below stand the steps that "
              "were found and the devices over the whole file."));
  } else if (breakdown.all_steps) {
    describe_all_steps(document, breakdown, context, detail);
  } else {
    describe_step(document, breakdown, context, detail);
  }
  if (breakdown.shown.empty() || breakdown.devices.size() > 1) {
    document.sections.push_back(devices_section(breakdown, detail));
  }
  document.sections.push_back(steps_section(breakdown, detail));
  document.sections.push_back(method_section(breakdown, context, detail));
  return document;
}

}  // namespace stepscope::analysis
