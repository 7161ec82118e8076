#pragma once
// The small pieces of a comment: durations, the command that asks for a configuration again, and a
// Markdown text cut where nothing breaks. Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/run.h"

namespace stepscope::webhooks {

// "0.8 s" below ten seconds, then "45 s", "12 m 3 s", "2 h 5 m".
std::string format_duration(std::int64_t duration_ms);

// The words that ask for this configuration and nothing else: "profile dsr1-fp4-b200-sglang conc 4
// isl 8192 osl 1024 tp 4 1 decode step". Catalog words and numbers only.
std::string command_words(const db::RunConfig& config);

// "framework, parallelism, lengths": fields that the request left open, in words.
std::string assumed_words(const db::RunConfig& config);

// "Understood as `profile ...` (assumed: framework, lengths)." in Markdown.
std::string understood_line(const db::RunConfig& config);

// How long no worker has been seen, in steps (3 minutes, 5, 10, ... 24 hours) so that a comment
// that says it is not edited every minute. Nothing below three minutes.
std::optional<std::string> unseen_words(std::int64_t unseen_ms);

// The longest beginning of at most `bytes_max` bytes that ends after a block: outside <details>,
// code fences and tables. Without such a place, at a line end outside the first two, else between
// two characters. Whole when it fits.
std::string_view cut_markdown(std::string_view text, std::size_t bytes_max);

}  // namespace stepscope::webhooks
