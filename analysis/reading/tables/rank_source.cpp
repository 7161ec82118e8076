#include "analysis/reading/tables/rank_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>

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

std::string_view stage_of_file_name(std::string_view name) {
  for (const std::string_view stage : {"-DECODE", "-EXTEND"}) {
    if (name.find(stage) != std::string_view::npos) return stage;
  }
  return {};
}

using FileSet = std::set<std::size_t>;

// Those that claim a rank which another file has as well.
FileSet conflicts(std::span<const FileClaim> files, std::span<const std::optional<int>> ranks) {
  std::map<int, std::vector<std::size_t>> owners;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const std::optional<int> rank = ranks[i]) owners[*rank].push_back(i);
    for (const int rank : files[i].labelled) owners[rank].push_back(i);
  }
  FileSet found;
  for (const auto& [rank, claimants] : owners) {
    std::set<std::string_view> stages;
    for (const std::size_t file : claimants) stages.insert(stage_of_file_name(files[file].name));
    const bool told_apart = stages.size() == claimants.size() && !stages.contains({});
    if (claimants.size() > 1 && !told_apart) found.insert(claimants.begin(), claimants.end());
  }
  return found;
}

// The lowest rank that no file claims; one that is claimed by other stages only is free.
int free_rank(std::string_view stage, const std::map<int, std::set<std::string_view>>& claimed) {
  int rank = 0;
  for (const auto& [number, stages] : claimed) {
    if (number > rank) break;
    const bool free = !stage.empty() && !stages.contains({}) && !stages.contains(stage);
    if (number == rank && free) break;
    if (number == rank) ++rank;
  }
  return rank;
}

// Several files without a rank would be one and the same to a reader. A single one stays unknown.
void count_unknown(std::span<const FileClaim> files, FileRanks& result) {
  std::map<int, std::set<std::string_view>> claimed;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string_view stage = stage_of_file_name(files[i].name);
    for (const int rank : files[i].labelled) claimed[rank].insert(stage);
    if (const std::optional<int> rank = result.ranks[i]) {
      claimed[*rank].insert(stage);
    } else if (files[i].labelled.empty()) {
      unknown.push_back(i);
    }
  }
  if (unknown.size() < 2) return;
  for (const std::size_t file : unknown) {
    const std::string_view stage = stage_of_file_name(files[file].name);
    const int rank = free_rank(stage, claimed);
    result.ranks[file] = rank;
    claimed[rank].insert(stage);
  }
  result.note +=
      fmt::format("{}{} files do not say their rank: they are counted in the order of the files",
                  result.note.empty() ? "" : "; ", unknown.size());
}

// Tells files that claim one rank apart.
void settle_conflicts(std::span<const FileClaim> files, FileRanks& result) {
  const FileSet equal = conflicts(files, result.ranks);
  if (equal.empty()) return;
  const auto claim = [&](std::size_t file) {
    return result.ranks[file] ? *result.ranks[file] : files[file].labelled.front();
  };
  const std::size_t first = *equal.begin();
  const auto second = std::ranges::find_if(
      equal, [&](std::size_t file) { return file != first && claim(file) == claim(first); });
  result.note =
      second == equal.end()
          ? fmt::format("{} claims a rank that another file has as well", files[first].name)
          : fmt::format("{} and {} both say rank {}", files[first].name, files[*second].name,
                        claim(first));

  std::vector<std::optional<int>> named = result.ranks;
  for (const std::size_t file : equal) {
    if (files[file].labelled.empty()) named[file] = rank_of_file_name(files[file].name);
  }
  const bool all_named = std::ranges::all_of(
      equal, [&](std::size_t file) { return named[file] || !files[file].labelled.empty(); });
  if (all_named && conflicts(files, named).empty()) {
    result.ranks = std::move(named);
    result.note += ": the names of the files tell their ranks";
    return;
  }
  if (std::ranges::any_of(files, [](const FileClaim& f) { return !f.labelled.empty(); })) {
    return;
  }
  for (std::size_t i = 0; i < files.size(); ++i) result.ranks[i] = static_cast<int>(i);
  result.note += ": ranks are counted in the order of the files";
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

FileRanks ranks_of_files(std::span<const FileClaim> files) {
  FileRanks result;
  for (const FileClaim& file : files) {
    const bool merged = !file.labelled.empty();
    result.ranks.push_back(merged        ? std::nullopt
                           : file.stated ? file.stated
                                         : rank_of_file_name(file.name));
  }
  settle_conflicts(files, result);
  count_unknown(files, result);
  return result;
}

}  // namespace stepscope::analysis
