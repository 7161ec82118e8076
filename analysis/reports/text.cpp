// The text half of text.h: foreign bytes made harmless, then written for Markdown or HTML.

#include "analysis/reports/text.h"

#include <algorithm>

namespace stepscope::analysis {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "…";

struct Decoded {
  char32_t code_point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// One code point at `at`; of an invalid sequence the bytes that belong together count as one.
Decoded decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  Decoded result{static_cast<char32_t>(lead & (0x7FU >> length)), 1, false};
  for (; result.bytes < length && at + result.bytes < text.size(); ++result.bytes) {
    const auto next = static_cast<unsigned char>(text[at + result.bytes]);
    // The first continuation byte excludes overlong forms, surrogates and what is past U+10FFFF.
    const bool first = result.bytes == 1;
    const unsigned low = !first ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = !first ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (next < low || next > high) return result;
    result.code_point = (result.code_point << 6U) | (next & 0x3FU);
  }
  result.valid = result.bytes == length;
  return result;
}

struct Range {
  char32_t first;
  char32_t last;
};

// Controls, and what is drawn as nothing or turns the direction of what follows.
constexpr Range kUnseen[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},      {0x34F, 0x34F},   {0x61C, 0x61C},
    {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},  {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},  {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},
    {0xFFF9, 0xFFFB}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

bool is_unseen(char32_t code_point) {
  return std::ranges::any_of(kUnseen, [&](const Range& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

bool is_break(char32_t code_point) {
  return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85 || code_point == 0x2028 ||
         code_point == 0x2029;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// A word of 7 to 40 hex digits, a letter among them, may be a commit. Plain numbers stay numbers.
bool holds_commit(std::string_view token) {
  std::size_t run = 0;
  bool hex = true;
  bool letter = false;
  for (std::size_t i = 0; i <= token.size(); ++i) {
    if (i < token.size() && is_word(token[i])) {
      const bool is_hex_letter = token[i] >= 'a' && token[i] <= 'f';
      hex = hex && (is_digit(token[i]) || is_hex_letter);
      letter = letter || is_hex_letter;
      ++run;
      continue;
    }
    if (hex && letter && run >= 7 && run <= 40) return true;
    run = 0;
    hex = true;
    letter = false;
  }
  return false;
}

// ":name:" may be drawn as a picture.
bool holds_emoji_name(std::string_view token) {
  std::size_t open = token.find(':');
  while (open != std::string_view::npos) {
    const std::size_t close = token.find(':', open + 1);
    if (close == std::string_view::npos) return false;
    if (close > open + 1) return true;
    open = close;
  }
  return false;
}

bool before_digit(std::string_view token, std::string_view prefix) {
  for (std::size_t at = token.find(prefix); at != std::string_view::npos;
       at = token.find(prefix, at + 1)) {
    const std::size_t next = at + prefix.size();
    if (next < token.size() && is_digit(token[next])) return true;
  }
  return false;
}

// What GitHub turns into a mention, an issue, a commit, a link or a picture after the Markdown is
// rendered, where no escape helps: only code is left alone.
bool becomes_link(std::string_view token) {
  return token.contains('@') || token.contains("://") || token.contains("www.") ||
         before_digit(token, "#") || before_digit(token, "GH-") || before_digit(token, "gh-") ||
         holds_commit(token) || holds_emoji_name(token);
}

// What would begin a heading, a list, a rule or an underline at the start of a line.
bool is_block_marker(std::string_view token) {
  if (token.find_first_not_of("#-+=") == std::string_view::npos) return true;
  const std::size_t digits = std::min(token.find_first_not_of("0123456789"), token.size());
  return digits > 0 && digits + 1 == token.size() && (token.back() == '.' || token.back() == ')');
}

// An underscore between letters or digits begins and ends no emphasis.
bool is_inside_word(std::string_view token, std::size_t at) {
  const std::size_t right = token.find_first_not_of('_', at);
  const std::size_t left = token.find_last_not_of('_', at);
  return right != std::string_view::npos && left != std::string_view::npos &&
         is_word(token[left]) && is_word(token[right]);
}

void append_escaped(std::string& out, std::string_view token, bool first) {
  const bool block = first && is_block_marker(token);
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool markup = token[i] == '_' ? !is_inside_word(token, i)
                                        : std::string_view("\\`*[]<>|~&${}").contains(token[i]);
    const bool marker = block && (i + 1 == token.size() || token[i] == '#');
    if (markup || marker) out += '\\';
    out += token[i];
  }
}

// Code, with the punctuation of the sentence left outside.
void append_code(std::string& out, std::string_view token) {
  const std::size_t open = token.starts_with('(') ? 1 : 0;
  const std::size_t last = token.find_last_not_of(",.;:!?)");
  const std::size_t end = last == std::string_view::npos || last < open ? token.size() : last + 1;
  out += token.substr(0, open);
  out += code_span_in_cell(token.substr(open, end - open));
  out += token.substr(end);
}

}  // namespace

std::string harmless_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode(text, at);
    if (!one.valid) {
      out += kReplacement;
    } else if (is_break(one.code_point)) {
      const bool second_half = one.code_point == '\n' && at > 0 && text[at - 1] == '\r';
      if (!second_half) out += ' ';
    } else if (!is_unseen(one.code_point)) {
      out += text.substr(at, one.bytes);
    }
    at += one.bytes;
  }
  return out;
}

std::size_t char_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string text, std::size_t chars) {
  const std::size_t count = char_count(text);
  if (count < chars) text.append(chars - count, ' ');
  return text;
}

std::string right_aligned(std::string_view text, std::size_t chars) {
  const std::size_t count = char_count(text);
  return std::string(count < chars ? chars - count : 0, ' ').append(text);
}

std::string shortened(std::string_view text, std::size_t chars_max) {
  std::string clean = harmless_text(text);
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if ((static_cast<unsigned char>(clean[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  }
  if (starts.size() <= chars_max) return clean;
  if (chars_max == 0) return "";
  const std::size_t head = (chars_max - 1) * 2 / 3;
  const std::size_t tail = chars_max - 1 - head;
  const std::size_t tail_at = tail == 0 ? clean.size() : starts[starts.size() - tail];
  return clean.substr(0, starts[head]) + std::string(kEllipsis) + clean.substr(tail_at);
}

std::string code_span(std::string_view text) {
  const std::string clean = harmless_text(text);
  if (clean.empty()) return "` `";
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : clean) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  // A backtick at an end would join the fence, and a pair of outer spaces is taken off by readers.
  const bool padded =
      clean.front() == '`' || clean.back() == '`' || (clean.front() == ' ' && clean.back() == ' ');
  const std::string_view pad = padded ? " " : "";
  return fence + std::string(pad) + clean + std::string(pad) + fence;
}

std::string code_span_in_cell(std::string_view text) {
  std::string out;
  for (const char c : code_span(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  const std::string clean = harmless_text(text);
  std::string out;
  bool first = true;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t end = std::min(clean.find(' ', at), clean.size());
    if (end == at) {  // runs of spaces would make indented code or a hard break
      if (out.empty() || out.back() != ' ') out += ' ';
      ++at;
      continue;
    }
    const std::string_view token = std::string_view(clean).substr(at, end - at);
    if (becomes_link(token)) {
      append_code(out, token);
    } else {
      append_escaped(out, token, first);
    }
    first = false;
    at = end;
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : harmless_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace stepscope::analysis
