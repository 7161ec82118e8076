#pragma once
// The formats that people hand in and that are no trace which can be read: how each is recognised,
// what it is called, and what to give instead. A table; the words around it are in format_guess.

#include <string>
#include <string_view>

namespace stepscope::analysis {

struct OtherFormat {
  std::string_view what;    // "an Nsight Systems report"
  std::string_view advice;  // what to do
  bool profile = false;     // of some profiler, so that reading it would make sense
  bool holds_files = false;
};

// By content, then by the name for what is binary and unknown. Null: nothing of these.
const OtherFormat* other_format(std::string_view head, const std::string& file);

// Control characters that text does not have.
bool is_binary(std::string_view head);

}  // namespace stepscope::analysis
