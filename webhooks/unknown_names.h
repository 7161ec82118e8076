#pragma once
// Names in a request that stand where a model or an accelerator should, though no catalog has them.
// They are refused by name instead of being passed over.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "webhooks/fields.h"
#include "webhooks/token.h"

namespace stepscope::webhooks {

// The unused words behind the verb at token `verb` ("profile llama 70b fp8"), else anything in the
// sentence that looks like a model. Without a verb pass sentence.last.
std::optional<Item> unknown_model(std::string_view text, std::span<const Token> tokens,
                                  const Sentence& sentence, const std::vector<bool>& used,
                                  std::size_t verb);

// "on xyz9": an unused word with a digit behind "on".
std::optional<Item> unknown_hardware(std::span<const Token> tokens, const Sentence& sentence,
                                     const std::vector<bool>& used);

}  // namespace stepscope::webhooks
