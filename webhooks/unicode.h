#pragma once
// The little that reading a request needs to know of Unicode: code points, blanks, dashes, and what
// could be taken for a letter. Matching itself is on ASCII bytes only, so look-alikes never match.

#include <cstddef>
#include <string_view>

namespace stepscope::webhooks {

struct CodePoint {
  char32_t value = 0;  // U+FFFD for bytes that are no UTF-8
  std::size_t bytes = 1;
};

// The code point that begins at `at`, which is inside `text`.
CodePoint code_point_at(std::string_view text, std::size_t at);
// The one that ends before `at`, which is above 0.
CodePoint code_point_before(std::string_view text, std::size_t at);

bool is_blank(char32_t value);  // white space of any width
bool is_mark(char32_t value);   // dashes and quotation marks beyond ASCII
// Letters and digits of alphabetic scripts, their look-alikes, and invisible joiners.
bool is_word_like(char32_t value);

// The first whole characters of `text`, at most `bytes_max` bytes.
std::string_view clipped(std::string_view text, std::size_t bytes_max);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace stepscope::webhooks
