#pragma once
// Collects what the readers find in the files of a run and makes the sorted Trace of it. Owns the
// tables while they grow; one file is open at a time, and its ids mean nothing after finish().

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/reading/chunked_rows.h"
#include "analysis/reading/event_arguments.h"
#include "analysis/reading/event_table.h"
#include "analysis/reading/name_table.h"
#include "analysis/reading/trace_metadata.h"

namespace stepscope::analysis {

class TraceBuilder {
 public:
  static constexpr std::size_t kRowsMax = 64U << 20;        // of each table
  static constexpr std::size_t kTimelinesMax = 64U << 10;   // also of rank labels
  static constexpr std::size_t kOpShapesMax = 1'000'000;    // further ones are left out
  static constexpr std::size_t kShapeBytesMax = 64U << 20;  // of their texts
  static constexpr std::size_t kDamagedShown = 20;
  // No time may be farther from 0, and no sum of durations larger: year 2096. Sums and differences
  // of two such times stay within int64.
  static constexpr Ns kTimeMax = 4'000'000'000'000'000'000;

  explicit TraceBuilder(std::uint64_t names_max)
      : names_(names_max), shape_names_(kOpShapesMax, kShapeBytesMax) {}

  void begin_file();
  // The file's scope for a process id: that of its rank label, else the file's own.
  ScopeId scope_of(std::string_view pid);
  TimelineId timeline_of(std::string_view pid, std::string_view device, std::string_view stream);
  NameId name_of(std::string_view name) { return names_.intern(name); }
  ArgsId args_of(const ArgumentValues& values) { return args_.intern(values); }

  // Times are relative to the file's base here; end_file() names it.
  void add(const DeviceEvent& event);
  void add(const Launch& launch) { launches_.push_back(launch); }
  void add(const Marker& marker) { markers_.push_back(marker); }
  void add_op_shape(ScopeId scope, std::uint32_t external_id, std::string_view op,
                    std::string_view dims);
  void add_damage(std::uint64_t byte, std::string reason);

  // `file_rank`: from the file's name, where the metadata has none.
  void end_file(const TraceMetadata& metadata, std::optional<int> file_rank);

  // The limit that was passed, empty when none was: the caller gives up then.
  std::string_view limit_passed() const;
  std::size_t device_rows() const { return device_events_.size(); }

  // Adds the bases, sorts, removes exact duplicates (R1) and fills the figures of the summary that
  // hang on the tables. The builder is empty then.
  Trace finish();

  Trace& trace() { return trace_; }  // summary and flags, for the readers to fill

 private:
  struct FileScopes {
    std::size_t first = 0;                  // of the file, in scopes
    std::map<std::string, ScopeId> labels;  // "" for the file's own
  };

  ScopeId scope_of_label(std::string_view label);
  void renumber_scopes_and_timelines();
  void take_device_events(const std::vector<NameId>& names);
  void take_launches_and_markers(const std::vector<NameId>& names);
  std::vector<NameId> share_shape_names();
  void take_op_shapes(const std::vector<NameId>& shared, const std::vector<NameId>& names);
  void note_left_out();
  void remove_duplicates();
  void summarize();

  Trace trace_;
  NameTable names_;
  ChunkedRows<DeviceEvent> device_events_;
  ChunkedRows<Launch> launches_;
  ChunkedRows<Marker> markers_;
  ChunkedRows<OpShape> op_shapes_;
  NameTable shape_names_;  // of operators and sizes, until finish()
  bool op_shapes_left_out_ = false;
  KernelArgsTable args_;
  std::size_t file_ = 0;
  FileScopes scopes_;
  std::vector<Ns> scope_base_ns_;
  std::unordered_map<std::string, TimelineId> timeline_ids_;  // of the open file
  std::string timeline_key_;
  Ns duration_sum_ns_ = 0;
  std::vector<ScopeId> new_scopes_;
  std::vector<TimelineId> new_timelines_;
};

}  // namespace stepscope::analysis
