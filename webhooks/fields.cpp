#include "webhooks/fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "webhooks/shapes.h"
#include "webhooks/unicode.h"
#include "webhooks/value.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kWordsPerName = 4;  // "deepseek", "v4", "pro" and one to spare
constexpr std::array kConcNames = {"conc"sv, "concurrency"sv, "concurrent"sv};
constexpr std::array kNegations = {"no"sv, "not"sv, "without"sv, "non"sv, "skip"sv, "except"sv};

class FieldReader {
 public:
  FieldReader(std::string_view text, std::span<const Token> tokens, const Sentence& range,
              const Vocabulary& vocabulary, Fields& fields)
      : text_(text),
        tokens_(tokens),
        end_(range.last),
        at_(range.first),
        vocabulary_(vocabulary),
        fields_(fields) {}

  void run() {
    while (at_ < end_) {
      if (!tokens_[at_].is_word()) {
        ++at_;
        continue;
      }
      if (!take_steps() && !take_named_value() && !take_attached() && !take_phase() &&
          !take_switch() && !take_name() && !take_composite(tokens_[at_].text) && !take_foreign()) {
        ++at_;
      }
    }
  }

 private:
  const std::string& word(std::size_t at) const {
    static const std::string kNone;
    return at < end_ && tokens_[at].is_word() ? tokens_[at].text : kNone;
  }

  // One item over tokens [at_, last); the reading goes on behind it.
  bool add(Item item, std::size_t last) {
    item.first = at_;
    item.last = last;
    for (std::size_t i = at_; i < last; ++i) fields_.used[i] = true;
    fields_.items.push_back(std::move(item));
    at_ = last;
    return true;
  }

  bool add_number(Field field, int number, std::size_t last) {
    return add({.field = field, .word = {}, .number = number}, last);
  }

  bool bad(std::string_view field, std::string text, std::size_t last) {
    for (std::size_t i = at_; i < last; ++i) fields_.used[i] = true;
    if (!fields_.bad) fields_.bad = BadValue{std::string(field), std::move(text)};
    at_ = last;
    return true;
  }

  bool negated() const { return at_ > 0 && one_of(tokens_[at_ - 1].text, kNegations); }

  // "5 decode steps", "steps=5", "steps: 5".
  bool take_steps() {
    if (fields_.used[at_]) return false;  // the unit of an earlier number
    if (word(at_) == "steps" ||
        (word(at_) == "step" && at_ + 1 < end_ &&
         (tokens_[at_ + 1].is_mark("=") || tokens_[at_ + 1].is_mark(":")))) {
      const Value value = value_behind(text_, tokens_, at_, end_);
      if (value.number) return add_number(Field::steps, *value.number, value.last);
      if (value.separated) return bad("steps", value.text, value.last);
      return false;
    }
    const std::optional<Number> number = number_at(tokens_, at_, end_);
    const bool signed_number = !number && word(at_).size() > 1 &&
                               (is_digit(word(at_)[1]) || is_digit(word(at_)[0])) &&
                               word(at_).find_first_not_of("-+.0123456789") == std::string::npos;
    if (!number && !signed_number) return false;
    const std::size_t behind = number ? number->last : at_ + 1;
    std::size_t unit = behind;
    constexpr std::array kBetween = {"single"sv, "consecutive"sv, "full"sv, "whole"sv};
    while (unit < behind + 3 && (!phase_of(word(unit)).empty() || one_of(word(unit), kBetween))) {
      ++unit;
    }
    if (word(unit) != "step" && word(unit) != "steps") return take_leading_conc(number);
    fields_.used[unit] = true;
    if (!number || !number->value) {
      const std::size_t begin = tokens_[at_].begin;
      return bad("steps", std::string(text_.substr(begin, tokens_[behind - 1].end - begin)),
                 behind);
    }
    return add_number(Field::steps, *number->value, behind);  // the phase is read next
  }

  // "16 concurrent requests"
  bool take_leading_conc(const std::optional<Number>& number) {
    if (!number || !number->value || !one_of(word(number->last), kConcNames)) return false;
    if (value_behind(text_, tokens_, number->last, end_).number) return false;
    return add_number(Field::conc, *number->value, number->last + 1);
  }

  bool take_named_value() {
    const std::string& name = word(at_);
    if (one_of(name, kConcNames)) return take_conc();
    if (name == "c" || name == "tp" || name == "ep") {
      const Value value = value_behind(text_, tokens_, at_, end_);
      const Field field = name == "c" ? Field::conc : name == "tp" ? Field::tp : Field::ep;
      if (name == "c" && !value.separated) return false;
      return take_integer(field, name == "c" ? "conc" : name, value);
    }
    if (name == "isl" || name == "osl") return take_length(name);
    if (name == "spec" || name == "phase" || name == "dp_attn") return take_choice(name);
    return take_catalog_field(name);
  }

  bool take_conc() {
    const Value value = value_behind(text_, tokens_, at_, end_);
    if (!value.present) return false;
    // Words behind a bare "conc" that go on with the sentence are no value.
    const bool letters = !value.text.empty() && is_letter(value.text.front());
    if (!value.number && !value.separated && letters) {
      const std::string& next = word(at_ + 1);
      const bool goes_on = is_filler(next) || vocabulary_.find(next) != nullptr ||
                           vocabulary_.find_key(next) != nullptr || !phase_of(next).empty() ||
                           one_of(next, std::array{"mtp"sv, "tp"sv, "ep"sv, "then"sv, "sweep"sv,
                                                   "requests"sv, "users"sv, "isl"sv, "vs"sv,
                                                   "also"sv, "but"sv, "where"sv, "how"sv}) ||
                           attached_item(next).has_value();
      if (goes_on || word(at_) != "conc") return false;
    }
    if (!take_integer(Field::conc, "conc", value)) return false;
    return !value.number || take_more_concs();
  }

  // ", 16 and 64" behind a concurrency.
  bool take_more_concs() {
    constexpr std::array kAnd = {"and"sv, "or"sv, "vs"sv, "versus"sv, "then"sv};
    constexpr std::array kUnits = {"step"sv, "steps"sv,  "iterations"sv, "runs"sv,  "times"sv,
                                   "gpus"sv, "layers"sv, "kernels"sv,    "nodes"sv, "ranks"sv};
    for (;;) {
      std::size_t at = at_;
      while (at < end_ &&
             (tokens_[at].is_mark(",") || tokens_[at].is_mark("&") || tokens_[at].is_mark("/") ||
              tokens_[at].is_mark(".") || one_of(word(at), kAnd))) {
        ++at;
      }
      const std::optional<Number> number = at == at_ ? std::nullopt : number_at(tokens_, at, end_);
      if (!number || !number->value || !is_digit(word(at).front())) return true;
      std::size_t unit = number->last;
      while (unit < number->last + 3 && !phase_of(word(unit)).empty()) ++unit;
      if (one_of(word(unit), kUnits) || one_of(word(number->last), kConcNames)) return true;
      if (number->last < end_ && tokens_[number->last].glued && !tokens_[number->last].is(",") &&
          !tokens_[number->last].is(")") && !tokens_[number->last].is(".") &&
          !tokens_[number->last].is("?")) {
        return true;
      }
      at_ = at;
      add_number(Field::conc, *number->value, number->last);
    }
  }

  bool take_integer(Field field, std::string_view name, const Value& value) {
    if (!value.present) return false;
    if (value.number) return add_number(field, *value.number, value.last);
    // "tp attention": a bare word is no value; "tp -4", "tp=x" and numbers too large are bad ones.
    const bool letters = !value.text.empty() && is_letter(value.text.front());
    if (letters && !value.separated && field != Field::conc) return false;
    return bad(name, value.text, value.last);
  }

  bool take_length(const std::string& name) {
    const Value value = value_behind(text_, tokens_, at_, end_);
    if (!value.present) return false;
    std::string text = value.text;
    std::ranges::transform(text, text.begin(), lower);
    const std::optional<int> length = length_of(text);
    if (!length) {
      const bool letters = !text.empty() && is_letter(text.front());
      return (letters && !value.separated) ? false : bad(name, value.text, value.last);
    }
    Item item{.field = Field::lengths, .word = {}};
    (name == "isl" ? item.number : item.second) = *length;
    return add(item, value.last);
  }

  // spec=mtp, phase=decode, dp_attn=true
  bool take_choice(const std::string& name) {
    const Value value = value_behind(text_, tokens_, at_, end_);
    if (!value.separated) return false;
    const std::string text = value.last > at_ + 2 ? tokens_[value.last - 1].text : "";
    if (name == "spec" && (text == "mtp" || text == "none")) {
      return add({.field = Field::spec, .word = text}, value.last);
    }
    if (name == "phase" && (text == "both" || !phase_of(text).empty())) {
      return add(
          {.field = Field::phase, .word = text == "both" ? text : std::string(phase_of(text))},
          value.last);
    }
    if (name == "dp_attn" && one_of(text, std::array{"true"sv, "on"sv, "1"sv, "yes"sv})) {
      return add_number(Field::dp_attn, 1, value.last);
    }
    if (name == "dp_attn" && one_of(text, std::array{"false"sv, "off"sv, "0"sv, "no"sv})) {
      return add_number(Field::dp_attn, 0, value.last);
    }
    return bad(name, value.text, value.last);
  }

  // model=dsr1, hardware: b200, gpu=b200; a value that no catalog has is named all the same.
  bool take_catalog_field(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, Field>, 10> kNames = {
        {{"model", Field::model},
         {"hardware", Field::hardware},
         {"hw", Field::hardware},
         {"gpu", Field::hardware},
         {"precision", Field::precision},
         {"dtype", Field::precision},
         {"quant", Field::precision},
         {"framework", Field::framework},
         {"engine", Field::framework},
         {"backend", Field::framework}}};
    const auto found = std::ranges::find(kNames, name, [](const auto& pair) { return pair.first; });
    if (found == kNames.end()) return false;
    const Value value = value_behind(text_, tokens_, at_, end_);
    if (!value.separated || value.text.empty()) return false;
    std::size_t first = at_ + 1;
    while (first < value.last && !tokens_[first].is_word()) ++first;
    const std::size_t name_at = std::exchange(at_, first);
    for (std::size_t i = name_at; i < first; ++i) fields_.used[i] = true;
    if (first < value.last && (take_name() || take_composite(word(at_)))) return true;
    at_ = name_at;
    std::string text = value.text;
    std::ranges::transform(text, text.begin(), lower);
    return add({.field = found->second, .word = text, .known = false}, value.last);
  }

  bool take_attached() {
    const std::optional<Item> item = attached_item(word(at_));
    if (!item) return false;
    add(*item, at_ + 1);
    return item->field != Field::conc || take_more_concs();
  }

  bool take_phase() {
    const std::string_view phase = phase_of(word(at_));
    if (phase.empty()) {
      if (word(at_) != "both" || word(at_ + 1) != "phases") return false;
      return add({.field = Field::phase, .word = "both"}, at_ + 2);
    }
    if (negated()) {
      fields_.used[at_++] = true;
      return true;
    }
    return add({.field = Field::phase, .word = std::string(phase)}, at_ + 1);
  }

  // MTP and attention under data parallelism, each with or without.
  bool take_switch() {
    const std::string& name = word(at_);
    if (name == "mtp" || name == "non-mtp" || name == "no-mtp") {
      return take_mtp(name != "mtp" || negated());
    }
    constexpr std::array kDp = {"dp-attention"sv, "dp_attention"sv, "dp-attn"sv,
                                "dp_attn"sv,      "dpa"sv,          "dpattention"sv};
    const bool two_words =
        name == "dp" && one_of(word(at_ + 1), std::array{"attention"sv, "attn"sv});
    if (!two_words && !one_of(name, kDp)) return false;
    return add_number(Field::dp_attn, negated() ? 0 : 1, at_ + (two_words ? 2 : 1));
  }

  bool take_mtp(bool without) {
    const bool with_and_without =
        without && at_ >= 3 && tokens_[at_ - 2].is("and") && tokens_[at_ - 3].is("with");
    if (with_and_without) {
      fields_.items.push_back({.field = Field::spec, .word = "mtp", .first = at_, .last = at_});
    }
    return add({.field = Field::spec, .word = without ? "none" : "mtp"}, at_ + 1);
  }

  // A catalog word of up to four tokens, the longest first.
  bool take_name() {
    if (const Word* key = vocabulary_.find_key(word(at_))) {
      return add({.field = Field::key, .word = key->value}, at_ + 1);
    }
    std::array<std::string, kWordsPerName> joined;
    std::size_t count = 0;
    for (; count < kWordsPerName && at_ + count < end_; ++count) {
      const Token& token = tokens_[at_ + count];
      const std::string& before = count == 0 ? joined[0] : joined[count - 1];
      if (!token.is_word() || token.text.size() > vocabulary_.spelling_chars_max() + 8) break;
      if (count > 0 && token.glued) break;
      joined[count] = before + token.text;
    }
    for (std::size_t words = count; words > 0; --words) {
      const Word* found = vocabulary_.find(joined[words - 1]);
      if (found == nullptr && words == 1) found = vocabulary_.find_weights(joined[0]);
      if (found == nullptr) continue;
      if (words == 1 && found->family && looks_like_version(word(at_ + 1))) {
        return add({.field = Field::model, .word = word(at_) + " " + word(at_ + 1), .known = false},
                   at_ + 2);
      }
      return add({.field = found->field, .word = found->value, .group = found->group}, at_ + words);
    }
    return false;
  }

  // "dsr1-fp4-b200", "b200/fp4", "tp8/ep8", "prefill/decode": only when every part is known.
  bool take_composite(const std::string& text) {
    std::vector<Item> parts;
    std::size_t at = 0;
    while (at < text.size() && parts.size() < 8) {
      std::size_t cut = text.size();
      std::optional<Item> part;
      while (cut > at && !part) {  // the longest part first: "deepseek-r1" before "deepseek"
        if (cut - at <= 40) part = whole_part(std::string_view(text).substr(at, cut - at));
        if (part) break;
        cut = text.find_last_of("-/+", cut - 1);
        if (cut == std::string::npos || cut < at) return false;
      }
      if (!part) return false;
      parts.push_back(*part);
      at = cut + 1;
    }
    if (parts.size() < 2 || at < text.size()) return false;
    const std::size_t first = at_;
    for (const Item& part : parts) {
      at_ = first;
      add(part, first + 1);
    }
    return true;
  }

  std::optional<Item> whole_part(std::string_view text) const {
    if (const auto number = attached_item(text)) return number;
    if (!phase_of(text).empty()) {
      return Item{.field = Field::phase, .word = std::string(phase_of(text))};
    }
    if (text == "mtp") return Item{.field = Field::spec, .word = "mtp"};
    const Word* word = vocabulary_.find(text);
    if (word == nullptr) return std::nullopt;
    return Item{.field = word->field, .word = word->value, .group = word->group};
  }

  bool take_foreign() {
    const std::string& name = word(at_);
    Item item{.field = Field::hardware, .word = name, .known = false};
    if (looks_like_precision(name)) {
      item.field = Field::precision;
    } else if (looks_like_framework(name)) {
      item.field = Field::framework;
    } else if (!looks_like_hardware(name) &&
               !(name.ends_with('s') && looks_like_hardware(name.substr(0, name.size() - 1)))) {
      return false;
    }
    return add(item, at_ + 1);
  }

  std::string_view text_;
  std::span<const Token> tokens_;
  std::size_t end_;
  std::size_t at_;
  const Vocabulary& vocabulary_;
  Fields& fields_;
};

}  // namespace

void read_fields(std::string_view text, std::span<const Token> tokens, const Sentence& range,
                 const Vocabulary& vocabulary, Fields& fields) {
  FieldReader(text, tokens, range, vocabulary, fields).run();
}

}  // namespace stepscope::webhooks
