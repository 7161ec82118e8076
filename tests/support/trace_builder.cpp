#include "tests/support/trace_builder.h"

#include <fmt/format.h>

namespace stepscope::tests {
namespace {

using analysis::Ns;

// Microseconds with three decimals.
std::string micros(Ns ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

}  // namespace

TraceBuilder::TraceBuilder(std::optional<int> rank, int world_size) : device_(rank.value_or(0)) {
  text_.member("schemaVersion", "1").member("baseTimeNanoseconds", "1700000000000000000");
  if (rank) {
    text_.member(
        "distributedInfo",
        fmt::format(R"({{"backend": "nccl", "rank": {}, "world_size": {}}})", *rank, world_size));
  }
}

int TraceBuilder::launch(const std::string& name, Ns start_ns, Ns dur_ns) {
  const int correlation = next_correlation_++;
  text_.launch(name, micros(start_ns), micros(dur_ns), correlation);
  return correlation;
}

TraceBuilder& TraceBuilder::kernel(const std::string& name, int stream, Ns start_ns, Ns dur_ns,
                                   int correlation, const std::string& more_args) {
  device_event("kernel", name, stream, start_ns, dur_ns, correlation, more_args);
  return *this;
}

TraceBuilder& TraceBuilder::copy(const std::string& name, int stream, Ns start_ns, Ns dur_ns,
                                 int correlation) {
  device_event("gpu_memcpy", name, stream, start_ns, dur_ns, correlation, "");
  return *this;
}

TraceBuilder& TraceBuilder::annotation(const std::string& name, Ns start_ns, Ns dur_ns) {
  text_.annotation(name, micros(start_ns), micros(dur_ns));
  return *this;
}

std::string TraceBuilder::json() const { return text_.object(); }

void TraceBuilder::device_event(const std::string& cat, const std::string& name, int stream,
                                Ns start_ns, Ns dur_ns, int correlation,
                                const std::string& more_args) {
  text_.add({.cat = cat,
             .name = name,
             .ts = micros(start_ns),
             .dur = micros(dur_ns),
             .pid = std::to_string(device_),
             .tid = std::to_string(stream),
             .args = fmt::format(
                 R"("device": {}, "context": 1, "stream": {}, "correlation": {}{}{})", device_,
                 stream, correlation, more_args.empty() ? "" : ", ", more_args)});
}

}  // namespace stepscope::tests
