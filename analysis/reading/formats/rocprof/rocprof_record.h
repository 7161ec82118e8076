#pragma once
// What one record of rocprofv3's JSON says, of whatever list: the values that an analysis needs,
// by their names. Pure functions on the record's text; texts in the result point into it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/reading/json/json_text.h"

namespace stepscope::analysis {

// Absent: not there, or no number that fits.
struct RocprofRecord {
  std::optional<Ns> start_ns;
  std::optional<Ns> end_ns;
  std::optional<std::uint64_t> correlation;
  std::optional<std::uint64_t> kind;
  std::optional<std::uint64_t> operation;
  // of a dispatch
  std::optional<std::uint64_t> kernel_id;
  std::optional<std::uint64_t> agent;
  std::optional<std::uint64_t> queue;
  std::optional<std::uint64_t> stream;
  std::array<std::uint64_t, 3> work_items{};  // x, y, z; 0: not there
  std::array<std::uint64_t, 3> group_size{};
  // of a copy
  std::optional<std::uint64_t> source;
  std::optional<std::uint64_t> destination;
  // of a text in strings.marker_api
  std::optional<std::uint64_t> key;
  JsonValue value;
  // of an agent
  std::optional<std::uint64_t> id;
  std::optional<std::uint64_t> type;
  std::optional<std::uint64_t> node;         // node_id, over all agents
  std::optional<std::uint64_t> type_number;  // logical_node_type_id, over those of its type
  JsonValue name;
  JsonValue product;
  // of a kernel symbol
  JsonValue formatted_name;
  JsonValue demangled_name;
  JsonValue kernel_name;
  // of the metadata
  std::optional<std::uint64_t> pid;
  bool group_by_queue = false;
};

// Nothing when the text is no object.
std::optional<RocprofRecord> read_rocprof_record(std::string_view text);

struct RocprofKind {
  std::string name;
  std::vector<std::string> operations;
};
// Nothing when the text is no object with a name.
std::optional<RocprofKind> read_rocprof_kind(std::string_view text);

}  // namespace stepscope::analysis
