#include "workers/local_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "workers/subprocess.h"

namespace stepscope::workers {
namespace {

constexpr std::size_t kResultFileBytesMax = 64 << 10;
constexpr std::size_t kTracesMax = 256;
constexpr std::size_t kLineBytesMax = 500;
constexpr std::string_view kResultFile = "result.json";

RunnerFailure failure(db::ErrorKind kind, std::string layer, std::string message) {
  return {.failure = {kind, std::move(layer), std::move(message)}};
}

// The daemon's own environment holds nothing that a recipe needs beyond these.
std::vector<std::string> child_environment() {
  std::vector<std::string> result;
  for (const char* name : {"PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
                           "ASAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) result.push_back(fmt::format("{}={}", name, value));
  }
  return result;
}

// The last line that says something, or its beginning: what the report quotes.
std::string last_line(std::string_view output) {
  const auto end = output.find_last_not_of(" \r\n\t");
  if (end == std::string_view::npos) return "(no output)";
  output = output.substr(0, end + 1);
  const auto begin = output.find_last_of('\n');
  if (begin != std::string_view::npos) output.remove_prefix(begin + 1);
  if (output.size() <= kLineBytesMax) return std::string(output);
  return std::string(output.substr(0, kLineBytesMax)) + " ...";
}

bool is_trace_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

std::expected<RunnerResult, RunnerFailure> read_result_file(const RunnerTask& task,
                                                            const std::filesystem::path& file) {
  std::string text(kResultFileBytesMax, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  RunnerResult result;
  if (json.is_object()) {
    result.hardware_note = json.value("hardware", nlohmann::json("")).is_string()
                               ? json.value("hardware", std::string())
                               : std::string();
    const auto traces = json.value("traces", nlohmann::json::array());
    for (const auto& name : traces) {
      if (!name.is_string() || !is_plain_file_name(name.get<std::string>())) continue;
      result.traces.push_back(task.folder / name.get<std::string>());
    }
  }
  if (result.traces.empty()) {
    return std::unexpected(failure(db::ErrorKind::configuration, "capture",
                                   "the recipe's result.json names no trace file"));
  }
  return result;
}

std::expected<RunnerResult, RunnerFailure> collect(const RunnerTask& task) {
  const auto result_file = task.folder / kResultFile;
  RunnerResult result;
  if (std::filesystem::is_regular_file(result_file)) {
    auto named = read_result_file(task, result_file);
    if (!named) return named;
    result = std::move(*named);
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(task.folder)) {
      if (entry.is_regular_file() && is_trace_name(entry.path())) {
        result.traces.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(result.traces);
  if (result.traces.size() > kTracesMax) result.traces.resize(kTracesMax);
  std::erase_if(result.traces, [](const auto& path) {
    return std::filesystem::is_symlink(path) || !std::filesystem::is_regular_file(path);
  });
  if (result.traces.empty()) {
    return std::unexpected(failure(db::ErrorKind::infrastructure, "capture",
                                   "the recipe ended well but left no trace file"));
  }
  return result;
}

RunnerFailure failure_of(const ChildResult& child, const Recipe& recipe) {
  RunnerFailure result;
  result.timed_out = child.timed_out;
  result.cancelled = child.cancelled;
  // 2 and 64 are the exit codes by which programs refuse their arguments: trying again is no use.
  const bool refused = child.exit_code == 2 || child.exit_code == 64;
  result.failure.kind = refused ? db::ErrorKind::configuration : db::ErrorKind::infrastructure;
  result.failure.layer = "runner";
  if (child.timed_out) {
    result.failure.message = fmt::format("recipe {} took longer than its limit of {} s",
                                         recipe.name, recipe.time_limit.count());
  } else if (child.signal != 0) {
    result.failure.message = fmt::format("recipe {} was ended by signal {}: {}", recipe.name,
                                         child.signal, last_line(child.output_tail));
  } else {
    result.failure.message = fmt::format("recipe {} exited with {}: {}", recipe.name,
                                         child.exit_code, last_line(child.output_tail));
  }
  return result;
}

}  // namespace

LocalRunner::LocalRunner(std::string name, std::vector<Recipe> recipes)
    : name_(std::move(name)), recipes_(std::move(recipes)) {}

std::vector<db::Capability> LocalRunner::capabilities() const {
  std::vector<db::Capability> result;
  for (const Recipe& recipe : recipes_) {
    for (const std::string& hardware : recipe.hardware) result.push_back({hardware, recipe.name});
  }
  return result;
}

const Recipe* LocalRunner::recipe_for(const db::RunConfig& config) const {
  for (const Recipe& recipe : recipes_) {
    if (recipe.name == config.recipe &&
        std::ranges::find(recipe.hardware, config.hardware) != recipe.hardware.end()) {
      return &recipe;
    }
  }
  return nullptr;
}

boost::asio::awaitable<std::expected<RunnerResult, RunnerFailure>> LocalRunner::run(
    RunnerTask task, std::function<void()> on_running, const std::atomic<bool>& cancel) {
  const Recipe* recipe = recipe_for(task.config);
  if (recipe == nullptr) {
    co_return std::unexpected(failure(db::ErrorKind::configuration, "runner",
                                      fmt::format("no recipe {} for hardware {} here",
                                                  task.config.recipe, task.config.hardware)));
  }
  ChildTask child{.argv = expand_argv(recipe->argv, task),
                  .folder = task.folder,
                  .environment = child_environment(),
                  .time_limit = recipe->time_limit,
                  .group_file = task.folder.string() + ".group"};
  on_running();
  auto ended = co_await run_child(std::move(child), cancel);
  if (!ended) {
    co_return std::unexpected(
        failure(db::ErrorKind::configuration, "runner", ended.error().message));
  }
  if (ended->exit_code != 0 || ended->timed_out || ended->cancelled) {
    co_return std::unexpected(failure_of(*ended, *recipe));
  }
  co_return collect(task);
}

}  // namespace stepscope::workers
