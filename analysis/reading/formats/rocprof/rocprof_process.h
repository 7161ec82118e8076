#pragma once
// The records of one process of rocprofv3's JSON. They name each other by numbers, in any order, so
// they are kept as rows until the process ends; hand_over() then resolves them into a TraceBuilder.
// Owns the rows, and the names of kernels, agents, kinds and markers.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/reading/event_table.h"
#include "analysis/reading/formats/file_content.h"
#include "analysis/reading/formats/rocprof/rocprof_record.h"
#include "analysis/reading/formats/rocprof/rocprof_scanner.h"
#include "analysis/reading/tables/chunked_rows.h"
#include "analysis/reading/tables/name_table.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

class RocprofProcess {
 public:
  static constexpr std::size_t kNamesMax = 4'000'000;  // of kernels and markers
  static constexpr std::size_t kAgentsMax = 65'536;
  static constexpr std::size_t kKindsMax = 4096;
  static constexpr std::size_t kOperationsMax = 262'144;  // of all kinds
  static constexpr std::size_t kNameBytesMax = 1U << 20;  // longer ones are left out

  // `builder` is asked to intern the launch sizes of kernels; refused events are counted in its
  // summary.
  RocprofProcess(TraceBuilder& builder, FileFacts& facts) : builder_(builder), facts_(facts) {}

  // False: the record can not be read.
  bool take(RocprofList list, std::string_view text);
  void lost_kind() { kinds_.emplace_back(); }  // those behind it keep their numbers
  // What there is too much of, empty when nothing is.
  std::string_view limit_passed() const;

  bool has_device_rows() const { return dispatches_.size() + copies_.size() > 0; }
  // Once, when all records are taken: what follows may be asked then.
  void settle();
  // Sorts the processes of a file by the lowest number of a device that worked, then by their id.
  std::string label() const;
  // The names of the devices that worked, in the order of their numbers.
  std::vector<std::string> device_names() const;
  // Empties this. `label`: among several processes, empty for the only one. Adds sentences on what
  // was odd.
  void hand_over(std::string_view label, std::vector<std::string>& notes);
  // The same for a process without device rows: only its calls are counted.
  void leave_out() { hand_over_calls(std::nullopt); }

 private:
  // Where a dispatch ran, as its record names it.
  struct Lane {
    std::uint64_t agent = 0;
    std::optional<std::uint64_t> stream;
    std::optional<std::uint64_t> queue;
    auto operator<=>(const Lane&) const = default;
  };
  struct DispatchRow {
    Ns start_ns;
    Ns dur_ns;
    std::int64_t correlation;
    std::uint64_t kernel;
    std::uint32_t lane;
    ArgsId args;
  };
  struct CopyRow {
    Ns start_ns;
    Ns dur_ns;
    std::int64_t correlation;
    std::uint64_t source;
    std::uint64_t destination;
    std::uint64_t stream;
    std::uint32_t kind;
    std::uint32_t operation;
    bool has_stream;
  };
  // A call on the host or a marker.
  struct CallRow {
    Ns start_ns;
    Ns dur_ns;
    std::int64_t correlation;
    std::uint32_t kind;
    std::uint32_t operation;
  };
  struct Agent {
    bool gpu = false;
    std::string name;  // of the product
    std::optional<std::uint64_t> number;
    std::uint64_t node = 0;
  };
  struct Span {
    Ns start_ns = 0;
    Ns dur_ns = 0;
  };

  bool device_span(const RocprofRecord& record, Span& span);
  void take_dispatch(const RocprofRecord& record);
  void take_copy(const RocprofRecord& record);
  void take_call(const RocprofRecord& record, ChunkedRows<CallRow>& rows);
  void take_agent(const RocprofRecord& record);
  void take_symbol(const RocprofRecord& record);
  bool take_kind(std::string_view text);
  ArgsId launch_size(const RocprofRecord& record);
  std::uint32_t lane_of(const Lane& lane);
  NameId text_of(const JsonValue& value);

  void number_gpus();
  std::string_view operation_name(std::uint32_t kind, std::uint32_t operation) const;
  std::string device_of(std::uint64_t agent) const;
  bool is_gpu(std::uint64_t agent) const;
  std::uint64_t device_agent_of(std::uint64_t source, std::uint64_t destination) const;
  std::string_view direction_of(const CopyRow& row) const;
  std::string stream_of(const Lane& lane) const;
  void hand_over_dispatches(ScopeId scope, std::vector<std::string>& notes);
  void hand_over_copies(ScopeId scope, std::vector<std::string>& notes);
  void hand_over_calls(std::optional<ScopeId> scope);
  void hand_over_markers(ScopeId scope);

  TraceBuilder& builder_;
  FileFacts& facts_;
  std::string pid_;
  bool group_by_queue_ = false;
  std::map<std::uint64_t, Agent> agents_;  // by handle
  std::vector<RocprofKind> kinds_;
  std::size_t operations_ = 0;
  NameTable texts_{kNamesMax};
  std::unordered_map<std::uint64_t, NameId> kernel_names_;  // by kernel id
  std::unordered_map<std::uint64_t, NameId> marker_names_;  // by correlation
  std::map<Lane, std::uint32_t> lane_ids_;
  std::vector<Lane> lanes_;
  std::set<std::uint64_t> busy_agents_;  // by handle
  std::set<std::pair<std::uint64_t, std::uint64_t>> copy_ends_;
  ChunkedRows<DispatchRow> dispatches_;
  ChunkedRows<CopyRow> copies_;
  ChunkedRows<CallRow> calls_;
  ChunkedRows<CallRow> markers_;
  std::string scratch_;
  std::array<std::string, 2> sizes_;  // texts of a launch, for the length of a call
};

}  // namespace stepscope::analysis
