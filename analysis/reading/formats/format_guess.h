#pragma once
// Which format a text is in when it is not a trace that can be read, and what to do about it. Looks
// at content; a file's name is only used in the words.

#include <optional>
#include <string>
#include <string_view>

#include "analysis/analyze.h"
#include "analysis/reading/formats/file_content.h"

namespace stepscope::analysis {

// Bytes of a text's beginning that refuse_text() wants to see.
inline constexpr std::size_t kFormatHeadBytes = 64U << 10;

// `head`: the beginning of the (unpacked) text. Nothing when it may be JSON or is SQLite.
std::optional<AnalyzeError> refuse_text(std::string_view head, const std::string& file);

// The text is of a kind that files are packed with (zip, tar, xz, ...): there may be traces in it.
bool holds_files(std::string_view head);

// Why a file that was read whole has nothing to analyse; `saw_events`: there was an event array.
// Nothing when it has device events.
std::optional<AnalyzeError> refuse_events(const FileFacts& facts, bool saw_events,
                                          const std::string& file);

}  // namespace stepscope::analysis
