#include "webhooks/verbs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "webhooks/ask.h"
#include "webhooks/unicode.h"
#include "webhooks/value.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kProfileWords = {"profile"sv,  "profiler"sv, "profiling"sv,
                                      "profiled"sv, "profiles"sv, "prof"sv};
constexpr std::array kCompareWords = {"compare"sv, "comparing"sv, "comparison"sv, "diff"sv,
                                      "difference"sv};

// One letter wrong, missing, doubled or swapped with its neighbour: "profle", "porfile".
bool nearly(std::string_view word, std::string_view right) {
  if (word.size() + 1 < right.size() || word.size() > right.size() + 1) return false;
  std::size_t same = 0;
  while (same < std::min(word.size(), right.size()) && word[same] == right[same]) ++same;
  const std::string_view a = word.substr(same);
  const std::string_view b = right.substr(same);
  if (a.size() > b.size()) return a.substr(1) == b;
  if (a.size() < b.size()) return a == b.substr(1);
  if (a.empty() || a.substr(1) == b.substr(1)) return true;
  return a.size() >= 2 && a[0] == b[1] && a[1] == b[0] && a.substr(2) == b.substr(2);
}

bool is_profile_word(std::string_view word) {
  return one_of(word, kProfileWords) || (word.size() >= 6 && nearly(word, "profile"));
}

Reference reference_of(const Token& token) {
  Reference reference{std::nullopt, token.text};
  if (const std::optional<int> id = plain_number(token.text)) reference.id = *id;
  return reference;
}

bool starts_with_digit(const Token& token) {
  return token.is_word() &&
         (is_digit(token.text.front()) ||
          (token.text.size() > 1 && token.text.front() == '-' && is_digit(token.text[1])));
}

// What all sentences of a passage share; found once, so that the time stays linear.
struct PassageFacts {
  bool any_items = false;   // a model, an accelerator or a key in any sentence
  bool has_source = false;  // something to analyze is linked or attached
  bool asks = false;
};

class VerbFinder {
 public:
  VerbFinder(std::span<const Token> tokens, const Sentence& sentence, std::span<const Item> items,
             const PassageFacts& facts)
      : tokens_(tokens), sentence_(sentence), items_(items), facts_(facts) {
    has_reference_ = !references(tokens_, sentence_.first, sentence_.last).empty();
    for (std::size_t i = sentence_.first; i < sentence_.last; ++i) {
      numbers_ += starts_with_digit(tokens_[i]) ? 1 : 0;
    }
  }

  std::optional<VerbPhrase> run() const {
    for (std::size_t i = sentence_.first; i < sentence_.last; ++i) {
      if (!tokens_[i].is_word()) continue;
      if (is_profile_word(word(i)) && negated(i, 1)) return std::nullopt;  // "don't profile dsr1"
      if (const std::optional<Verb> verb = verb_at(i)) return VerbPhrase{.verb = *verb, .at = i};
    }
    if (is_configuration()) {
      return VerbPhrase{.verb = Verb::profile, .at = sentence_.first, .spelled = false};
    }
    if (has_reference_ && facts_.asks) {
      return VerbPhrase{.verb = Verb::analyze, .at = sentence_.first};
    }
    return std::nullopt;
  }

 private:
  std::string_view word(std::size_t at) const {
    return at < sentence_.last && tokens_[at].is_word() ? std::string_view(tokens_[at].text) : ""sv;
  }

  // Up to `count` tokens behind `at` hold one of `words`.
  bool soon(std::size_t at, std::size_t count, std::span<const std::string_view> words) const {
    for (std::size_t i = at + 1; i <= at + count; ++i) {
      if (one_of(word(i), words)) return true;
    }
    return false;
  }

  // "don't cancel", "no need to rerun": one of up to `reach` tokens before `at` says no.
  bool negated(std::size_t at, std::size_t reach) const {
    // A typeset apostrophe leaves "t" as a word of its own.
    constexpr std::array kNot = {"not"sv,     "don't"sv,  "dont"sv,  "never"sv, "no"sv,
                                 "without"sv, "cannot"sv, "can't"sv, "won't"sv, "t"sv};
    for (std::size_t i = at; i > sentence_.first && i + reach > at; --i) {
      if (one_of(tokens_[i - 1].text, kNot)) return true;
    }
    return false;
  }

  std::optional<Verb> verb_at(std::size_t at) const {
    const std::string_view w = word(at);
    if (w == "what" && word(at + 1) == "can" && !facts_.any_items) return Verb::help;
    if (is_profile_word(w)) return Verb::profile;
    if (one_of(w, std::array{"capture"sv, "grab"sv, "collect"sv, "record"sv, "take"sv}) &&
        soon(at, 4, std::array{"trace"sv, "traces"sv})) {
      return Verb::profile;
    }
    if (one_of(w, kCompareWords)) return compare_at(at);
    if (w == "analyze" || w == "analyse") {
      const bool of_a_run = has_reference_ || facts_.has_source;
      return facts_.any_items && !of_a_run ? Verb::profile : Verb::analyze;
    }
    if (const auto verb = listing_at(at)) return verb;
    if (const auto verb = control_at(at)) return verb;
    const bool help = w == "help" || w == "--help" || w == "-h" || w == "usage";
    if (help && word(at + 1) != "me" && word(at + 1) != "us") return Verb::help;
    return std::nullopt;
  }

  std::optional<Verb> compare_at(std::size_t at) const {
    if (facts_.any_items) return Verb::profile;
    const bool last = soon(at, 12, std::array{"last"sv, "previous"sv, "latest"sv});
    if (numbers_ >= 2 || (numbers_ == 1 && last)) return Verb::compare;
    return std::nullopt;
  }

  std::optional<Verb> listing_at(std::size_t at) const {
    constexpr std::array kList = {"list"sv, "show"sv, "what"sv, "which"sv, "give"sv, "see"sv};
    constexpr std::array kRuns = {"runs"sv, "history"sv, "jobs"sv};
    constexpr std::array kConfigs = {"configs"sv, "configurations"sv, "models"sv};
    const bool first = at == sentence_.first;
    const std::string_view w = word(at);
    if (first && (w == "history" || w == "runs")) return Verb::history;
    if (first && (w == "configs" || w == "configurations")) return Verb::configs;
    if (!one_of(w, kList)) return std::nullopt;
    if (has_reference_ && (w == "list" || w == "show" || w == "give")) return Verb::analyze;
    if (soon(at, 4, kConfigs)) return Verb::configs;
    if (soon(at, 4, kRuns)) return Verb::history;
    return std::nullopt;
  }

  std::optional<Verb> control_at(std::size_t at) const {
    const std::string_view w = word(at);
    if (one_of(w, std::array{"status"sv, "progress"sv, "eta"sv})) return Verb::status;
    const bool going = one_of(w, std::array{"how"sv, "how's"sv, "hows"sv, "is"sv}) &&
                       soon(at, 3, std::array{"going"sv, "done"sv, "finished"sv, "ready"sv});
    const bool update = w == "any" && soon(at, 1, std::array{"update"sv, "updates"sv, "news"sv});
    if ((going && !facts_.any_items) || update) return Verb::status;
    if (negated(at, 3)) return std::nullopt;
    if (one_of(w, std::array{"cancel"sv, "stop"sv, "abort"sv, "kill"sv}) && object_of_control(at)) {
      return Verb::cancel;
    }
    const bool again = one_of(w, std::array{"run"sv, "try"sv}) &&
                       soon(at, 2, std::array{"again"sv}) && !facts_.any_items;
    if (again || one_of(w, std::array{"rerun"sv, "re-run"sv, "retry"sv, "redo"sv, "restart"sv})) {
      return names_configuration() ? Verb::profile : Verb::rerun;
    }
    return std::nullopt;
  }

  // "stop job 57", "cancel it", "stop"; not "stop wasting time".
  bool object_of_control(std::size_t at) const {
    constexpr std::array kObjects = {"it"sv,  "that"sv, "this"sv, "the"sv,  "my"sv,     "job"sv,
                                     "run"sv, "all"sv,  "now"sv,  "last"sv, "please"sv, "jobs"sv};
    const std::string_view next = word(at + 1);
    return next.empty() || one_of(next, kObjects) || is_digit(next.front());
  }

  std::size_t distinct_fields() const {
    std::array<bool, 16> seen{};
    for (const Item& item : items_) seen[static_cast<std::size_t>(item.field)] = true;
    return static_cast<std::size_t>(std::ranges::count(seen, true));
  }

  bool has(Field field) const {
    return std::ranges::any_of(items_, [field](const Item& item) { return item.field == field; });
  }

  bool names_configuration() const {
    return has(Field::key) || (has(Field::model) && has(Field::hardware));
  }

  // A row of the catalog, or enough of one to be told from small talk.
  bool is_configuration() const {
    if (has(Field::key)) return true;
    // "why is dsr1 slow on b200?" asks for no run.
    constexpr std::array kQuestions = {"why"sv,  "does"sv, "did"sv, "is"sv,  "are"sv, "was"sv,
                                       "were"sv, "when"sv, "who"sv, "has"sv, "have"sv};
    if (one_of(word(sentence_.first), kQuestions)) return false;
    return (has(Field::model) || has(Field::hardware)) &&
           (distinct_fields() >= 2 || soon(sentence_.first, 8, std::array{"breakdown"sv}));
  }

  std::span<const Token> tokens_;
  const Sentence& sentence_;
  std::span<const Item> items_;
  const PassageFacts& facts_;
  bool has_reference_ = false;
  std::size_t numbers_ = 0;
};

bool is_row_field(const Item& item) {
  return item.field == Field::key || item.field == Field::model || item.field == Field::hardware;
}

}  // namespace

std::vector<Reference> references(std::span<const Token> tokens, std::size_t first,
                                  std::size_t last) {
  std::vector<Reference> found;
  constexpr std::array kNouns = {"run"sv, "job"sv, "runs"sv, "jobs"sv};
  for (std::size_t i = first; i + 1 < last; ++i) {
    const bool number = starts_with_digit(tokens[i + 1]);
    if (tokens[i].is_mark("#") && tokens[i + 1].glued && number) {
      found.push_back(reference_of(tokens[i + 1]));
    }
    if (!tokens[i].is_word() || !one_of(tokens[i].text, kNouns) || !number) continue;
    const bool several = tokens[i].text.ends_with('s');
    std::size_t at = i + 1;
    while (at < last && starts_with_digit(tokens[at])) {
      found.push_back(reference_of(tokens[at]));
      if (!several) break;
      std::size_t next = at + 1;
      while (next < last && one_of(tokens[next].text, std::array{"and"sv, ","sv, "vs"sv, "&"sv,
                                                                 "against"sv, "with"sv, "to"sv})) {
        ++next;
      }
      if (next == at + 1) break;
      at = next;
    }
  }
  return found;
}

VerbPhrase find_verb(std::span<const Token> tokens, std::span<const Sentence> sentences,
                     std::span<const std::span<const Item>> item_sentences) {
  PassageFacts facts;
  facts.any_items = std::ranges::any_of(item_sentences, [](std::span<const Item> items) {
    return std::ranges::any_of(items, is_row_field);
  });
  for (const Token& token : tokens) {
    facts.has_source = facts.has_source || token.kind == Token::Kind::url ||
                       one_of(token.text, std::array{"attached"sv, "attachment"sv, "linked"sv});
    facts.asks = facts.asks || token.is("breakdown") || is_ask_word(token.text);
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    auto found = VerbFinder(tokens, sentences[i], item_sentences[i], facts).run();
    if (!found) continue;
    found->sentence = i;
    return *found;
  }
  return {};
}

bool is_comparison(std::span<const Token> tokens) {
  constexpr std::array kSigns = {"vs"sv, "versus"sv, "against"sv};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (one_of(text, kSigns) || one_of(text, kCompareWords) || text == "side-by-side") return true;
    if (text == "side" && i + 2 < tokens.size() && tokens[i + 1].is("by") &&
        tokens[i + 2].is("side")) {
      return true;
    }
  }
  return false;
}

bool compares_with_last(std::span<const Token> tokens) {
  constexpr std::array kLast = {"last"sv, "previous"sv, "prior"sv, "latest"sv};
  constexpr std::array kNouns = {"run"sv,   "one"sv,     "time"sv, "result"sv,
                                 "trace"sv, "profile"sv, "job"sv};
  constexpr std::array kLinks = {"with"sv, "to"sv, "vs"sv, "versus"sv, "against"sv, "compare"sv};
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!one_of(tokens[i].text, kLast)) continue;
    const bool noun = (i + 1 < tokens.size() && one_of(tokens[i + 1].text, kNouns)) ||
                      (i + 2 < tokens.size() && one_of(tokens[i + 2].text, kNouns));
    bool linked = false;
    for (std::size_t k = i; k > 0 && k + 3 > i; --k) {
      linked = linked || one_of(tokens[k - 1].text, kLinks);
    }
    if (linked && (noun || i + 1 == tokens.size() || !tokens[i + 1].is_word())) return true;
  }
  return false;
}

}  // namespace stepscope::webhooks
