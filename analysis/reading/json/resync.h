#pragma once
// Where reading can go on behind broken text: the next place that looks like the start of an event,
// or like the end of the event array. Pure functions on text in memory; a guess by design.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope::analysis {

// The text that must lie in front of and behind a place before it can be judged.
inline constexpr std::size_t kResyncContext = 256;

struct ResyncPoint {
  enum class Kind : std::uint8_t { none, event, array_end };
  Kind kind = Kind::none;
  std::size_t pos = 0;  // of the brace or bracket; none: where to search again with more text
};

// Searches text[from...]. `last`: no more text follows.
ResyncPoint find_resync(std::string_view text, std::size_t from, bool last);

// The text ends like a file that was closed: with "}" or "]".
bool ends_closed(std::string_view text);

}  // namespace stepscope::analysis
