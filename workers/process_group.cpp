#include "workers/process_group.h"

#include <fmt/format.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "runtime/log.h"

namespace stepscope::workers {
namespace {

namespace fs = std::filesystem;

// When a process started, in ticks since the boot (proc(5), field 22 of "stat"); nothing for one
// that has ended, reaped or not.
std::optional<std::string> start_time(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  const std::string line{std::istreambuf_iterator<char>(in), {}};
  const auto name_end = line.rfind(')');  // a program's name may hold blanks and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return std::nullopt;
  for (int number = 4; number <= 22; ++number) fields >> field;
  return field;
}

void end_group_of(const fs::path& file) {
  std::ifstream in(file);
  pid_t group = 0;
  std::string started;
  if (!(in >> group >> started) || group <= 1) return;
  // While a group has members its number is given to no new process: without a living leader it is
  // still ours, with one only if it is the same.
  const auto leader = start_time(group);
  if (leader && *leader != started) return;
  if (kill(-group, SIGKILL) == 0) {
    runtime::log(runtime::LogLevel::warning, "processes of a former life ended",
                 {{"group", fmt::to_string(group)}});
  }
}

}  // namespace

void note_group(const fs::path& file, pid_t group) {
  std::ofstream(file) << group << ' ' << start_time(group).value_or("-") << '\n';
}

void end_left_groups(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".group") continue;
    end_group_of(entry.path());
    fs::remove(entry.path(), error);
  }
}

}  // namespace stepscope::workers
