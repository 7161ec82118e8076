#include "analysis/reading/rank_source.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <set>

namespace stepscope::analysis {

namespace {

constexpr std::size_t kDigitsMax = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }

// The number at the start of `text`; not one of more than six digits (a date, a process).
std::optional<int> leading_number(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  if (n == 0 || n > kDigitsMax) return std::nullopt;
  int value = 0;
  const char* begin = text.data();
  std::from_chars(begin, begin + n, value);
  return value;
}

// One part of a label: capitals, then digits.
bool is_label_part(std::string_view part) {
  std::size_t letters = 0;
  while (letters < part.size() && is_upper(part[letters])) ++letters;
  return letters > 0 && letters < part.size() &&
         std::ranges::all_of(part.substr(letters), is_digit);
}

std::optional<int> tp_number(std::string_view label) {
  if (label.starts_with("TP")) return leading_number(label.substr(2));
  std::size_t at = label.find("-TP");
  if (at == std::string_view::npos) return std::nullopt;
  return leading_number(label.substr(at + 3));
}

std::optional<int> number_behind(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    if (at > 0 && is_letter(name[at - 1])) continue;  // the "tp" of "http"
    std::string_view rest = name.substr(at + word.size());
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '_')) rest.remove_prefix(1);
    if (std::optional<int> number = leading_number(rest)) return number;
  }
  return std::nullopt;
}

}  // namespace

std::string_view rank_label(std::string_view pid) {
  if (!pid.starts_with('[')) return {};
  std::size_t end = pid.find(']');
  if (end == std::string_view::npos || end == 1) return {};
  std::string_view label = pid.substr(1, end - 1);
  for (std::string_view rest = label; !rest.empty();) {
    std::size_t dash = rest.find('-');
    if (!is_label_part(rest.substr(0, dash))) return {};
    rest = dash == std::string_view::npos ? std::string_view() : rest.substr(dash + 1);
  }
  return label;
}

std::vector<int> ranks_of_labels(std::span<const std::string> labels) {
  std::vector<int> ranks;
  for (const std::string& label : labels) {
    if (std::optional<int> tp = tp_number(label)) ranks.push_back(*tp);
  }
  if (std::set<int>(ranks.begin(), ranks.end()).size() == labels.size()) return ranks;
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return labels[a] < labels[b]; });
  ranks.assign(labels.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int>(i);
  return ranks;
}

std::optional<int> rank_of_file_name(std::string_view name) {
  std::string lowered(name);
  std::ranges::transform(lowered, lowered.begin(), lower);
  for (std::string_view word : {"rank", "tp", "worker"}) {
    if (std::optional<int> number = number_behind(lowered, word)) return number;
  }
  return std::nullopt;
}

}  // namespace stepscope::analysis
