#include "webhooks/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/reports/text.h"
#include "webhooks/catalog_match.h"
#include "webhooks/request_json.h"
#include "webhooks/resolve.h"

namespace stepscope::webhooks {
namespace {

using analysis::code_span;

std::string asked_words(const std::map<std::string, Asked>& asked) {
  std::string words;
  const auto add = [&words](std::string_view field, const Asked& value) {
    if (!words.empty()) words += ' ';
    words += fmt::format("{}=", field);
    if (const auto* number = std::get_if<std::int64_t>(&value)) words += fmt::format("{}", *number);
    if (const auto* flag = std::get_if<bool>(&value)) words += *flag ? "true" : "false";
    if (const auto* text = std::get_if<std::string>(&value)) words += *text;
  };
  // The order in which a configuration is spoken; further fields after it.
  constexpr std::array<std::string_view, 3> kFirst = {"model", "precision", "hardware"};
  for (const std::string_view field : kFirst) {
    if (const auto found = asked.find(std::string(field)); found != asked.end()) {
      add(field, found->second);
    }
  }
  for (const auto& [field, value] : asked) {
    if (std::ranges::find(kFirst, field) == kFirst.end()) add(field, value);
  }
  return words;
}

struct ReasonText {
  std::string_view reason;
  std::string_view text;  // {} is what was asked
};

constexpr std::array kReasonTexts = {
    ReasonText{"no_config", "The catalog has no configuration for {} as asked."},
    ReasonText{"retired_config", "The configuration for {} is retired."},
    ReasonText{"no_fixed_seq_config",
               "For {} there are agentic configurations only; a profile needs fixed lengths."},
    ReasonText{"framework_not_profilable", "{} can not be profiled; `sglang` and `vllm` can."},
    ReasonText{"multinode_not_supported",
               "What was asked for {} runs on several nodes; only one node can be profiled."},
    ReasonText{"conc_not_available", "{} is not among the listed concurrencies."},
    ReasonText{"parallelism_not_available",
               "No listed operating point has {} at this concurrency."},
    ReasonText{"steps_out_of_range", "{} is outside 1 to 64."},
    ReasonText{"too_many_jobs",
               "These are too many runs at once ({}); one comment starts at most 4."},
    ReasonText{"unknown_model", "{} is not in the catalog."},
    ReasonText{"unknown_hardware", "{} is not in the catalog."},
    ReasonText{"bad_value", "{} is not a value that can be used."},
    ReasonText{"source_not_allowed",
               "{} is not read; traces come over https from GitHub attachments."},
    ReasonText{"not_authorized", "Runs are started for people with write access only."},
    ReasonText{"queue_full", "Too many runs are waiting already. Please ask again later."},
    ReasonText{"incomplete", "One of the requests does not name its model and hardware."},
};
static_assert(kStepsMax == 64 && kJobsMax == 4, "the texts above name these limits");

std::string reason_words(const Refusal& refusal) {
  const std::string asked = refusal.asked.empty() ? "" : code_span(asked_words(refusal.asked));
  const auto found = std::ranges::find(kReasonTexts, refusal.reason, &ReasonText::reason);
  if (found == kReasonTexts.end())
    return "This can not be done: " + code_span(refusal.reason) + ".";
  return fmt::format(fmt::runtime(found->text), asked);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string spans(const std::vector<std::string>& words) {
  std::vector<std::string> wrapped;
  wrapped.reserve(words.size());
  for (const std::string& word : words) wrapped.push_back(code_span(word));
  return listed(wrapped);
}

// The smallest concurrency that the row lists for plain decoding.
std::optional<int> smallest_conc(const db::CatalogEntry& entry) {
  std::optional<int> smallest;
  for (const db::Scenario& scenario : entry.scenarios) {
    for (const db::OperatingPoint* point : points_of(scenario, "none")) {
      for (const int conc : point->conc) {
        if (!smallest || conc < *smallest) smallest = conc;
      }
    }
  }
  return smallest;
}

// Up to two commands that work as they stand: a row of the operator's file before the built-in one.
std::vector<std::string> examples(const db::Catalog& catalog) {
  std::vector<std::string> spoken;
  std::vector<std::string> builtin;
  for (const db::CatalogEntry& entry : catalog.entries()) {
    const std::optional<int> conc = smallest_conc(entry);
    if (!profilable(entry) || !conc) continue;
    std::vector<std::string>& list = entry.framework == "builtin" ? builtin : spoken;
    if (!list.empty()) continue;
    list.push_back(fmt::format("profile {} {} on {} conc {}, 5 decode steps", entry.model,
                               entry.precision, entry.hardware, *conc));
    list.push_back(fmt::format("profile {} conc {} prefill", entry.key, *conc));
  }
  if (!spoken.empty() && !builtin.empty()) return {spoken.front(), builtin.front()};
  return spoken.empty() ? builtin : spoken;
}

// What was understood beside the runs, and is not done.
std::string beside_runs(const Command& command, std::string_view mention) {
  std::vector<std::string> lines;
  lines.reserve(command.rejected.size());
  for (const Refusal& refusal : command.rejected) {
    lines.push_back("Not started: " + refusal_text(refusal, mention));
  }
  if (!command.compare.empty()) {
    lines.emplace_back("The runs stand side by side; a comparison of them is not written yet.");
  }
  if (command.unsupported_ask) {
    lines.emplace_back("A part of the request asks for more than a breakdown; it was not done.");
  }
  if (command.ignored_text) {
    lines.emplace_back("Text outside the known words was ignored.");
  }
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n\n") + line;
  return text;
}

}  // namespace

std::string refusal_text(const Refusal& refusal, std::string_view mention) {
  std::string text = reason_words(refusal);
  if (!refusal.nearest_conc.empty()) {
    std::vector<std::string> concs;
    concs.reserve(refusal.nearest_conc.size());
    for (const int conc : refusal.nearest_conc) concs.push_back(fmt::format("{}", conc));
    text += " The nearest listed: " + listed(concs) + ".";
  }
  if (!refusal.nearest.empty()) {
    std::string command = fmt::format("@{} profile {}", mention, refusal.nearest.front());
    if (!refusal.nearest_conc.empty()) command += fmt::format(" conc {}", refusal.nearest_conc[0]);
    text += " This would work: " + code_span(command);
  }
  return text;
}

std::string question_text(const Command& command, std::string_view mention) {
  std::string text;
  if (command.missing == std::vector<std::string>{"source"}) {
    return "Which trace? Attach it to the comment or link it.";
  }
  text = fmt::format("Which {}?", fmt::join(command.missing, ", which "));
  if (!command.options.empty()) text += " It can be " + spans(command.options) + ".";
  text += " Please ask again in a new comment that begins with " +
          code_span(fmt::format("@{} profile", mention)) + ".";
  return text;
}

std::string help_text(const db::Catalog& catalog, std::string_view mention) {
  std::string text =
      "I profile one configuration of the catalog and write here where the time of a step went. "
      "Name a model and hardware; precision, concurrency, phase (decode or prefill) and the number "
      "of steps are chosen and named when you leave them open.\n";
  for (const std::string& example : examples(catalog)) {
    text += "\n- " + code_span(fmt::format("@{} {}", mention, example));
  }
  return text;
}

std::string explanation(const db::Request& request, const db::Catalog& catalog,
                        std::string_view mention) {
  const std::optional<Command> command = command_from_json(request.understood);
  if (!command) return help_text(catalog, mention);
  switch (command->verb) {
    case Verb::profile:
      return beside_runs(*command, mention);
    case Verb::refuse: {
      std::string text = refusal_text(command->refusal, mention);
      if (command->refusal.reason == "not_authorized") return text;
      return text + (command->ignored_text ? "\n\nText outside the known words was ignored." : "");
    }
    case Verb::clarify:
      return question_text(*command, mention);
    case Verb::help:
    case Verb::ignore:
      return help_text(catalog, mention);
    default:
      return fmt::format("Understood as {}, which can not be asked for here yet.\n\n{}",
                         code_span(to_string(command->verb)), help_text(catalog, mention));
  }
}

}  // namespace stepscope::webhooks
