#include "db/run.h"

#include <array>
#include <cstddef>

namespace stepscope::db {
namespace {

// In the order of the enumerations; these words stand in the database and in the API.
constexpr std::array<std::string_view, 9> kStates = {"queued",    "assigned",  "running",
                                                     "uploading", "analysing", "done",
                                                     "failed",    "cancelled", "timed_out"};
constexpr std::array<std::string_view, 3> kKinds = {"infrastructure", "configuration", "analysis"};

template <typename Enum, std::size_t size>
std::optional<Enum> find_word(const std::array<std::string_view, size>& words,
                              std::string_view text) {
  for (std::size_t index = 0; index < size; ++index) {
    if (words.at(index) == text) return static_cast<Enum>(index);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(JobState state) { return kStates.at(static_cast<std::size_t>(state)); }

std::optional<JobState> job_state_from(std::string_view text) {
  return find_word<JobState>(kStates, text);
}

bool is_final(JobState state) { return state >= JobState::done; }

std::string_view to_string(ErrorKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

std::optional<ErrorKind> error_kind_from(std::string_view text) {
  return find_word<ErrorKind>(kKinds, text);
}

}  // namespace stepscope::db
