#pragma once
// The words of requests: what a catalog names and how else people write it, numbers as words, and
// the shapes of names that no catalog has. A Vocabulary copies what it needs; immutable once built.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/catalog.h"

namespace stepscope::webhooks {

enum class Field {
  key,
  model,
  hardware,
  precision,
  framework,
  spec,
  conc,
  lengths,  // isl and osl
  tp,
  ep,
  dp_attn,
  phase,
  steps,
};

struct Word {
  Field field = Field::model;
  std::string value;    // the catalog's word; for a group the group's name
  bool group = false;   // of hardware
  bool family = false;  // a model named without its version
};

class Vocabulary {
 public:
  explicit Vocabulary(const db::Catalog& catalog);

  // `spelling` in lower case; hyphens, blanks and underscores do not count.
  const Word* find(std::string_view spelling) const;
  // The published name of a model's weights, with or without its owner. In one word only: "DeepSeek
  // R1 FP4" in three is a model and a precision.
  const Word* find_weights(std::string_view name) const;
  const Word* find_key(std::string_view key) const;
  // Members of "blackwell" or "hopper"; empty for all else.
  static std::span<const std::string_view> group(std::string_view name);
  std::size_t spelling_chars_max() const { return chars_max_; }

 private:
  void add(std::string_view spelling, Word word);

  std::map<std::string, Word, std::less<>> words_;
  std::map<std::string, Word, std::less<>> weights_;
  std::map<std::string, Word, std::less<>> keys_;
  std::size_t chars_max_ = 0;
};

// Small number words, "zero" to "ninety", and "single".
std::optional<int> number_word(std::string_view word);

// Names that look like an accelerator ("a100", "mi250x"), a precision ("fp16", "w4a8"), a framework
// ("tgi") or a model ("llama", "qwen3-235b") without being in the catalog.
bool looks_like_hardware(std::string_view word);
bool looks_like_precision(std::string_view word);
bool looks_like_framework(std::string_view word);
bool looks_like_model(std::string_view word);
// "v3", "2.5", "70b": what follows a model's family.
bool looks_like_version(std::string_view word);

// Words that carry nothing: "the", "please", "run".
bool is_filler(std::string_view word);
bool one_of(std::string_view word, std::span<const std::string_view> words);

}  // namespace stepscope::webhooks
