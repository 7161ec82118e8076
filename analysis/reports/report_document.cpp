// Order and first words of a report.

#include "analysis/reports/report_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kSentenceChars = 500;
constexpr std::size_t kNotesShown = 6;
constexpr int kAskedKeep = 100;  // added to a section that was asked for

bool has_phase(const Step& step) { return !step.phase.empty() && step.phase != "unknown"; }

std::string headline(const Breakdown& breakdown) {
  if (breakdown.shown.empty()) return "no step fits the question";
  if (breakdown.all_steps) {
    if (breakdown.shown.size() == 1) return "where the only step went";
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
}

// A sentence for each component that was asked for by name; MoE has its answer in the first lines.
void add_asked_components(Document& document, const ShownStep& shown,
                          const ReportContext& context) {
  for (const std::string_view component : {"moe", "attention"}) {
    if (!is_asked(context, component) || (component == "moe" && moe_answer(shown))) continue;
    auto line = component_line(shown, component);
    document.head.emplace_back(
        line ? std::move(*line)
             : plain(fmt::format("No kernel of this step was recognised as {}.",
                                 component_label(component))));
  }
}

// The question about MoE, when it was asked, is answered before anything else.
void add_first_lines(Document& document, const Breakdown& breakdown, const ShownStep& shown,
                     const ReportContext& context) {
  std::vector<Block> blocks = first_lines(breakdown, shown);
  if (is_asked(context, "moe")) {
    const auto answer = std::ranges::find_if(
        blocks, [](const Block& block) { return std::holds_alternative<Quote>(block); });
    if (answer != blocks.end()) std::rotate(blocks.begin(), answer, std::next(answer));
  }
  for (Block& block : blocks) document.head.push_back(std::move(block));
}

void add_takeaways(Document& document, const ShownStep& shown) {
  List list;
  list.numbered = true;
  for (const Takeaway& one : shown.takeaways) {
    // The line on the step's source says it.
    if (one.rule == "first_step" && shown.step.source != "file") continue;
    list.items.push_back(with_strong_figures(shortened(one.text, kSentenceChars)));
  }
  if (list.items.empty()) return;
  document.head.emplace_back(strong("What stands out"));
  document.head.emplace_back(std::move(list));
}

struct Part {
  Section section;
  bool asked = false;
};

// Every section of a step in the order of a report; those that have nothing to say are not there.
std::vector<Part> step_parts(const Breakdown& breakdown, const ReportContext& context,
                             const Detail& detail) {
  const ShownStep& shown = breakdown.shown.front();
  std::vector<Part> parts;
  const auto add = [&](std::optional<Section> section, std::initializer_list<const char*> asks) {
    if (!section) return;
    const bool asked =
        std::ranges::any_of(asks, [&](const char* ask) { return is_asked(context, ask); });
    parts.push_back({std::move(*section), asked});
  };
  add(layers_section(shown), {"layers", "phases", "attention"});
  add(parts_section(shown, detail), {"draft"});
  add(kernels_section(shown, detail), {"kernels", "shapes"});
  if (communication_figures(shown.accounting).calls > 0) {
    const Collectives* collectives = breakdown.collectives ? &*breakdown.collectives : nullptr;
    add(communication_section(shown, collectives, detail),
        {"comm", "collective", "skew", "overlap"});
  }
  add(ranks_section(shown, detail), {"skew"});
  add(moe_section(shown), {"moe"});
  add(idle_section(shown, breakdown.diagnostics.python_stacks), {"idle"});
  add(streams_section(shown, detail), {"overlap"});
  add(components_section(shown), {"percent"});
  return parts;
}

// What was asked for comes first, unfolded, and is the last to go when the text is too long.
void add_sections(Document& document, std::vector<Part> parts) {
  for (const bool turn : {true, false}) {
    for (Part& part : parts) {
      if (part.asked != turn) continue;
      if (turn) {
        part.section.open = true;
        part.section.keep += kAskedKeep;
      }
      document.sections.push_back(std::move(part.section));
    }
  }
}

void describe_step(Document& document, const Breakdown& breakdown, const ReportContext& context,
                   const Detail& detail) {
  const ShownStep& shown = breakdown.shown.front();
  add_first_lines(document, breakdown, shown, context);
  add_context_lines(document, context);
  add_notes(document, shown);
  add_asked_components(document, shown, context);
  if (is_asked(context, "idle")) document.head.emplace_back(idle_line(shown));
  if (is_asked(context, "comm")) document.head.emplace_back(communication_line(shown));
  document.head.emplace_back(where_table(shown));
  document.head.emplace_back(check_line(shown));
  add_takeaways(document, shown);
  add_sections(document, step_parts(breakdown, context, detail));
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
  const std::size_t rows = rows_shown(steps, detail.list_rows);
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
         {wall_line(breakdown, shown), source_line(shown), where_table(shown), check_line(shown),
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
