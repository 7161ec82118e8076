#include "db/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

namespace stepscope::db {
namespace {

constexpr int kBusyTimeoutMs = 5000;

// "INSERT", "PRAGMA": enough to find the statement, and no value of a parameter can be in it.
std::string verb_of(std::string_view sql) {
  std::string verb;
  for (const char c : sql) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter) == 0) {
      if (verb.empty() && std::isspace(letter) != 0) continue;
      break;
    }
    verb.push_back(static_cast<char>(std::toupper(letter)));
  }
  return verb.empty() ? "SQL" : verb;
}

std::string base_name(sqlite3* handle) {
  const char* file = sqlite3_db_filename(handle, "main");
  return file == nullptr ? "database" : std::filesystem::path(file).filename().string();
}

[[noreturn]] void fail(sqlite3* handle, std::string_view sql) {
  throw DatabaseError(
      fmt::format("{}: {}: {}", base_name(handle), verb_of(sql), sqlite3_errmsg(handle)));
}

[[noreturn]] void fail(sqlite3_stmt* statement) {
  const char* sql = sqlite3_sql(statement);
  fail(sqlite3_db_handle(statement), sql == nullptr ? "" : sql);
}

// The first statement of `sql`; nullptr for blanks. `rest` is what follows it.
sqlite3_stmt* compile(sqlite3* handle, std::string_view sql, std::string_view& rest) {
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement, &tail) !=
      SQLITE_OK) {
    fail(handle, sql);
  }
  rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
  return statement;
}

std::string holder_of(int descriptor) {
  std::array<char, 32> buffer{};
  const ssize_t size = ::pread(descriptor, buffer.data(), buffer.size() - 1, 0);
  std::string holder(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!holder.empty() && std::isdigit(static_cast<unsigned char>(holder.back())) == 0) {
    holder.pop_back();
  }
  return holder.empty() ? "another process" : "process " + holder;
}

// The lock lives as long as the descriptor, so a killed process leaves none behind. The file stays:
// removing it would let two processes lock two files of one name.
int take_lock(const std::filesystem::path& file) {
  const std::string path = file.string() + ".lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw DatabaseError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = holder_of(descriptor);
    ::close(descriptor);
    throw DatabaseError(fmt::format("{} is written by {} (lock file {}): stop it first",
                                    file.filename().string(), holder, path));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const int error = errno;
    ::close(descriptor);
    throw DatabaseError(fmt::format("cannot write {}: {}", path, std::strerror(error)));
  }
  return descriptor;
}

sqlite3* open_file(const std::filesystem::path& file, int flags) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(file.c_str(), &handle, flags, nullptr) != SQLITE_OK) {
    const std::string message = handle == nullptr ? "out of memory" : sqlite3_errmsg(handle);
    sqlite3_close_v2(handle);
    throw DatabaseError(fmt::format("{}: cannot open: {}", file.filename().string(), message));
  }
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  return handle;
}

}  // namespace

Statement::Statement(sqlite3_stmt* statement) : statement_(statement) {}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int index, std::int64_t value) {
  if (sqlite3_bind_int64(statement_, index, value) != SQLITE_OK) fail(statement_);
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  // SQLite takes a null pointer for NULL, and an empty view may hold one.
  const char* text = value.data() == nullptr ? "" : value.data();
  if (sqlite3_bind_text64(statement_, index, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8) !=
      SQLITE_OK) {
    fail(statement_);
  }
  return *this;
}

Statement& Statement::bind(int index, std::optional<std::int64_t> value) {
  return value ? bind(index, *value) : bind_null(index);
}

Statement& Statement::bind_null(int index) {
  if (sqlite3_bind_null(statement_, index) != SQLITE_OK) fail(statement_);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(statement_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Database::Database(const std::filesystem::path& file, Mode mode) {
  const bool writes = mode == Mode::read_write;
  try {
    if (writes) lock_descriptor_ = take_lock(file);
    handle_ =
        open_file(file, writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
    if (writes) {
      Statement journal = prepare("PRAGMA journal_mode = WAL");
      if (!journal.step() || journal.text(0) != "wal") {
        throw DatabaseError(file.filename().string() +
                            ": no write-ahead log here: the folder must be on a local disk");
      }
      execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    } else {
      execute("PRAGMA query_only = ON");
    }
  } catch (...) {
    sqlite3_close_v2(handle_);
    if (lock_descriptor_ >= 0) ::close(lock_descriptor_);
    throw;
  }
}

Database::~Database() {
  sqlite3_close_v2(handle_);
  if (lock_descriptor_ >= 0) ::close(lock_descriptor_);
}

Statement Database::prepare(std::string_view sql) {
  std::string_view rest;
  sqlite3_stmt* statement = compile(handle_, sql, rest);
  if (statement == nullptr) throw DatabaseError(base_name(handle_) + ": empty statement");
  return Statement(statement);
}

void Database::execute(std::string_view sql) {
  while (!sql.empty()) {
    std::string_view rest;
    Statement statement(compile(handle_, sql, rest));
    if (statement.statement_ != nullptr) statement.run();
    sql = rest;
  }
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }

int Database::changes() const { return sqlite3_changes(handle_); }

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const DatabaseError&) {
    // Some errors (disk full, I/O) have rolled back already; the first error is the one to report.
    return;
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace stepscope::db
