#pragma once
// Writes traces of the size and shape that an LLM server's profile has, in the form of Kineto: many
// Python frames and CPU operators, then runtime calls and kernels with long names. Same arguments,
// same bytes.

#include <cstdint>
#include <functional>
#include <string_view>

namespace stepscope::bench {

enum class Style {
  graph,  // one graph launch a step owns all kernels
  eager,  // one runtime call a kernel, and fewer CPU events
};

struct Generated {
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t device_events = 0;
};

// Hands the text over in pieces; about `megabytes` x 10^6 bytes in whole steps, at least one.
Generated generate_trace(Style style, std::uint64_t megabytes,
                         const std::function<void(std::string_view)>& write);

}  // namespace stepscope::bench
