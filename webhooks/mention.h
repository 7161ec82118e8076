#pragma once
// Where a comment speaks to us. Quotes, code and HTML comments are left out as GitHub's own
// mentions leave them out; what remains is cut into one passage for each mention. Time is linear in
// the text.

#include <string>
#include <string_view>
#include <vector>

namespace stepscope::webhooks {

// Stands in a passage where a code span was, so that a reader of it knows that something was
// dropped.
inline constexpr char kRemovedCode = '\x01';

// What belongs to one mention. Line ends are LF, control characters are blanks.
struct Passage {
  std::string before;  // the line up to the mention
  std::string after;   // all that follows, up to the line of the next mention
};

struct Mentions {
  std::vector<Passage> passages;  // in the order of the text
  // When there is none, where the mention was instead: code_span, code_block, quoted, html_comment,
  // or not_a_mention.
  std::string reason;
};

// `name` without the @; ASCII letters compare without case. The mention must stand alone: not
// inside a word, an address or a longer name.
Mentions find_mentions(std::string_view text, std::string_view name);

}  // namespace stepscope::webhooks
