#pragma once
// Fields that show by their shape alone: "decode", "8k", "c4", "8k1k", "tp8". Pure functions of one
// lower-case word.

#include <optional>
#include <string_view>

#include "webhooks/fields.h"

namespace stepscope::webhooks {

// "decode" or "prefill" for their spellings (extend is prefill); empty for other words.
std::string_view phase_of(std::string_view word);
// Digits, or digits and k for 1024; at least 1.
std::optional<int> length_of(std::string_view word);
// A name and its number in one word, or two lengths in one.
std::optional<Item> attached_item(std::string_view word);

}  // namespace stepscope::webhooks
