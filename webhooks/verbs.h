#pragma once
// What kind of command a passage holds, and where in it: by the first word that says so. References
// to runs and jobs are read here too.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "webhooks/command.h"
#include "webhooks/fields.h"
#include "webhooks/token.h"

namespace stepscope::webhooks {

struct VerbPhrase {
  Verb verb = Verb::help;
  std::size_t sentence = 0;
  std::size_t at = 0;   // its token; of a request without a verb, the sentence's first
  bool spelled = true;  // false: a configuration and nothing else
};

// A number that names a run or job: "#41", "run 41", "runs 41 and 37".
struct Reference {
  std::optional<std::int64_t> id;  // nothing when it is no plausible number
  std::string text;
};
std::vector<Reference> references(std::span<const Token> tokens, std::size_t first,
                                  std::size_t last);

// `item_sentences[i]`: items of sentences[i]. Nothing found: help.
VerbPhrase find_verb(std::span<const Token> tokens, std::span<const Sentence> sentences,
                     std::span<const std::span<const Item>> item_sentences);

// "compare", "vs", "side by side": two things are set against each other.
bool is_comparison(std::span<const Token> tokens);
// "compare with the last run"
bool compares_with_last(std::span<const Token> tokens);

}  // namespace stepscope::webhooks
