#pragma once
// A passage of a comment as words and marks. Tokens know where they came from, so that a value can
// be quoted as it was written; their text is lower case in ASCII.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::webhooks {

struct Token {
  enum class Kind { word, mark, url, code, line_end };
  Kind kind = Kind::word;
  std::string text;  // one character for a mark; "-" for every dash that stands alone
  std::size_t begin = 0;
  std::size_t end = 0;
  bool glued = false;  // no white space between the token before and this one

  bool is(std::string_view word) const { return kind != Kind::url && text == word; }
  bool is_word() const { return kind == Kind::word; }
  bool is_mark(std::string_view mark) const { return kind == Kind::mark && text == mark; }
};

// `text` has LF line ends and kRemovedCode where code was. A URL is one token, as written. Words
// such as "5-step" are cut at the hyphen; all others keep theirs.
std::vector<Token> tokenize(std::string_view text);

// Sentences: cut behind . ? ! and at line ends; never empty. Abbreviations do not end one.
struct Sentence {
  std::size_t first = 0;       // token
  std::size_t last = 0;        // behind the last one
  bool new_paragraph = false;  // a blank line stands before it
  bool bullet = false;
};
std::vector<Sentence> sentences(std::span<const Token> tokens);

}  // namespace stepscope::webhooks
