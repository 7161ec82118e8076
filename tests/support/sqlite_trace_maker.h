#pragma once
// Databases of traces for tests, with the tables and columns that nsys and RPD write. Each maker
// writes its file at once and closes it at the end of its scope.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;

namespace stepscope::tests {

class SqliteMaker {
 public:
  explicit SqliteMaker(const std::filesystem::path& path);
  ~SqliteMaker();
  SqliteMaker(const SqliteMaker&) = delete;
  SqliteMaker& operator=(const SqliteMaker&) = delete;

  // Any number of statements; one that fails ends the test.
  SqliteMaker& run(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// What an event of nsys has in common.
struct NsysEvent {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  int correlation = 0;
  int stream = 7;
  int device = 0;
  int pid = 100;
};

enum class NsysVersion { v2023, v2025 };

// Times are those of the tables: nanoseconds behind the start of the session.
class NsysMaker {
 public:
  static constexpr std::int64_t kSessionStartNs = 1'700'000'000'000'000'000;

  NsysMaker(const std::filesystem::path& path, NsysVersion version = NsysVersion::v2025);

  NsysMaker& kernel(std::string_view name, const NsysEvent& event);
  // Kinds are numbers of nsys: 1 host to device, 8 device to device; 0 pageable, 1 pinned, 2
  // device.
  NsysMaker& copy(int direction, int source, int target, const NsysEvent& event);
  NsysMaker& fill(const NsysEvent& event);
  NsysMaker& call(std::string_view name, const NsysEvent& event);
  // A range with its own text, and one whose text is registered.
  NsysMaker& range(std::string_view text, std::int64_t start_ns, std::int64_t end_ns,
                   int pid = 100);
  NsysMaker& registered_range(std::string_view text, std::int64_t start_ns, std::int64_t end_ns,
                              int pid = 100);
  NsysMaker& whole_graph(const NsysEvent& event);
  NsysMaker& run(const std::string& sql);
  std::int64_t text_id(std::string_view text);

 private:
  // Tables come to be with their first row, as nsys does it.
  void need(std::string_view table);

  SqliteMaker maker_;
  NsysVersion version_;
  std::map<std::string, std::int64_t, std::less<>> texts_;
  std::map<std::string, bool, std::less<>> made_;
};

struct RpdOp {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t call = 0;  // 0: not linked
  int gpu = 2;
  int queue = 0;
};

class RpdMaker {
 public:
  explicit RpdMaker(const std::filesystem::path& path);

  RpdMaker& op(std::string_view type, std::string_view description, const RpdOp& op);
  // Ids of calls count from 1 in the order in which they are made.
  RpdMaker& call(std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                 std::string_view args = "", int pid = 1560);
  RpdMaker& kernel_call(std::int64_t call, std::string_view name, int grid, int block);
  RpdMaker& run(const std::string& sql);

 private:
  std::int64_t text_id(std::string_view text);

  SqliteMaker maker_;
  std::map<std::string, std::int64_t, std::less<>> texts_;
  std::int64_t ops_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace stepscope::tests
