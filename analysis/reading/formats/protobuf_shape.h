#pragma once
// Whether bytes have the shape of a profiler's protobuf, by its wire format: only tags and lengths
// are looked at, so that a guess does not hang on one byte. Pure functions on a file's beginning.

#include <string_view>

namespace stepscope::analysis {

// XSpace of JAX and TensorFlow: planes, each with a name in plain text.
bool is_xplane(std::string_view head);

// Trace of Perfetto: packets, most with a timestamp or the number of a sequence.
bool is_perfetto(std::string_view head);

}  // namespace stepscope::analysis
