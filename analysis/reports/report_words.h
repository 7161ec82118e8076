#pragma once
// The words that the reports share: the PARTIAL line, names of places, components and step sources,
// figures with grouped digits. Plain text, not escaped.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/reports/document.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// "PARTIAL: cut at byte N of the uncompressed text", or where it is damaged; empty for a whole
// trace.
std::string partial_line(const TraceSummary& trace);

// The title that was asked for, else the first file's name, of at most 160 characters, and how many
// more files there are.
std::string title_of(const Breakdown& breakdown, const ReportContext& context);

// "rank 0, device 0"; a process without a rank is named by its pid.
std::string place_of(std::optional<int> rank, std::string_view pid, std::string_view device);

// "norms" for "norm"; what is not known stays as it is.
std::string component_label(std::string_view component);

// "compute", "comm" or "copy": the class of a kernel row in JSON and CSV.
std::string_view class_name(DeviceClass device_class);

// "one decode step", "one step", "the whole file".
std::string whole_label(const Step& step);

// A sentence with its figures in ms strong.
Line with_strong_figures(std::string_view sentence);

// Where the step's bounds come from (R8): a sentence without its full stop.
std::string source_words(std::string_view source);

// A note as a sentence: "steps overlap" becomes "Steps overlap.".
std::string sentence(std::string_view note);

// "11 596 482".
std::string grouped(std::int64_t value);

// "24.976", or a dash for what is absent.
std::string ms_or_dash(std::optional<Ns> ns);

// "1 event", "1 024 events"; `many` where an s is not enough: "2 copies".
std::string counted(std::int64_t count, std::string_view noun, std::string_view many = {});

// How many of `rows` a table prints; a row "other (n rows)" for a single one would save nothing.
std::size_t rows_shown(std::size_t rows, std::size_t rows_max);

// The column of milliseconds and the column of percentages for parts of one whole: both add up as
// printed. `rounded` holds whole microseconds in ns.
struct Amounts {
  std::vector<Ns> rounded;
  std::vector<int> permille;
};
Amounts amounts_of(std::span<const Ns> parts, Ns whole);

}  // namespace stepscope::analysis
