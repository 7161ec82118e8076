#include "analysis/reading/json/text_masks.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

using namespace stepscope::analysis;

namespace {

TextMasks one_by_one(std::string_view text) {
  TextMasks m;
  for (std::size_t i = 0; i < kMaskBytes; ++i) {
    std::uint64_t bit = 1ULL << i;
    char c = text[i];
    auto in = [&](std::string_view set) { return set.find(c) != std::string_view::npos; };
    if (static_cast<unsigned char>(c) >= 0x80) m.high = true;
    if (c == '"') m.quote |= bit;
    if (c == '\\') m.backslash |= bit;
    if (in("{}")) m.brace |= bit;
    if (c < 0x20) m.control |= bit;
    if (c <= 0x20 || in("[{,:")) m.before_string |= bit;
    if (c <= 0x20 || in("]},:")) m.after_string |= bit;
  }
  return m;
}

void check_equal(const TextMasks& a, const TextMasks& b) {
  CHECK(a.high == b.high);
  if (a.high) return;
  CHECK(a.quote == b.quote);
  CHECK(a.backslash == b.backslash);
  CHECK(a.brace == b.brace);
  CHECK(a.control == b.control);
  CHECK(a.before_string == b.before_string);
  CHECK(a.after_string == b.after_string);
}

}  // namespace

TEST_CASE("both ways to make the masks see what a loop over the bytes sees") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(kMaskBytes, ' ');
    int highest = round % 4 == 0 ? 255 : 127;
    for (char& c : text) c = static_cast<char>(random() % static_cast<unsigned>(highest + 1));
    for (std::size_t i = 0; i < 16; ++i) {
      text[random() % text.size()] = "\"\\{}[],: \n"[random() % 10];
    }
    TextMasks expected = one_by_one(text);
    check_equal(text_masks(text.data()), expected);
    check_equal(portable_text_masks(text.data()), expected);
  }
}

TEST_CASE("prefix_xor marks the text from an opening quote up to its closing one") {
  CHECK(prefix_xor(0) == 0);
  CHECK(prefix_xor(0b100100) == 0b011100);
  CHECK(prefix_xor(1) == ~0ULL);
  CHECK(prefix_xor(1ULL << 63) == 1ULL << 63);
}

TEST_CASE("a backslash escapes the byte behind it, unless it is escaped itself") {
  bool carry = false;
  CHECK(escaped_bytes(0b1, carry) == 0b10);
  CHECK(escaped_bytes(0b11, carry) == 0b10);
  CHECK(escaped_bytes(0b111, carry) == 0b1010);
  CHECK_FALSE(carry);
  CHECK(escaped_bytes(1ULL << 63, carry) == 0);
  CHECK(carry);
  CHECK(escaped_bytes(0, carry) == 1);
  CHECK_FALSE(carry);
  carry = true;  // the first byte is escaped, so its backslash escapes nothing
  CHECK(escaped_bytes(0b1, carry) == 0b1);
}
