#include "webhooks/unknown_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "webhooks/ask.h"
#include "webhooks/unicode.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kWordsMax = 4;
constexpr std::size_t kBytesMax = 80;  // of a name that is quoted back

Item named(std::string_view text, std::span<const Token> tokens, Field field, std::size_t first,
           std::size_t last) {
  const std::size_t begin = tokens[first].begin;
  std::string name(clipped(text.substr(begin, tokens[last - 1].end - begin), kBytesMax));
  std::ranges::transform(name, name.begin(), lower);
  return {.field = field, .word = std::move(name), .first = first, .last = last, .known = false};
}

bool has_digit(std::string_view word) { return std::ranges::any_of(word, is_digit); }

}  // namespace

std::optional<Item> unknown_model(std::string_view text, std::span<const Token> tokens,
                                  const Sentence& sentence, const std::vector<bool>& used,
                                  std::size_t verb) {
  const auto free_word = [&](std::size_t at) {
    return at < sentence.last && !used[at] && tokens[at].is_word() && !is_filler(tokens[at].text) &&
           !is_ask_word(tokens[at].text);
  };
  std::size_t first = verb + 1;
  while (first < sentence.last && !used[first] && tokens[first].is_word() &&
         is_filler(tokens[first].text)) {
    ++first;
  }
  std::size_t last = first;
  while (last < first + kWordsMax && free_word(last)) ++last;
  if (last > first) {
    const bool looks = std::any_of(
        tokens.begin() + static_cast<std::ptrdiff_t>(first),
        tokens.begin() + static_cast<std::ptrdiff_t>(last),
        [](const Token& token) { return looks_like_model(token.text) || has_digit(token.text); });
    const bool before_field =
        last < sentence.last &&
        (used[last] || one_of(tokens[last].text, std::array{"on"sv, "in"sv, "at"sv, "with"sv}));
    if (looks || before_field) return named(text, tokens, Field::model, first, last);
  }
  for (std::size_t i = sentence.first; i < sentence.last; ++i) {
    if (!free_word(i) || !looks_like_model(tokens[i].text)) continue;
    last = i + 1;
    while (last < i + kWordsMax && free_word(last) && looks_like_version(tokens[last].text)) ++last;
    return named(text, tokens, Field::model, i, last);
  }
  return std::nullopt;
}

std::optional<Item> unknown_hardware(std::span<const Token> tokens, const Sentence& sentence,
                                     const std::vector<bool>& used) {
  for (std::size_t i = sentence.first; i + 1 < sentence.last; ++i) {
    if (!tokens[i].is("on")) continue;
    std::size_t at = i + 1;
    while (
        at + 1 < sentence.last &&
        one_of(tokens[at].text, std::array{"the"sv, "a"sv, "an"sv, "our"sv, "nvidia"sv, "amd"sv})) {
      ++at;
    }
    const Token& token = tokens[at];
    const bool name = token.is_word() && !used[at] && has_digit(token.text) &&
                      is_letter(token.text.front()) && token.text.size() <= kBytesMax;
    if (name) {
      return Item{.field = Field::hardware,
                  .word = token.text,
                  .first = at,
                  .last = at + 1,
                  .known = false};
    }
  }
  return std::nullopt;
}

}  // namespace stepscope::webhooks
