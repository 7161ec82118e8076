#pragma once
// The place of the timeline in a report, and its events as compact JSON in a data block, which no
// browser runs. Drawing is web/timeline.js. Owns nothing; pure.

#include <string>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

// A step without events to draw gets a sentence that says why.
std::string step_timeline(const ShownStep& shown);

// {"wall", "streams": [label], "kernels": [[short name, category, colour, role]], "layers": [start
// of each, end of the last], "events": [start, dur, stream, kernel, layer, ...]}: streams with the
// critical one first, events by start. Safe inside a script element.
std::string timeline_json(const ShownStep& shown);

}  // namespace stepscope::analysis
