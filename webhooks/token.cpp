#include "webhooks/token.h"

#include <algorithm>
#include <array>
#include <utility>

#include "webhooks/mention.h"
#include "webhooks/unicode.h"

namespace stepscope::webhooks {
namespace {

bool is_word_char(char c) {
  constexpr std::string_view kInside = ".-_/+'$@\\~";
  return is_letter(c) || is_digit(c) || kInside.find(c) != std::string_view::npos;
}

std::string lower_text(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) take();
    return std::move(tokens_);
  }

 private:
  void add(Token::Kind kind, std::size_t begin, std::size_t end, std::string text) {
    const bool glued = !tokens_.empty() && tokens_.back().end == begin &&
                       tokens_.back().kind != Token::Kind::line_end;
    tokens_.push_back({kind, std::move(text), begin, end, glued});
  }

  void take() {
    const char c = text_[at_];
    if (c == '\n') {
      add(Token::Kind::line_end, at_, at_ + 1, "\n");
      ++at_;
    } else if (c == kRemovedCode) {
      add(Token::Kind::code, at_, at_ + 1, "");
      ++at_;
    } else if (const CodePoint point = code_point_at(text_, at_); is_blank(point.value)) {
      at_ += point.bytes;
    } else if (is_mark(point.value)) {
      const bool dash = point.value >= 0x2010 && point.value <= 0x2015;
      add(Token::Kind::mark, at_, at_ + point.bytes,
          dash ? "-" : std::string(text_.substr(at_, point.bytes)));
      at_ += point.bytes;
    } else if (point.value >= 0x80 || is_word_char(c)) {
      take_word();
    } else {
      add(Token::Kind::mark, at_, at_ + 1, std::string(1, c));
      ++at_;
    }
  }

  std::size_t word_end() const {
    std::size_t end = at_;
    while (end < text_.size()) {
      const CodePoint point = code_point_at(text_, end);
      if (point.value < 0x80 ? !is_word_char(text_[end])
                             : is_blank(point.value) || is_mark(point.value)) {
        break;
      }
      end += point.bytes;
    }
    return end;
  }

  void take_word() {
    std::size_t end = word_end();
    if (text_.substr(end).starts_with("://")) return take_url();
    std::size_t begin = at_;
    at_ = end;
    // "_dsr1_" and "'dsr1'" are emphasis; "conc 4." ends a sentence.
    constexpr std::string_view kEdge = "_'";
    while (begin < end && kEdge.find(text_[begin]) != std::string_view::npos) ++begin;
    std::size_t stop = end;
    while (stop > begin &&
           (kEdge.find(text_[stop - 1]) != std::string_view::npos || text_[stop - 1] == '.')) {
      --stop;
    }
    if (stop > begin) take_parts(begin, stop);
    if (const std::size_t dot = text_.substr(0, end).find('.', stop); dot < end) {
      add(Token::Kind::mark, dot, dot + 1, ".");
      tokens_.back().end = end;
    }
  }

  // "-" and "/" alone are marks; "5-step" and "one-decode-step" are cut.
  void take_parts(std::size_t begin, std::size_t end) {
    const std::string word = lower_text(text_.substr(begin, end - begin));
    if (word.find_first_not_of("-/+~\\$") == std::string::npos && word.size() == 1) {
      return add(Token::Kind::mark, begin, end, word);
    }
    if (!steps_word(word)) return add(Token::Kind::word, begin, end, word);
    for (std::size_t at = 0; at <= word.size();) {
      const std::size_t cut = std::min(word.find('-', at), word.size());
      if (cut > at) {
        add(Token::Kind::word, begin + at, begin + cut, word.substr(at, cut - at));
      }
      at = cut + 1;
    }
  }

  static bool steps_word(std::string_view word) {
    if (word.find('-') == std::string_view::npos || word.size() > 40) return false;
    return word.ends_with("-step") || word.ends_with("-steps");
  }

  void take_url() {
    constexpr std::string_view kEnd = " \t\n)>\"'`]\x01";
    const std::size_t end = std::min(text_.find_first_of(kEnd, at_), text_.size());
    std::size_t stop = end;
    while (std::string_view(".,;!?").find(text_[stop - 1]) != std::string_view::npos) --stop;
    add(Token::Kind::url, at_, stop, std::string(text_.substr(at_, stop - at_)));
    at_ = stop;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

bool is_abbreviation(std::string_view word) {
  constexpr std::array<std::string_view, 10> kWords = {"vs", "e.g", "i.e",  "approx", "ca",
                                                       "no", "cf",  "incl", "max",    "min"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// "1." or "2)" at the beginning of a line.
bool numbers_line(std::span<const Token> tokens, std::size_t at) {
  if (at + 1 >= tokens.size() || !tokens[at].is_word() || !tokens[at + 1].glued) return false;
  if (at > 0 && tokens[at - 1].kind != Token::Kind::line_end) return false;
  return (tokens[at + 1].is_mark(".") || tokens[at + 1].is_mark(")")) &&
         std::ranges::all_of(tokens[at].text, is_digit);
}

bool ends_sentence(std::span<const Token> tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (!token.is_mark(".") && !token.is_mark("?") && !token.is_mark("!")) return false;
  if (at + 1 < tokens.size() && tokens[at + 1].glued) return false;
  if (!token.is_mark(".") || at == 0) return true;
  return !is_abbreviation(tokens[at - 1].text) && !numbers_line(tokens, at - 1);
}

bool is_bullet(std::span<const Token> tokens, std::size_t at) {
  if (at + 1 >= tokens.size()) return false;
  if (numbers_line(tokens, at)) return true;
  return (tokens[at].is_mark("-") || tokens[at].is_mark("*") || tokens[at].is_mark("+")) &&
         !tokens[at + 1].glued;
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

std::vector<Sentence> sentences(std::span<const Token> tokens) {
  std::vector<Sentence> result;
  Sentence open;
  std::size_t line_ends = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool line_end = tokens[i].kind == Token::Kind::line_end;
    if (!line_end && open.first == i) {
      open.new_paragraph = line_ends > 1;
      open.bullet = line_ends > 0 && is_bullet(tokens, i);
    }
    line_ends = line_end ? line_ends + 1 : 0;
    if (!line_end && !ends_sentence(tokens, i)) continue;
    open.last = line_end ? i : i + 1;
    if (open.last > open.first) result.push_back(open);
    open = Sentence{.first = i + 1};
  }
  open.last = tokens.size();
  if (open.last > open.first) result.push_back(open);
  return result;
}

}  // namespace stepscope::webhooks
