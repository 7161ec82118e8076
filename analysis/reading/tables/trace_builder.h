#pragma once
// Collects what a reader finds in one file, takes over what was found in others, and makes the
// sorted Trace of it all. Owns the tables while they grow; ids mean nothing after absorb() and
// finish().

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/reading/event_table.h"
#include "analysis/reading/tables/chunked_rows.h"
#include "analysis/reading/tables/event_arguments.h"
#include "analysis/reading/tables/name_table.h"
#include "analysis/reading/tables/trace_metadata.h"

namespace stepscope::analysis {

class TraceBuilder {
 public:
  static constexpr std::size_t kRowsMax = 64U << 20;        // of each table
  static constexpr std::size_t kTimelinesMax = 64U << 10;   // also of rank labels
  static constexpr std::int64_t kStrangersMax = 10'000'000;  // elements that are no objects
  static constexpr std::size_t kOpShapesMax = 1'000'000;    // further ones are left out
  static constexpr std::size_t kShapeBytesMax = 64U << 20;  // of their texts
  static constexpr std::size_t kDamagedShown = 20;
  static constexpr std::int64_t kDamagedMax = 1'000'000;  // places in one file
  // No time may be farther from 0, and no sum of durations larger: year 2096. Sums and differences
  // of two such times stay within int64.
  static constexpr Ns kTimeMax = 4'000'000'000'000'000'000;

  explicit TraceBuilder(std::uint64_t names_max)
      : names_(names_max), shape_names_(kOpShapesMax, kShapeBytesMax) {}

  // The scope for a process id: that of its rank label, else the file's own.
  ScopeId scope_of(std::string_view pid);
  // The scope of a process of a file that holds several, as system-wide profilers write.
  ScopeId scope_of_process(std::string_view label) { return scope_of_label(label); }
  TimelineId timeline_of(std::string_view pid, std::string_view device, std::string_view stream) {
    return timeline_of(scope_of(pid), pid, device, stream);
  }
  TimelineId timeline_of(ScopeId scope, std::string_view pid, std::string_view device,
                         std::string_view stream);
  NameId name_of(std::string_view name) { return names_.intern(name); }
  ArgsId args_of(const ArgumentValues& values) { return args_.intern(values); }

  // Times are relative to the file's base here; end_file() names it.
  void add(const DeviceEvent& event);
  void add(const Launch& launch) { launches_.push_back(launch); }
  void add(const Marker& marker) { markers_.push_back(marker); }
  void add_op_shape(ScopeId scope, std::uint32_t external_id, std::string_view op,
                    std::string_view dims);
  void add_damage(std::uint64_t byte, std::string reason);
  void add_stranger() { ++strangers_; }  // something that is no object where events stand

  // Once, behind the last row. `file_rank`: from the file's name, where the metadata has none.
  void end_file(const TraceMetadata& metadata, std::optional<int> file_rank);

  // Takes over another file of the run, behind those that are here; both have seen their
  // end_file().
  void absorb(TraceBuilder&& other);

  // The limit that was passed, empty when none was: the caller gives up then.
  std::string_view limit_passed() const;
  // The same as an error; `file` and `byte` (of the text) say where the caller was.
  std::optional<AnalyzeError> limit_fault(std::string_view file, std::uint64_t byte) const;
  std::size_t device_rows() const { return device_events_.size(); }

  // Adds the bases, sorts, removes exact duplicates (R1) and fills the figures of the summary that
  // hang on the tables. The builder is empty then.
  Trace finish();

  Trace& trace() { return trace_; }  // summary and flags, for the readers to fill

 private:
  ScopeId scope_of_label(std::string_view label);
  void absorb_summary(TraceSummary&& other);
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
  std::size_t files_ = 1;
  std::map<std::string, ScopeId, std::less<>> scopes_;  // by label, "" for the file's own
  std::vector<Ns> scope_base_ns_;
  std::unordered_map<std::string, TimelineId> timeline_ids_;
  std::string timeline_key_;
  Ns duration_sum_ns_ = 0;
  std::int64_t strangers_ = 0;
  std::vector<ScopeId> new_scopes_;
  std::vector<TimelineId> new_timelines_;
};

}  // namespace stepscope::analysis
