#pragma once
// Shapes of events that came before: writers repeat the same keys in the same order with the same
// blanks, so an event is mostly compared, not parsed. A shape fits an event only when every byte
// between its values is the same, so what is taken from it is what a parse would have found.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/formats/kineto/event_fields.h"
#include "analysis/reading/json/trace_scanner.h"

namespace stepscope::analysis {

// A value of a parsed event and where it lies in the event's text (of a string: without quotes).
struct EventPiece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  JsonValue::Kind kind = JsonValue::Kind::none;
  Slot slot = kNoSlot;
  bool constant = false;  // a string that is part of the shape: the phase and the category
};

class EventShapes {
 public:
  static constexpr std::size_t kShapesMax = 24;
  static constexpr std::size_t kPiecesMax = 64;  // of one event
  static constexpr std::size_t kLiteralBytesMax = 4096;
  static constexpr std::size_t kLearnedMax = 2000;  // a file without repetition stops being learnt

  struct Match {
    std::uint8_t tag = 0;  // as given to learn()
    bool whole = false;    // all values were set; else those up to where learn() was told to stop
  };
  // The first shape that fits the event, with its values in `fields`; null when none does. Only for
  // events without escapes.
  const Match* match(const RawEvent& event, EventFields& fields);

  // Remembers a parsed event without escapes. `pieces` are all its values in the order of the text,
  // or with `whole` false the first of them; then nothing behind the last one is looked at.
  void learn(std::string_view text, std::span<const EventPiece> pieces, bool whole,
             std::uint8_t tag);

 private:
  struct Segment {
    std::uint32_t literal_bytes = 0;               // that must stand before the value
    JsonValue::Kind kind = JsonValue::Kind::none;  // none: no value, the end of a whole event
    Slot slot = kNoSlot;
    bool object = false;  // the event's inner object, taken as one value
  };
  struct Shape {
    Match match;
    std::string literals;
    std::vector<Segment> segments;
    std::uint64_t uses = 0;
  };

  static bool fits(const Shape& shape, const RawEvent& event, EventFields& fields);

  std::vector<Shape> shapes_;  // the most used come first
  std::size_t learned_ = 0;
};

}  // namespace stepscope::analysis
