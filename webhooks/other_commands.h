#pragma once
// The commands that start no run of a configuration: status, cancel, rerun, history, configs,
// compare and analyze, from the tokens of their sentence.

#include <span>
#include <string_view>
#include <vector>

#include "webhooks/command.h"
#include "webhooks/fields.h"
#include "webhooks/token.h"
#include "webhooks/verbs.h"

namespace stepscope::webhooks {

// `items` are the fields of the verb's sentence; `used` covers all tokens.
Command read_other_command(const VerbPhrase& verb, std::span<const Token> tokens,
                           const Sentence& sentence, std::span<const Item> items,
                           const std::vector<bool>& used);

// https, no user, no port, and a host on the list of those that serve files of comments.
bool source_allowed(std::string_view url);

}  // namespace stepscope::webhooks
