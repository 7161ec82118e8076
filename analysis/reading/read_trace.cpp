#include "analysis/reading/read_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/reading/bytes/archive_input.h"
#include "analysis/reading/bytes/trace_input.h"
#include "analysis/reading/trace_file.h"

namespace stepscope::analysis {

namespace {

constexpr std::size_t kLeftOutShown = 10;  // entries of archives, each with its reason

using FileResult = std::expected<TraceFileRows, AnalyzeError>;

struct Sources {
  std::vector<TraceSource> list;
  std::vector<std::string> notes;
};

std::expected<void, AnalyzeError> add_entries(const std::filesystem::path& path, Sources& sources) {
  auto archive = Archive::open(path);
  if (!archive) return std::unexpected(std::move(archive.error()));
  for (const ArchiveEntry& entry : (*archive)->entries()) {
    sources.list.push_back({entry.name, {}, entry.bytes, [archive = *archive, entry] {
                              return Archive::open_entry(archive, entry);
                            }});
  }
  if (!(*archive)->note().empty()) {
    sources.notes.push_back(fmt::format("{}: {}", display_name(path), (*archive)->note()));
  }
  return {};
}

std::expected<Sources, AnalyzeError> sources_of(std::span<const std::filesystem::path> paths) {
  Sources sources;
  sources.list.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    if (is_archive_file(path)) {
      if (auto added = add_entries(path, sources); !added) {
        return std::unexpected(std::move(added.error()));
      }
      continue;
    }
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(path, ignored);
    sources.list.push_back(
        {display_name(path), path, ignored ? 0 : size, [path] { return open_file(path); }});
  }
  return sources;
}

// By source, up to the first that failed; what comes behind it may be missing.
std::vector<std::optional<FileResult>> read_files(const std::vector<TraceSource>& sources,
                                                  const AnalyzeOptions& options) {
  ReadProgress progress(options.progress);
  for (const TraceSource& source : sources) progress.expect(source.size);
  std::vector<std::optional<FileResult>> results(sources.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> thrown(sources.size());
  auto work = [&] {
    while (!failed) {
      const std::size_t i = next++;
      if (i >= sources.size()) return;
      try {
        results[i] = read_trace_file(sources[i], {options, progress, sources.size() == 1});
      } catch (...) {  // out of memory: for the caller's thread
        thrown[i] = std::current_exception();
      }
      if (thrown[i] || !*results[i]) failed = true;
    }
  };
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t threads =
      std::min(options.threads_max > 0 ? options.threads_max : cores, sources.size());
  std::vector<std::jthread> others;
  others.reserve(threads);
  while (others.size() + 1 < threads) others.emplace_back(work);
  work();
  others.clear();  // joins them
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
  return results;
}

void note_whole_microseconds(const std::vector<std::string>& files, std::size_t all,
                             std::vector<std::string>& notes) {
  if (files.empty()) return;
  notes.push_back(fmt::format(
      "{}: times are whole microseconds, so each is off by up to 1 us",
      files.size() == 1 ? files.front() : fmt::format("{} of {} files", files.size(), all)));
}

// `files`: which file of the trace each claim is of.
void settle_ranks(const std::vector<FileClaim>& claims, const std::vector<std::size_t>& files,
                  Trace& trace) {
  FileRanks settled = ranks_of_files(claims);
  std::map<std::size_t, std::optional<int>> rank_of;
  for (std::size_t i = 0; i < claims.size(); ++i) rank_of[files[i]] = settled.ranks[i];
  for (RankScope& scope : trace.scopes) {
    const auto rank = rank_of.find(scope.file);
    if (scope.label.empty() && rank != rank_of.end()) scope.rank = rank->second;
  }
  if (!settled.note.empty()) trace.summary.notes.push_back(std::move(settled.note));
}

AnalyzeError every_event_refused(const std::string& name, const DropCounts& d) {
  return {AnalyzeFault::no_device_events,
          fmt::format("{}: every device event was refused ({} without a duration, {} negative, {} "
                      "without a time, {} malformed); record the trace again",
                      name, d.no_dur, d.negative_dur, d.bad_ts, d.malformed)};
}

// The reason that says most of why a run has nothing to show.
void keep_reason(AnalyzeError reason, std::optional<AnalyzeError>& kept) {
  const bool better = reason.fault != AnalyzeFault::no_trace;
  if (!kept || (kept->fault == AnalyzeFault::no_trace && better)) kept = std::move(reason);
}

// The files that were read as one; the first failure in their order is that of the run.
std::expected<TraceBuilder, AnalyzeError> joined(std::vector<std::optional<FileResult>>& results) {
  for (std::optional<FileResult>& result : results) {
    if (result && !*result) return std::unexpected(std::move(result->error()));
  }
  std::optional<AnalyzeError> nothing;
  std::vector<FileClaim> claims;
  std::vector<std::size_t> claimed_files;
  std::vector<std::string> whole_microseconds;
  std::vector<std::string> notes;
  std::optional<TraceBuilder> all;
  std::size_t files = 0;
  std::size_t left_out = 0;
  for (std::optional<FileResult>& result : results) {
    if (!result) continue;  // never: what is missing stands behind a failure
    TraceFileRows& rows = **result;
    if (rows.whole_microseconds) whole_microseconds.push_back(rows.claim.name);
    if (rows.nothing) {
      if (rows.left_out && ++left_out <= kLeftOutShown) {
        notes.push_back("left out: " + rows.nothing->message);
      }
      keep_reason(*std::move(rows.nothing), nothing);
      if (rows.left_out) continue;
    } else {
      claims.push_back(std::move(rows.claim));
      claimed_files.push_back(files);
    }
    ++files;
    if (all) {
      all->absorb(std::move(rows.tables));
    } else {
      all = std::move(rows.tables);
    }
  }
  if (left_out > kLeftOutShown) {
    notes.push_back(
        fmt::format("left out: {} more entries that are no traces", left_out - kLeftOutShown));
  }
  if (!all) return std::unexpected(nothing.value_or(AnalyzeError{}));
  TraceSummary& summary = all->trace().summary;
  if (auto fault = all->limit_fault(summary.files.back().name, 0)) {
    return std::unexpected(*std::move(fault));
  }
  if (all->device_rows() == 0) {
    if (nothing) return std::unexpected(*std::move(nothing));
    return std::unexpected(every_event_refused(summary.files.front().name, summary.dropped));
  }
  note_whole_microseconds(whole_microseconds, files, summary.notes);
  settle_ranks(claims, claimed_files, all->trace());
  std::ranges::move(notes, std::back_inserter(summary.notes));
  return *std::move(all);
}

}  // namespace

std::expected<Trace, AnalyzeError> read_trace(std::span<const std::filesystem::path> paths,
                                              const AnalyzeOptions& options) {
  auto sources = sources_of(paths);
  if (!sources) return std::unexpected(std::move(sources.error()));
  std::vector<std::optional<FileResult>> results = read_files(sources->list, options);
  auto builder = joined(results);
  if (!builder) return std::unexpected(std::move(builder.error()));
  std::ranges::move(sources->notes, std::back_inserter(builder->trace().summary.notes));
  Trace trace = builder->finish();
  if (trace.device_events.empty()) {
    return std::unexpected(AnalyzeError{
        AnalyzeFault::no_device_events,
        fmt::format("{}: all times lie outside of the years 1970 to 2096; record the trace again",
                    sources->list.front().name)});
  }
  return trace;
}

}  // namespace stepscope::analysis
