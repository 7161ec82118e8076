#pragma once
// Blocks of trace text in, one raw event at a time out, with its byte offset in the text. Knows the
// outer form of a trace (object with "traceEvents" or a bare array) and where events begin and end,
// not what they mean. Holds one event at a time; blocks may be of any size.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "analysis/reading/json/event_scan.h"
#include "analysis/reading/json/json_walker.h"

namespace stepscope::analysis {

// An object of an event array; its texts are valid for the length of the call.
struct RawEvent {
  std::string_view text;
  std::uint64_t byte = 0;  // its place in the text of the trace
  bool escapes = true;     // false: no backslash in it
  std::string_view inner;  // the first object inside of it, as a rule its arguments; empty: unknown
};

// Texts that are handed on are valid for the length of the call.
class RawEventSink {
 public:
  virtual ~RawEventSink() = default;
  // The answer false says that a strict reading failed; the scanner then finds the fault and
  // reports it.
  virtual bool on_event(const RawEvent& event) = 0;
  virtual void on_other_element() = 0;           // something in an event array that is no object
  virtual bool wants(std::string_view key) = 0;  // of a top-level value other than the events
  virtual void on_value(std::string_view key, std::string_view text) = 0;
  // `event_lost`: an element of the array could not be handed on.
  virtual void on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) = 0;
};

class TraceScanner {
 public:
  static constexpr std::size_t kEventBytesMax = 16U << 20;      // longer ones are damage
  static constexpr std::size_t kSecondTryBytesMax = 64U << 10;  // of events found inside of these
  static constexpr std::size_t kKeyBytesMax = 4096;             // of a top-level name

  explicit TraceScanner(RawEventSink& sink) : sink_(sink) {}

  // Where the next block goes; commit() says how much of it was filled, and scans it.
  std::span<char> room(std::size_t bytes);
  void commit(std::size_t bytes) {
    size_ += bytes;
    run();
  }
  void feed(std::string_view block);  // room and commit in one
  void finish();                      // no more text follows

  bool saw_events() const { return saw_events_; }  // an event array began
  bool bare_array() const { return bare_; }
  // After finish(): complete, but a bare array without its bracket.
  bool left_open() const { return bare_ && state_ == State::elements; }
  // After finish(): the text ended where its form allows it. A bare array may stay open.
  bool complete() const;
  std::uint64_t text_bytes() const { return base_ + size_; }

 private:
  enum class State : std::uint8_t {
    start,     // nothing but blanks so far
    members,   // among the top-level members of an object
    value,     // in the value of one
    elements,  // between the elements of an event array
    event,     // in an event, the fast way
    element,   // in an element, strictly
    resync,    // behind damage, looking for the next event
    lost_top,  // behind damage outside of the events, looking for "traceEvents"
    closed,
  };
  // Each goes as far as the text allows; false: more text is needed.
  bool step();
  bool step_start();
  bool step_members();
  bool step_value();
  bool step_elements();
  bool step_event();
  bool step_element();
  bool step_resync();
  bool step_lost_top();
  bool step_closed();

  void run();
  bool begin_element(char c);
  bool next_event_follows(std::size_t pos);
  bool event_too_long();
  void damage(std::size_t pos, std::string_view reason, bool event_lost);
  void lose_top(std::size_t pos, std::string_view reason);
  bool skip_blanks(std::size_t& pos, std::size_t end) const;  // false: nothing else before `end`
  std::size_t keep() const;                                   // first byte that must stay in memory
  std::string_view text() const { return {buffer_.get(), size_}; }

  RawEventSink& sink_;
  State state_ = State::start;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::uint64_t base_ = 0;  // offset of buffer_[0] in the text
  std::size_t pos_ = 0;     // how far the state has come
  std::size_t begin_ = 0;   // of the event, element or value at hand
  EventScan scan_;
  JsonWalker walker_;
  std::string key_;
  bool captured_ = false;      // the value at hand is kept for the sink
  bool is_object_ = false;     // the element at hand
  bool refused_ = false;       // the sink could not read it
  bool comma_ = true;          // the next element is separated from the one before
  bool scan_goes_on_ = false;  // the last element was an event, gone over the fast way
  bool bare_ = false;
  bool saw_events_ = false;
  bool last_ = false;
  bool tail_reported_ = false;
  bool was_closed_ = false;        // the text had ended before the search for more events
  std::uint64_t given_up_to_ = 0;  // events before this place of the trace have no end
};

}  // namespace stepscope::analysis
