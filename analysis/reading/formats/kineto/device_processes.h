#pragma once
// Chrome traces without categories: which of their processes are devices, by the names that tools
// give them, and what runs there. Owns the ids it was told.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "analysis/reading/event_table.h"

namespace stepscope::analysis {

class DeviceProcesses {
 public:
  static constexpr std::size_t kIdsMax = 65'536;  // further ones are not remembered

  // What process_name and thread_name say; ids as in the file. They count for the events behind.
  void name_process(std::string_view pid, std::string_view name);
  void name_thread(std::string_view pid, std::string_view tid, std::string_view name);

  struct Work {
    DeviceKind kind = DeviceKind::kernel;
    int scale = 0;              // of its times, for parse_scaled()
    bool unit_guessed = false;  // the tool names no unit
  };
  // Nothing when the event is no work of a device: on the host, a wait, or a summary of others.
  std::optional<Work> work_of(std::string_view pid, std::string_view tid,
                              std::string_view name) const;

 private:
  enum class Tool { rpd, ascend, xprof };

  std::map<std::string, Tool, std::less<>> tools_;  // by process
  std::set<std::string, std::less<>> streams_;      // "pid tid" of threads that are streams
};

}  // namespace stepscope::analysis
