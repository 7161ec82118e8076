#include "webhooks/mention.h"

#include <cstddef>
#include <optional>

#include "webhooks/markdown_regions.h"
#include "webhooks/unicode.h"

namespace stepscope::webhooks {
namespace {

struct Place {
  std::size_t at = 0;  // of the @
  std::size_t end = 0;
};

bool same_name(std::string_view text, std::string_view name) {
  if (text.size() < name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lower(text[i]) != lower(name[i])) return false;
  }
  return true;
}

// Address and path characters, or an escaping backslash, bind what follows to what precedes.
bool stands_free_before(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char32_t before = code_point_before(text, at).value;
  constexpr std::u32string_view kBinding = U".-+%/@\\=&#";
  return !is_word_like(before) && kBinding.find(before) == std::u32string_view::npos;
}

bool stands_free_behind(std::string_view text, std::size_t end) {
  if (end == text.size()) return true;
  const char32_t behind = code_point_at(text, end).value;
  if (is_word_like(behind) || behind == '/' || behind == '@' || behind == '[') return false;
  if (behind != '.' && behind != '-' && behind != ':') return true;
  // "@name." may end a sentence, "@name: profile" may begin one; "@name.example" is an address.
  if (end + 1 == text.size()) return true;
  const char32_t next = code_point_at(text, end + 1).value;
  return !is_word_like(next) && next != '-' && next != '/';
}

// All places where the name stands alone, live or not, in the order of the text.
std::vector<Place> all_places(std::string_view text, std::string_view name) {
  std::vector<Place> places;
  bool in_url = false;  // the run of non-blanks that holds `i` has had a "://"
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n') in_url = false;
    if (c == ':' && text.substr(i).starts_with("://")) in_url = true;
    if (c != '@' || in_url || !same_name(text.substr(i + 1), name)) continue;
    const std::size_t end = i + 1 + name.size();
    if (stands_free_before(text, i) && stands_free_behind(text, end)) places.push_back({i, end});
  }
  return places;
}

// The live part of text[begin, end); a code span leaves one kRemovedCode.
std::string live_text(std::string_view text, const std::vector<Region>& regions, std::size_t begin,
                      std::size_t end) {
  std::string live;
  for (std::size_t i = begin; i < end; ++i) {
    if (regions[i] == Region::live) {
      live += text[i];
    } else if (text[i] == '\n') {
      live += '\n';
    } else if (regions[i] == Region::code_span) {
      if (live.empty() || live.back() != kRemovedCode) live += kRemovedCode;
    } else if (live.empty() || live.back() != ' ') {
      live += ' ';
    }
  }
  return live;
}

// Where the line of `at` begins; `at` itself when it began before `floor`.
std::size_t line_start(std::string_view text, std::size_t floor, std::size_t at) {
  const std::size_t line_break = text.substr(floor, at - floor).rfind('\n');
  if (line_break != std::string_view::npos) return floor + line_break + 1;
  return floor == 0 ? 0 : at;
}

std::string reason_of(Region region) {
  switch (region) {
    case Region::code_span:
      return "code_span";
    case Region::code_block:
      return "code_block";
    case Region::quoted:
      return "quoted";
    case Region::html_comment:
      return "html_comment";
    case Region::live:
      break;
  }
  return "not_a_mention";
}

}  // namespace

Mentions find_mentions(std::string_view text, std::string_view name) {
  Mentions mentions;
  mentions.reason = "not_a_mention";
  if (name.empty()) return mentions;
  const std::string plain = with_plain_line_ends(text);
  const std::vector<Region> regions = markdown_regions(plain);
  std::vector<Place> live;
  std::optional<Region> first_hidden;
  for (const Place& place : all_places(plain, name)) {
    if (regions[place.at] == Region::live) {
      live.push_back(place);
    } else if (!first_hidden) {
      first_hidden = regions[place.at];
    }
  }
  if (live.empty()) {
    if (first_hidden) mentions.reason = reason_of(*first_hidden);
    return mentions;
  }
  mentions.reason.clear();
  std::size_t before = line_start(plain, 0, live.front().at);
  for (std::size_t i = 0; i < live.size(); ++i) {
    const bool last = i + 1 == live.size();
    // What stands before the next mention on its line is the next one's.
    const std::size_t end = last ? plain.size() : line_start(plain, live[i].end, live[i + 1].at);
    mentions.passages.push_back({live_text(plain, regions, before, live[i].at),
                                 live_text(plain, regions, live[i].end, end)});
    before = end;
  }
  return mentions;
}

}  // namespace stepscope::webhooks
