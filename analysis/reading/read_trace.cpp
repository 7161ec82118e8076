#include "analysis/reading/read_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "analysis/reading/format_guess.h"
#include "analysis/reading/kineto_reader.h"
#include "analysis/reading/rank_source.h"
#include "analysis/reading/trace_builder.h"
#include "analysis/reading/trace_input.h"
#include "analysis/reading/trace_scanner.h"

namespace stepscope::analysis {

namespace {

using Failure = std::optional<AnalyzeError>;

// The files of one run, read one after the other into one builder.
class RunReading {
 public:
  RunReading(std::span<const std::filesystem::path> paths, const AnalyzeOptions& options)
      : paths_(paths),
        options_(options),
        builder_(std::min<std::uint64_t>(options.names_max, std::numeric_limits<NameId>::max())) {}

  std::expected<Trace, AnalyzeError> read();

 private:
  Failure read_file(const std::filesystem::path& path);
  Failure scan(TraceInput& input, TraceScanner& scanner, const std::string& name);
  Failure scan_head(TraceInput& input, TraceScanner& scanner, const std::string& name);
  Failure commit(std::size_t bytes, const TraceInput& input, TraceScanner& scanner,
                 const std::string& name);
  Failure over_limit(const TraceInput& input, const std::string& name) const;
  Failure end_file(TraceInput& input, const TraceScanner& scanner, const KinetoReader& reader,
                   const std::string& name);
  void note_state(const TraceInput& input, const TraceScanner& scanner, const std::string& name);
  void note_content(const KinetoReader& reader, const std::string& name);
  void claim_rank(const KinetoReader& reader, const std::string& name);
  void settle_ranks();
  void note_whole_microseconds();
  void note(std::string text) { builder_.trace().summary.notes.push_back(std::move(text)); }

  std::span<const std::filesystem::path> paths_;
  const AnalyzeOptions& options_;
  TraceBuilder builder_;
  std::uint64_t bytes_before_ = 0;  // stored bytes of the files read before this one
  std::uint64_t bytes_known_ = 0;
  std::vector<FileClaim> claims_;
  std::vector<std::size_t> claimed_files_;       // of the claims
  std::vector<std::string> whole_microseconds_;  // files without a decimal
  Failure nothing_;  // why the first file without device events has none
};

std::expected<Trace, AnalyzeError> RunReading::read() {
  for (const std::filesystem::path& path : paths_) {
    std::error_code ignored;
    std::uintmax_t size = std::filesystem::file_size(path, ignored);
    if (!ignored) bytes_known_ += size;
  }
  for (const std::filesystem::path& path : paths_) {
    if (Failure failure = read_file(path)) return std::unexpected(*failure);
  }
  if (builder_.device_rows() == 0) {
    if (nothing_) return std::unexpected(*nothing_);
    const DropCounts& d = builder_.trace().summary.dropped;
    return std::unexpected(AnalyzeError{
        AnalyzeFault::no_device_events,
        fmt::format("{}: every device event was refused ({} without a duration, {} negative, {} "
                    "without a time, {} malformed); record the trace again",
                    display_name(paths_.front()), d.no_dur, d.negative_dur, d.bad_ts,
                    d.malformed)});
  }
  note_whole_microseconds();
  settle_ranks();
  Trace trace = builder_.finish();
  if (trace.device_events.empty()) {
    return std::unexpected(AnalyzeError{
        AnalyzeFault::no_device_events,
        fmt::format("{}: all times lie outside of the years 1970 to 2096; record the trace again",
                    display_name(paths_.front()))});
  }
  return trace;
}

Failure RunReading::read_file(const std::filesystem::path& path) {
  std::string name = display_name(path);
  auto input = TraceInput::open(path, options_);
  if (!input) return input.error();
  builder_.begin_file();
  KinetoReader reader(builder_, paths_.size() > 1 ? name : std::string());
  TraceScanner scanner(reader);
  if (Failure failure = scan_head(**input, scanner, name)) return failure;
  if (Failure failure = scan(**input, scanner, name)) return failure;
  return end_file(**input, scanner, reader, name);
}

// The first text decides whether this is JSON at all.
Failure RunReading::scan_head(TraceInput& input, TraceScanner& scanner, const std::string& name) {
  std::span<char> room = scanner.room(TraceInput::kBlockBytes);
  auto size = input.read(room);
  if (!size) return size.error();
  if (*size == 0 && !input.fault().empty()) {
    return AnalyzeError{AnalyzeFault::no_trace,
                        fmt::format("{}: {}; copy the file again", name, input.fault())};
  }
  std::string_view head(room.data(), std::min(*size, kFormatHeadBytes));
  if (Failure refused = refuse_text(head, name)) return refused;
  return commit(*size, input, scanner, name);
}

Failure RunReading::commit(std::size_t bytes, const TraceInput& input, TraceScanner& scanner,
                           const std::string& name) {
  scanner.commit(bytes);
  if (options_.progress) options_.progress(bytes_before_ + input.stored_bytes(), bytes_known_);
  return over_limit(input, name);
}

Failure RunReading::over_limit(const TraceInput& input, const std::string& name) const {
  std::string_view limit = builder_.limit_passed();
  if (limit.empty()) return std::nullopt;
  return AnalyzeError{AnalyzeFault::limit,
                      fmt::format("{}: more {} than are allowed, near byte {} of the text; record "
                                  "fewer steps",
                                  name, limit, input.text_bytes())};
}

Failure RunReading::scan(TraceInput& input, TraceScanner& scanner, const std::string& name) {
  while (true) {
    std::span<char> room = scanner.room(TraceInput::kBlockBytes);
    auto size = input.read(room);
    if (!size) return size.error();
    if (*size == 0) break;
    if (Failure failure = commit(*size, input, scanner, name)) return failure;
  }
  scanner.finish();  // hands on what stood in the last bytes
  return over_limit(input, name);
}

Failure RunReading::end_file(TraceInput& input, const TraceScanner& scanner,
                             const KinetoReader& reader, const std::string& name) {
  auto digest = input.digest();
  if (!digest) return digest.error();
  bytes_before_ += input.stored_bytes();
  TraceSummary& summary = builder_.trace().summary;
  summary.files.push_back({name, *digest, input.stored_bytes()});
  summary.events += reader.facts().events;
  note_state(input, scanner, name);
  note_content(reader, name);
  builder_.end_file(reader.metadata(), rank_of_file_name(name));
  claim_rank(reader, name);

  Failure refused = refuse_events(reader.facts(), scanner.saw_events(), name);
  if (!refused) return std::nullopt;
  bool hopeless = refused->fault == AnalyzeFault::no_trace ||
                  refused->fault == AnalyzeFault::unsupported_format;
  if (!scanner.complete() || !input.fault().empty()) {
    refused->message = fmt::format(
        "{}: cut at byte {} of the uncompressed text, with no device event before it; copy or "
        "record it again",
        name, scanner.text_bytes());
    if (!hopeless) refused->fault = AnalyzeFault::no_device_events;
    return refused;
  }
  if (hopeless) return refused;
  if (scanner.left_open()) {
    refused->message += "; the array of events is not closed, so the file may be cut";
  }
  // Engines write files of processes that own no GPU beside those that do.
  if (paths_.size() > 1) note("left out: " + refused->message);
  if (!nothing_) nothing_ = refused;
  return std::nullopt;
}

void RunReading::note_state(const TraceInput& input, const TraceScanner& scanner,
                            const std::string& name) {
  TraceSummary& summary = builder_.trace().summary;
  if (!input.fault().empty()) note(fmt::format("{}: {}", name, input.fault()));
  if (input.ignored_bytes() > 0) {
    note(fmt::format("{}: {} bytes behind the end of the gzip data were ignored", name,
                     input.ignored_bytes()));
  }
  if (scanner.left_open()) {
    note(
        fmt::format("{}: the array of events is not closed, which its form allows: if the writer "
                    "was stopped, later events are missing",
                    name));
  }
  if (input.fault().empty() && scanner.complete()) return;
  summary.complete = false;
  if (summary.cut_at_byte) return;  // of the first file that is cut
  summary.cut_at_byte = scanner.text_bytes();
  if (paths_.size() > 1) note(fmt::format("{}: cut at byte {}", name, scanner.text_bytes()));
}

void RunReading::note_content(const KinetoReader& reader, const std::string& name) {
  const FileFacts& facts = reader.facts();
  for (const std::string& key : reader.metadata().problems) {
    note(fmt::format("{}: \"{}\" could not be understood", name, key));
  }
  if (facts.nanoseconds) {
    note(fmt::format("{}: RPD names no unit; times are taken as nanoseconds", name));
  } else if (facts.device_events > 0 && !facts.fractions) {
    whole_microseconds_.push_back(name);
  }
}

void RunReading::note_whole_microseconds() {
  if (whole_microseconds_.empty()) return;
  note(fmt::format("{}: times are whole microseconds, so each is off by up to 1 us",
                   whole_microseconds_.size() == 1
                       ? whole_microseconds_.front()
                       : fmt::format("{} of {} files", whole_microseconds_.size(), paths_.size())));
}

// Of the file that was read last. Engines write files of processes that own no GPU beside those
// that do; what these say of their rank does not count.
void RunReading::claim_rank(const KinetoReader& reader, const std::string& name) {
  if (reader.facts().device_events == 0) return;
  const Trace& trace = builder_.trace();
  const std::size_t file = trace.summary.files.size() - 1;
  FileClaim claim{name, reader.metadata().rank, {}};
  for (const RankScope& scope : trace.scopes) {
    if (scope.file == file && !scope.label.empty())
      claim.labelled.push_back(scope.rank.value_or(0));
  }
  claims_.push_back(std::move(claim));
  claimed_files_.push_back(file);
}

void RunReading::settle_ranks() {
  FileRanks settled = ranks_of_files(claims_);
  std::map<std::size_t, std::optional<int>> rank_of;
  for (std::size_t i = 0; i < claims_.size(); ++i) rank_of[claimed_files_[i]] = settled.ranks[i];
  for (RankScope& scope : builder_.trace().scopes) {
    const auto rank = rank_of.find(scope.file);
    if (scope.label.empty() && rank != rank_of.end()) scope.rank = rank->second;
  }
  if (!settled.note.empty()) note(std::move(settled.note));
}

}  // namespace

std::expected<Trace, AnalyzeError> read_trace(std::span<const std::filesystem::path> paths,
                                              const AnalyzeOptions& options) {
  return RunReading(paths, options).read();
}

}  // namespace stepscope::analysis
