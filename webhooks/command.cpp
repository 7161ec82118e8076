#include "webhooks/command.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope::webhooks {
namespace {

constexpr std::array<std::pair<Verb, std::string_view>, 12> kVerbs = {{{Verb::profile, "profile"},
                                                                       {Verb::refuse, "refuse"},
                                                                       {Verb::clarify, "clarify"},
                                                                       {Verb::help, "help"},
                                                                       {Verb::ignore, "ignore"},
                                                                       {Verb::status, "status"},
                                                                       {Verb::cancel, "cancel"},
                                                                       {Verb::rerun, "rerun"},
                                                                       {Verb::history, "history"},
                                                                       {Verb::configs, "configs"},
                                                                       {Verb::compare, "compare"},
                                                                       {Verb::analyze, "analyze"}}};

}  // namespace

std::string_view to_string(Verb verb) {
  return std::ranges::find(kVerbs, verb, [](const auto& pair) { return pair.first; })->second;
}

std::optional<Verb> verb_from(std::string_view text) {
  const auto found = std::ranges::find(kVerbs, text, [](const auto& pair) { return pair.second; });
  if (found == kVerbs.end()) return std::nullopt;
  return found->first;
}

}  // namespace stepscope::webhooks
