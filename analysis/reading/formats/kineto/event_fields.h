#pragma once
// The values of one event of the Chrome trace form, where they lie in its text. Nothing is decoded
// or judged here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/reading/json/json_text.h"
#include "analysis/reading/tables/event_arguments.h"

namespace stepscope::analysis {

enum class Field : std::uint8_t {
  ph,
  cat,
  name,
  pid,
  tid,
  ts,
  dur,
  device,
  stream,
  correlation,
  arg_name,
  count
};

// Which value of an event: a Field, or an Argument behind those, or of no use to us.
using Slot = std::uint8_t;
inline constexpr Slot kNoSlot = 0xFF;

Slot slot_of_key(std::string_view key);           // of the event itself
Slot slot_of_argument_key(std::string_view key);  // of "args"
constexpr Slot slot_of(Field field) { return static_cast<Slot>(field); }

// Valid as long as the text of the event.
class EventFields {
 public:
  // Forgets the values of the last event. `escapes`: a string may hold a backslash.
  void clear(bool escapes) {
    seen_ = 0;
    arguments_.clear();
    escapes_ = escapes;
  }
  void set(Slot slot, const JsonValue& value) {
    if (slot < values_.size()) {
      values_[slot] = value;
      seen_ |= 1U << slot;
    } else if (slot != kNoSlot) {
      arguments_.set(static_cast<Argument>(slot - values_.size()), value);
    }
  }
  JsonValue operator[](Field field) const {  // kind none: the event has none
    const auto at = static_cast<std::size_t>(field);
    return (seen_ >> at & 1U) != 0 ? values_[at] : JsonValue{};
  }
  const ArgumentValues& arguments() const { return arguments_; }
  bool escapes() const { return escapes_; }

 private:
  std::array<JsonValue, static_cast<std::size_t>(Field::count)> values_;
  std::uint32_t seen_ = 0;  // bit by Field
  bool escapes_ = true;
  ArgumentValues arguments_;
};

}  // namespace stepscope::analysis
