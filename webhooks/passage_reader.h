#pragma once
// One passage of a comment, the text that belongs to one mention, into one command.

#include <string_view>

#include "db/catalog.h"
#include "webhooks/command.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {

// `passage` has LF line ends and kRemovedCode where code was. Verb::help when it says nothing that
// is understood.
Command read_passage(std::string_view passage, const db::Catalog& catalog,
                     const Vocabulary& vocabulary);

}  // namespace stepscope::webhooks
