#pragma once
// A kilobyte of JSON text at a time: where braces outside of strings stand, and the first place
// that no valid event holds. With the widest vectors that the machine has (Highway chooses at run
// time); the result is the same with all of them. Knows nothing of events.

#include <array>
#include <cstddef>
#include <cstdint>

namespace stepscope::analysis {

inline constexpr std::size_t kBlockTextBytes = 64;  // the text is looked at in blocks of this size
inline constexpr std::size_t kSpanBlocks = 16;
inline constexpr std::size_t kSpanTextBytes = kSpanBlocks * kBlockTextBytes;

// Places are counted from the first byte of the span.
struct TextSpan {
  // Of { and } outside of strings, rising; behind the last one stand places of no meaning.
  std::array<std::uint16_t, kSpanTextBytes + 8> braces;
  std::uint32_t brace_count = 0;
  // Of the first of: a control character or a byte above 0x7F in a string, a backslash outside of
  // strings, an escape other than the simple ones, a quote that has no business where it stands.
  // kSpanTextBytes when there is none.
  std::uint32_t odd = 0;
  std::array<std::uint64_t, kSpanBlocks> backslashes;  // bit i of a block is its byte i
  bool any_backslash = false;
};

// What one span says to the next.
struct TextState {
  std::uint64_t in_string = 0;      // all ones: the next byte is inside of a string
  std::uint64_t closed_string = 0;  // 1: the last byte closed a string
  std::uint64_t before_string = 1;  // 1: a string may begin at the next byte
  bool escape = false;              // the last byte escapes the next one
};

// Looks at text[0, blocks * kBlockTextBytes), at most a span, and moves `state` on.
void scan_text_span(const char* text, std::size_t blocks, TextState& state, TextSpan& out);

}  // namespace stepscope::analysis
