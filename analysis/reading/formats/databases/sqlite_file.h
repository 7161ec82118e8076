#pragma once
// An SQLite database of unknown origin, opened for reading alone: no locks, no files beside it, no
// views, triggers, virtual tables, generated columns or functions, and a bound on the work. Owns
// the connection; whole tables are scanned row by row, and nothing is sorted or joined.

#include <atomic>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/analyze.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::analysis {

class SqliteFile;

struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

// The rows of one table, in the order in which they lie. Must not outlive its file.
class SqliteRows {
 public:
  SqliteRows(SqliteFile& file, std::string table, SqliteStatement statement)
      : file_(file), table_(std::move(table)), statement_(std::move(statement)) {}

  // False behind the last row, and when reading failed: the file has noted why.
  bool next();
  // Of the current row. Whole numbers may be stored as text; nothing for what is none.
  std::optional<std::int64_t> integer(int column) const;
  // As valid UTF-8, until the next call; nothing for what is no text.
  std::optional<std::string_view> text(int column);

 private:
  SqliteFile& file_;
  std::string table_;
  SqliteStatement statement_;  // none: there is nothing to read
  std::uint64_t rows_ = 0;
  std::string scratch_;
};

class SqliteFile {
 public:
  // Steps of SQLite's virtual machine over the life of a connection. A kernel costs about 20, a
  // call 10, so that 50 million kernels with all their calls and ranges stay below a third of it.
  static constexpr std::uint64_t kStepsMax = 10'000'000'000;
  static constexpr std::uint64_t kSchemaStepsMax = 200'000;  // of them to read the schema: objects
  static constexpr int kStepsPerCheck = 100'000;             // of the cancel flag as well
  static constexpr int kValueBytesMax = 64 << 20;            // of one row or value
  static constexpr int kSqlBytesMax = 1 << 20;               // of one line of the schema
  static constexpr std::size_t kTablesMax = 10'000;          // further ones are not seen
  static constexpr std::size_t kFaultsMax = 20;              // further ones are not kept
  static constexpr std::size_t kFaultMessageBytes = 160;

  struct Limits {
    const std::atomic<bool>* cancelled = nullptr;
    std::uint64_t steps_max = kStepsMax;
  };
  struct Fault {
    std::string table;
    std::uint64_t rows = 0;  // that were read before
    std::string message;     // SQLite's own, fit for one line
  };

  // `name` is what messages call the file. Errors: unreadable, no_trace (damaged beyond reading its
  // schema).
  static std::expected<std::unique_ptr<SqliteFile>, AnalyzeError> open(
      const std::filesystem::path& path, std::string name, Limits limits);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  const std::string& name() const { return name_; }
  // Ordinary tables, in byte order, without those of SQLite itself.
  const std::set<std::string, std::less<>>& tables() const { return tables_; }
  bool has(std::string_view table) const { return tables_.contains(table); }
  bool has(std::string_view table, std::string_view column);

  // Columns are numbered in the order asked for; those that the table lacks are null in each row.
  // No rows when there is no such table. Names come from our own code, never from a file.
  SqliteRows rows(std::string_view table, std::initializer_list<std::string_view> columns);
  // The rows whose `key` is the number bound as the statement's parameter.
  SqliteStatement lookup(std::string_view table, std::string_view key, std::string_view value);

  // Why everything was given up: cancelled, or too much work.
  std::optional<AnalyzeError> stopped() const;
  // Tables that could not be read to their end, and why.
  const std::vector<Fault>& faults() const { return faults_; }
  void note_fault(std::string_view table, std::uint64_t rows);  // SQLite's last error

 private:
  enum class Stop : std::uint8_t { none, cancelled, work };
  struct CloseDatabase {
    void operator()(sqlite3* database) const;
  };

  SqliteFile(std::string name, Limits limits) : name_(std::move(name)), limits_(limits) {}
  static int on_steps(void* self);
  std::string last_error() const;
  std::expected<void, AnalyzeError> read_tables();
  const std::set<std::string, std::less<>>& columns_of(std::string_view table);
  SqliteStatement prepare(std::string_view table, const std::string& sql);

  std::string name_;
  Limits limits_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::uint64_t steps_ = 0;
  bool has_schema_ = false;
  Stop stop_ = Stop::none;
  std::set<std::string, std::less<>> tables_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> columns_;  // in lower case
  std::vector<Fault> faults_;
};

// Texts that rows of other tables name by number. Keeps the last ones; must not outlive the file.
class SqliteTexts {
 public:
  static constexpr std::size_t kCacheBytesMax = 32U << 20;
  static constexpr std::size_t kTextBytesMax = 1U << 20;  // a longer text counts as missing

  SqliteTexts(SqliteFile& file, std::string table, std::string_view key, std::string_view value)
      : file_(file), table_(std::move(table)), statement_(file.lookup(table_, key, value)) {}

  // Valid UTF-8, until the next call; nothing when the table has no such text.
  std::optional<std::string_view> find(std::int64_t id);

 private:
  SqliteFile& file_;
  std::string table_;
  SqliteStatement statement_;
  std::unordered_map<std::int64_t, std::optional<std::string>> cache_;
  std::size_t cache_bytes_ = 0;
};

// Fit for a one-line message: shortened, with ? for what is not printable ASCII.
std::string printable(std::string_view text, std::size_t bytes_max);

}  // namespace stepscope::analysis
