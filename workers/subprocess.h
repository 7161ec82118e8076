#pragma once
// One child process without a shell: its own process group, a time limit, the tail of its output
// kept up to a cap, and the whole group killed at the end whatever happens. The child dies with
// this process.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace stepscope::workers {

struct ChildTask {
  std::vector<std::string> argv;         // argv[0]: absolute path
  std::filesystem::path folder;          // working directory
  std::vector<std::string> environment;  // "NAME=value", all that the child gets
  std::chrono::milliseconds time_limit{600'000};
  std::chrono::milliseconds grace{5'000};   // between SIGTERM and SIGKILL
  std::size_t output_bytes_max = 64 << 10;  // of stdout and stderr together; the end is kept
  std::filesystem::path group_file;         // names the process group while it lives; may be empty
};

struct ChildResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool cancelled = false;
  std::string output_tail;
};

// Runs on the awaiting coroutine's io_context. Error: the child could not be started.
boost::asio::awaitable<runtime::Result<ChildResult>> run_child(ChildTask task,
                                                               const std::atomic<bool>& cancel);

}  // namespace stepscope::workers
