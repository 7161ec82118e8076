#include "analysis/reading/formats/protobuf_shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stepscope::analysis {

namespace {

enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Of TracePacket.
constexpr std::uint64_t kTimestampField = 8;
constexpr std::uint64_t kSequenceField = 10;
// Of XPlane.
constexpr std::uint64_t kNameField = 2;

constexpr std::size_t kMessagesMax = 64;  // looked at

struct Field {
  std::uint64_t number = 0;
  WireType type = kVarint;
  std::string_view bytes;  // of kBytes; cut where the text is
  bool whole = true;
};

std::optional<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
    if (byte < 0x80) {
      text.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// Nothing at the end, and where no field can stand.
std::optional<Field> take_field(std::string_view& text) {
  const std::optional<std::uint64_t> tag = take_varint(text);
  if (!tag || *tag >> 3U == 0) return std::nullopt;
  Field field{.number = *tag >> 3U, .type = static_cast<WireType>(*tag & 7U)};
  std::uint64_t size = 0;
  switch (field.type) {
    case kVarint:
      return take_varint(text) ? std::optional(field) : std::nullopt;
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kBytes: {
      const std::optional<std::uint64_t> length = take_varint(text);
      if (!length) return std::nullopt;
      size = *length;
      break;
    }
    default:
      return std::nullopt;
  }
  field.whole = size <= text.size();
  field.bytes = text.substr(0, size);
  text.remove_prefix(field.bytes.size());
  return field;
}

// Calls `use(field)` for each field of a message; false when it is none. A message that the text
// cuts off is fine up to there.
template <typename Use>
bool each_field(std::string_view message, bool whole, Use use) {
  while (!message.empty()) {
    const std::optional<Field> field = take_field(message);
    if (!field) return !whole && message.size() < 20;
    if (!field->whole && whole) return false;
    use(*field);
  }
  return true;
}

// The messages of field 1 that the text begins with, and nothing else: `use(field)`. False when
// there is something else.
template <typename Use>
bool each_message(std::string_view head, Use use) {
  for (std::size_t i = 0; i < kMessagesMax && !head.empty(); ++i) {
    const std::optional<Field> field = take_field(head);
    if (!field || field->type != kBytes) return false;
    if (field->number != 1) return i > 0;
    if (!use(*field)) return false;
  }
  return true;
}

bool is_plain_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

bool is_xplane(std::string_view head) {
  std::size_t named = 0;
  const bool shaped = each_message(head, [&](const Field& plane) {
    return each_field(plane.bytes, plane.whole, [&](const Field& field) {
      if (field.number == kNameField && field.type == kBytes && is_plain_text(field.bytes)) ++named;
    });
  });
  return shaped && named > 0;
}

bool is_perfetto(std::string_view head) {
  std::size_t stamped = 0;
  const bool shaped = each_message(head, [&](const Field& packet) {
    return each_field(packet.bytes, packet.whole, [&](const Field& field) {
      if (field.number == kTimestampField && field.type == kVarint) ++stamped;
      if (field.number == kSequenceField && field.type == kVarint) ++stamped;
    });
  });
  return shaped && stamped > 0;
}

}  // namespace stepscope::analysis
