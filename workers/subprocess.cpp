#include "workers/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "workers/process_group.h"

namespace stepscope::workers {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr int kDrainLooks = 500;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, char* const* environment, const char* folder,
                         int output, int failure, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before the line above
  const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(none, 0);
  dup2(output, 1);
  dup2(output, 2);
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (chdir(folder) == 0) execve(argv[0], argv, environment);
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

struct Spawned {
  pid_t pid = -1;
  int output = -1;  // the read end of stdout and stderr
};

runtime::Result<Spawned> spawn(ChildTask& task) {
  std::array<int, 2> output{};
  std::array<int, 2> failure{};
  if (pipe2(output.data(), O_CLOEXEC) != 0) return runtime::fail("pipe: out of descriptors", true);
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    close(output[0]);
    close(output[1]);
    return runtime::fail("pipe: out of descriptors", true);
  }
  auto argv = pointers(task.argv);
  auto environment = pointers(task.environment);
  const std::string folder = task.folder.string();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become(argv.data(), environment.data(), folder.c_str(), output[1], failure[1], parent);
  }
  close(output[1]);
  close(failure[1]);
  int error = pid < 0 ? errno : 0;
  if (pid > 0 && read(failure[0], &error, sizeof error) <= 0) error = 0;
  close(failure[0]);
  if (error != 0) {
    close(output[0]);
    if (pid > 0) waitpid(pid, nullptr, 0);
    return runtime::fail(fmt::format("can not start {}: {}", task.argv.front(), strerror(error)));
  }
  setpgid(pid, pid);  // also here: whichever of the two runs first
  return Spawned{pid, output[0]};
}

// Keeps the last `cap` bytes of what arrives until the pipe ends or is closed.
asio::awaitable<void> keep_tail(std::shared_ptr<asio::posix::stream_descriptor> pipe,
                                std::shared_ptr<std::string> tail, std::size_t cap) {
  std::array<char, 4096> block{};
  while (true) {
    boost::system::error_code error;
    const auto room = asio::buffer(block);
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const std::size_t count = co_await pipe->async_read_some(room, token);
    if (error) co_return;
    tail->append(block.data(), count);
    if (tail->size() > 2 * cap) tail->erase(0, tail->size() - cap);
  }
}

// Waits for the child at most `limit`; true: it has ended (and is not reaped yet).
asio::awaitable<bool> wait_ended(pid_t pid, std::chrono::milliseconds limit) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  const auto until = std::chrono::steady_clock::now() + limit;
  auto pause = std::chrono::milliseconds{2};
  while (true) {
    siginfo_t info{};
    const int waited = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (waited == 0 && info.si_pid == pid) co_return true;
    if (std::chrono::steady_clock::now() >= until) co_return false;
    timer.expires_after(pause);
    co_await timer.async_wait(asio::use_awaitable);
    pause = std::min(2 * pause, kLookEvery);
  }
}

asio::awaitable<void> end_group(pid_t pid, std::chrono::milliseconds grace) {
  kill(-pid, SIGTERM);
  const bool ended = co_await wait_ended(pid, grace);
  if (!ended) kill(-pid, SIGKILL);
}

// Until the child ends by itself, its time is up, or it is not wanted any more.
asio::awaitable<void> supervise(pid_t pid, const ChildTask& task, const std::atomic<bool>& cancel,
                                ChildResult& result) {
  const auto until = std::chrono::steady_clock::now() + task.time_limit;
  while (true) {
    const bool ended = co_await wait_ended(pid, kLookEvery);
    if (ended) co_return;
    result.cancelled = cancel.load();
    result.timed_out = !result.cancelled && std::chrono::steady_clock::now() >= until;
    if (result.cancelled || result.timed_out) {
      co_await end_group(pid, task.grace);
      co_return;
    }
  }
}

// Takes the group down with the coroutine, also when that is destroyed while it waits.
class Group {
 public:
  Group(pid_t pid, std::filesystem::path file) : pid_(pid), file_(std::move(file)) {
    if (!file_.empty()) note_group(file_, pid_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { reap(); }
  int reap() {
    if (pid_ < 0) return status_;
    kill(-pid_, SIGKILL);  // whoever of the group is left
    waitpid(pid_, &status_, 0);
    pid_ = -1;
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
    return status_;
  }

 private:
  pid_t pid_;
  std::filesystem::path file_;
  int status_ = 0;
};

}  // namespace

asio::awaitable<runtime::Result<ChildResult>> run_child(ChildTask task,
                                                        const std::atomic<bool>& cancel) {
  auto executor = co_await asio::this_coro::executor;
  auto spawned = spawn(task);
  if (!spawned) co_return std::unexpected(spawned.error());
  Group group(spawned->pid, task.group_file);
  auto pipe = std::make_shared<asio::posix::stream_descriptor>(executor, spawned->output);
  auto tail = std::make_shared<std::string>();
  auto reading = keep_tail(pipe, tail, task.output_bytes_max);
  asio::co_spawn(executor, std::move(reading), asio::detached);

  ChildResult result;
  co_await supervise(spawned->pid, task, cancel, result);
  const int status = group.reap();
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);

  // With the group dead the pipe ends by itself, unless a process has left the group and holds it.
  asio::steady_timer drained(executor);
  for (int look = 0; tail.use_count() > 1; ++look) {
    if (look == kDrainLooks) pipe->close();
    drained.expires_after(std::chrono::milliseconds{1});
    co_await drained.async_wait(asio::use_awaitable);
  }
  if (tail->size() > task.output_bytes_max) tail->erase(0, tail->size() - task.output_bytes_max);
  result.output_tail = std::move(*tail);
  co_return result;
}

}  // namespace stepscope::workers
