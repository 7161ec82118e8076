#pragma once
// Text of rocprofv3's JSON for tests: one process, whose lists can be written in any order. Numbers
// are those of a small host: agent 10 is a CPU, 11 and 12 are GPUs 0 and 1.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::tests {

class RocprofText {
 public:
  explicit RocprofText(int pid = 500);

  // `extra` goes to the end of the record: ", \"stream_id\": {\"handle\": 3}".
  RocprofText& dispatch(std::uint64_t kernel_id, std::int64_t start_ns, std::int64_t end_ns,
                        std::uint64_t correlation = 0, int agent = 11,
                        std::string_view extra = R"(, "stream_id": {"handle": 3})");
  RocprofText& copy(int operation, int from, int to, std::int64_t start_ns, std::int64_t end_ns,
                    std::string_view extra = "");
  // A call of list hip_api; operation 0 is hipFree, 1 hipLaunchKernel, 2 hipGraphLaunch.
  RocprofText& call(int operation, std::int64_t start_ns, std::int64_t end_ns,
                    std::uint64_t correlation, int kind = 2);
  // A range with its text; operation 0 is roctxMarkA, 1 roctxThreadRangeA.
  RocprofText& marker(std::string_view text, std::int64_t start_ns, std::int64_t end_ns,
                      std::uint64_t correlation, int operation = 1);
  RocprofText& symbol(std::uint64_t kernel_id, std::string_view formatted,
                      std::string_view demangled = "", std::string_view raw = "");
  // As it stands, into "kernel_dispatch" or any other list.
  RocprofText& raw(std::string_view list, std::string_view record);

  // The members of the process in this order; all of them, when not given.
  std::string process(const std::vector<std::string>& order = {}) const;
  std::string file() const;

 private:
  std::string list(std::string_view name) const;

  int pid_;
  std::map<std::string, std::vector<std::string>, std::less<>> lists_;
};

// {"rocprofiler-sdk-tool": [...]} of these processes.
std::string rocprof_file(const std::vector<std::string>& processes);

}  // namespace stepscope::tests
