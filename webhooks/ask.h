#pragma once
// Which parts of the report somebody wants to see, which wishes are beyond it, and whether text was
// dropped that a reader could take for having been obeyed.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webhooks/fields.h"
#include "webhooks/token.h"

namespace stepscope::webhooks {

// Sorted, without repetition; empty when nothing in particular is asked for. `used` tokens belong
// to fields and are passed over.
std::vector<std::string> asks_in(std::span<const Token> tokens, const std::vector<bool>& used);

// "kernels", "idle", ...: names a part of the report by itself.
bool is_ask_word(std::string_view word);

// "and paste the environment in the reply": an imperative behind and, then or also that asks for
// what no report holds.
bool asks_for_more(std::span<const Token> tokens, const std::vector<bool>& used);

// Shell metacharacters or removed code in the command's own sentence.
bool drops_text(std::span<const Token> tokens, const Sentence& sentence,
                const std::vector<bool>& used);

}  // namespace stepscope::webhooks
