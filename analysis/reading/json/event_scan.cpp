#include "analysis/reading/json/event_scan.h"

#include <algorithm>
#include <cstdint>

#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/json_walker.h"

namespace stepscope::analysis {

// Places are counted modulo 2^64: a span may begin before the text that is left in memory.
void EventScan::begin(std::size_t at, bool goes_on) {
  depth_ = 0;
  end_ = inner_begin_ = inner_end_ = 0;
  escapes_ = false;
  begin_ = at - base_;
  if (goes_on && begin_ < bytes_) return;
  base_ = at;
  begin_ = bytes_ = next_ = 0;
  span_.brace_count = 0;
  span_.odd = kSpanTextBytes;
  state_ = {};
}

void EventScan::shift(std::size_t bytes) {
  base_ -= bytes;
  if (inner_begin_ != 0) inner_begin_ -= bytes;
  if (inner_end_ != 0) inner_end_ -= bytes;
}

bool EventScan::load(const char* text, std::size_t size, bool last) {
  const std::size_t at = base_ + bytes_;
  if (at >= size) return false;
  const std::size_t left = size - at + (last ? kBlockTextBytes - 1 : 0);
  const std::size_t blocks = std::min(left / kBlockTextBytes, kSpanBlocks);
  if (blocks == 0) return false;
  base_ = at;
  bytes_ = blocks * kBlockTextBytes;
  begin_ = next_ = 0;
  scan_text_span(text + at, blocks, state_, span_);
  return true;
}

bool EventScan::backslash_before(std::size_t place) const {
  if (!span_.any_backslash) return false;
  for (std::size_t block = begin_ / kBlockTextBytes; block * kBlockTextBytes < place; ++block) {
    std::uint64_t bits = span_.backslashes[block];
    const std::size_t first = block * kBlockTextBytes;
    if (first < begin_) bits &= ~std::uint64_t{0} << (begin_ - first);
    if (place - first < kBlockTextBytes) bits &= (std::uint64_t{1} << (place - first)) - 1;
    if (bits != 0) return true;
  }
  return false;
}

// An object inside of an event is a value, so a colon comes before it; what else may be legal
// (objects in a list) is left to the strict walk.
bool EventScan::take_brace(const char* text, std::size_t at) {
  if (text[at] == '{') {
    if (++depth_ == 1) return true;
    std::size_t before = at - 1;
    while (is_json_blank(text[before])) --before;
    if (text[before] != ':' || depth_ > JsonWalker::kDepthMax) return false;
    if (depth_ == 2 && inner_begin_ == 0) inner_begin_ = at;
    return true;
  }
  --depth_;
  if (depth_ == 1 && inner_end_ == 0) inner_end_ = at + 1;
  if (depth_ == 0) end_ = at + 1;
  return true;
}

EventScan::Outcome EventScan::advance(const char* text, std::size_t size, bool last) {
  do {
    while (next_ < span_.brace_count) {
      const std::size_t place = span_.braces[next_++];
      if (span_.odd < place || !take_brace(text, base_ + place)) return Outcome::odd;
      if (depth_ > 0) continue;
      escapes_ = escapes_ || backslash_before(place);
      return Outcome::done;
    }
    if (span_.odd < kSpanTextBytes) return Outcome::odd;
    escapes_ = escapes_ || backslash_before(bytes_);
    begin_ = bytes_;  // of what was not looked at for backslashes yet
  } while (load(text, size, last));
  return Outcome::more;
}

}  // namespace stepscope::analysis
