#include "webhooks/request_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "webhooks/job_list.h"
#include "webhooks/markdown_regions.h"
#include "webhooks/mention.h"
#include "webhooks/passage_reader.h"

namespace stepscope::webhooks {
namespace {

constexpr std::size_t kMentionsMax = 16;  // in one comment

bool is_empty(std::string_view text) {
  return text.find_first_not_of(" \t\n.,:;!?-*_)(") == std::string_view::npos;
}

Command too_many(std::size_t jobs) {
  Command command;
  command.verb = Verb::refuse;
  command.refusal = {"too_many_jobs", {{"jobs", static_cast<std::int64_t>(jobs)}}, {}, {}};
  return command;
}

bool asks_for_runs(const Command& command) {
  return command.verb == Verb::profile || command.verb == Verb::refuse ||
         command.verb == Verb::clarify;
}

bool same_job(const db::RunConfig& a, const db::RunConfig& b) {
  return a.key == b.key && a.conc == b.conc && a.isl == b.isl && a.osl == b.osl && a.tp == b.tp &&
         a.ep == b.ep && a.dp_attn == b.dp_attn && a.spec == b.spec && a.phase == b.phase &&
         a.steps == b.steps;
}

void add_to(Command& merged, const Command& command, std::set<std::string>& asks) {
  for (const db::RunConfig& job : command.jobs) {
    const bool known = std::ranges::any_of(
        merged.jobs, [&job](const db::RunConfig& other) { return same_job(job, other); });
    if (!known) merged.jobs.push_back(job);
  }
  std::ranges::copy(command.rejected, std::back_inserter(merged.rejected));
  if (command.verb == Verb::refuse) merged.rejected.push_back(command.refusal);
  if (command.verb == Verb::clarify) merged.rejected.push_back({"incomplete", {}, {}, {}});
  asks.insert(command.ask.begin(), command.ask.end());
  if (merged.compare.empty()) merged.compare = command.compare;
  merged.unsupported_ask = merged.unsupported_ask || command.unsupported_ask;
  merged.ignored_text = merged.ignored_text || command.ignored_text;
}

// Runs of all mentions together; other commands do not mix, the first one counts.
Command merge(std::span<const Command> commands) {
  std::vector<Command> meant;
  for (const Command& command : commands) {
    if (command.verb != Verb::help) meant.push_back(command);
  }
  if (meant.empty()) return {};
  const bool with_jobs =
      std::ranges::any_of(meant, [](const Command& c) { return !c.jobs.empty(); });
  if (meant.size() == 1 || !with_jobs || !std::ranges::all_of(meant, asks_for_runs)) {
    return meant.front();
  }
  Command merged;
  merged.verb = Verb::profile;
  std::set<std::string> asks;
  for (const Command& command : meant) add_to(merged, command, asks);
  if (asks.size() > 1) asks.erase("report");
  merged.ask.assign(asks.begin(), asks.end());
  if (merged.jobs.size() > kJobsMax) return too_many(merged.jobs.size());
  return merged;
}

}  // namespace

RequestReader::RequestReader(const db::Catalog& catalog, std::string mention)
    : catalog_(catalog), mention_(std::move(mention)), vocabulary_(catalog) {}

Command RequestReader::read_comment(std::string_view comment) const {
  const Mentions mentions = find_mentions(comment, mention_);
  if (mentions.passages.empty()) {
    Command ignored;
    ignored.verb = Verb::ignore;
    ignored.reason = mentions.reason;
    return ignored;
  }
  if (mentions.passages.size() > kMentionsMax) return too_many(mentions.passages.size());
  std::vector<Command> commands;
  for (const Passage& passage : mentions.passages) {
    // "profile dsr1 fp4 b200 please, @name" speaks before it calls.
    const std::string& text = is_empty(passage.after) ? passage.before : passage.after;
    commands.push_back(read_passage(text, catalog_, vocabulary_));
  }
  return merge(commands);
}

Command RequestReader::read_text(std::string_view text) const {
  if (!find_mentions(text, mention_).passages.empty()) return read_comment(text);
  return read_passage(with_plain_line_ends(text), catalog_, vocabulary_);
}

}  // namespace stepscope::webhooks
