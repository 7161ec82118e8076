#pragma once
// Names of the entries of an archive: which may not be trusted, which say that no trace is behind
// them, and their order. Pure functions.

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope::analysis {

inline constexpr std::size_t kEntryNameBytesMax = 4096;

// Why an archive with such a name is refused ("an absolute path as its name"), empty when it is
// fine: no part of the name may lead out of the folder that it is unpacked to.
std::string_view entry_name_fault(std::string_view name);

// Hidden files, what macOS adds, and ends of names that traces never have.
bool is_no_trace_name(std::string_view name);

// Without its folders.
std::string_view entry_base_name(std::string_view name);

// For a message: escaped, on one line, not endless.
std::string shown_entry_name(std::string_view name);

// Less by the order in which people count: runs of digits compare as numbers.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace stepscope::analysis
