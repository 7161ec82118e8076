#include "analysis/reading/json/event_scan.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/json_walker.h"
#include "analysis/reading/json/text_masks.h"

namespace stepscope::analysis {

void EventScan::begin(std::size_t at) {
  *this = EventScan();
  at_ = at;
}

void EventScan::shift(std::size_t bytes) { at_ -= std::min(at_, bytes); }

bool EventScan::take_escapes(const char* bytes, std::uint64_t backslash, std::uint64_t& escaped) {
  constexpr std::string_view kSimple = "\"\\/bfnrt";
  escapes_ = true;
  escaped = escaped_bytes(backslash, escape_);
  for (std::uint64_t bits = escaped; bits != 0; bits &= bits - 1) {
    if (kSimple.find(bytes[std::countr_zero(bits)]) == std::string_view::npos) return false;
  }
  return true;
}

// False: a brace where JSON has none. An object inside of an event is a value, so a colon comes
// before it; what else may be legal (objects in a list) is left to the strict walk.
bool EventScan::take_braces(const char* text, std::uint64_t braces) {
  for (; braces != 0; braces &= braces - 1) {
    std::size_t at = at_ + static_cast<std::size_t>(std::countr_zero(braces));
    if (text[at] == '{') {
      if (++depth_ == 1) continue;
      std::size_t before = at - 1;
      while (is_json_blank(text[before])) --before;
      if (text[before] != ':' || depth_ > JsonWalker::kDepthMax) return false;
    } else if (--depth_ == 0) {
      end_ = at + 1;
      return true;
    }
  }
  return true;
}

EventScan::Outcome EventScan::advance(const char* text, std::size_t size, bool last) {
  while (at_ + kMaskBytes <= size || (last && at_ < size)) {
    const char* bytes = text + at_;
    TextMasks m = text_masks(bytes);
    if (m.high) return Outcome::odd;
    std::uint64_t escaped = 0;
    if (m.backslash != 0 || escape_) {
      if (!take_escapes(bytes, m.backslash, escaped)) return Outcome::odd;
    }
    std::uint64_t quote = m.quote & ~escaped;
    std::uint64_t inside = prefix_xor(quote) ^ in_string_;
    std::uint64_t closing = quote & ~inside;
    std::uint64_t opening = quote & inside;
    std::uint64_t odd = (m.control & inside) | (m.backslash & ~inside);
    odd |= (closing << 1 | closed_string_) & ~m.after_string;
    odd |= opening & ~(m.before_string << 1 | before_string_);
    if (odd != 0) return Outcome::odd;
    if (!take_braces(text, m.brace & ~inside)) return Outcome::odd;
    if (end_ != 0) return Outcome::done;
    in_string_ = 0 - (inside >> 63);
    closed_string_ = closing >> 63;
    before_string_ = m.before_string >> 63;
    at_ += kMaskBytes;
  }
  return Outcome::more;
}

}  // namespace stepscope::analysis
