#include "webhooks/words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "webhooks/unicode.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kBlackwell = {"b200"sv, "b300"sv, "gb200"sv, "gb300"sv, "rtx6000pro"sv};
constexpr std::array kHopper = {"h100"sv, "h200"sv};
// Names that are followed by a version when another model of the family is meant.
constexpr std::array kFamilies = {"deepseek"sv, "qwen"sv};
constexpr std::array kForeignModels = {
    "llama"sv,    "mistral"sv, "mixtral"sv, "gemma"sv,     "phi"sv,     "nemotron"sv, "grok"sv,
    "falcon"sv,   "olmo"sv,    "bert"sv,    "qwen"sv,      "kimi"sv,    "glm"sv,      "minimax"sv,
    "deepseek"sv, "gpt"sv,     "dbrx"sv,    "starcoder"sv, "granite"sv, "whisper"sv};
constexpr std::array kForeignFrameworks = {"tgi"sv,       "lmdeploy"sv, "ollama"sv,  "mlc"sv,
                                           "llama.cpp"sv, "dynamo"sv,   "tensorrt"sv};
constexpr std::array kFillers = {"a"sv,          "an"sv,      "the"sv,       "run"sv,
                                 "runs"sv,       "job"sv,     "for"sv,       "of"sv,
                                 "with"sv,       "using"sv,   "on"sv,        "in"sv,
                                 "at"sv,         "me"sv,      "us"sv,        "please"sv,
                                 "pls"sv,        "this"sv,    "that"sv,      "it"sv,
                                 "these"sv,      "both"sv,    "again"sv,     "trace"sv,
                                 "traces"sv,     "step"sv,    "steps"sv,     "to"sv,
                                 "some"sv,       "any"sv,     "my"sv,        "our"sv,
                                 "your"sv,       "model"sv,   "new"sv,       "one"sv,
                                 "single"sv,     "now"sv,     "something"sv, "anything"sv,
                                 "everything"sv, "all"sv,     "whatever"sv,  "stuff"sv,
                                 "things"sv,     "is"sv,      "what"sv,      "profile"sv,
                                 "profiler"sv,   "quick"sv,   "short"sv,     "just"sv,
                                 "only"sv,       "same"sv,    "config"sv,    "configuration"sv,
                                 "latest"sv,     "current"sv, "thanks"sv,    "and"sv,
                                 "or"sv,         "here"sv,    "there"sv,     "issue"sv,
                                 "thread"sv,     "gpu"sv,     "gpus"sv,      "node"sv,
                                 "workload"sv,   "from"sv,    "pass"sv,      "phase"sv,
                                 "if"sv,         "when"sv,    "as"sv,        "you"sv,
                                 "can"sv,        "could"sv,   "would"sv,     "i"sv,
                                 "we"sv,         "want"sv,    "need"sv,      "get"sv,
                                 "breakdown"sv,  "time"sv,    "very"sv,      "more"sv,
                                 "again"sv,      "like"sv,    "how"sv,       "long"sv,
                                 "be"sv};

std::string squeeze(std::string_view text) {
  std::string squeezed;
  for (const char c : text) {
    if (c != '-' && c != '_' && c != ' ') squeezed += lower(c);
  }
  return squeezed;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// What is left of `word` behind the first of `prefixes` that it starts with.
std::optional<std::string_view> behind_prefix(std::string_view word,
                                              std::span<const std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (word.starts_with(prefix)) return word.substr(prefix.size());
  }
  return std::nullopt;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

bool one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

void Vocabulary::add(std::string_view spelling, Word word) {
  const std::string squeezed = squeeze(spelling);
  if (squeezed.empty()) return;
  chars_max_ = std::max(chars_max_, squeezed.size());
  word.family = word.field == Field::model && one_of(squeezed, kFamilies);
  words_.insert_or_assign(squeezed, std::move(word));
}

Vocabulary::Vocabulary(const db::Catalog& catalog) {
  // Later ones win: names to print, then aliases, then the catalog's own words.
  for (const db::CatalogEntry& entry : catalog.entries()) {
    const Word model{Field::model, entry.model};
    const std::string weights = squeeze(entry.model_name);
    chars_max_ = std::max(chars_max_, weights.size());
    weights_.insert_or_assign(weights, model);
    weights_.insert_or_assign(squeeze(base_name(entry.model_name)), model);
    add(catalog.display_name(entry.model), {Field::model, entry.model});
  }
  constexpr std::array<std::pair<std::string_view, Field>, 4> kFields = {
      {{"model", Field::model},
       {"hardware", Field::hardware},
       {"precision", Field::precision},
       {"framework", Field::framework}}};
  for (const auto& [name, field] : kFields) {
    for (const auto& [spelling, word] : catalog.aliases(name)) add(spelling, {field, word});
  }
  add("blackwell", {Field::hardware, "blackwell", true});
  add("hopper", {Field::hardware, "hopper", true});
  for (const db::CatalogEntry& entry : catalog.entries()) {
    add(entry.model, {Field::model, entry.model});
    add(entry.hardware, {Field::hardware, entry.hardware});
    add(entry.precision, {Field::precision, entry.precision});
    add(entry.framework, {Field::framework, entry.framework});
    keys_.insert_or_assign(entry.key, Word{Field::key, entry.key});
  }
}

const Word* Vocabulary::find(std::string_view spelling) const {
  const std::string squeezed = squeeze(spelling);
  auto found = words_.find(squeezed);
  if (found == words_.end() && squeezed.ends_with('s')) {  // "B200s"
    found = words_.find(squeezed.substr(0, squeezed.size() - 1));
    if (found != words_.end() && found->second.field != Field::hardware) return nullptr;
  }
  return found == words_.end() ? nullptr : &found->second;
}

const Word* Vocabulary::find_weights(std::string_view name) const {
  const auto found = weights_.find(squeeze(name));
  return found == weights_.end() ? nullptr : &found->second;
}

const Word* Vocabulary::find_key(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &found->second;
}

std::span<const std::string_view> Vocabulary::group(std::string_view name) {
  if (name == "blackwell") return kBlackwell;
  if (name == "hopper") return kHopper;
  return {};
}

std::optional<int> number_word(std::string_view word) {
  constexpr std::array kUnits = {"zero"sv,    "one"sv,       "two"sv,      "three"sv,
                                 "four"sv,    "five"sv,      "six"sv,      "seven"sv,
                                 "eight"sv,   "nine"sv,      "ten"sv,      "eleven"sv,
                                 "twelve"sv,  "thirteen"sv,  "fourteen"sv, "fifteen"sv,
                                 "sixteen"sv, "seventeen"sv, "eighteen"sv, "nineteen"sv};
  constexpr std::array kTens = {"twenty"sv, "thirty"sv,  "forty"sv,  "fifty"sv,
                                "sixty"sv,  "seventy"sv, "eighty"sv, "ninety"sv};
  if (word == "single") return 1;
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (word == kUnits[i]) return static_cast<int>(i);
  }
  for (std::size_t i = 0; i < kTens.size(); ++i) {
    if (!word.starts_with(kTens[i])) continue;
    const int tens = static_cast<int>(i + 2) * 10;
    std::string_view rest = word.substr(kTens[i].size());
    if (rest.empty()) return tens;
    if (rest.starts_with('-')) rest.remove_prefix(1);
    for (std::size_t unit = 1; unit < 10; ++unit) {
      if (rest == kUnits[unit]) return tens + static_cast<int>(unit);
    }
  }
  return std::nullopt;
}

bool looks_like_hardware(std::string_view word) {
  if (word.size() > 12) return false;
  if (one_of(word, std::array{"v100"sv, "t4"sv, "l4"sv, "l20"sv, "l40"sv, "l40s"sv, "h20"sv,
                              "a10"sv, "a10g"sv, "a30"sv, "a40"sv})) {
    return true;
  }
  const auto rest = behind_prefix(word, std::array{"gb"sv, "gh"sv, "mi"sv, "rtx"sv, "tpu"sv,
                                                   "gaudi"sv, "a"sv, "b"sv, "h"sv, "trainium"sv});
  if (!rest) return false;
  const bool short_prefix = word.size() - rest->size() <= 2;
  const std::size_t digits = std::min(rest->find_first_not_of("0123456789"), rest->size());
  if (word.starts_with("tpu") || word.starts_with("gaudi")) return true;
  return digits >= (short_prefix ? 3U : 1U) && digits <= 4 && rest->size() - digits <= 5;
}

bool looks_like_precision(std::string_view word) {
  const auto rest = behind_prefix(
      word, std::array{"fp"sv, "bf"sv, "int"sv, "mxfp"sv, "nvfp"sv, "tf"sv, "uint"sv});
  if (rest && rest->size() <= 2 && all_digits(*rest)) return true;
  // w4a8, w8a16
  return word.size() >= 4 && word.size() <= 6 && word.front() == 'w' && is_digit(word[1]) &&
         word.find('a') != std::string_view::npos && is_digit(word.back());
}

bool looks_like_framework(std::string_view word) {
  return one_of(word, kForeignFrameworks) || (word.starts_with("dynamo-") && word.size() <= 32);
}

bool looks_like_version(std::string_view word) {
  if (word.empty() || word.size() > 24) return false;
  if (word.front() == 'v' && word.size() > 1 && is_digit(word[1])) return true;
  if (!is_digit(word.front())) return false;
  const std::size_t digits = std::min(word.find_first_not_of("0123456789."), word.size());
  if (digits == word.size()) return word.find('.') != std::string_view::npos;
  return word[digits] == 'b' && (digits + 1 == word.size() || word[digits + 1] == '-');
}

bool looks_like_model(std::string_view word) {
  if (word.find("..") != std::string_view::npos || word.starts_with('/')) return true;
  const auto rest = behind_prefix(base_name(word), kForeignModels);
  if (rest && (rest->empty() || !is_letter(rest->front()))) return true;
  // "foo-7b", "foo-8x7b-instruct"
  const std::size_t hyphen = word.find('-');
  for (std::size_t at = hyphen; at != std::string_view::npos; at = word.find('-', at + 1)) {
    const std::string_view part = word.substr(at + 1);
    if (!part.empty() && is_digit(part.front()) && looks_like_version(part)) return true;
  }
  return false;
}

bool is_filler(std::string_view word) { return one_of(word, kFillers); }

}  // namespace stepscope::webhooks
