#pragma once
// What a reply says in words beside or instead of runs: why something is refused, what is missing,
// what can be asked for. Markdown that is safe to post: foreign text stands in code spans only.

#include <string>
#include <string_view>

#include "db/catalog.h"
#include "db/run.h"
#include "webhooks/command.h"

namespace stepscope::webhooks {

// The whole answer of a request without runs; beside runs, what of it was not done, else empty.
// `mention` is our name without the @.
std::string explanation(const db::Request& request, const db::Catalog& catalog,
                        std::string_view mention);

// One line each: what was asked, why it can not be, and the nearest that can.
std::string refusal_text(const Refusal& refusal, std::string_view mention);
std::string question_text(const Command& command, std::string_view mention);
// What works, with two examples in words of the catalog.
std::string help_text(const db::Catalog& catalog, std::string_view mention);

}  // namespace stepscope::webhooks
