#include "analysis/reading/formats/kineto/event_shapes.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace stepscope::analysis {

namespace {

using Kind = JsonValue::Kind;

// What ends a number or a word, and what may begin one: as JsonCursor sees it.
constexpr auto kScalarEnd = [] {
  std::array<bool, 256> ends{};
  for (char c : {',', '}', ']', ' ', '\n', '\r', '\t'}) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();
constexpr auto kScalarBegin = [] {
  std::array<bool, 256> begins{};
  for (char c : std::string_view("-+0123456789tfnNiI"))
    begins[static_cast<unsigned char>(c)] = true;
  return begins;
}();

// The end of a value that begins at `from`, null when it is not of the kind. The text of an event
// ends with a brace, so every search ends.
const char* string_end(const char* from, const char* end) {
  return static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end - from)));
}

// How many of the first eight bytes are digits or one of - . /
std::size_t leading_digits(const char* from) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, sizeof(bytes));
  // The top bit of a byte says that it is above '9', below '-', or above 0x7F.
  const std::uint64_t others = ((bytes & ~(kOnes * 0x80)) + kOnes * (0x7F - '9')) |
                               (kOnes * (0x80 + '-' - 1) - (bytes & ~(kOnes * 0x80))) | bytes;
  return static_cast<std::size_t>(std::countr_zero(others & kOnes * 0x80)) / 8;
}

const char* scalar_end(const char* from, const char* end) {
  if (!kScalarBegin[static_cast<unsigned char>(*from)]) return nullptr;
  while (end - from >= 8) {
    const std::size_t digits = leading_digits(from);
    from += digits;
    if (digits < 8) break;
  }
  while (!kScalarEnd[static_cast<unsigned char>(*from)]) ++from;
  return from;
}

// A list of numbers; what holds strings, lists or objects is left to the parser.
const char* list_end(const char* from, const char* end) {
  if (*from++ != '[') return nullptr;
  for (; from != end; ++from) {
    if (*from == ']') return from + 1;
    if (*from == '"' || *from == '[' || *from == '{' || *from == '}') return nullptr;
  }
  return nullptr;
}

// memcmp() == 0 without a call: literals are short, and are compared for every event.
inline bool same_bytes(const char* a, const char* b, std::size_t size) {
  const auto word = [](const char* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof(bytes));
    return bytes;
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (size < kWord) {
    for (std::size_t i = 0; i < size; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  for (std::size_t at = 0; at + kWord < size; at += kWord) {
    if (word(a + at) != word(b + at)) return false;
  }
  return word(a + size - kWord) == word(b + size - kWord);
}

}  // namespace

bool EventShapes::fits(const Shape& shape, const RawEvent& event, EventFields& fields) {
  const char* at = event.text.data();
  const char* const end = at + event.text.size();
  const char* literal = shape.literals.data();
  for (const Segment& segment : shape.segments) {
    // At least one byte of a value or of the closing brace follows.
    if (static_cast<std::size_t>(end - at) < segment.literal_bytes ||
        !same_bytes(at, literal, segment.literal_bytes)) {
      return false;
    }
    at += segment.literal_bytes;
    literal += segment.literal_bytes;
    if (segment.kind == Kind::none) return !shape.match.whole || at == end;
    if (at == end) return false;
    const char* value_end = nullptr;
    if (segment.kind == Kind::string) {
      value_end = string_end(at, end);
    } else if (segment.object) {
      if (at == event.inner.data()) value_end = at + event.inner.size();
    } else if (segment.kind == Kind::container) {
      value_end = list_end(at, end);
    } else {
      value_end = scalar_end(at, end);
    }
    if (value_end == nullptr) return false;
    const std::string_view text(at, static_cast<std::size_t>(value_end - at));
    const Kind kind = segment.kind == Kind::scalar && text == "null" ? Kind::null : segment.kind;
    if (segment.slot != kNoSlot) fields.set(segment.slot, {kind, text});
    at = value_end;
  }
  return !shape.match.whole;
}

const EventShapes::Match* EventShapes::match(const RawEvent& event, EventFields& fields) {
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    if (!fits(shapes_[i], event, fields)) {
      fields.clear(false);  // of what fitted up to there
      continue;
    }
    ++shapes_[i].uses;
    if (i > 0 && shapes_[i - 1].uses < shapes_[i].uses) {
      std::swap(shapes_[i - 1], shapes_[i]);
      --i;
    }
    return &shapes_[i].match;
  }
  return nullptr;
}

void EventShapes::learn(std::string_view text, std::span<const EventPiece> pieces, bool whole,
                        std::uint8_t tag) {
  if (pieces.size() > kPiecesMax || ++learned_ > kLearnedMax) return;
  Shape shape;
  shape.match = {tag, whole};
  std::size_t at = 0;  // behind the last value that is no constant
  for (const EventPiece& piece : pieces) {
    if (piece.constant) continue;
    const char* const value = text.data() + piece.begin;
    const bool object = text[piece.begin] == '{';
    if (piece.kind == Kind::container && !object &&
        list_end(value, value + (text.size() - piece.begin)) != value + (piece.end - piece.begin)) {
      return;
    }
    shape.literals += text.substr(at, piece.begin - at);
    shape.segments.push_back({.literal_bytes = static_cast<std::uint32_t>(piece.begin - at),
                              .kind = piece.kind == Kind::null ? Kind::scalar : piece.kind,
                              .slot = piece.slot,
                              .object = object && piece.kind == Kind::container});
    at = piece.end;
  }
  // What closes a whole event, or the constant that a part of one ends with, with its quote.
  const bool constant_end = !pieces.empty() && pieces.back().constant;
  const std::size_t end = whole ? text.size() : constant_end ? pieces.back().end + 1 : at;
  if (end > at) {
    shape.literals += text.substr(at, end - at);
    shape.segments.push_back({.literal_bytes = static_cast<std::uint32_t>(end - at)});
  }
  if (shape.literals.size() > kLiteralBytesMax) return;
  if (shapes_.size() == kShapesMax) shapes_.pop_back();
  shapes_.push_back(std::move(shape));
}

}  // namespace stepscope::analysis
