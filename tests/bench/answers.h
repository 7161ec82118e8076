#pragma once
// Whether a program did the work that it is measured for: what it printed must be what the
// generator knows. Pure functions over text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/bench/trace_generator.h"

namespace stepscope::bench {

enum class Answer {
  none,         // the text itself, thrown away
  text_bytes,   // "bytes N" of our floors
  event_count,  // one number
  figures,      // figures_text()
  report,       // JSON of `stepscope analyze`
};

// "bytes N", "events N" ...: how this program's own commands say what they found.
std::string figures_text(const Truth& truth);
Truth figures_of(std::string_view text);

// Throws std::runtime_error that names the program, the figure, and both values.
void check_answer(const std::string& program, Answer answer, std::string_view output,
                  const Truth& truth);

// The number behind the first `key`, for instance "\"events\":".
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key);

}  // namespace stepscope::bench
