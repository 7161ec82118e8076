#pragma once
// What the readers of databases have in common: the span of a row and why a row is refused (R1),
// timelines by number, and which calls of a runtime can have started work. Owns no row.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/reading/event_table.h"
#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

struct RowSpan {
  Ns start_ns = 0;
  Ns dur_ns = 0;
};

// Of a device event; nothing, and counted by its reason, when it has none. Both times 0: the
// recorder could not tell them.
std::optional<RowSpan> device_span(std::optional<std::int64_t> start_ns,
                                   std::optional<std::int64_t> end_ns, DropCounts& dropped);
// Of a call or range; nothing for one without an end or with a negative duration.
std::optional<RowSpan> host_span(std::optional<std::int64_t> start_ns,
                                 std::optional<std::int64_t> end_ns);

struct Extent3 {
  std::optional<std::int64_t> x, y, z;
  auto operator<=>(const Extent3&) const = default;
};

// The launch arguments of kernels, of which few combinations repeat.
class LaunchArguments {
 public:
  static constexpr std::size_t kKnownMax = 65'536;

  explicit LaunchArguments(TraceBuilder& builder) : builder_(builder) {}
  // 0 when both extents lack a number.
  ArgsId of(const Extent3& grid, const Extent3& block);

 private:
  TraceBuilder& builder_;
  std::map<std::pair<Extent3, Extent3>, ArgsId> known_;
};

// Asked once a row whether a limit of the builder was passed; looks every few thousand rows.
class RowLimit {
 public:
  explicit RowLimit(const TraceBuilder& builder) : builder_(builder) {}
  bool passed() { return ++rows_ % kRowsPerLook == 0 && !builder_.limit_passed().empty(); }

 private:
  static constexpr std::uint64_t kRowsPerLook = 4096;
  const TraceBuilder& builder_;
  std::uint64_t rows_ = 0;
};

class DatabaseTimelines {
 public:
  explicit DatabaseTimelines(TraceBuilder& builder) : builder_(builder) {}
  // Absent ids become "".
  TimelineId of(ScopeId scope, std::int64_t pid, std::optional<std::int64_t> device,
                std::optional<std::int64_t> stream);

 private:
  using Key =
      std::tuple<ScopeId, std::int64_t, std::optional<std::int64_t>, std::optional<std::int64_t>>;
  TraceBuilder& builder_;
  std::map<Key, TimelineId> known_;
  std::optional<Key> last_;
  TimelineId last_id_ = 0;
};

// Without the version that some tools append: "cudaLaunchKernel_v7000" is cudaLaunchKernel.
std::string_view without_version(std::string_view call);
// False for calls that only ask, wait, allocate or release, of which profiles hold millions.
bool may_start_work(std::string_view call);

}  // namespace stepscope::analysis
