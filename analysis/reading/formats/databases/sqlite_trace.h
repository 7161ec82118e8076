#pragma once
// A trace that is an SQLite database, from its first byte to its last row: brings it to where
// SQLite can open it, finds out which tool wrote it, and says what was wrong. The user's file is
// never written to, and nothing is written beside it.

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string_view>

#include "analysis/analyze.h"
#include "analysis/reading/bytes/trace_input.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

// Of a text's beginning, 16 bytes at least.
bool is_sqlite(std::string_view head);

// A packed database goes to a temporary file, which has no name left while it is read. A larger one
// is to be unpacked by hand.
inline constexpr std::uint64_t kUnpackedBytesMax = 16ULL << 30;

// `path`: the file that `input` reads when that is neither packed nor in an archive, else empty.
// Nothing of `input` has been read (peeking is allowed). Errors: as those of the readers;
// unreadable (no room for the temporary file), unsupported_format (a database of another tool),
// limit, cancelled.
std::expected<FileContent, AnalyzeError> read_sqlite(TraceInput& input,
                                                     const std::filesystem::path& path,
                                                     TraceBuilder& builder,
                                                     const AnalyzeOptions& options);

}  // namespace stepscope::analysis
