#pragma once
// A recipe is data: a name, the hardware it runs on and an argument list with placeholders. Values
// come from the catalog and the job id only; no shell ever sees them.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "workers/runner.h"

namespace stepscope::workers {

struct Recipe {
  std::string name;
  std::vector<std::string> hardware;  // words of the catalog
  std::vector<std::string>
      argv;  // argv[0] is an absolute path; "{conc}" and the like are filled in
  std::chrono::seconds time_limit{1800};
};

// Names of the placeholders, without braces: job, key, model, model_name, hardware, precision,
// framework, image, trace_source, conc, isl, osl, tp, ep, dp_attn, spec, phase, steps, out.
const std::vector<std::string>& recipe_placeholders();

// Error: the first unknown placeholder or unbalanced brace of `argv`.
runtime::Result<void> check_argv(const std::vector<std::string>& argv);

// Fills the placeholders of a checked argument list.
std::vector<std::string> expand_argv(const std::vector<std::string>& argv, const RunnerTask& task);

// toy-moe (on "cpu") and replay (on any of `replay_hardware`), run by this very program.
std::vector<Recipe> builtin_recipes(const std::filesystem::path& program,
                                    std::vector<std::string> replay_hardware);

}  // namespace stepscope::workers
