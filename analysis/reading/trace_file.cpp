#include "analysis/reading/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/reading/bytes/archive_names.h"
#include "analysis/reading/bytes/trace_input.h"
#include "analysis/reading/formats/databases/sqlite_trace.h"
#include "analysis/reading/formats/format_guess.h"
#include "analysis/reading/formats/kineto/kineto_file.h"
#include "analysis/reading/formats/rocprof/rocprof_reader.h"

namespace stepscope::analysis {

namespace {

using Failure = std::optional<AnalyzeError>;

class Notes {
 public:
  Notes(std::vector<std::string>& notes, std::string name)
      : notes_(notes), name_(std::move(name)) {}
  void add(const std::string& text) { notes_.push_back(name_ + ": " + text); }

 private:
  std::vector<std::string>& notes_;
  std::string name_;
};

Failure refuse_head(const TraceInput& input, std::string_view head) {
  if (head.empty() && !input.fault().empty()) {
    return AnalyzeError{AnalyzeFault::no_trace,
                        fmt::format("{}: {}; copy the file again", input.name(), input.fault())};
  }
  return refuse_text(head, input.name());
}

// `head`: the beginning of the input, which gives it again. `path`: as in TraceSource.
std::expected<FileContent, AnalyzeError> read_content(TraceInput& input, std::string_view head,
                                                      const std::filesystem::path& path,
                                                      const FileReading& reading,
                                                      TraceBuilder& builder) {
  if (is_sqlite(head)) {
    return read_sqlite(input, input.compressed() ? std::filesystem::path() : path, builder,
                       reading.options);
  }
  std::string prefix = reading.only_file ? "" : input.name() + ": ";
  if (is_rocprof(head)) return read_rocprof(input, builder, std::move(prefix));
  return read_kineto(input, builder, std::move(prefix));
}

void note_state(const TraceInput& input, const FileContent& content, bool only_file,
                TraceSummary& summary) {
  Notes notes(summary.notes, input.name());
  if (!input.fault().empty()) notes.add(input.fault());
  if (input.ignored_bytes() > 0) {
    notes.add(fmt::format("{} bytes behind the end of the gzip data were ignored",
                          input.ignored_bytes()));
  }
  if (content.left_open) {
    notes.add(
        "the array of events is not closed, which its form allows: if the writer was stopped, "
        "later events are missing");
  }
  summary.complete = summary.complete && !content.damaged;
  if (input.fault().empty() && content.complete) return;
  summary.complete = false;
  if (input.doubtful() && content.complete) return;  // not cut
  summary.cut_at_byte = content.text_bytes;
  if (!only_file) notes.add(fmt::format("cut at byte {}", content.text_bytes));
}

void note_content(const std::string& name, const FileContent& content, TraceSummary& summary) {
  Notes notes(summary.notes, name);
  for (const std::string& key : content.metadata.problems) {
    notes.add(fmt::format("\"{}\" could not be understood", key));
  }
  if (content.facts.nanoseconds) {
    notes.add("RPD names no unit; times are taken as nanoseconds");
  }
  for (const std::string& note : content.notes) notes.add(note);
}

// What the file says of its rank. Engines write files of processes that own no GPU beside those
// that do; what these say does not count.
FileClaim claim_of(const std::string& name, const FileContent& content, const Trace& trace) {
  FileClaim claim{name, content.metadata.rank, {}};
  for (const RankScope& scope : trace.scopes) {
    if (!scope.label.empty()) claim.labelled.push_back(scope.rank.value_or(0));
  }
  return claim;
}

bool is_no_trace(AnalyzeFault fault) {
  return fault == AnalyzeFault::no_trace || fault == AnalyzeFault::unsupported_format;
}

// Why the file has no device event; `hopeless` when no other file of the run can make up for it.
struct Emptiness {
  AnalyzeError error;
  bool hopeless = false;
};

std::optional<Emptiness> emptiness_of(const TraceInput& input, const FileContent& content) {
  Failure refused = refuse_events(content.facts, content.saw_events, input.name());
  if (!refused) return std::nullopt;
  const bool no_trace = is_no_trace(refused->fault);
  if (!content.complete || !input.fault().empty()) {
    refused->message = fmt::format(
        "{}: cut at byte {} of the uncompressed text, with no device event before it; copy or "
        "record it again",
        input.name(), content.text_bytes);
    if (!no_trace) refused->fault = AnalyzeFault::no_device_events;
    return Emptiness{*refused, true};
  }
  if (content.left_open) {
    refused->message += "; the array of events is not closed, so the file may be cut";
  }
  return Emptiness{*refused, no_trace};
}

// An entry of an archive that is no trace: engines write files of other kinds beside their traces,
// which people then pack as well. It is read to its end all the same, as its bytes are expected.
std::expected<TraceFileRows, AnalyzeError> left_out(TraceInput& input, AnalyzeError why) {
  auto digest = input.digest();
  if (!digest) return std::unexpected(std::move(digest.error()));
  return TraceFileRows{.tables = TraceBuilder(1), .nothing = std::move(why), .left_out = true};
}

}  // namespace

std::expected<TraceFileRows, AnalyzeError> read_trace_file(const TraceSource& source,
                                                           const FileReading& reading) {
  auto bytes = source.open();
  if (!bytes) {
    return std::unexpected(AnalyzeError{
        AnalyzeFault::unreadable, fmt::format("{}: can not be read ({}); check path and rights",
                                              source.name, bytes.error())});
  }
  auto input = TraceInput::open(*std::move(bytes), source.name, reading.options, &reading.progress);
  if (!input) return std::unexpected(std::move(input.error()));
  const bool lenient = source.path.empty() && !reading.only_file;
  auto head = (*input)->peek(kFormatHeadBytes);
  if (!head) return std::unexpected(std::move(head.error()));
  if (Failure refused = refuse_head(**input, *head)) {
    if (lenient && !holds_files(*head)) return left_out(**input, *std::move(refused));
    return std::unexpected(*std::move(refused));
  }
  TraceFileRows rows{.tables = TraceBuilder(std::min<std::uint64_t>(
                         reading.options.names_max, std::numeric_limits<NameId>::max()))};
  auto content = read_content(**input, *head, source.path, reading, rows.tables);
  if (!content && lenient && is_no_trace(content.error().fault)) {
    return left_out(**input, std::move(content.error()));
  }
  if (!content) return std::unexpected(std::move(content.error()));
  std::optional<Emptiness> empty = emptiness_of(**input, *content);
  if (empty && lenient && is_no_trace(empty->error.fault) &&
      (content->complete || !content->saw_events)) {
    return left_out(**input, std::move(empty->error));
  }
  auto digest = (*input)->digest();
  if (!digest) return std::unexpected(std::move(digest.error()));

  TraceSummary& summary = rows.tables.trace().summary;
  summary.files.push_back({source.name, *digest, (*input)->stored_bytes()});
  summary.events = content->facts.events;
  note_state(**input, *content, reading.only_file, summary);
  note_content(source.name, *content, summary);
  rows.tables.end_file(content->metadata, rank_of_file_name(entry_base_name(source.name)));
  rows.claim = claim_of(std::string(entry_base_name(source.name)), *content, rows.tables.trace());
  const FileFacts& facts = content->facts;
  rows.whole_microseconds = facts.device_events > 0 && !facts.nanoseconds && !facts.fractions;
  if (empty) {
    if (empty->hopeless) return std::unexpected(std::move(empty->error));
    if (!reading.only_file) summary.notes.push_back("left out: " + empty->error.message);
    rows.nothing = std::move(empty->error);
  }
  return rows;
}

}  // namespace stepscope::analysis
