#pragma once
// The fast way from event to event: from brace to brace to the one that closes the event. Only
// proves that nothing looks odd on the way; what does is left to the strict JsonWalker.

#include <cstddef>
#include <cstdint>

#include "analysis/reading/json/text_blocks.h"

namespace stepscope::analysis {

class EventScan {
 public:
  enum class Outcome : std::uint8_t { more, done, odd };

  // The event's opening brace is at text[at]. `goes_on`: the last event was done, and nothing but
  // blanks and commas stands between its end and this one.
  void begin(std::size_t at, bool goes_on);

  // Goes on in text[0, size); looks only at whole blocks, so `last` (no more text follows) asks for
  // 64 readable blanks behind the text. odd: the strict walk must go over the event.
  Outcome advance(const char* text, std::size_t size, bool last);

  // The text has moved down by this many bytes.
  void shift(std::size_t bytes);

  // After done, places in the text: behind the closing brace; the first object inside of the event
  // (both 0 when there is none).
  std::size_t end() const { return end_; }
  std::size_t inner_begin() const { return inner_begin_; }
  std::size_t inner_end() const { return inner_end_; }
  bool escapes() const { return escapes_; }  // a backslash was seen

 private:
  bool load(const char* text, std::size_t size, bool last);
  bool take_brace(const char* text, std::size_t at);  // false: a brace where JSON has none
  // A backslash in the span's bytes from the event's beginning (or the span's) up to `place`.
  bool backslash_before(std::size_t place) const;

  TextSpan span_;
  std::size_t base_ = 0;   // place of the span in the text
  std::size_t bytes_ = 0;  // of the span
  std::size_t next_ = 0;   // of its braces
  TextState state_;        // behind the span
  std::size_t begin_ = 0;  // of the event, in the span; 0 when it began before it
  std::size_t depth_ = 0;
  std::size_t end_ = 0;
  std::size_t inner_begin_ = 0;
  std::size_t inner_end_ = 0;
  bool escapes_ = false;
};

}  // namespace stepscope::analysis
