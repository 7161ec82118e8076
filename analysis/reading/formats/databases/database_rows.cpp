#include "analysis/reading/formats/databases/database_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/reading/tables/event_arguments.h"

namespace stepscope::analysis {

namespace {

std::string text_of(const Extent3& extent) {
  if (!extent.x || !extent.y || !extent.z) return {};
  return fmt::format("[{}, {}, {}]", *extent.x, *extent.y, *extent.z);
}

std::string text_of(std::optional<std::int64_t> id) { return id ? std::to_string(*id) : ""; }

}  // namespace

std::optional<RowSpan> device_span(std::optional<std::int64_t> start_ns,
                                   std::optional<std::int64_t> end_ns, DropCounts& dropped) {
  if (!end_ns) {
    ++dropped.no_dur;
    return std::nullopt;
  }
  if (!start_ns || (*start_ns == 0 && *end_ns == 0)) {
    ++dropped.bad_ts;
    return std::nullopt;
  }
  Ns dur_ns = 0;
  if (__builtin_sub_overflow(*end_ns, *start_ns, &dur_ns)) {
    ++dropped.malformed;
    return std::nullopt;
  }
  if (dur_ns < 0) {
    ++dropped.negative_dur;
    return std::nullopt;
  }
  return RowSpan{*start_ns, dur_ns};
}

std::optional<RowSpan> host_span(std::optional<std::int64_t> start_ns,
                                 std::optional<std::int64_t> end_ns) {
  DropCounts ignored;
  return device_span(start_ns, end_ns, ignored);
}

ArgsId LaunchArguments::of(const Extent3& grid, const Extent3& block) {
  if (known_.size() >= kKnownMax) known_.clear();
  const auto [place, added] = known_.try_emplace({grid, block});
  if (!added) return place->second;
  const std::string grid_text = text_of(grid);
  const std::string block_text = text_of(block);
  ArgumentValues values;
  if (!grid_text.empty()) values.keep("grid", {JsonValue::Kind::container, grid_text});
  if (!block_text.empty()) values.keep("block", {JsonValue::Kind::container, block_text});
  place->second = builder_.args_of(values);
  return place->second;
}

TimelineId DatabaseTimelines::of(ScopeId scope, std::int64_t pid,
                                 std::optional<std::int64_t> device,
                                 std::optional<std::int64_t> stream) {
  const Key key(scope, pid, device, stream);
  if (last_ == key) return last_id_;
  auto [place, added] = known_.try_emplace(key);
  if (added) {
    place->second =
        builder_.timeline_of(scope, std::to_string(pid), text_of(device), text_of(stream));
  }
  last_ = key;
  last_id_ = place->second;
  return last_id_;
}

std::string_view without_version(std::string_view call) {
  const std::size_t at = call.rfind("_v");
  if (at == std::string_view::npos || at == 0 || at + 2 == call.size()) return call;
  const std::string_view digits = call.substr(at + 2);
  const bool version = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return version ? call.substr(0, at) : call;
}

bool may_start_work(std::string_view call) {
  static constexpr std::array<std::string_view, 3> kWork = {"Launch", "Memcpy", "Memset"};
  static constexpr std::array<std::string_view, 17> kIdle = {
      "Event",     "Synchronize", "Query",     "IsCapturing", "CaptureInfo", "GetDevice",
      "SetDevice", "LastError",   "Attribute", "Version",     "Occupancy",   "Malloc",
      "Free",      "MemAlloc",    "Unload",    "Destroy",     "Ctx"};
  const auto contains = [&](std::string_view word) {
    return call.find(word) != std::string_view::npos;
  };
  return std::ranges::any_of(kWork, contains) || std::ranges::none_of(kIdle, contains);
}

}  // namespace stepscope::analysis
