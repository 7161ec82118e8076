#include "webhooks/unicode.h"

#include <doctest/doctest.h>

using namespace stepscope::webhooks;

TEST_CASE("code points forwards and backwards") {
  const std::string_view text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82";  // a, e acute, euro, smile
  CHECK(code_point_at(text, 0).value == 'a');
  CHECK(code_point_at(text, 1).value == 0xE9);
  CHECK(code_point_at(text, 1).bytes == 2);
  CHECK(code_point_at(text, 3).value == 0x20AC);
  CHECK(code_point_at(text, 6).value == 0x1F642);
  CHECK(code_point_before(text, 10).value == 0x1F642);
  CHECK(code_point_before(text, 6).value == 0x20AC);
  CHECK(code_point_before(text, 1).value == 'a');
}

TEST_CASE("bytes that are no UTF-8 are one replacement each") {
  for (const std::string_view text :
       {"\x80", "\xC0\x80", "\xE2\x82", "\xF5\x80\x80\x80", "\xC3("}) {
    CHECK(code_point_at(text, 0).value == 0xFFFD);
    CHECK(code_point_at(text, 0).bytes == 1);
  }
  CHECK(code_point_before("\x80\x80\x80\x80\x80", 5).value == 0xFFFD);
}

TEST_CASE("letters, look-alikes and invisible characters are part of words; marks are not") {
  CHECK(is_word_like('a'));
  CHECK(is_word_like('_'));
  CHECK(is_word_like(0x435));    // Cyrillic
  CHECK(is_word_like(0x200B));   // zero width
  CHECK(is_word_like(0xFF41));   // full width
  CHECK(is_word_like(0x1D41A));  // mathematical bold
  CHECK_FALSE(is_word_like('-'));
  CHECK_FALSE(is_word_like(0x2014));
  CHECK_FALSE(is_word_like(0x1F642));
  CHECK_FALSE(is_word_like(0x8BF7));  // CJK
  CHECK(is_blank(0xA0));
  CHECK(is_mark(0x2014));
  CHECK_FALSE(is_mark('-'));
}

TEST_CASE("clipping keeps whole characters") {
  CHECK(clipped("abc", 3) == "abc");
  CHECK(clipped("abcd", 3) == "abc");
  CHECK(clipped("ab\xE2\x82\xAC", 4) == "ab");
  CHECK(clipped("\xE2\x82\xAC", 0).empty());
}
