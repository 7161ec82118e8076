#pragma once
// The value that stands behind a field's name: "conc 4", "conc=4", "concurrency of four". Says what
// was written when it is no number, so that a refusal can quote it.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "webhooks/token.h"

namespace stepscope::webhooks {

struct Value {
  bool present = false;
  bool separated = false;  // by = or :
  std::optional<int> number;
  std::string text;      // as written
  std::size_t last = 0;  // behind its last token
};

// The value behind tokens[name]; `end` bounds the sentence. Not present when the sentence or the
// clause ends there; with = or : a value is always present, though it may be empty.
Value value_behind(std::string_view text, std::span<const Token> tokens, std::size_t name,
                   std::size_t end);

struct Number {
  std::optional<int> value;  // nothing when too large
  std::size_t last = 0;
};
// Digits or number words ("thirty two") at tokens[at].
std::optional<Number> number_at(std::span<const Token> tokens, std::size_t at, std::size_t end);

}  // namespace stepscope::webhooks
