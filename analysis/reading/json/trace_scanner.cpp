#include "analysis/reading/json/trace_scanner.h"

#include <algorithm>
#include <cstring>

#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/resync.h"
#include "analysis/reading/json/text_blocks.h"

namespace stepscope::analysis {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kEventsKey = "traceEvents";

}  // namespace

std::span<char> TraceScanner::room(std::size_t bytes) {
  std::size_t kept = keep();
  std::size_t needed = size_ - kept + bytes + kBlockTextBytes;
  if (needed > capacity_) {
    capacity_ = std::max(needed, capacity_ * 2);
    std::unique_ptr<char[]> larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ > kept) std::memcpy(larger.get(), buffer_.get() + kept, size_ - kept);
    buffer_ = std::move(larger);
  } else if (kept > 0) {
    std::memmove(buffer_.get(), buffer_.get() + kept, size_ - kept);
  }
  base_ += kept;
  size_ -= kept;
  pos_ -= kept;
  begin_ -= std::min(begin_, kept);
  scan_.shift(kept);
  return {buffer_.get() + size_, bytes};
}

// What the state still needs, and in front of it what a search for the next event looks back at: so
// the answer does not hang on where blocks end.
std::size_t TraceScanner::keep() const {
  std::size_t kept = pos_;
  if (state_ == State::event || (state_ == State::element && is_object_) ||
      (state_ == State::value && captured_)) {
    kept = begin_;
  }
  return kept - std::min(kept, kResyncContext);
}

void TraceScanner::feed(std::string_view block) {
  if (block.empty()) return;
  std::memcpy(room(block.size()).data(), block.data(), block.size());
  commit(block.size());
}

void TraceScanner::run() {
  while (step()) {
  }
}

void TraceScanner::finish() {
  room(0);
  std::memset(buffer_.get() + size_, ' ', kBlockTextBytes);  // the last 64 bytes may be fewer
  last_ = true;
  run();
  while (state_ == State::event || (state_ == State::element && is_object_)) {
    if (state_ == State::event) {
      // An event without an end may be broken in a way that hid its end: the strict walk tells.
      pos_ = begin_;
      walker_.reset();
      state_ = State::element;
    } else if (find_resync(text(), begin_ + 1, true).kind == ResyncPoint::Kind::event) {
      // Its writer stopped within it, and what another one wrote behind it was taken for its
      // values.
      damage(begin_, "an event that does not end", true);
      pos_ = begin_ + 1;
      state_ = State::resync;
    } else {
      break;  // cut
    }
    run();
  }
}

bool TraceScanner::complete() const {
  if (state_ == State::closed) return true;
  if (state_ == State::elements) return bare_;
  return state_ == State::resync && (was_closed_ || ends_closed(text()));
}

bool TraceScanner::step() {
  switch (state_) {
    case State::start:
      return step_start();
    case State::members:
      return step_members();
    case State::value:
      return step_value();
    case State::elements:
      return step_elements();
    case State::event:
      return step_event();
    case State::element:
      return step_element();
    case State::resync:
      return step_resync();
    case State::lost_top:
      return step_lost_top();
    case State::closed:
      return step_closed();
  }
  return false;
}

bool TraceScanner::skip_blanks(std::size_t& pos, std::size_t end) const {
  while (pos < end && is_json_blank(buffer_[pos])) ++pos;
  return pos < end;
}

void TraceScanner::damage(std::size_t pos, std::string_view reason, bool event_lost) {
  sink_.on_damage(base_ + pos, reason, event_lost);
}

bool TraceScanner::step_start() {
  if (base_ == 0 && pos_ == 0) {
    std::string_view head = text().substr(0, kByteOrderMark.size());
    if (head.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(head) && !last_) {
      return false;
    }
    if (head == kByteOrderMark) pos_ = kByteOrderMark.size();
  }
  if (!skip_blanks(pos_, size_)) return false;
  char c = buffer_[pos_++];
  bare_ = c == '[';
  saw_events_ = bare_;
  state_ = c == '{' ? State::members : bare_ ? State::elements : State::closed;
  tail_reported_ = state_ == State::closed;  // no JSON at all: the caller says so
  return true;
}

// Behind the events there is nothing that counts, but what looks like their end may be a bracket
// too many.
void TraceScanner::lose_top(std::size_t pos, std::string_view reason) {
  damage(pos, reason, false);
  pos_ = pos;
  state_ = saw_events_ ? State::resync : State::lost_top;
  was_closed_ = saw_events_;
}

bool TraceScanner::step_members() {
  while (skip_blanks(pos_, size_) && buffer_[pos_] == ',') ++pos_;
  if (pos_ == size_) return false;
  if (buffer_[pos_] == '}') {
    ++pos_;
    state_ = State::closed;
    return true;
  }
  if (buffer_[pos_] != '"') {
    lose_top(pos_, "a name in quotes was expected");
    return true;
  }
  // A limit counts from the name's first byte, whatever is in memory.
  const std::size_t end = std::min(size_, pos_ + kKeyBytesMax);
  std::size_t quote = pos_ + 1;
  while (quote < end && buffer_[quote] != '"') quote += buffer_[quote] == '\\' ? 2 : 1;
  std::size_t at = quote + 1;
  bool more = quote >= end || !skip_blanks(at, end);
  if (!more && buffer_[at] != ':') {
    lose_top(at, "a colon was expected behind a name");
    return true;
  }
  ++at;
  more = more || !skip_blanks(at, end);
  if (more) {
    if (end == size_) return false;
    lose_top(pos_, "a name that does not end");
    return true;
  }
  key_ = text().substr(pos_ + 1, quote - pos_ - 1);
  if (key_ == kEventsKey && buffer_[at] == '[') {
    pos_ = at + 1;
    saw_events_ = true;
    comma_ = true;
    state_ = State::elements;
    return true;
  }
  captured_ = sink_.wants(key_);
  pos_ = begin_ = at;
  walker_.reset();
  state_ = State::value;
  return true;
}

bool TraceScanner::step_value() {
  switch (walker_.walk(text(), pos_)) {
    case JsonWalker::Outcome::more:
      if (captured_ && pos_ - begin_ > kEventBytesMax) captured_ = false;
      return false;
    case JsonWalker::Outcome::broken:
      lose_top(pos_, walker_.fault().reason);
      return true;
    case JsonWalker::Outcome::done:
      break;
  }
  if (captured_) sink_.on_value(key_, text().substr(begin_, pos_ - begin_));
  state_ = State::members;
  return true;
}

bool TraceScanner::step_elements() {
  while (skip_blanks(pos_, size_) && buffer_[pos_] == ',') {
    comma_ = true;
    ++pos_;
  }
  if (pos_ == size_) return false;
  char c = buffer_[pos_];
  if (c == ']') {
    ++pos_;
    scan_goes_on_ = false;
    state_ = bare_ ? State::closed : State::members;
    return true;
  }
  if (c == '}') {  // one brace too many
    scan_goes_on_ = false;
    damage(pos_++, "a closing brace between events", false);
    return true;
  }
  return begin_element(c);
}

bool TraceScanner::begin_element(char c) {
  constexpr std::string_view kFirst = "{[\"-0123456789tfnNI";
  if (kFirst.find(c) == std::string_view::npos) {
    damage(pos_, "text between events", false);
    scan_goes_on_ = false;
    state_ = State::resync;
    return true;
  }
  if (!comma_) damage(pos_, "no comma between events", false);
  comma_ = false;
  begin_ = pos_;
  is_object_ = c == '{';
  if (is_object_) {
    scan_.begin(pos_, scan_goes_on_);
    state_ = State::event;
  } else {
    scan_goes_on_ = false;
    // Events nest in no list: one that holds objects is a bracket that got in between them.
    walker_.reset(false);
    state_ = State::element;
  }
  return true;
}

// What follows the first byte of an event without an end may be events. Of those that come to no
// end in the same text either, only the first costs a walk over it.
bool TraceScanner::event_too_long() {
  const bool again = base_ + begin_ < given_up_to_;
  if (size_ - begin_ <= (again ? kSecondTryBytesMax : kEventBytesMax)) return false;
  if (again) {
    pos_ = std::max(begin_ + 1, static_cast<std::size_t>(given_up_to_ - base_));
  } else {
    damage(begin_, "an event longer than 16 MiB", true);
    pos_ = begin_ + 1;
    given_up_to_ = base_ + size_;
  }
  scan_goes_on_ = false;
  state_ = State::resync;
  return true;
}

// From an event that is done to the next one, when nothing but blanks and one comma lies between.
bool TraceScanner::next_event_follows(std::size_t pos) {
  bool comma = false;
  while (pos < size_ && (is_json_blank(buffer_[pos]) || (buffer_[pos] == ',' && !comma))) {
    comma = comma || buffer_[pos] == ',';
    ++pos;
  }
  if (!comma || pos == size_ || buffer_[pos] != '{') return false;
  pos_ = begin_ = pos;
  scan_.begin(pos, true);
  return true;
}

bool TraceScanner::step_event() {
  EventScan::Outcome outcome = EventScan::Outcome::done;
  bool taken = true;
  do {
    outcome = scan_.advance(buffer_.get(), size_, last_);
    if (outcome != EventScan::Outcome::done) break;
    const std::size_t inner = scan_.inner_begin();
    taken = sink_.on_event({.text = text().substr(begin_, scan_.end() - begin_),
                            .byte = base_ + begin_,
                            .escapes = scan_.escapes(),
                            .inner = text().substr(inner, scan_.inner_end() - inner)});
  } while (taken && next_event_follows(scan_.end()));
  if (outcome == EventScan::Outcome::more) return event_too_long();
  scan_goes_on_ = outcome == EventScan::Outcome::done && taken;
  if (scan_goes_on_) {
    pos_ = scan_.end();
    state_ = State::elements;
    return true;
  }
  refused_ = !taken;
  pos_ = begin_;
  walker_.reset();
  state_ = State::element;
  return true;
}

bool TraceScanner::step_element() {
  JsonWalker::Outcome outcome = walker_.walk(text(), pos_);
  if (outcome == JsonWalker::Outcome::more) return is_object_ && event_too_long();
  if (outcome == JsonWalker::Outcome::broken) {
    std::size_t fault = is_object_ ? begin_ + walker_.fault().offset : pos_;
    damage(fault, walker_.fault().reason, true);
    // The broken event may have hidden the start of the next one.
    if (is_object_) pos_ = begin_ + 1;
    state_ = State::resync;
    return true;
  }
  if (!is_object_) {
    sink_.on_other_element();
  } else {
    if (walker_.blemish()) {
      damage(begin_ + walker_.blemish()->offset, walker_.blemish()->reason, false);
    }
    const RawEvent event{.text = text().substr(begin_, pos_ - begin_), .byte = base_ + begin_};
    if (refused_ || !sink_.on_event(event)) {
      damage(begin_, "an event that can not be read", true);
    }
  }
  state_ = State::elements;
  return true;
}

bool TraceScanner::step_resync() {
  ResyncPoint point = find_resync(text(), pos_, last_);
  pos_ = point.pos;
  if (point.kind == ResyncPoint::Kind::none) return false;
  was_closed_ = was_closed_ && point.kind != ResyncPoint::Kind::event;
  comma_ = true;
  state_ = State::elements;
  return true;
}

bool TraceScanner::step_lost_top() {
  constexpr std::string_view kQuoted = "\"traceEvents\"";
  std::size_t hit = text().find(kQuoted, pos_);
  if (hit == std::string_view::npos) {
    pos_ = std::max(pos_, size_ - std::min(size_, kQuoted.size()));
    return false;
  }
  const std::size_t end = std::min(size_, hit + kKeyBytesMax);
  std::size_t at = hit + kQuoted.size();
  bool more = !skip_blanks(at, end);
  if (!more && buffer_[at] == ':') {
    ++at;
    more = !skip_blanks(at, end);
  }
  if (more && end == size_) {
    pos_ = hit;
    return false;
  }
  pos_ = hit + 1;
  if (more || buffer_[at] != '[') return true;
  pos_ = at + 1;
  saw_events_ = true;
  comma_ = true;
  state_ = State::elements;
  return true;
}

bool TraceScanner::step_closed() {
  // Padding behind the end (blanks, zero bytes) is nobody's loss.
  while (pos_ < size_ && (is_json_blank(buffer_[pos_]) || buffer_[pos_] == '\0')) ++pos_;
  if (pos_ == size_) return false;
  if (!saw_events_) {  // no JSON at all, or none with events: the caller says so
    if (!tail_reported_) damage(pos_, "text behind the end of the trace", false);
    tail_reported_ = true;
    pos_ = size_;
    return false;
  }
  lose_top(pos_, "text behind the end of the trace");
  return true;
}

}  // namespace stepscope::analysis
