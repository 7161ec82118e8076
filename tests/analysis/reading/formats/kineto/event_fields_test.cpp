#include "analysis/reading/formats/kineto/event_fields.h"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

using namespace stepscope::analysis;
using Kind = JsonValue::Kind;

TEST_CASE("a key has its slot where it counts, and only there") {
  std::set<Slot> slots;
  for (std::string_view key : {"ph", "cat", "name", "pid", "tid", "ts", "dur"}) {
    CAPTURE(key);
    CHECK(slot_of_key(key) != kNoSlot);
    slots.insert(slot_of_key(key));
  }
  for (std::string_view key : {"name", "device", "stream", "correlation", "grid", "block",
                               "External id", "Input Dims", "Process Group Ranks"}) {
    CAPTURE(key);
    CHECK(slot_of_argument_key(key) != kNoSlot);
    slots.insert(slot_of_argument_key(key));
  }
  CHECK(slots.size() == 16);  // all different: a name of the event is not one of its arguments
  for (std::string_view key : {"", "id", "bp", "args", "device", "TS"}) {
    CHECK(slot_of_key(key) == kNoSlot);
  }
  for (std::string_view key : {"", "ts", "dur", "queued", "registers per thread"}) {
    CHECK(slot_of_argument_key(key) == kNoSlot);
  }
}

TEST_CASE("an event forgets the one before") {
  EventFields fields;
  fields.clear(true);
  CHECK(fields.escapes());
  CHECK(fields[Field::name].kind == Kind::none);
  fields.set(slot_of(Field::name), {Kind::string, "a"});
  fields.set(slot_of_argument_key("External id"), {Kind::scalar, "7"});
  fields.set(kNoSlot, {Kind::scalar, "8"});
  CHECK(fields[Field::name].text == "a");
  CHECK(fields.arguments().external_id() == 7);
  fields.clear(false);
  CHECK_FALSE(fields.escapes());
  CHECK(fields[Field::name].kind == Kind::none);
  CHECK(fields.arguments().external_id() == 0);
}
