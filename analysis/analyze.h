#pragma once
// Trace files in, Breakdown out: the list of passes, top to bottom. Pure but for reading the files;
// no clock, no logging, no global state. Several files are the ranks of one run.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

// Makes the digest of a file's stored bytes while they are read. OpenSSL is no business of this
// folder, so the caller lends one; finish() gives lower-case hex.
class FileDigest {
 public:
  virtual ~FileDigest() = default;
  virtual void update(std::span<const std::byte> bytes) = 0;
  virtual std::string finish() = 0;
};

enum class StepChoice { median, index, all };

struct AnalyzeOptions {
  std::optional<std::string> phase;  // "decode" or "prefill"; absent: the phase with most busy time
  std::optional<int> rank;
  StepChoice step = StepChoice::median;
  int step_index = 0;  // with StepChoice::index
  // R9: the group of steps of this batch size is shown. Under DP attention a rank has only its
  // share of the requests, so the caller divides the run's concurrency by the DP size.
  std::optional<int> concurrency;
  // R15, of the same configuration without a profiler: time per output token, and with speculative
  // decoding the accepted tokens per step.
  std::optional<Ns> unprofiled_ns;
  std::optional<double> accepted_tokens;
  std::string extra_rules;  // text of an operator's rule file, "" for none (category_rules.h)
  std::function<std::unique_ptr<FileDigest>()> make_digest;  // empty: no sha256
  // Called with bytes read and bytes known over all files, at most once per block.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  const std::atomic<bool>* cancelled = nullptr;  // looked at once per block
  std::uint64_t text_bytes_max = 64ULL << 30;    // uncompressed, per file: a gzip bomb ends here
  std::uint64_t names_max = 200'000;
  std::size_t threads_max = 0;  // that read files side by side; 0: as many as there are cores
};

enum class AnalyzeFault {
  unreadable,  // the file can not be opened or read
  empty,
  no_trace,            // not a format that is known, or JSON without events
  unsupported_format,  // known, but not read
  unsupported_accelerator,
  cpu_only,
  capture_only,
  no_device_events,
  bad_option,  // --rank or --step that the trace does not have, bad rule file
  limit,
  cancelled,
};

struct AnalyzeError {
  AnalyzeFault fault = AnalyzeFault::no_trace;
  std::string message;  // one line: which file, what, where, what to do
};

// `paths` must not be empty. Errors: see AnalyzeFault. A cut or damaged file with at least one
// whole device event is a result (trace.complete is false), not an error.
std::expected<Breakdown, AnalyzeError> analyze(std::span<const std::filesystem::path> paths,
                                               const AnalyzeOptions& options);

struct Trace;            // reading/event_table.h
class KernelClassifier;  // passes/kernel_category.h

// The passes alone, on a trace that was read or made in memory; it has at least one device event.
std::expected<Breakdown, AnalyzeError> analyze_trace(Trace trace,
                                                     const KernelClassifier& classifier,
                                                     const AnalyzeOptions& options);

}  // namespace stepscope::analysis
