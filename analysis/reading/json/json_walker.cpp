#include "analysis/reading/json/json_walker.h"

#include <algorithm>

#include "analysis/reading/json/json_text.h"

namespace stepscope::analysis {

namespace {

constexpr std::size_t kTokenKept = 16;  // longer than every word that may stand for a value
constexpr std::string_view kAfterString =
    "text behind a closing quote (unescaped quotes in a string?)";

bool is_hex(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

bool is_number_char(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || is_json_blank(c); }

std::size_t utf8_length(char lead) {
  unsigned char c = static_cast<unsigned char>(lead);
  if (c >= 0xC2 && c <= 0xDF) return 2;
  if ((c & 0xF0) == 0xE0) return 3;
  return c >= 0xF0 && c <= 0xF4 ? 4 : 0;
}

}  // namespace

void JsonWalker::reset(bool objects) {
  *this = JsonWalker();
  objects_allowed_ = objects;
}

JsonWalker::Outcome JsonWalker::broken(std::string_view reason) {
  fault_ = {offset_, reason};
  return Outcome::broken;
}

void JsonWalker::blemish(std::uint64_t offset, std::string_view reason) {
  if (!blemish_) blemish_ = Fault{offset, reason};
}

JsonWalker::Outcome JsonWalker::walk(std::string_view text, std::size_t& pos) {
  while (pos < text.size()) {
    consumed_ = true;
    Outcome outcome = step(text[pos]);
    if (outcome == Outcome::broken) return outcome;
    if (consumed_) {
      ++pos;
      ++offset_;
    }
    if (outcome == Outcome::done) return outcome;
  }
  return Outcome::more;
}

JsonWalker::Outcome JsonWalker::step(char c) {
  if (state_ == State::string) return in_string(c);
  if (state_ == State::escape) {
    constexpr std::string_view kKnown = "\"\\/bfnrtu";
    if (kKnown.find(c) == std::string_view::npos) return broken("illegal escape in a string");
    hex_left_ = 4;
    state_ = c == 'u' ? State::hex : State::string;
    return Outcome::more;
  }
  if (state_ == State::hex) {
    if (!is_hex(c)) return broken("illegal \\u escape in a string");
    if (--hex_left_ == 0) state_ = State::string;
    return Outcome::more;
  }
  if (state_ == State::scalar) {
    if (ends_scalar(c)) {
      consumed_ = false;
      return end_scalar();
    }
    if (token_.size() < kTokenKept) token_.push_back(c);
    digits_only_ = digits_only_ && is_number_char(c);
    return Outcome::more;
  }
  if (is_json_blank(c)) return Outcome::more;
  switch (state_) {
    case State::first_item:
      if (c == ']') return close(false);
      return begin_value(c);
    case State::first_key:
      if (c == '}') return close(true);
      [[fallthrough]];
    case State::key:
      if (c != '"') return broken("a name in quotes was expected");
      key_string_ = true;
      state_ = State::string;
      return Outcome::more;
    case State::colon:
      if (c != ':') return broken(kAfterString);
      state_ = State::value;
      return Outcome::more;
    case State::after_value:
      return after_value(c);
    default:
      return begin_value(c);
  }
}

JsonWalker::Outcome JsonWalker::begin_value(char c) {
  after_string_ = false;
  if (c == '{' && !objects_allowed_) return broken("an object where none belongs");
  if (c == '{') return open(true);
  if (c == '[') return open(false);
  if (c == '"') {
    key_string_ = false;
    state_ = State::string;
    return Outcome::more;
  }
  constexpr std::string_view kNoScalar = ",:}]";
  if (kNoScalar.find(c) != std::string_view::npos) return broken("a value was expected");
  token_.assign(1, c);
  token_offset_ = offset_;
  digits_only_ = is_number_char(c);
  state_ = State::scalar;
  return Outcome::more;
}

JsonWalker::Outcome JsonWalker::open(bool object) {
  if (depth_ == kDepthMax) return broken("nested deeper than 128 levels");
  objects_[depth_++] = object;
  state_ = object ? State::first_key : State::first_item;
  return Outcome::more;
}

JsonWalker::Outcome JsonWalker::close(bool object) {
  if (objects_[depth_ - 1] != object) return broken("a bracket that does not match");
  --depth_;
  after_string_ = false;
  return end_value();
}

JsonWalker::Outcome JsonWalker::end_value() {
  state_ = depth_ == 0 ? State::finished : State::after_value;
  return depth_ == 0 ? Outcome::done : Outcome::more;
}

JsonWalker::Outcome JsonWalker::after_value(char c) {
  bool object = objects_[depth_ - 1];
  if (c == ',') {
    state_ = object ? State::key : State::value;
    return Outcome::more;
  }
  if (c == '}' || c == ']') return close(c == '}');
  return broken(after_string_ ? kAfterString : "a comma or a closing bracket was expected");
}

bool JsonWalker::token_valid() const {
  if (digits_only_) return true;
  if (token_.size() == kTokenKept) return false;
  std::string_view word = token_;
  if (word[0] == '-' || word[0] == '+') word.remove_prefix(1);
  // Not JSON, but Python and printf() write them: nan and infinity in several spellings.
  constexpr std::array<std::string_view, 9> kWords = {"true",     "false", "null", "NaN", "nan",
                                                      "Infinity", "inf",   "Inf",  "None"};
  return std::ranges::find(kWords, word) != kWords.end();
}

JsonWalker::Outcome JsonWalker::end_scalar() {
  if (!token_valid()) {
    fault_ = {token_offset_, "a word that is no JSON value"};
    return Outcome::broken;
  }
  return end_value();
}

void JsonWalker::utf8_byte(char c) {
  if (pending_size_ == 0) {
    pending_length_ = utf8_length(c);
    if (pending_length_ == 0) return blemish(offset_, "invalid UTF-8 in a string");
  }
  pending_[pending_size_++] = c;
  if (pending_size_ < pending_length_) return;
  if (utf8_sequence({pending_.data(), pending_size_}) == 0) {
    blemish(offset_ + 1 - pending_size_, "invalid UTF-8 in a string");
  }
  pending_size_ = 0;
}

JsonWalker::Outcome JsonWalker::in_string(char c) {
  unsigned char byte = static_cast<unsigned char>(c);
  if (pending_size_ != 0 && (byte & 0xC0) != 0x80) {
    blemish(offset_ - pending_size_, "invalid UTF-8 in a string");
    pending_size_ = 0;
  }
  if (c == '"') {
    after_string_ = true;
    if (!key_string_) return end_value();
    state_ = State::colon;
  } else if (c == '\\') {
    state_ = State::escape;
  } else if (byte >= 0x80) {
    utf8_byte(c);
  } else if (byte < 0x20) {
    blemish(offset_, "raw control character in a string");
  }
  return Outcome::more;
}

}  // namespace stepscope::analysis
