#include "workers/subprocess.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

runtime::Result<ChildResult> run(ChildTask task, bool cancelled = false) {
  const std::atomic<bool> cancel{cancelled};
  return tests::run_coroutine(run_child(std::move(task), cancel));
}

ChildTask shell(const std::string& script, const std::filesystem::path& folder = "/") {
  return {.argv = {"/bin/sh", "-c", script},
          .folder = folder,
          .environment = {"PATH=/usr/bin:/bin", "GREETING=good day"}};
}

}  // namespace

TEST_CASE("a child's exit code and output come back") {
  const auto result = run(shell("echo $GREETING; echo oops >&2; exit 3"));
  REQUIRE(result.has_value());
  CHECK(result->exit_code == 3);
  CHECK(result->signal == 0);
  CHECK(result->output_tail == "good day\noops\n");
}

TEST_CASE("a child sees the environment that it is given and nothing else") {
  ChildTask task = shell("env");
  task.environment = {"ONLY=this"};
  const auto result = run(std::move(task));
  REQUIRE(result.has_value());
  CHECK(result->output_tail.find("ONLY=this\n") != std::string::npos);
  CHECK(result->output_tail.find("HOME=") == std::string::npos);
}

TEST_CASE("the child works in its folder") {
  const tests::TempFolder folder;
  const auto result = run(shell("echo trace > file", folder.path()));
  REQUIRE(result.has_value());
  CHECK(std::filesystem::exists(folder.path() / "file"));
}

TEST_CASE("only the end of long output is kept") {
  ChildTask task = shell("i=0; while [ $i -lt 2000 ]; do echo line-$i; i=$((i+1)); done");
  task.output_bytes_max = 64;
  const auto result = run(std::move(task));
  REQUIRE(result.has_value());
  CHECK(result->output_tail.size() <= 64);
  CHECK(result->output_tail.ends_with("line-1998\nline-1999\n"));
}

TEST_CASE("a program that is not there is an error, not an exit code") {
  const auto result = run({.argv = {"/no/such/program"}, .folder = "/"});
  REQUIRE(!result.has_value());
  CHECK(result.error().message == "can not start /no/such/program: No such file or directory");
}

TEST_CASE("past its time limit the whole process group ends") {
  const tests::TempFolder folder;
  ChildTask task = shell("sleep 600 & echo $! > pid; wait", folder.path());
  task.time_limit = std::chrono::milliseconds{300};
  task.grace = std::chrono::milliseconds{2000};
  const auto result = run(std::move(task));
  REQUIRE(result.has_value());
  CHECK(result->timed_out);
  CHECK(result->signal == 15);
  int grandchild = 0;
  std::ifstream(folder.path() / "pid") >> grandchild;
  REQUIRE(grandchild > 0);
  // Dead, or a zombie that nobody has reaped yet.
  std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
  std::string id;
  std::string name;
  std::string state = "gone";
  stat >> id >> name >> state;
  const bool ended = state == "gone" || state == "Z" || state == "X";
  CHECK(ended);
}

TEST_CASE("a child that ignores SIGTERM is killed after the grace time") {
  ChildTask task = shell("trap '' TERM; while :; do sleep 1; done");
  task.time_limit = std::chrono::milliseconds{200};
  task.grace = std::chrono::milliseconds{200};
  const auto result = run(std::move(task));
  REQUIRE(result.has_value());
  CHECK(result->timed_out);
  CHECK(result->signal == 9);
}

TEST_CASE("a child that is not wanted any more is ended") {
  const auto result = run(shell("sleep 600"), true);
  REQUIRE(result.has_value());
  CHECK(result->cancelled);
  CHECK_FALSE(result->timed_out);
}

TEST_CASE("a process that left the group and holds the output does not hold us") {
  const auto result = run(shell("setsid sleep 3 & exit 0"));
  REQUIRE(result.has_value());
  CHECK(result->exit_code == 0);
}
