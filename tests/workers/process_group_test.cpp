#include "workers/process_group.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_folder.h"

using namespace stepscope;
using namespace stepscope::workers;

namespace {

// A process that waits for a signal, in the group of `leader` (0: its own).
pid_t waiting_child(pid_t leader) {
  // The test program's own handler must not be the child's for a moment either.
  const auto handler = signal(SIGTERM, SIG_DFL);
  const pid_t pid = fork();
  if (pid != 0) signal(SIGTERM, handler);
  if (pid == 0) {
    setpgid(0, leader);
    alarm(60);  // ends by itself where nothing else ends it
    while (true) pause();
  }
  setpgid(pid, leader == 0 ? pid : leader);
  return pid;
}

// The signal that ended it.
int ended_by(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a noted group is ended whole, its file goes") {
  const tests::TempFolder folder;
  const pid_t leader = waiting_child(0);
  const pid_t member = waiting_child(leader);
  note_group(folder.path() / "57-1.group", leader);
  end_left_groups(folder.path());
  CHECK(ended_by(leader) == SIGKILL);
  CHECK(ended_by(member) == SIGKILL);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a group whose leader has ended is ended too") {
  const tests::TempFolder folder;
  const pid_t leader = waiting_child(0);
  const pid_t member = waiting_child(leader);
  note_group(folder.path() / "57-1.group", leader);
  kill(leader, SIGKILL);
  CHECK(ended_by(leader) == SIGKILL);
  end_left_groups(folder.path());
  CHECK(ended_by(member) == SIGKILL);
}

TEST_CASE("a number that is somebody else's by now is left alone") {
  const tests::TempFolder folder;
  const pid_t other = waiting_child(0);
  std::ofstream(folder.path() / "57-1.group") << other << " 1\n";  // started at the boot
  std::ofstream(folder.path() / "57-2.group") << "-1 1\n";
  std::ofstream(folder.path() / "57-3.group") << "nothing";
  std::ofstream(folder.path() / "other") << other << " 1\n";
  end_left_groups(folder.path());
  CHECK(kill(other, 0) == 0);
  CHECK(text_of(folder.path() / "other") != "");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "57-1.group"));
  kill(other, SIGTERM);
  CHECK(ended_by(other) == SIGTERM);
}

TEST_CASE("a folder that is not there holds no groups") {
  const tests::TempFolder folder;
  end_left_groups(folder.path() / "none");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none"));
}
