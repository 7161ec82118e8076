#include "webhooks/value.h"

#include <algorithm>
#include <array>

#include "webhooks/fields.h"
#include "webhooks/unicode.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

bool is_separator(const Token& token) { return token.is_mark("=") || token.is_mark(":"); }

bool ends_value(const Token& token) {
  constexpr std::array kMarks = {","sv, ";"sv, "&"sv,  "|"sv,           ")"sv, "]"sv,
                                 "}"sv, "*"sv, "\""sv, "."sv,           "!"sv, "?"sv,
                                 "<"sv, ">"sv, "`"sv,  "\xEF\xBC\x8C"sv};
  return token.kind == Token::Kind::mark && (one_of(token.text, kMarks) || token.is("-"));
}

// Behind tokens[last - 1] nothing more belongs to a number: "conc 4", "conc 4,", "conc 4: idle".
bool ends_number(std::span<const Token> tokens, std::size_t last, std::size_t end) {
  if (last >= end || !tokens[last].glued || ends_value(tokens[last])) return true;
  return tokens[last].is_mark(":") && (last + 1 >= end || !tokens[last + 1].glued);
}

// Everything up to the next blank or comma, without closing marks that it did not open.
std::size_t written_end(std::span<const Token> tokens, std::size_t at, std::size_t end) {
  std::size_t last = at + 1;
  bool opened = tokens[at].is_mark("(");
  while (last < end && tokens[last].glued) {
    const Token& token = tokens[last];
    if (token.is_mark(",") || token.is_mark(";") || token.kind == Token::Kind::code) break;
    if (token.is_mark(".") || (token.is_mark(")") && !opened)) break;
    opened = opened || token.is_mark("(");
    ++last;
  }
  return last;
}

}  // namespace

std::optional<int> plain_number(std::string_view text) {
  constexpr std::size_t kDigitsMax = 18;
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  if (text.size() > kDigitsMax) return std::nullopt;
  long long value = 0;
  for (const char digit : text) value = value * 10 + (digit - '0');
  if (value > 2147483647LL) return std::nullopt;
  return static_cast<int>(value);
}

std::optional<Number> number_at(std::span<const Token> tokens, std::size_t at, std::size_t end) {
  if (at >= end || !tokens[at].is_word()) return std::nullopt;
  const std::string& word = tokens[at].text;
  if (std::ranges::all_of(word, is_digit)) return Number{plain_number(word), at + 1};
  const std::optional<int> value = number_word(word);
  if (!value) return std::nullopt;
  if (*value >= 20 && *value % 10 == 0 && at + 1 < end && tokens[at + 1].is_word()) {
    const std::optional<int> unit = number_word(tokens[at + 1].text);
    if (unit && *unit > 0 && *unit < 10) return Number{*value + *unit, at + 2};
  }
  return Number{value, at + 1};
}

Value value_behind(std::string_view text, std::span<const Token> tokens, std::size_t name,
                   std::size_t end) {
  Value value;
  std::size_t at = name + 1;
  while (at < end && is_separator(tokens[at])) {
    value.separated = true;
    ++at;
  }
  value.present = value.separated;
  value.last = at;
  constexpr std::array kLinks = {"of"sv, "at"sv, "is"sv};
  if (!value.separated && at < end && one_of(tokens[at].text, kLinks)) ++at;
  while (at < end && (tokens[at].is_mark("*") || tokens[at].is_mark("\""))) ++at;
  if (at >= end || tokens[at].kind == Token::Kind::line_end || ends_value(tokens[at])) return value;
  if (tokens[at].kind == Token::Kind::code || tokens[at].is_mark("(")) return value;
  if (const std::optional<Number> number = number_at(tokens, at, end)) {
    if (ends_number(tokens, number->last, end)) {
      value.present = true;
      value.number = number->value;
      value.last = number->last;
      value.text = text.substr(tokens[at].begin, tokens[number->last - 1].end - tokens[at].begin);
      return value;
    }
  }
  value.present = true;
  value.last = written_end(tokens, at, end);
  value.text = text.substr(tokens[at].begin, tokens[value.last - 1].end - tokens[at].begin);
  return value;
}

}  // namespace stepscope::webhooks
