#include "analysis/reading/bytes/archive_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope::analysis {

namespace {

constexpr std::size_t kShownBytesMax = 120;

// Ends of names that traces never have, though an engine or a person may pack such files with them.
constexpr std::array<std::string_view, 34> kNoTraceSuffixes = {
    ".txt",    ".log", ".md",  ".rst",  ".csv", ".tsv",  ".html", ".htm", ".css",
    ".js",     ".py",  ".sh",  ".yaml", ".yml", ".toml", ".ini",  ".cfg", ".conf",
    ".pickle", ".pkl", ".pt",  ".pth",  ".npy", ".npz",  ".png",  ".jpg", ".jpeg",
    ".svg",    ".gif", ".pdf", ".out",  ".err", ".so",   ".tmp"};

bool has_part(std::string_view path, std::string_view part) {
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    if (path.substr(from, end - from) == part) return true;
    from = end + 1;
  }
  return false;
}

bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view entry_name_fault(std::string_view name) {
  if (name.empty()) return "an empty name";
  if (name.size() > kEntryNameBytesMax) return "a name of more than 4096 bytes";
  if (name.find('\0') != std::string_view::npos) return "a zero byte in its name";
  if (name.find('\\') != std::string_view::npos) return "a backslash in its name";
  if (name.front() == '/') return "an absolute path as its name";
  if (name.size() > 1 && is_letter(name[0]) && name[1] == ':') return "a drive in its name";
  if (has_part(name, "..")) return "a name that climbs out of its folder";
  return "";
}

std::string_view entry_base_name(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool is_no_trace_name(std::string_view name) {
  const std::string_view base = entry_base_name(name);
  if (base.starts_with('.') || has_part(name, "__MACOSX")) return true;
  std::string lowered(base);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return std::ranges::any_of(kNoTraceSuffixes,
                             [&](std::string_view end) { return lowered.ends_with(end); });
}

std::string shown_entry_name(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, kShownBytesMax)) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      text += fmt::format("\\x{:02X}", byte);
    } else {
      text += c;
    }
  }
  if (name.size() <= kShownBytesMax) return text;
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
    text.pop_back();  // not the middle of a character
  }
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.pop_back();
  return text + "...";
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (!is_digit(a[0]) || !is_digit(b[0])) {
      if (a[0] != b[0]) {
        return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      }
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    auto number = [](std::string_view& text) {
      std::size_t end = 0;
      while (end < text.size() && is_digit(text[end])) ++end;
      std::string_view digits = text.substr(0, end);
      text.remove_prefix(end);
      digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
      return digits;
    };
    const std::string_view x = number(a);
    const std::string_view y = number(b);
    if (x != y) return std::pair(x.size(), x) < std::pair(y.size(), y);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // 01 and 1
}

}  // namespace stepscope::analysis
