#include "webhooks/shapes.h"

#include <array>
#include <utility>

#include "webhooks/unicode.h"

namespace stepscope::webhooks {
namespace {

// "8k1k", "8k/1k", "8192/1024"
std::optional<Item> lengths_in(std::string_view word) {
  const std::size_t cut = word.find_first_of("k/");
  if (word.empty() || !is_digit(word.front()) || cut == std::string_view::npos) return std::nullopt;
  const bool kilo = word[cut] == 'k';
  std::string_view rest = word.substr(cut + 1);
  if (kilo && rest.starts_with('/')) rest.remove_prefix(1);
  // "3/4" is no pair of lengths: without a k they are written out.
  constexpr std::size_t kDigitsMin = 3;
  if (!rest.ends_with('k') && rest.size() < kDigitsMin) return std::nullopt;
  if (!kilo && cut < kDigitsMin) return std::nullopt;
  const std::optional<int> isl = length_of(word.substr(0, kilo ? cut + 1 : cut));
  const std::optional<int> osl = length_of(rest);
  if (!isl || !osl) return std::nullopt;
  return Item{.field = Field::lengths, .word = {}, .number = *isl, .second = *osl};
}

}  // namespace

std::string_view phase_of(std::string_view word) {
  if (word == "decode" || word == "decoding") return "decode";
  if (word == "prefill" || word == "prefilling" || word == "extend") return "prefill";
  return "";
}

std::optional<int> length_of(std::string_view word) {
  const bool kilo = word.ends_with('k');
  const std::optional<int> number = plain_number(kilo ? word.substr(0, word.size() - 1) : word);
  constexpr int kMax = 1 << 24;
  constexpr int kKilo = 1024;
  if (!number || *number <= 0 || *number > (kilo ? kMax / kKilo : kMax)) return std::nullopt;
  return kilo ? *number * kKilo : *number;
}

std::optional<Item> attached_item(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, Field>, 5> kPrefixes = {
      {{"concurrency", Field::conc},
       {"conc", Field::conc},
       {"c", Field::conc},
       {"tp", Field::tp},
       {"ep", Field::ep}}};
  for (const auto& [prefix, field] : kPrefixes) {
    if (!word.starts_with(prefix)) continue;
    if (const std::optional<int> number = plain_number(word.substr(prefix.size()))) {
      return Item{.field = field, .word = {}, .number = *number};
    }
  }
  return lengths_in(word);
}

}  // namespace stepscope::webhooks
