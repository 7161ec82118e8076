#include "workers/local_runner.h"

#include <doctest/doctest.h>

#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

// Runs a shell script as the recipe "test" on hardware "cpu".
std::expected<RunnerResult, RunnerFailure> run_script(const std::filesystem::path& folder,
                                                      const std::string& script,
                                                      bool cancelled = false, int limit_s = 60) {
  LocalRunner runner("local",
                     {{"test", {"cpu"}, {"/bin/sh", "-c", script}, std::chrono::seconds{limit_s}}});
  RunnerTask task;
  task.folder = folder;
  task.config.recipe = "test";
  task.config.hardware = "cpu";
  const std::atomic<bool> cancel{cancelled};
  bool running = false;
  auto result = tests::run_coroutine(runner.run(task, [&] { running = true; }, cancel));
  CHECK(running);
  return result;
}

}  // namespace

TEST_CASE("the recipe's result file names traces and hardware") {
  const tests::TempFolder folder;
  // Braces would be placeholders of the recipe, so the JSON's are written as octal.
  const auto result =
      run_script(folder.path(),
                 R"(echo x > one.json; echo x > other.json; printf '\173"traces": ["one.json", )"
                 R"("../../etc/passwd"], "hardware": "a CPU"\175' > result.json)");
  REQUIRE(result.has_value());
  CHECK(result->traces == std::vector{folder.path() / "one.json"});
  CHECK(result->hardware_note == "a CPU");
}

TEST_CASE("without a result file every trace in the folder counts, links do not") {
  const tests::TempFolder folder;
  const auto result = run_script(
      folder.path(), "echo x > b.json.gz; echo x > a.json; echo x > log.txt; ln -s a.json z.json");
  REQUIRE(result.has_value());
  CHECK(result->traces == std::vector{folder.path() / "a.json", folder.path() / "b.json.gz"});
}

TEST_CASE("a recipe that leaves no trace has failed at the capture") {
  const tests::TempFolder folder;
  const auto result = run_script(folder.path(), "exit 0");
  REQUIRE(!result.has_value());
  CHECK(result.error().failure.layer == "capture");
  CHECK(result.error().failure.kind == db::ErrorKind::infrastructure);
  CHECK(result.error().failure.message == "the recipe ended well but left no trace file");
}

TEST_CASE("the last line of the output says why a recipe failed") {
  const tests::TempFolder folder;
  const auto result = run_script(folder.path(), "echo warming up; echo out of memory >&2; exit 1");
  REQUIRE(!result.has_value());
  CHECK(result.error().failure.kind == db::ErrorKind::infrastructure);
  CHECK(result.error().failure.message == "recipe test exited with 1: out of memory");
}

TEST_CASE("of a long last line the beginning is quoted") {
  const tests::TempFolder folder;
  const auto result = run_script(folder.path(), "head -c 9000 /dev/zero | tr '\\0' x; exit 3");
  REQUIRE(!result.has_value());
  CHECK(result.error().failure.message ==
        "recipe test exited with 3: " + std::string(500, 'x') + " ...");
}

TEST_CASE("a recipe that refuses its arguments is not tried again") {
  const tests::TempFolder folder;
  const auto result = run_script(folder.path(), "echo no such model; exit 2");
  REQUIRE(!result.has_value());
  CHECK(result.error().failure.kind == db::ErrorKind::configuration);
  CHECK(result.error().failure.message == "recipe test exited with 2: no such model");
}

TEST_CASE("time limit and cancellation are told apart") {
  const tests::TempFolder folder;
  const auto late = run_script(folder.path(), "sleep 600", false, 0);
  REQUIRE(!late.has_value());
  CHECK(late.error().timed_out);
  CHECK(late.error().failure.message == "recipe test took longer than its limit of 0 s");
  const auto cancelled = run_script(folder.path(), "sleep 600", true);
  REQUIRE(!cancelled.has_value());
  CHECK(cancelled.error().cancelled);
}

TEST_CASE("a job whose recipe or hardware is not here is a configuration fault") {
  LocalRunner runner("local", {{"test", {"cpu"}, {"/bin/true"}, std::chrono::seconds{1}}});
  RunnerTask task;
  task.config.recipe = "test";
  task.config.hardware = "b200";
  const std::atomic<bool> cancel{false};
  const auto result = tests::run_coroutine(runner.run(task, [] {}, cancel));
  REQUIRE(!result.has_value());
  CHECK(result.error().failure.kind == db::ErrorKind::configuration);
  CHECK(result.error().failure.message == "no recipe test for hardware b200 here");
}

TEST_CASE("a runner announces its recipes and their hardware") {
  const LocalRunner runner(
      "here", {{"a", {"cpu", "b200"}, {"/bin/true"}, {}}, {"b", {"b200"}, {"/bin/true"}, {}}});
  CHECK(runner.name() == "here");
  CHECK(runner.capabilities() ==
        std::vector<db::Capability>{{"cpu", "a"}, {"b200", "a"}, {"b200", "b"}});
}
