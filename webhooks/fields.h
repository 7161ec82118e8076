#pragma once
// The recognised parts of a request, in the order of the text: what was named, with which value, by
// which tokens. Nothing is decided here about what they mean together.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webhooks/token.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {

struct Item {
  Field field = Field::model;
  std::string word;       // catalog word, phase, spec; as written (lower case) when unknown
  int number = 0;         // conc, tp, ep, steps, isl; dp_attn: 0 or 1
  int second = 0;         // osl; a length of 0 was not named
  std::size_t first = 0;  // tokens [first, last)
  std::size_t last = 0;
  bool known = true;  // false: looks like a model, an accelerator, ... that no catalog row has
  bool group = false;
};

// A recognised field with a value that can not be one.
struct BadValue {
  std::string field;
  std::string text;  // as written
};

struct Fields {
  std::vector<Item> items;
  std::optional<BadValue> bad;  // the first one
  std::vector<bool> used;       // one entry a token of the passage
};

// Reads tokens[range.first, range.last) into `fields`, whose `used` has the size of `tokens`.
// `text` is what the tokens were made of.
void read_fields(std::string_view text, std::span<const Token> tokens, const Sentence& range,
                 const Vocabulary& vocabulary, Fields& fields);

// A decimal number of at most 2^31-1; nothing else.
std::optional<int> plain_number(std::string_view text);

}  // namespace stepscope::webhooks
