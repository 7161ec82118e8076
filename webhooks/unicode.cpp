#include "webhooks/unicode.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope::webhooks {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return {first, 1};
  std::size_t bytes = 0;
  if (first >= 0xC2 && first < 0xE0) bytes = 2;
  if (first >= 0xE0 && first < 0xF0) bytes = 3;
  if (first >= 0xF0 && first < 0xF5) bytes = 4;
  if (bytes == 0 || at + bytes > text.size()) return {kReplacement, 1};
  char32_t value = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0U) != 0x80U) return {kReplacement, 1};
    value = (value << 6U) | (next & 0x3FU);
  }
  return {value, bytes};
}

CodePoint code_point_before(std::string_view text, std::size_t at) {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(4, at); ++bytes) {
    if ((byte_at(text, at - bytes) & 0xC0U) == 0x80U) continue;
    const CodePoint found = code_point_at(text, at - bytes);
    if (found.bytes == bytes) return found;
    break;
  }
  return {kReplacement, 1};
}

std::string_view clipped(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (byte_at(text, bytes_max) & 0xC0U) == 0x80U) --bytes_max;
  return text.substr(0, bytes_max);
}

bool is_blank(char32_t value) {
  return value == ' ' || value == '\t' || value == 0xA0 || (value >= 0x2000 && value <= 0x200A) ||
         value == 0x202F || value == 0x205F || value == 0x3000;
}

bool is_mark(char32_t value) {
  return (value >= 0x2010 && value <= 0x2026) || value == 0xAB || value == 0xBB ||
         (value >= 0x3001 && value <= 0x3011) || (value >= 0xFF01 && value <= 0xFF0F) ||
         value == 0xFF1A || value == 0xFF1B || value == 0xFF1F;
}

bool is_word_like(char32_t value) {
  if (value < 0x80) {
    const char c = static_cast<char>(value);
    return is_letter(c) || is_digit(c) || c == '_';
  }
  using Range = std::pair<char32_t, char32_t>;
  static constexpr std::array<Range, 10> kRanges = {{
      {0xB5, 0xBA},      // micro sign to ordinal indicator, without quotation marks
      {0xC0, 0x1FFF},    // alphabets from Latin to Greek extended
      {0x200B, 0x200F},  // invisible joiners and direction marks
      {0x202A, 0x202E},
      {0x2060, 0x206F},
      {0x2C00, 0x2DFF},
      {0xA640, 0xABFF},
      {0xFEFF, 0xFEFF},
      {0xFF10, 0xFF19},  // full-width digits; the letters follow
      {0xFF21, 0xFF5A},
  }};
  if (value >= 0x1D400 && value <= 0x1D7FF) return true;  // mathematical letters
  return std::ranges::any_of(kRanges, [value](const Range& range) {
    return value >= range.first && value <= range.second;
  });
}

}  // namespace stepscope::webhooks
