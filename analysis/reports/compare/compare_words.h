#pragma once
// The words and ratios that both forms of a comparison share. Plain text, not escaped.

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/compare.h"

namespace stepscope::analysis {

// part / whole in tenths of a percent, rounded half to even; absent when whole is 0 or less.
std::optional<std::int64_t> permille_of(Ns part, Ns whole);

// "+5.1 %", "-0.4 %"; "from 0" when there was nothing to relate to, "0.0 %" when nothing changed.
std::string change_words(Ns delta, Ns from);

// "+1.234", "-0.500", "0.000" in milliseconds.
std::string signed_ms(Ns delta);

// "B is slower by 1.234 ms (+5.1 %)", with what the noise says; "no difference".
std::string verdict_words(const Comparison& comparison);

}  // namespace stepscope::analysis
