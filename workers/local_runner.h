#pragma once
// Runs recipes as child processes of this machine. What the child leaves in its folder is the
// result: `result.json` ({"traces": [names], "hardware": text}) where it writes one, else every
// trace file.

#include <string>
#include <vector>

#include "workers/recipe.h"
#include "workers/runner.h"

namespace stepscope::workers {

class LocalRunner final : public Runner {
 public:
  // `recipes` have passed check_argv().
  LocalRunner(std::string name, std::vector<Recipe> recipes);

  std::string name() const override { return name_; }
  std::vector<db::Capability> capabilities() const override;
  boost::asio::awaitable<std::expected<RunnerResult, RunnerFailure>> run(
      RunnerTask task, std::function<void()> on_running, const std::atomic<bool>& cancel) override;

 private:
  const Recipe* recipe_for(const db::RunConfig& config) const;

  std::string name_;
  std::vector<Recipe> recipes_;
};

}  // namespace stepscope::workers
