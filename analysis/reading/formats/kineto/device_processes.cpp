#include "analysis/reading/formats/kineto/device_processes.h"

#include <algorithm>
#include <array>

#include "analysis/reading/json/decimal_time.h"

namespace stepscope::analysis {

namespace {

std::string thread_key(std::string_view pid, std::string_view tid) {
  std::string key(pid);
  key += ' ';
  key += tid;
  return key;
}

// "GPU2", as rpd2tracing writes. Browsers have a "GPU Process".
bool is_rpd_gpu(std::string_view name) {
  constexpr std::string_view kWord = "GPU";
  if (!name.starts_with(kWord) || name.size() == kWord.size()) return false;
  return name.find_first_not_of("0123456789", kWord.size()) == std::string_view::npos;
}

// Names of RPD; everything else that runs on a GPU there is a kernel.
DeviceKind rpd_kind(std::string_view name) {
  if (name.starts_with("Copy")) return DeviceKind::memcpy;
  return name.starts_with("Fill") ? DeviceKind::memset : DeviceKind::kernel;
}

DeviceKind kind_by_word(std::string_view name) {
  if (name.starts_with("MEMCPY") || name.starts_with("Memcpy")) return DeviceKind::memcpy;
  if (name.starts_with("MEMSET") || name.starts_with("Memset")) return DeviceKind::memset;
  return DeviceKind::kernel;
}

// Tasks of an Ascend stream that only wait for or tell others.
bool is_ascend_wait(std::string_view name) {
  constexpr std::array<std::string_view, 4> kStarts = {"EVENT_", "NOTIFY_", "Notify_",
                                                       "PLACE_HOLDER"};
  return std::ranges::any_of(kStarts,
                             [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

void DeviceProcesses::name_process(std::string_view pid, std::string_view name) {
  std::optional<Tool> tool;
  if (is_rpd_gpu(name)) tool = Tool::rpd;
  if (name == "Ascend Hardware") tool = Tool::ascend;
  if (name.starts_with("/device:GPU:")) tool = Tool::xprof;
  if (tool && tools_.size() < kIdsMax) tools_.emplace(pid, *tool);
}

void DeviceProcesses::name_thread(std::string_view pid, std::string_view tid,
                                  std::string_view name) {
  if (name.starts_with("Stream") && streams_.size() < kIdsMax)
    streams_.insert(thread_key(pid, tid));
}

std::optional<DeviceProcesses::Work> DeviceProcesses::work_of(std::string_view pid,
                                                              std::string_view tid,
                                                              std::string_view name) const {
  const auto tool = tools_.find(pid);
  if (tool == tools_.end()) return std::nullopt;
  switch (tool->second) {
    case Tool::rpd:
      return Work{rpd_kind(name), kNanoseconds, true};
    case Tool::ascend:
      if (is_ascend_wait(name)) return std::nullopt;
      return Work{kind_by_word(name), kMicroseconds, false};
    case Tool::xprof:  // its other threads hold modules and steps over the same time
      if (!streams_.contains(thread_key(pid, tid))) return std::nullopt;
      return Work{kind_by_word(name), kMicroseconds, false};
  }
  return std::nullopt;
}

}  // namespace stepscope::analysis
