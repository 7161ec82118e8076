#pragma once
// Writes the trace of one rank as Kineto does, from events with integer times. Owns the text; the
// models built with it are in model_traces.h.

#include <optional>
#include <string>

#include "analysis/step_breakdown.h"
#include "tests/support/trace_text.h"

namespace stepscope::tests {

// Shares a total out to a number of events, to the nanosecond: the first get one more.
class EvenShares {
 public:
  EvenShares(analysis::Ns total_ns, int count) : left_ns_(total_ns), count_(count) {}
  analysis::Ns next() {
    const analysis::Ns share_ns = (left_ns_ + count_ - 1) / count_;
    left_ns_ -= share_ns;
    --count_;
    return share_ns;
  }

 private:
  analysis::Ns left_ns_;
  int count_;
};

class TraceBuilder {
 public:
  explicit TraceBuilder(std::optional<int> rank = {}, int world_size = 1);

  // A call on the host; returns the correlation that its device events carry.
  int launch(const std::string& name, analysis::Ns start_ns, analysis::Ns dur_ns = 4000);
  TraceBuilder& kernel(const std::string& name, int stream, analysis::Ns start_ns,
                       analysis::Ns dur_ns, int correlation, const std::string& more_args = "");
  TraceBuilder& copy(const std::string& name, int stream, analysis::Ns start_ns,
                     analysis::Ns dur_ns, int correlation);
  TraceBuilder& annotation(const std::string& name, analysis::Ns start_ns, analysis::Ns dur_ns);

  std::string json() const;

 private:
  void device_event(const std::string& cat, const std::string& name, int stream,
                    analysis::Ns start_ns, analysis::Ns dur_ns, int correlation,
                    const std::string& more_args);

  TraceText text_;
  int next_correlation_ = 1;
  int device_ = 0;
};

}  // namespace stepscope::tests
