#include "tests/bench/process_cost.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace stepscope::bench {

namespace {

// A file in memory that a child writes to. Nothing is copied while it runs.
class Capture {
 public:
  explicit Capture(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("no file in memory");
  }
  ~Capture() { close(descriptor_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string out;
    std::array<char, 1 << 16> block{};
    lseek(descriptor_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(descriptor_, block.data(), block.size())) > 0;) {
      out.append(block.data(), static_cast<std::size_t>(n));
    }
    return out;
  }

 private:
  int descriptor_;
};

[[noreturn]] void become(const std::vector<char*>& words, int out, int err) {
  const int in = open("/dev/null", O_RDONLY);
  if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(err, STDERR_FILENO) < 0) {
    _exit(126);
  }
  execvp(words.front(), words.data());
  _exit(127);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double mib(const rusage& usage) { return static_cast<double>(usage.ru_maxrss) / 1024; }

}  // namespace

FinishedRun run_process(const std::vector<std::string>& words, Output output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Capture out("stdout");
  const Capture err("stderr");
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::fflush(stdout);

  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    become(arguments, output == Output::kept ? out.descriptor() : nowhere, err.descriptor());
  }
  int status = 0;
  rusage usage{};
  const bool ended = child > 0 && wait4(child, &status, 0, &usage) == child;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  close(nowhere);
  if (!ended || status != 0) {
    throw std::runtime_error(
        fmt::format("{} {} failed: {}", words[0], words.size() > 1 ? words[1] : "", err.text()));
  }
  return {{seconds(usage.ru_utime) + seconds(usage.ru_stime), wall.count(), mib(usage)},
          out.text()};
}

std::optional<std::filesystem::path> find_command(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::filesystem::path file = std::filesystem::path(folder) / name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace stepscope::bench
