#pragma once
// The fast way through one event: 64 bytes at a time to the closing brace. Only proves that nothing
// looks odd on the way; what does is left to the strict JsonWalker.

#include <cstddef>
#include <cstdint>

namespace stepscope::analysis {

class EventScan {
 public:
  enum class Outcome : std::uint8_t { more, done, odd };

  // The event's opening brace is at text[at].
  void begin(std::size_t at);

  // Goes on in text[0, size); looks only at whole groups of 64 bytes, so `last` (no more text
  // follows) asks for 64 readable blanks behind the text. odd: begin again with the strict walk.
  Outcome advance(const char* text, std::size_t size, bool last);

  // The text has moved down by this many bytes.
  void shift(std::size_t bytes);

  std::size_t end() const { return end_; }   // behind the closing brace, after done
  bool escapes() const { return escapes_; }  // a backslash was seen; it may lie behind the end

 private:
  bool take_escapes(const char* bytes, std::uint64_t backslash, std::uint64_t& escaped);
  bool take_braces(const char* text, std::uint64_t braces);

  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t depth_ = 0;
  std::uint64_t in_string_ = 0;      // all ones inside of a string
  std::uint64_t closed_string_ = 0;  // 1: the byte before at_ closed a string
  std::uint64_t before_string_ = 1;  // 1: a string may begin at at_
  bool escape_ = false;              // the byte before at_ escapes the one at it
  bool escapes_ = false;
};

}  // namespace stepscope::analysis
