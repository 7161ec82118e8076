#pragma once
// SQLite behind RAII: a connection, statements, transactions. One connection of the process writes
// and checkpoints, all others are opened read-only (SQLite 3.40.1 loses data in a WAL reset
// otherwise). A Database and its statements belong to one thread at a time. Every failure throws
// DatabaseError.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::db {

class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Database;

// Parameters are numbered from 1, columns from 0. Texts are copied.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view value);
  Statement& bind(int index, std::optional<std::int64_t> value);
  Statement& bind_null(int index);

  bool step();  // true: a row stands ready
  void run();   // steps to the end; may be bound and run again
  std::int64_t integer(int column) const;
  std::string text(int column) const;  // NULL reads as ""
  std::optional<std::int64_t> optional_integer(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement);
  sqlite3_stmt* statement_;
};

class Database {
 public:
  enum class Mode { read_write, read_only };
  // read_write creates the file and takes the lock file beside it: a second writer is refused with
  // a message that names the holder. WAL, synchronous=FULL, foreign keys on.
  Database(const std::filesystem::path& file, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Statement prepare(std::string_view sql);
  void execute(std::string_view sql);  // one or more statements without parameters
  std::int64_t last_insert_id() const;
  int changes() const;  // rows that the last statement touched

 private:
  sqlite3* handle_ = nullptr;
  int lock_descriptor_ = -1;
};

// BEGIN IMMEDIATE; rolled back unless commit() was called.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace stepscope::db
