#pragma once
// The GitHub mock as a child process of a test: started when node and its packages are there, ended
// with this object (the mock ends when its stdin does, so also when the test crashes).

#include <sys/types.h>

#include <optional>
#include <string>

namespace stepscope::tests {

class MockProcess {
 public:
  // Nothing, and why, when node or node_modules are missing.
  static std::optional<std::string> missing();
  // Starts it with an App (id 1, slug "stepscope") whose public key is in `public_key_file`, and
  // the personal token "ghp_mock". Throws std::runtime_error when it does not come up.
  explicit MockProcess(const std::string& public_key_file);
  ~MockProcess();
  MockProcess(const MockProcess&) = delete;
  MockProcess& operator=(const MockProcess&) = delete;

  std::string url() const;  // "http://127.0.0.1:PORT"

 private:
  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  int port_ = 0;
};

}  // namespace stepscope::tests
