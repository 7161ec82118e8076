#pragma once
// Writes traces of the size and shape that an LLM server's profile has: many Python frames and CPU
// operators, then runtime calls and kernels with long names. Same arguments, same bytes, on every
// machine. The names and the plan of a step are in kernel_texts.h, the JSON in event_writer.h.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/event_writer.h"

namespace stepscope::bench {

enum class Style {
  graph,   // Kineto; one graph launch a step owns all kernels of the layers
  eager,   // Kineto; one runtime call a kernel, and fewer CPU events
  sorted,  // graph, rewritten by Python with sorted keys and without blanks
  merged,  // graph, all ranks in one file, as SGLang's merger writes it
};

struct TraceShape {
  Style style = Style::graph;
  std::uint64_t megabytes = 50;  // about this much text, in whole steps, at least one
  std::uint64_t seed = 1;
  int rank = 0;        // of a file that is not merged
  int world_size = 4;  // ranks of the run, and of a merged file
  bool odd = false;    // with the events of odd_events.h
};

// What a reader must find.
struct Truth {
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;         // all elements of the array
  std::uint64_t device_events = 0;  // without the dropped ones
  std::uint64_t no_dur = 0;         // dropped
  std::int64_t device_sum_ns = 0;   // of their durations
};

struct Generated {
  Truth truth;
  std::map<std::string, CategoryShare, std::less<>> shares;
};

Generated generate_trace(const TraceShape& shape, const Sink& sink);

const std::vector<std::pair<std::string, Style>>& styles();
std::string name_of(Style style);

}  // namespace stepscope::bench
