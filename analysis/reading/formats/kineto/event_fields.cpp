#include "analysis/reading/formats/kineto/event_fields.h"

namespace stepscope::analysis {

Slot slot_of_key(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ts") return slot_of(Field::ts);
      return key == "ph" ? slot_of(Field::ph) : kNoSlot;
    case 3:
      if (key == "cat") return slot_of(Field::cat);
      if (key == "dur") return slot_of(Field::dur);
      if (key == "pid") return slot_of(Field::pid);
      return key == "tid" ? slot_of(Field::tid) : kNoSlot;
    case 4:
      return key == "name" ? slot_of(Field::name) : kNoSlot;
    default:
      return kNoSlot;
  }
}

Slot slot_of_argument_key(std::string_view key) {
  switch (key.size()) {
    case 4:
      if (key == "name") return slot_of(Field::arg_name);
      break;
    case 6:
      if (key == "device") return slot_of(Field::device);
      if (key == "stream") return slot_of(Field::stream);
      break;
    case 11:
      if (key == "correlation") return slot_of(Field::correlation);
      break;
    default:
      break;
  }
  const std::optional<Argument> argument = argument_of_key(key);
  if (!argument) return kNoSlot;
  return static_cast<Slot>(slot_of(Field::count) + static_cast<Slot>(*argument));
}

}  // namespace stepscope::analysis
