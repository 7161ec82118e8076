// How the figures were made: rules used, what was refused, cut or not understood, files, versions.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameChars = 72;
constexpr std::size_t kSentenceChars = 500;
constexpr std::size_t kNamesShown = 5;
constexpr std::size_t kDigestChars = 12;

void add_sentences(List& list, const std::vector<std::string>& sentences, std::size_t rows_max) {
  for (std::size_t i = 0; i < sentences.size() && i < rows_max; ++i) {
    list.items.push_back(plain(sentence(shortened(sentences[i], kSentenceChars))));
  }
  if (sentences.size() > rows_max) {
    list.items.push_back(plain(fmt::format("and {} more", sentences.size() - rows_max)));
  }
}

void add_cut(List& list, const std::optional<StrayCut>& cut, std::string_view side,
             std::string_view gap_side) {
  if (!cut) return;
  list.items.push_back(plain(fmt::format(
      "Cut off at the window's {}: {} with {} ms of busy time, {} ms {} the rest of the step.",
      side, counted(cut->events, "event"), format_ms(cut->busy_ns), format_ms(cut->gap_ns),
      gap_side)));
}

void add_window(List& list, const ShownStep& shown) {
  list.items.push_back(plain(
      fmt::format("{}. The window goes from the first start to the last end of its own {} on {}; "
                  "everything that the device does in it is charged.",
                  source_words(shown.step.source), counted(shown.step.events, "device event"),
                  place_of(shown.step.rank, shown.step.pid, shown.step.device))));
  add_cut(list, shown.leading_cut, "begin", "before");
  add_cut(list, shown.trailing_cut, "end", "after");
  if (shown.foreign_events > 0) {
    list.items.push_back(plain(fmt::format("{} of other steps ran in this window.",
                                           counted(shown.foreign_events, "event"))));
  }
  if (shown.prefetch_events > 0) {
    list.items.push_back(plain(
        fmt::format("Cut off as prefetch, because a neighbouring step was at work on the critical "
                    "stream then: {}.",
                    counted(shown.prefetch_events, "event"))));
  }
}

std::string dropped_words(const DropCounts& dropped) {
  std::string out;
  const auto add = [&](std::int64_t count, std::string_view reason) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", grouped(count), reason);
  };
  add(dropped.no_dur, "without a duration");
  add(dropped.negative_dur, "with a negative duration");
  add(dropped.bad_ts, "without a usable timestamp");
  add(dropped.malformed, "malformed");
  return out.empty() ? "none" : out;
}

void add_events(List& list, const TraceSummary& trace) {
  list.items.push_back(plain(fmt::format(
      "{} read, of them {}: {}, {}, {}. Dropped: {}. Exact duplicates, counted once: {}.",
      counted(trace.events, "event"), counted(trace.device_events, "device event"),
      counted(trace.kernels, "kernel"), counted(trace.memcpys, "copy", "copies"),
      counted(trace.memsets, "fill"), dropped_words(trace.dropped), grouped(trace.duplicates))));
}

void add_damage(List& list, const TraceSummary& trace) {
  for (const DamagedSpot& spot : trace.damaged) {
    list.items.push_back(plain(fmt::format("Damaged at byte {} of the uncompressed text: {}.",
                                           spot.byte, shortened(spot.reason, kSentenceChars))));
  }
  const auto listed = static_cast<std::int64_t>(trace.damaged.size());
  if (trace.damaged_count > listed) {
    list.items.push_back(plain(fmt::format(
        "{}, not listed.", counted(trace.damaged_count - listed, "more damaged place"))));
  }
}

void add_count(List& list, std::int64_t count, std::string_view noun, std::string_view what) {
  if (count > 0) list.items.push_back(plain(fmt::format("{} {}.", counted(count, noun), what)));
}

void add_links(List& list, const Breakdown& breakdown) {
  std::int64_t contained = 0;
  std::int64_t unlinked = 0;
  std::int64_t without_kernels = 0;
  Ns unlinked_sum = 0;
  for (const DeviceBreakdown& device : breakdown.devices) {
    contained += device.contained_events;
    unlinked += device.unlinked_events;
    unlinked_sum += device.unlinked_sum_ns;
    without_kernels += device.launches_without_kernels;
  }
  add_count(list, unlinked, "device event",
            fmt::format("without a launch in the file, {} ms together", format_ms(unlinked_sum)));
  add_count(list, without_kernels, "launch record", "without any device event");
  add_count(list, contained, "event",
            "inside a longer one of the same stream: counted, not changed");
  add_count(list, breakdown.diagnostics.outside_steps, "device event", "outside every step");
  add_count(list, breakdown.diagnostics.empty_markers, "step marker", "without device events");
}

bool has_communication(const Breakdown& breakdown) {
  return std::ranges::any_of(breakdown.devices, [](const DeviceBreakdown& device) {
    return std::ranges::any_of(device.accounting.kernels, [](const KernelRow& row) {
      return row.device_class == DeviceClass::comm;
    });
  });
}

void add_unmatched(List& list, const Breakdown& breakdown) {
  const Diagnostics& diagnostics = breakdown.diagnostics;
  if (diagnostics.unmatched_names.empty()) {
    list.items.push_back(plain("Every kernel name was matched by a rule."));
    return;
  }
  Line line =
      plain(fmt::format("Names that no rule matched, over the whole file: {} ms, the "
                        "largest",
                        format_ms(diagnostics.unmatched_names_sum_ns)));
  const std::size_t shown = std::min(kNamesShown, diagnostics.unmatched_names.size());
  for (std::size_t i = 0; i < shown; ++i) {
    line.text(i == 0 ? " " : ", ");
    line.code(short_kernel_name(diagnostics.unmatched_names[i], kNameChars));
  }
  list.items.push_back(line.text("."));
}

struct Reason {
  std::string role;
  std::string evidence;
  Ns charged = 0;
};

// Once for each role of a GEMM and its evidence, the largest first.
std::vector<Reason> role_reasons(const Accounting& accounting) {
  std::vector<Reason> reasons;
  for (const KernelRow& row : accounting.kernels) {
    if (!row.category.starts_with("gemm")) continue;
    for (const KernelRole& role : row.roles) {
      if (role.role.empty() || role.evidence.empty()) continue;
      auto found = std::ranges::find_if(reasons, [&](const Reason& reason) {
        return reason.role == role.role && reason.evidence == role.evidence;
      });
      if (found == reasons.end()) found = reasons.insert(found, {role.role, role.evidence, 0});
      found->charged += role.charged_ns;
    }
  }
  stable_order(reasons, [](const Reason& a, const Reason& b) { return a.charged > b.charged; });
  return reasons;
}

std::optional<Table> roles_table(const Accounting& accounting, std::size_t rows_max) {
  const std::vector<Reason> reasons = role_reasons(accounting);
  if (reasons.empty()) return std::nullopt;
  Table table{{{"role of GEMMs"}, {"charged ms", true}, {"what decides"}}, {}};
  const std::size_t shown = reasons.size() > rows_max + 1 ? rows_max : reasons.size();
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back({plain(reasons[i].role), plain(format_ms(reasons[i].charged)),
                          plain(shortened(reasons[i].evidence, kSentenceChars))});
  }
  if (shown == reasons.size()) return table;
  Ns charged = 0;
  for (std::size_t i = shown; i < reasons.size(); ++i) charged += reasons[i].charged;
  table.rows.push_back({plain(fmt::format("other ({} rows)", reasons.size() - shown)),
                        plain(format_ms(charged)), plain("–")});
  return table;
}

void add_roleless(List& list, const Accounting& accounting) {
  const std::int64_t roleless = calls_without_role(accounting);
  if (roleless > 0) {
    list.items.push_back(
        plain(fmt::format("{} without a role: neither the name nor the place decides what it is.",
                          counted(roleless, "GEMM call"))));
  }
}

void add_files(List& list, const TraceSummary& trace, std::size_t rows_max) {
  const std::vector<TraceFile>& files = trace.files;
  for (std::size_t i = 0; i < files.size() && i < rows_max; ++i) {
    Line line = plain("File ");
    line.code(shortened(files[i].name, kNameChars))
        .text(fmt::format(", {} bytes", grouped(static_cast<std::int64_t>(files[i].bytes))));
    if (!files[i].sha256.empty()) {
      line.text(", sha256 ").code(files[i].sha256.substr(0, kDigestChars) + "…");
    }
    list.items.push_back(line.text("."));
  }
  if (files.size() > rows_max) {
    list.items.push_back(plain(fmt::format("and {} more files", files.size() - rows_max)));
  }
}

std::optional<Table> suspects_table(const Breakdown& breakdown, std::size_t rows_max) {
  const std::vector<Suspect>& suspects = breakdown.suspects;
  if (suspects.empty()) return std::nullopt;
  Table table{
      {{"suspect event"}, {"rank"}, {"stream"}, {"claimed ms", true}, {"clipped to ms", true}}, {}};
  const std::size_t shown = suspects.size() > rows_max + 1 ? rows_max : suspects.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const Suspect& one = suspects[i];
    table.rows.push_back({code(short_kernel_name(one.name, kNameChars)),
                          plain(one.rank ? std::to_string(*one.rank) : "–"), plain(one.stream),
                          plain(format_ms(one.claimed_ns)), plain(format_ms(one.clipped_ns))});
  }
  if (shown == suspects.size()) return table;
  Ns claimed = 0;
  Ns clipped = 0;
  for (std::size_t i = shown; i < suspects.size(); ++i) {
    claimed += suspects[i].claimed_ns;
    clipped += suspects[i].clipped_ns;
  }
  table.rows.push_back({plain(fmt::format("other ({} rows)", suspects.size() - shown)), plain("–"),
                        plain("–"), plain(format_ms(claimed)), plain(format_ms(clipped))});
  return table;
}

}  // namespace

Section method_section(const Breakdown& breakdown, const ReportContext& context,
                       const Detail& detail) {
  const TraceSummary& trace = breakdown.trace;
  List list;
  add_sentences(list, context.provenance, detail.list_rows);
  if (!breakdown.shown.empty()) add_window(list, breakdown.shown.front());
  if (!breakdown.shown.empty()) add_roleless(list, breakdown.shown.front().accounting);
  add_events(list, trace);
  add_damage(list, trace);
  list.items.push_back(plain(fmt::format(
      "Suspect events: {}{}.", breakdown.suspects.size(),
      breakdown.suspects.empty() ? "" : ", clipped in the figures above to what is listed below")));
  add_links(list, breakdown);
  const int world_size = trace.world_size.value_or(1);
  if (world_size > 1 && !has_communication(breakdown)) {
    list.items.push_back(plain(fmt::format(
        "World size {}, but no communication was recognised in the file.", world_size)));
  }
  add_unmatched(list, breakdown);
  add_sentences(list, trace.notes, detail.list_rows);
  add_sentences(list, breakdown.diagnostics.notes, detail.list_rows);
  add_files(list, trace, detail.list_rows);
  list.items.push_back(
      plain("Columns are rounded such that they add up, so a figure can differ by one in its last "
            "digit from the same figure elsewhere; lines in ns are exact."));
  list.items.push_back(plain(fmt::format("Category table {}, analyser {}.", breakdown.table_version,
                                         breakdown.analyzer_version)));
  Section section{"How these figures were made", 80, false, {std::move(list)}};
  if (auto suspects = suspects_table(breakdown, detail.list_rows)) {
    section.blocks.emplace_back(std::move(*suspects));
  }
  if (breakdown.shown.empty()) return section;
  if (auto roles = roles_table(breakdown.shown.front().accounting, detail.list_rows)) {
    section.blocks.emplace_back(std::move(*roles));
  }
  return section;
}

}  // namespace stepscope::analysis
