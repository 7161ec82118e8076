#pragma once
// Runs the whole analysis over the bytes of a file, or the passes over a Trace, and requires what
// must hold of every result: tables that add up, reports that are what they claim to be, errors of
// one line.

#include <cstdint>
#include <string_view>

#include "analysis/reading/event_table.h"

namespace stepscope::fuzz {

// `choices` decides which step is asked for. An error is as good as a result.
void analyze_file(std::string_view bytes, std::uint64_t choices);

// `trace` has at least one device event.
void analyze_events(analysis::Trace trace, std::uint64_t choices);

}  // namespace stepscope::fuzz
