#pragma once
// `stepscope recipe toy-moe` and `stepscope recipe replay`: the built-in recipes as the child
// processes that a runner starts. Exit 2 refuses the arguments: a runner does not try those again.

#include <filesystem>
#include <iosfwd>
#include <string>

namespace stepscope::server {

struct RecipeCommand {
  std::filesystem::path folder;
  int conc = 1;
  int isl = 64;
  int steps = 1;
  std::string source;
};

int run_toy_recipe(const RecipeCommand& command, std::ostream& err);
int run_replay_recipe(const RecipeCommand& command, std::ostream& err);

}  // namespace stepscope::server
