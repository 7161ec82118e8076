#include "tests/support/mock_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

extern char** environ;

namespace stepscope::tests {
namespace {

const std::string kFolder = STEPSCOPE_SOURCE_DIR "/tests/support/github_mock";

std::string node_path() {
  const char* path = std::getenv("PATH");
  std::string list = path == nullptr ? "" : path;
  while (!list.empty()) {
    const std::size_t colon = list.find(':');
    const std::string file = list.substr(0, colon) + "/node";
    if (::access(file.c_str(), X_OK) == 0) return file;
    list = colon == std::string::npos ? "" : list.substr(colon + 1);
  }
  return "";
}

// {"port": 1234}
int read_port(int descriptor) {
  std::string line;
  char letter = 0;
  while (::read(descriptor, &letter, 1) == 1 && letter != '\n') line += letter;
  const std::size_t digit = line.find_first_of("0123456789");
  if (digit == std::string::npos)
    throw std::runtime_error("the GitHub mock did not start: " + line);
  return std::stoi(line.substr(digit));
}

}  // namespace

std::optional<std::string> MockProcess::missing() {
  if (node_path().empty()) return "node is not installed";
  if (!std::filesystem::exists(kFolder + "/node_modules")) {
    return "tests/support/github_mock has no node_modules (npm ci --ignore-scripts)";
  }
  return std::nullopt;
}

MockProcess::MockProcess(const std::string& public_key_file) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipes for the GitHub mock");
  }
  std::vector<std::string> words = {
      node_path(), kFolder + "/server.js", "--until-stdin-ends", "--token", "ghp_mock", "--app-id",
      "1",         "--public-key",         public_key_file};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int fault =
      posix_spawn(&child_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  if (fault != 0) throw std::runtime_error("node can not be started");
  port_ = read_port(from_child_);
}

MockProcess::~MockProcess() {
  ::close(to_child_);
  ::close(from_child_);
  ::waitpid(child_, nullptr, 0);
}

std::string MockProcess::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

}  // namespace stepscope::tests
