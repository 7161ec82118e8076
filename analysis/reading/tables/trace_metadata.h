#pragma once
// The top-level values of a trace that an analysis needs. Host, user and environment keys are not
// looked at, so that no report can show them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

struct TraceMetadata {
  Ns base_ns = 0;                         // baseTimeNanoseconds
  std::vector<std::string> device_names;  // distinct, in order, without empty ones
  std::optional<int> rank;                // distributedInfo
  std::optional<int> world_size;
  std::vector<std::string> problems;  // keys whose value could not be understood
};

bool is_metadata_key(std::string_view key);

// `text` is the JSON text of the value of `key`. Values that make no sense are left out and named
// in problems.
void read_metadata(std::string_view key, std::string_view text, TraceMetadata& metadata);

}  // namespace stepscope::analysis
