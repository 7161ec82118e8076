#pragma once
// A Command as canonical JSON: one line, keys sorted, only the members that its verb has. It is
// what the database keeps as `understood` and what `stepscope request` prints.

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "webhooks/command.h"
#include "webhooks/request_reader.h"

namespace stepscope::webhooks {

std::string canonical_json(const Command& command);
// The inverse, for stored commands. Nothing when the text is none.
std::optional<Command> command_from_json(std::string_view text);

// One line of `stepscope request`: `context` and `text` are JSON, an object with event, sender_type
// and author_association (all optional) and a string. Error: what is wrong with the input.
std::expected<std::string, std::string> request_line(std::string_view context,
                                                     std::string_view text,
                                                     const RequestReader& reader);

}  // namespace stepscope::webhooks
