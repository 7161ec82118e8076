#include "analysis/reading/formats/format_guess.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reading/formats/databases/sqlite_trace.h"
#include "analysis/reading/formats/format_table.h"

namespace stepscope::analysis {

namespace {

constexpr std::string_view kRecord =
    "record with torch.profiler, SGLang's or vLLM's profiler (Kineto JSON)";

AnalyzeError unsupported(const std::string& file, std::string_view what, std::string_view advice) {
  return {AnalyzeFault::unsupported_format,
          fmt::format("{}: {}; reading it is not supported: {}", file, what, advice)};
}

bool has_key(const FileFacts& facts, std::string_view key) {
  return std::ranges::find(facts.keys, key) != facts.keys.end();
}

std::optional<AnalyzeError> refuse_json(const FileFacts& facts, bool saw_events,
                                        const std::string& file) {
  if (has_key(facts, "rocprofiler-sdk-tool")) {
    return AnalyzeError{AnalyzeFault::no_device_events,
                        fmt::format("{}: rocprofv3 JSON without kernel dispatches ({} records of "
                                    "calls and markers); record with --kernel-trace, and with "
                                    "--hip-trace for the launches",
                                    file, facts.events)};
  }
  if (!saw_events && has_key(facts, "nodes") && has_key(facts, "schema")) {
    return unsupported(file, "a PyTorch execution trace, which has no times",
                       "take the Kineto trace of the same run");
  }
  if (facts.list_elements && facts.objects == 0) {
    return unsupported(file, "a list of lists, as the memory timeline of PyTorch writes",
                       "take the Kineto trace of the same run");
  }
  if (!saw_events) {
    return AnalyzeError{
        AnalyzeFault::no_trace,
        fmt::format("{}: JSON without an array \"traceEvents\", so no trace; {}", file, kRecord)};
  }
  if (facts.events == 0) {
    return AnalyzeError{AnalyzeFault::no_trace,
                        fmt::format("{}: the trace has no events; the profiler was probably "
                                    "stopped before anything ran",
                                    file)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<AnalyzeError> refuse_text(std::string_view head, const std::string& file) {
  if (head.empty()) {
    return AnalyzeError{AnalyzeFault::empty,
                        fmt::format("{}: the file is empty; copy or record it again", file)};
  }
  if (is_sqlite(head)) return std::nullopt;  // the reader says which database it is
  if (const OtherFormat* format = other_format(head, file)) {
    if (format->profile) return unsupported(file, format->what, format->advice);
    return AnalyzeError{AnalyzeFault::no_trace,
                        fmt::format("{}: {}, so no trace; {}", file, format->what, format->advice)};
  }
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '[')) {
    return std::nullopt;
  }
  if (is_binary(head)) {
    return AnalyzeError{AnalyzeFault::no_trace,
                        fmt::format("{}: binary data that is no known trace; {}", file, kRecord)};
  }
  return AnalyzeError{AnalyzeFault::no_trace,
                      fmt::format("{}: text that is no JSON, so no trace; {}", file, kRecord)};
}

bool holds_files(std::string_view head) {
  const OtherFormat* format = other_format(head, "");
  return format != nullptr && format->holds_files;
}

std::optional<AnalyzeError> refuse_events(const FileFacts& facts, bool saw_events,
                                          const std::string& file) {
  if (facts.device_events > 0) return std::nullopt;
  if (auto refused = refuse_json(facts, saw_events, file)) return refused;
  if (facts.profiler_ranges) {
    return AnalyzeError{AnalyzeFault::no_device_events,
                        fmt::format("{}: no kernels: the CUPTI range profiler was on, which writes "
                                    "ranges only; record without it",
                                    file)};
  }
  if (facts.capture_markers || facts.kernel_launches > 0) {
    return AnalyzeError{
        AnalyzeFault::capture_only,
        fmt::format("{}: {} launches but no device work: a graph capture, or device "
                    "activity was not recorded; profile while requests run, with "
                    "CUDA activities",
                    file, facts.kernel_launches)};
  }
  if (facts.launches > 0) {
    return AnalyzeError{AnalyzeFault::no_device_events,
                        fmt::format("{}: {} calls of the GPU's runtime but no device work; profile "
                                    "while the model runs",
                                    file, facts.launches)};
  }
  return AnalyzeError{AnalyzeFault::cpu_only,
                      fmt::format("{}: no GPU activity: CPU-only profile, or the profiler ended "
                                  "before the step ({} {}); record with CUDA (or HIP) activities, "
                                  "over a whole step",
                                  file, facts.events, facts.events == 1 ? "event" : "events")};
}

}  // namespace stepscope::analysis
