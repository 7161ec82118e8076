#include "webhooks/passage_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "webhooks/ask.h"
#include "webhooks/fields.h"
#include "webhooks/job_list.h"
#include "webhooks/other_commands.h"
#include "webhooks/resolve.h"
#include "webhooks/token.h"
#include "webhooks/unicode.h"
#include "webhooks/unknown_names.h"
#include "webhooks/verbs.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kQuotedBytesMax = 200;  // of a bad value that is shown again

// A sentence and what was recognised in it.
struct ReadSentence {
  Sentence sentence;
  std::vector<Item> items;
  std::optional<BadValue> bad;
};

bool is_row_field(const Item& item) {
  return item.field == Field::key || item.field == Field::model || item.field == Field::hardware;
}

class PassageReader {
 public:
  PassageReader(std::string_view text, const db::Catalog& catalog, const Vocabulary& vocabulary)
      : text_(text), catalog_(catalog), tokens_(tokenize(text)) {
    Fields fields;
    fields.used.resize(tokens_.size());
    for (const Sentence& sentence : sentences(tokens_)) {
      fields.items.clear();
      fields.bad.reset();
      read_fields(text_, tokens_, sentence, vocabulary, fields);
      read_.push_back({sentence, fields.items, fields.bad});
    }
    used_ = std::move(fields.used);
  }

  Command run() {
    std::vector<Sentence> all;
    std::vector<std::span<const Item>> items;
    for (const ReadSentence& read : read_) {
      all.push_back(read.sentence);
      items.emplace_back(read.items);
    }
    const VerbPhrase verb = find_verb(tokens_, all, items);
    if (verb.verb == Verb::help) return {};
    if (verb.verb == Verb::profile) return profile(verb);
    const ReadSentence& command = read_[verb.sentence];
    return read_other_command(verb, tokens_, command.sentence, command.items, used_);
  }

 private:
  Command profile(const VerbPhrase& verb) {
    ReadSentence& sentence = read_[verb.sentence];
    name_unknown(verb, sentence);
    Command command;
    command.ignored_text = drops_text(tokens_, sentence.sentence, used_);
    std::optional<BadValue> bad = sentence.bad;
    const std::vector<Item> items = gather(verb.sentence, bad);
    if (bad) {
      const std::string text(clipped(bad->text, kQuotedBytesMax));
      return refuse(command, {"bad_value", {{bad->field, text}}, {}, {}});
    }
    const bool comparing = is_comparison(tokens_);
    const auto specs = list_jobs(items, tokens_, comparing);
    if (!specs) {
      const auto count = static_cast<std::int64_t>(specs.error());
      return refuse(command, {"too_many_jobs", {{"jobs", count}}, {}, {}});
    }
    command.verb = Verb::profile;
    command.ask = asks_in(tokens_, used_);
    command.unsupported_ask = asks_for_more(tokens_, used_);
    if (comparing && compares_with_last(tokens_)) {
      command.compare = "with_last";
    } else if (comparing && specs->size() > 1) {
      command.compare = "between_jobs";
    }
    if (command.ask.empty()) command.ask = {"report"};
    return resolve_all(std::move(command), *specs);
  }

  static Command refuse(const Command& command, Refusal refusal) {
    Command refused;
    refused.verb = Verb::refuse;
    refused.ignored_text = command.ignored_text;
    refused.refusal = std::move(refusal);
    return refused;
  }

  // A model or accelerator of a name that nobody knows is an item too, where none is known.
  void name_unknown(const VerbPhrase& verb, ReadSentence& read) {
    const auto has = [&read](Field field) {
      return std::ranges::any_of(read.items, [field](const Item& i) { return i.field == field; });
    };
    if (has(Field::key)) return;
    const std::size_t at = verb.spelled ? verb.at : read.sentence.last;
    if (!has(Field::model)) add(read, unknown_model(text_, tokens_, read.sentence, used_, at));
    if (!has(Field::hardware)) add(read, unknown_hardware(tokens_, read.sentence, used_));
  }

  void add(ReadSentence& read, const std::optional<Item>& item) {
    if (!item) return;
    for (std::size_t i = item->first; i < item->last; ++i) used_[i] = true;
    const auto place = std::ranges::find_if(
        read.items, [&](const Item& other) { return other.first > item->first; });
    read.items.insert(place, *item);
  }

  // The fields of the command's sentence, and of later ones what belongs to it: list items,
  // sentences that name a whole configuration, and in the same paragraph fields that are still
  // open.
  std::vector<Item> gather(std::size_t command, std::optional<BadValue>& bad) const {
    std::vector<Item> items = read_[command].items;
    std::array<bool, 16> named{};
    bool any_row_field = false;
    const auto note = [&](const Item& item) {
      named[static_cast<std::size_t>(item.field)] = true;
      any_row_field = any_row_field || is_row_field(item);
    };
    std::ranges::for_each(items, note);
    bool same_paragraph = true;
    for (std::size_t i = command + 1; i < read_.size(); ++i) {
      const ReadSentence& read = read_[i];
      same_paragraph = same_paragraph && !read.sentence.new_paragraph;
      if (!same_paragraph && !read.sentence.bullet && any_row_field) continue;
      const bool whole = read.sentence.bullet || !any_row_field || names_job(read);
      for (const Item& item : read.items) {
        if (whole || !named[static_cast<std::size_t>(item.field)]) items.push_back(item);
      }
      std::ranges::for_each(read.items, note);
      if (!bad && (whole || !read.items.empty())) bad = read.bad;
    }
    return items;
  }

  bool names_job(const ReadSentence& read) const {
    const auto has = [&read](Field field) {
      return std::ranges::any_of(read.items, [field](const Item& i) { return i.field == field; });
    };
    if (has(Field::key) || (has(Field::model) && has(Field::hardware))) return true;
    constexpr std::array kStarts = {"also"sv, "and"sv, "then"sv, "plus"sv, "profile"sv};
    return one_of(tokens_[read.sentence.first].text, kStarts) &&
           std::ranges::any_of(read.items, is_row_field);
  }

  Command resolve_all(Command command, const std::vector<JobSpec>& specs) const {
    for (const JobSpec& spec : specs) {
      Resolution resolution = resolve(catalog_, spec);
      if (auto* question = std::get_if<Question>(&resolution)) {
        Command asking;
        asking.verb = Verb::clarify;
        asking.ignored_text = command.ignored_text;
        asking.missing = std::move(question->missing);
        asking.options = std::move(question->options);
        return asking;
      }
      if (auto* refusal = std::get_if<Refusal>(&resolution)) {
        // One side of a comparison is no comparison.
        if (command.compare == "between_jobs") return refuse(command, *refusal);
        command.rejected.push_back(std::move(*refusal));
      } else {
        command.jobs.push_back(std::get<db::RunConfig>(std::move(resolution)));
      }
    }
    if (command.jobs.empty()) {
      return refuse(command, command.rejected.front());
    }
    return command;
  }

  std::string_view text_;
  const db::Catalog& catalog_;
  std::vector<Token> tokens_;
  std::vector<ReadSentence> read_;
  std::vector<bool> used_;
};

}  // namespace

Command read_passage(std::string_view passage, const db::Catalog& catalog,
                     const Vocabulary& vocabulary) {
  return PassageReader(passage, catalog, vocabulary).run();
}

}  // namespace stepscope::webhooks
