#include "workers/recipe.h"

#include <doctest/doctest.h>

using namespace stepscope::workers;

namespace {

RunnerTask task() {
  RunnerTask result;
  result.job_id = 57;
  result.config.key = "dsr1-fp4-b200-sglang";
  result.config.model_name = "deepseek-ai/DeepSeek-R1";
  result.config.conc = 4;
  result.config.dp_attn = true;
  result.folder = "/data/scratch/57-1";
  return result;
}

}  // namespace

TEST_CASE("placeholders are filled inside one argument, never split into several") {
  auto with_blank = task();
  with_blank.config.model_name = "a model; rm -rf $HOME {conc}";
  const std::vector<std::string> argv{"/bin/profile", "--model={model_name}", "{conc}",
                                      "{out}/{job}", "{dp_attn}"};
  CHECK(expand_argv(argv, with_blank) ==
        std::vector<std::string>{"/bin/profile", "--model=a model; rm -rf $HOME {conc}", "4",
                                 "/data/scratch/57-1/57", "true"});
}

TEST_CASE("an argument list is checked before it is used") {
  CHECK(check_argv({"/bin/profile", "{conc}{isl}", "plain"}).has_value());
  CHECK(check_argv({}).error().message == "the argument list is empty");
  CHECK(check_argv({"profile"}).error().message == "the program \"profile\" is no absolute path");
  CHECK(check_argv({"/p", "{concurrency}"})
            .error()
            .message.starts_with("unknown placeholder {concurrency}; known are: "));
  CHECK(check_argv({"/p", "{conc"}).error().message == "unbalanced brace in \"{conc\"");
  CHECK(check_argv({"/p", "conc}"}).error().message == "unbalanced brace in \"conc}\"");
}

TEST_CASE("the built-in recipes pass their own check") {
  const auto recipes = builtin_recipes("/usr/bin/stepscope", {"b200"});
  REQUIRE(recipes.size() == 2);
  CHECK(recipes[0].name == "toy-moe");
  CHECK(recipes[0].hardware == std::vector<std::string>{"cpu"});
  CHECK(recipes[1].name == "replay");
  CHECK(recipes[1].hardware == std::vector<std::string>{"b200"});
  for (const Recipe& recipe : recipes) CHECK(check_argv(recipe.argv).has_value());
}
