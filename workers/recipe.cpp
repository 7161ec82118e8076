#include "workers/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace stepscope::workers {
namespace {

std::map<std::string, std::string, std::less<>> values_of(const RunnerTask& task) {
  const db::RunConfig& config = task.config;
  return {
      {"job", std::to_string(task.job_id)},
      {"key", config.key},
      {"model", config.model},
      {"model_name", config.model_name},
      {"hardware", config.hardware},
      {"precision", config.precision},
      {"framework", config.framework},
      {"image", config.image},
      {"trace_source", config.trace_source},
      {"conc", std::to_string(config.conc)},
      {"isl", std::to_string(config.isl)},
      {"osl", std::to_string(config.osl)},
      {"tp", std::to_string(config.tp)},
      {"ep", std::to_string(config.ep)},
      {"dp_attn", config.dp_attn ? "true" : "false"},
      {"spec", config.spec},
      {"phase", config.phase},
      {"steps", std::to_string(config.steps)},
      {"out", task.folder.string()},
  };
}

// Calls `on_text` and `on_name` for the pieces of "text{name}text" in order; false: unbalanced.
template <class OnText, class OnName>
bool for_each_piece(std::string_view argument, OnText on_text, OnName on_name) {
  while (!argument.empty()) {
    const auto open = argument.find_first_of("{}");
    on_text(argument.substr(0, open));
    if (open == std::string_view::npos) return true;
    if (argument[open] == '}') return false;
    const auto close = argument.find('}', open);
    if (close == std::string_view::npos) return false;
    on_name(argument.substr(open + 1, close - open - 1));
    argument.remove_prefix(close + 1);
  }
  return true;
}

}  // namespace

const std::vector<std::string>& recipe_placeholders() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& [name, value] : values_of(RunnerTask{})) result.push_back(name);
    return result;
  }();
  return names;
}

runtime::Result<void> check_argv(const std::vector<std::string>& argv) {
  if (argv.empty()) return runtime::fail("the argument list is empty");
  if (!argv.front().starts_with('/')) {
    return runtime::fail(fmt::format("the program {:?} is no absolute path", argv.front()));
  }
  const auto& known = recipe_placeholders();
  for (const std::string& argument : argv) {
    std::string unknown;
    const bool balanced = for_each_piece(
        argument, [](std::string_view) {},
        [&](std::string_view name) {
          if (unknown.empty() && std::ranges::find(known, name) == known.end()) unknown = name;
        });
    if (!balanced) return runtime::fail(fmt::format("unbalanced brace in {:?}", argument));
    if (!unknown.empty()) {
      return runtime::fail(fmt::format("unknown placeholder {{{}}}; known are: {}", unknown,
                                       fmt::join(known, ", ")));
    }
  }
  return {};
}

std::vector<std::string> expand_argv(const std::vector<std::string>& argv, const RunnerTask& task) {
  const auto values = values_of(task);
  std::vector<std::string> result;
  for (const std::string& argument : argv) {
    std::string filled;
    for_each_piece(
        argument, [&](std::string_view text) { filled += text; },
        [&](std::string_view name) {
          const auto value = values.find(name);
          if (value != values.end()) filled += value->second;
        });
    result.push_back(std::move(filled));
  }
  return result;
}

std::vector<Recipe> builtin_recipes(const std::filesystem::path& program,
                                    std::vector<std::string> replay_hardware) {
  const std::string self = program.string();
  Recipe toy{"toy-moe",
             {"cpu"},
             {self, "recipe", "toy-moe", "--out", "{out}", "--conc", "{conc}", "--isl", "{isl}",
              "--steps", "{steps}"},
             std::chrono::seconds{60}};
  Recipe replay{"replay",
                std::move(replay_hardware),
                {self, "recipe", "replay", "--out", "{out}", "--source", "{trace_source}"},
                std::chrono::seconds{600}};
  return {std::move(toy), std::move(replay)};
}

}  // namespace stepscope::workers
