#include "webhooks/other_commands.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "webhooks/ask.h"
#include "webhooks/unicode.h"
#include "webhooks/value.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kUrlBytesMax = 2048;

Command refuse(std::string reason, const char* field, std::string_view text) {
  Command command;
  command.verb = Verb::refuse;
  command.refusal = {
      std::move(reason), {{field, std::string(clipped(text, kUrlBytesMax))}}, {}, {}};
  return command;
}

// The job that is meant: "#57", "job 57", or a number right behind the verb.
std::optional<Reference> target_of(std::span<const Token> tokens, const Sentence& sentence,
                                   std::size_t verb) {
  const std::vector<Reference> named = references(tokens, sentence.first, sentence.last);
  if (!named.empty()) return named.front();
  const std::size_t next = verb + 1;
  if (next >= sentence.last || !tokens[next].is_word()) return std::nullopt;
  const std::string& text = tokens[next].text;
  const bool number = is_digit(text.front()) || (text.size() > 1 && text.front() == '-');
  if (!number) return std::nullopt;
  Reference reference{std::nullopt, text};
  if (const std::optional<int> id = plain_number(text)) reference.id = *id;
  return reference;
}

bool wants_other_runner(std::span<const Token> tokens, const Sentence& sentence) {
  constexpr std::array kOther = {"different"sv, "another"sv, "other"sv};
  constexpr std::array kRunners = {"runner"sv, "node"sv, "machine"sv,
                                   "host"sv,   "box"sv,  "server"sv};
  for (std::size_t i = sentence.first; i + 1 < sentence.last; ++i) {
    if (one_of(tokens[i].text, kOther) && one_of(tokens[i + 1].text, kRunners)) return true;
  }
  return false;
}

Command control(const VerbPhrase& verb, std::span<const Token> tokens, const Sentence& sentence,
                std::span<const Item> items) {
  Command command;
  command.verb = verb.verb;
  if (const std::optional<Reference> target = target_of(tokens, sentence, verb.at)) {
    if (!target->id) return refuse("bad_value", "target", target->text);
    command.target = target->id;
  }
  if (verb.verb != Verb::rerun) return command;
  command.avoid_runner = wants_other_runner(tokens, sentence);
  for (const Item& item : items) {
    if (item.field == Field::steps && !command.steps) command.steps = item.number;
  }
  return command;
}

Command listing(const VerbPhrase& verb, std::span<const Item> items) {
  Command command;
  command.verb = verb.verb;
  for (const Item& item : items) {
    if (item.field == Field::model) command.filter.emplace("model", item.word);
    if (item.field == Field::hardware && !item.group) command.filter.emplace("hardware", item.word);
    if (item.field == Field::precision) command.filter.emplace("precision", item.word);
    if (item.field == Field::framework) command.filter.emplace("framework", item.word);
  }
  return command;
}

// "run 41 with 37": the number behind `run` that has no noun of its own and belongs to no field.
std::optional<Reference> second_run(const Reference& run, std::span<const Token> tokens,
                                    const Sentence& sentence, const std::vector<bool>& used) {
  constexpr std::array kLinks = {"with"sv, "and"sv, "to"sv,      "vs"sv,
                                 "&"sv,    ","sv,   "against"sv, "versus"sv};
  for (std::size_t i = sentence.first; i + 2 < sentence.last; ++i) {
    const Token& number = tokens[i + 2];
    if (tokens[i].text != run.text || !one_of(tokens[i + 1].text, kLinks)) continue;
    if (used[i + 2] || !number.is_word() || !is_digit(number.text.front())) return std::nullopt;
    Reference second{std::nullopt, number.text};
    if (const std::optional<int> id = plain_number(number.text)) second.id = *id;
    return second;
  }
  return std::nullopt;
}

Command compare_runs(std::span<const Token> tokens, const Sentence& sentence,
                     const std::vector<bool>& used) {
  Command command;
  command.verb = Verb::compare;
  std::vector<Reference> runs = references(tokens, sentence.first, sentence.last);
  if (runs.empty()) {  // "compare 41 and 37"
    for (std::size_t i = sentence.first; i < sentence.last; ++i) {
      if (!tokens[i].is_word() || !is_digit(tokens[i].text.front())) continue;
      Reference run{std::nullopt, tokens[i].text};
      if (const std::optional<int> id = plain_number(tokens[i].text)) run.id = *id;
      runs.push_back(std::move(run));
    }
  }
  if (runs.size() == 1) {
    if (auto second = second_run(runs.front(), tokens, sentence, used)) {
      runs.push_back(*std::move(second));
    }
  }
  for (const Reference& run : runs) {
    if (!run.id) return refuse("bad_value", "run", run.text);
    command.runs.push_back(*run.id);
  }
  if (command.runs.size() == 1) command.compare = "with_last";
  command.ask = asks_in(tokens, used);
  return command;
}

// A path where an address should be: "/etc/passwd", "trace.json.gz".
bool is_path(const Token& token) {
  if (!token.is_word()) return false;
  const std::string& text = token.text;
  constexpr std::array kEndings = {".json"sv,   ".gz"sv,       ".zip"sv, ".db"sv,
                                   ".sqlite"sv, ".nsys-rep"sv, ".rpd"sv};
  return text.starts_with('/') || text.starts_with("../") || text.starts_with("./") ||
         text.starts_with("~/") || std::ranges::any_of(kEndings, [&](std::string_view ending) {
           return text.ends_with(ending) && text.size() > ending.size();
         });
}

Command analyze(std::span<const Token> tokens, const Sentence& sentence,
                std::span<const Item> items, const std::vector<bool>& used) {
  Command command;
  command.verb = Verb::analyze;
  for (const Item& item : items) {
    if (item.field == Field::phase && command.phase.empty()) command.phase = item.word;
  }
  command.ask = asks_in(tokens, used);
  if (command.ask.empty()) command.ask = {"report"};
  const std::vector<Reference> runs = references(tokens, sentence.first, sentence.last);
  if (!runs.empty()) {
    if (!runs.front().id) return refuse("bad_value", "run", runs.front().text);
    command.run = runs.front().id;
    return command;
  }
  auto source = std::ranges::find(tokens, Token::Kind::url, &Token::kind);
  if (source == tokens.end()) source = std::ranges::find_if(tokens, is_path);
  if (source == tokens.end()) {
    Command question;
    question.verb = Verb::clarify;
    question.missing = {"source"};
    return question;
  }
  if (!source_allowed(source->text)) {
    return refuse("source_not_allowed", "source", source->text);
  }
  command.source = source->text;
  return command;
}

}  // namespace

bool source_allowed(std::string_view url) {
  constexpr std::array kHosts = {"github.com"sv, "raw.githubusercontent.com"sv,
                                 "objects.githubusercontent.com"sv};
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme) || url.size() > kUrlBytesMax) return false;
  const std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || !one_of(rest.substr(0, slash), kHosts)) return false;
  const bool printable = std::ranges::all_of(rest, [](char c) { return c > 0x20 && c < 0x7f; });
  return printable && rest.find('\\') == std::string_view::npos &&
         rest.find("/../") == std::string_view::npos;
}

Command read_other_command(const VerbPhrase& verb, std::span<const Token> tokens,
                           const Sentence& sentence, std::span<const Item> items,
                           const std::vector<bool>& used) {
  switch (verb.verb) {
    case Verb::status:
    case Verb::cancel:
    case Verb::rerun:
      return control(verb, tokens, sentence, items);
    case Verb::history:
    case Verb::configs:
      return listing(verb, items);
    case Verb::compare:
      return compare_runs(tokens, sentence, used);
    case Verb::analyze:
      return analyze(tokens, sentence, items, used);
    default:
      return {};
  }
}

}  // namespace stepscope::webhooks
