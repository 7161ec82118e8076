#pragma once
// Events that are legal and rare: escapes, braces in strings, numbers as strings, exponents, keys
// in another order. They come with what a reader must make of them.

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::bench {

struct OddEvents {
  std::vector<std::string> events;  // JSON, one event each
  std::uint64_t device_events = 0;  // of these, without the dropped ones
  std::uint64_t no_dur = 0;         // device events that must be dropped for want of a duration
  std::int64_t device_sum_ns = 0;   // of the durations, rounded half to even
};

// With these process ids (JSON). Their times lie within 100 us behind `start_us`, a whole number.
OddEvents odd_events(const std::string& device_pid, const std::string& cpu_pid,
                     std::int64_t start_us);

}  // namespace stepscope::bench
