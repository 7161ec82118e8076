// Words and figures that several reports share.

#include "analysis/reports/report_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kTitleChars = 160;
constexpr std::size_t kReasonChars = 120;

using Word = std::pair<std::string_view, std::string_view>;

constexpr Word kComponents[] = {
    {"moe", "MoE"},
    {"mlp", "dense MLP"},
    {"norm", "norms"},
    {"setup", "copies and set-up"},
    {"other", "not classified"},
};

constexpr Word kSources[] = {
    {"engine", "The step comes from the markers that the engine writes"},
    {"python_frame", "The step comes from the Python frames of the engine's step function"},
    {"profiler_step", "The step comes from the profiler's ProfilerStep markers"},
    {"annotation", "The step comes from one annotation name that repeats"},
    {"graph_launch", "The file has no step markers, so the step comes from the graph launches"},
    {"repetition",
     "The file has neither step markers nor graph launches to go by, so the step comes from the "
     "repetition of kernel names on the critical stream"},
    {"file",
     "The whole file is one window: no step could be told apart by markers, graph launches or "
     "repetition"},
};

bool is_no_letter(char c) {
  return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9');
}

std::string find_word(std::span<const Word> words, std::string_view key) {
  const auto found = std::ranges::find(words, key, &Word::first);
  return std::string(found == words.end() ? key : found->second);
}

}  // namespace

std::string partial_line(const TraceSummary& trace) {
  if (trace.cut_at_byte) {
    return fmt::format("PARTIAL: cut at byte {} of the uncompressed text", *trace.cut_at_byte);
  }
  if (trace.damaged_count > 0 && !trace.damaged.empty()) {
    const DamagedSpot& spot = trace.damaged.front();
    return fmt::format("PARTIAL: damaged at byte {} of the uncompressed text ({}), {}", spot.byte,
                       shortened(spot.reason, kReasonChars), counted(trace.damaged_count, "place"));
  }
  return trace.complete ? "" : "PARTIAL: some of the trace could not be read";
}

std::string title_of(const Breakdown& breakdown, const ReportContext& context) {
  if (!context.title.empty()) return shortened(context.title, kTitleChars);
  const std::vector<TraceFile>& files = breakdown.trace.files;
  if (files.empty()) return "Trace";
  std::string first = shortened(files.front().name, kTitleChars);
  if (files.size() == 1) return first;
  return fmt::format("{} and {}", first,
                     counted(static_cast<std::int64_t>(files.size()) - 1, "more file"));
}

std::string place_of(std::optional<int> rank, std::string_view pid, std::string_view device) {
  if (rank) return fmt::format("rank {}, device {}", *rank, device);
  return fmt::format("process {}, device {}", pid, device);
}

std::string component_label(std::string_view component) {
  return find_word(kComponents, component);
}

std::string_view class_name(DeviceClass device_class) {
  switch (device_class) {
    case DeviceClass::comm:
      return "comm";
    case DeviceClass::copy:
      return "copy";
    case DeviceClass::compute:
      break;
  }
  return "compute";
}

std::string whole_label(const Step& step) {
  if (step.source == "file") return "the whole file";
  if (step.phase == "unknown" || step.phase.empty()) return "one step";
  return fmt::format("one {} step", step.phase);
}

Line with_strong_figures(std::string_view sentence) {
  constexpr std::string_view kFigure = "0123456789.";
  Line line;
  std::size_t done = 0;
  for (std::size_t at = sentence.find(" ms"); at != std::string_view::npos;
       at = sentence.find(" ms", at + 1)) {
    const std::size_t end = at + 3;
    const bool word_ends = end == sentence.size() || is_no_letter(sentence[end]);
    std::size_t begin = at;
    while (begin > done && kFigure.contains(sentence[begin - 1])) --begin;
    // "step 3. 4 ms" has no point of its own.
    while (begin < at && sentence[begin] == '.') ++begin;
    if (begin == at || !word_ends) continue;
    if (begin > done) line.text(std::string(sentence.substr(done, begin - done)));
    line.strong(std::string(sentence.substr(begin, end - begin)));
    done = end;
  }
  if (done < sentence.size()) line.text(std::string(sentence.substr(done)));
  return line;
}

std::string source_words(std::string_view source) { return find_word(kSources, source); }

std::string sentence(std::string_view note) {
  std::string out(note);
  if (out.empty()) return out;
  // A name at the start keeps its case.
  const std::string_view word = note.substr(0, note.find(' '));
  const bool plain_word =
      std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; }) && !word.empty();
  if (plain_word) out.front() = static_cast<char>(out.front() - 'a' + 'A');
  if (!out.ends_with('.')) out += '.';
  return out;
}

std::string grouped(std::int64_t value) {
  const std::string digits = std::to_string(value);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

std::string ms_or_dash(std::optional<Ns> ns) { return ns ? format_ms(*ns) : "–"; }

std::string counted(std::int64_t count, std::string_view noun, std::string_view many) {
  if (count != 1 && !many.empty()) return fmt::format("{} {}", grouped(count), many);
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::size_t rows_shown(std::size_t rows, std::size_t rows_max) {
  return rows > rows_max + 1 ? rows_max : rows;
}

Amounts amounts_of(std::span<const Ns> parts, Ns whole) {
  return {round_to_unit(parts, whole, 1000), shares_permille(parts, whole)};
}

}  // namespace stepscope::analysis
