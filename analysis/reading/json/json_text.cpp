#include "analysis/reading/json/json_text.h"

#include <cstring>
#include <optional>

namespace stepscope::analysis {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::optional<std::uint32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (char c : text.substr(0, 4)) {
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::uint32_t code, std::string& out) {
  auto byte = [&](std::uint32_t b) { out.push_back(static_cast<char>(b)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// `at` points behind "\u"; the return value is the number of characters used from there.
std::size_t append_unicode_escape(std::string_view at, std::string& out) {
  std::optional<std::uint32_t> code = hex4(at);
  if (!code) {
    out += kReplacement;
    return 0;
  }
  if (*code < 0xD800 || *code > 0xDFFF) {
    append_utf8(*code, out);
    return 4;
  }
  if (*code < 0xDC00 && at.size() >= 10 && at[4] == '\\' && at[5] == 'u') {
    std::optional<std::uint32_t> low = hex4(at.substr(6));
    if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
      append_utf8(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00), out);
      return 10;
    }
  }
  out += kReplacement;
  return 4;
}

std::size_t append_escape(std::string_view at, std::string& out) {  // `at` points behind '\'
  if (at.empty()) return 0;
  switch (at[0]) {
    case 'b':
      out.push_back('\b');
      return 1;
    case 'f':
      out.push_back('\f');
      return 1;
    case 'n':
      out.push_back('\n');
      return 1;
    case 'r':
      out.push_back('\r');
      return 1;
    case 't':
      out.push_back('\t');
      return 1;
    case 'u':
      return 1 + append_unicode_escape(at.substr(1), out);
    case '"':
    case '\\':
    case '/':
      out.push_back(at[0]);
      return 1;
    default:
      return 0;  // no escape: what stands there is text like any other
  }
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
  auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  auto tail = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  unsigned lead = at(0);
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if ((lead & 0xF0) == 0xE0) {
    if (!tail(1) || !tail(2)) return 0;
    bool overlong = lead == 0xE0 && at(1) < 0xA0;
    bool surrogate = lead == 0xED && at(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    bool overlong = lead == 0xF0 && at(1) < 0x90;
    bool beyond = lead == 0xF4 && at(1) >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

void append_decoded(std::string_view raw, std::string& out) {
  for (std::size_t i = 0; i < raw.size();) {
    unsigned char c = static_cast<unsigned char>(raw[i]);
    if (c == '\\') {
      i += 1 + append_escape(raw.substr(i + 1), out);
    } else if (c >= 0x80) {
      std::size_t n = utf8_sequence(raw.substr(i));
      if (n == 0) {
        out += kReplacement;
      } else {
        out += raw.substr(i, n);
      }
      i += n == 0 ? 1 : n;
    } else {
      if (c < 0x20) {
        out += kReplacement;
      } else {
        out.push_back(raw[i]);
      }
      ++i;
    }
  }
}

bool JsonCursor::fail() {
  failed_ = true;
  return false;
}

void JsonCursor::skip_blanks() {
  while (pos_ < text_.size() && is_json_blank(text_[pos_])) ++pos_;
}

bool JsonCursor::at_end() {
  skip_blanks();
  return pos_ == text_.size();
}

bool JsonCursor::at_object() {
  skip_blanks();
  return pos_ < text_.size() && text_[pos_] == '{';
}

bool JsonCursor::enter_object() {
  if (!at_object()) return false;
  ++pos_;
  first_ = true;
  return true;
}

bool JsonCursor::read_string(std::string_view& out) {  // pos_ is at the opening quote
  std::size_t from = ++pos_;
  while (pos_ < text_.size()) {
    const void* hit = std::memchr(text_.data() + pos_, '"', text_.size() - pos_);
    if (hit == nullptr) break;
    std::size_t quote = static_cast<std::size_t>(static_cast<const char*>(hit) - text_.data());
    pos_ = quote + 1;
    std::size_t slashes = 0;
    while (escapes_ && quote - slashes > from && text_[quote - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) {
      out = text_.substr(from, quote - from);
      return true;
    }
  }
  return fail();
}

bool JsonCursor::next_key(std::string_view& key) {
  skip_blanks();
  if (failed_ || pos_ >= text_.size()) return fail();
  if (text_[pos_] == '}') {
    ++pos_;
    first_ = false;  // the object around this one goes on
    return false;
  }
  if (!first_) {
    if (text_[pos_] != ',') return fail();
    ++pos_;
    skip_blanks();
  }
  first_ = false;
  if (pos_ >= text_.size() || text_[pos_] != '"') return fail();
  if (!read_string(key)) return false;
  skip_blanks();
  if (pos_ >= text_.size() || text_[pos_] != ':') return fail();
  ++pos_;
  return true;
}

JsonValue JsonCursor::value() {
  skip_blanks();
  JsonValue v;
  if (pos_ >= text_.size()) {
    fail();
    return v;
  }
  char c = text_[pos_];
  if (c == '"') {
    if (read_string(v.text)) v.kind = JsonValue::Kind::string;
    return v;
  }
  if (c != '{' && c != '[') return read_scalar();
  std::size_t from = pos_;
  if (skip_container()) {
    v.kind = JsonValue::Kind::container;
    v.text = text_.substr(from, pos_ - from);
  }
  return v;
}

JsonValue JsonCursor::read_scalar() {
  constexpr std::string_view kFirst = "-+0123456789tfnNiI";
  std::size_t from = pos_;
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == ',' || c == '}' || c == ']' || is_json_blank(c)) break;
    ++pos_;
  }
  JsonValue v;
  v.text = text_.substr(from, pos_ - from);
  if (v.text.empty() || kFirst.find(v.text[0]) == std::string_view::npos) {
    fail();
    return v;
  }
  v.kind = v.text == "null" ? JsonValue::Kind::null : JsonValue::Kind::scalar;
  return v;
}

bool JsonCursor::skip_container() {
  if (!known_.empty() && text_.data() + pos_ == known_.data()) {
    pos_ += known_.size();
    return true;
  }
  std::size_t depth = 0;
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == '"') {
      std::string_view ignored;
      if (!read_string(ignored)) return false;
      continue;
    }
    ++pos_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return true;
  }
  return fail();
}

}  // namespace stepscope::analysis
