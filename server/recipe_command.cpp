#include "server/recipe_command.h"

#include <ostream>

#include "runtime/error.h"
#include "workers/recipes/replay.h"
#include "workers/recipes/toy_recipe.h"

namespace stepscope::server {
namespace {

int exit_code_of(const runtime::Result<void>& done, std::ostream& err) {
  if (done) return 0;
  err << done.error().message << '\n';
  return done.error().retryable ? 1 : 2;
}

}  // namespace

int run_toy_recipe(const RecipeCommand& command, std::ostream& err) {
  const workers::ToyRecipeOptions options{command.folder, command.conc, command.isl, command.steps};
  return exit_code_of(workers::run_toy_moe(options), err);
}

int run_replay_recipe(const RecipeCommand& command, std::ostream& err) {
  workers::ReplayOptions options;
  options.source = command.source;
  options.folder = command.folder;
  return exit_code_of(workers::run_replay(options), err);
}

}  // namespace stepscope::server
