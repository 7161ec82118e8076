#include "analysis/reading/formats/databases/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "analysis/reading/json/decimal_time.h"
#include "analysis/reading/json/json_text.h"

namespace stepscope::analysis {

namespace {

constexpr std::size_t kNumberBytesMax = 64;  // of a number that is stored as text

// Absolute, and with everything encoded that has a meaning in a URI. Immutable: SQLite takes no
// lock and looks for no journal, so that nothing appears beside the file.
std::string uri_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
  std::string uri = "file:";
  for (const char c : ignored ? path.native() : whole.native()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri + "?mode=ro&immutable=1";
}

// Only plain reads of the file's own tables; `within` names the view or trigger that asks.
int authorize(void* /*context*/, int action, const char* first, const char* /*second*/,
              const char* database, const char* within) {
  const auto is = [](const char* text, std::string_view word) {
    return text != nullptr && text == word;
  };
  switch (action) {
    case SQLITE_SELECT:
      return SQLITE_OK;
    case SQLITE_READ:
      return within == nullptr && is(database, "main") ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return is(first, "table_xinfo") ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

void set_limits(sqlite3* database) {
  static constexpr std::array<std::pair<int, int>, 9> kLimits = {{
      {SQLITE_LIMIT_LENGTH, SqliteFile::kValueBytesMax},
      {SQLITE_LIMIT_SQL_LENGTH, SqliteFile::kSqlBytesMax},
      {SQLITE_LIMIT_EXPR_DEPTH, 100},
      {SQLITE_LIMIT_COMPOUND_SELECT, 50},
      {SQLITE_LIMIT_VDBE_OP, 10'000},
      {SQLITE_LIMIT_ATTACHED, 0},
      {SQLITE_LIMIT_VARIABLE_NUMBER, 1},
      {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
      {SQLITE_LIMIT_WORKER_THREADS, 0},
  }};
  for (const auto& [limit, value] : kLimits) sqlite3_limit(database, limit, value);
}

void harden(sqlite3* database) {
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                        SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION}) {
    sqlite3_db_config(database, off, 0, nullptr);
  }
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  set_limits(database);
  // An index that SQLite would make for itself costs memory that nobody bounds. The cache is small
  // because each page is read once, in order.
  for (const char* pragma : {"PRAGMA cell_size_check=ON", "PRAGMA temp_store=MEMORY",
                             "PRAGMA automatic_index=OFF", "PRAGMA cache_size=-2048"}) {
    sqlite3_exec(database, pragma, nullptr, nullptr, nullptr);
  }
  sqlite3_set_authorizer(database, authorize, nullptr);
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::string_view raw_text(sqlite3_stmt* statement, int column) {
  const unsigned char* bytes = sqlite3_column_text(statement, column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

// `text` itself where it is valid, as nearly all names are.
std::string_view valid_utf8(std::string_view text, std::string& scratch) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (std::ranges::all_of(text, plain)) return text;
  scratch.clear();
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const bool single = byte >= 0x20 && byte < 0x80;
    const std::size_t size = single ? 1 : utf8_sequence(text);
    scratch += size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return scratch;
}

}  // namespace

void CloseStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void SqliteFile::CloseDatabase::operator()(sqlite3* database) const { sqlite3_close(database); }

bool SqliteRows::next() {
  if (!statement_) return false;
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) {
    ++rows_;
    return true;
  }
  if (result != SQLITE_DONE) file_.note_fault(table_, rows_);
  statement_.reset();
  return false;
}

std::optional<std::int64_t> SqliteRows::integer(int column) const {
  constexpr double kExactMax = 9007199254740992;  // 2^53: whole numbers beyond it are not exact
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement_.get(), column);
    case SQLITE_FLOAT: {
      const double value = sqlite3_column_double(statement_.get(), column);
      if (std::abs(value) > kExactMax || value != std::trunc(value)) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    case SQLITE_TEXT: {
      const std::string_view text = raw_text(statement_.get(), column);
      return text.size() > kNumberBytesMax ? std::nullopt : parse_scaled(text, kNanoseconds);
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> SqliteRows::text(int column) {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) return std::nullopt;
  return valid_utf8(raw_text(statement_.get(), column), scratch_);
}

std::expected<std::unique_ptr<SqliteFile>, AnalyzeError> SqliteFile::open(
    const std::filesystem::path& path, std::string name, Limits limits) {
  std::unique_ptr<SqliteFile> file(new SqliteFile(std::move(name), limits));
  sqlite3* database = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                         SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
  const int result = sqlite3_open_v2(uri_of(path).c_str(), &database, kFlags, nullptr);
  file->database_.reset(database);
  if (result != SQLITE_OK) {
    return std::unexpected(AnalyzeError{AnalyzeFault::unreadable,
                                        fmt::format("{}: can not be opened as a database ({})",
                                                    file->name_, sqlite3_errstr(result))});
  }
  sqlite3_progress_handler(database, kStepsPerCheck, &SqliteFile::on_steps, file.get());
  harden(database);
  if (auto read = file->read_tables(); !read) return std::unexpected(std::move(read.error()));
  return file;
}

SqliteFile::~SqliteFile() = default;

int SqliteFile::on_steps(void* self) {
  SqliteFile& file = *static_cast<SqliteFile*>(self);
  file.steps_ += kStepsPerCheck;
  if (file.limits_.cancelled != nullptr && *file.limits_.cancelled) file.stop_ = Stop::cancelled;
  const std::uint64_t steps_max =
      file.has_schema_ ? file.limits_.steps_max : std::min(kSchemaStepsMax, file.limits_.steps_max);
  if (file.stop_ == Stop::none && file.steps_ > steps_max) file.stop_ = Stop::work;
  return file.stop_ == Stop::none ? 0 : 1;
}

std::string SqliteFile::last_error() const {
  return printable(sqlite3_errmsg(database_.get()), kFaultMessageBytes);
}

void SqliteFile::note_fault(std::string_view table, std::uint64_t rows) {
  if (stop_ != Stop::none || faults_.size() >= kFaultsMax) return;
  const auto same = [&](const Fault& fault) { return fault.table == table; };
  if (std::ranges::none_of(faults_, same)) {
    faults_.push_back({std::string(table), rows, last_error()});
  }
}

std::optional<AnalyzeError> SqliteFile::stopped() const {
  switch (stop_) {
    case Stop::none:
      return std::nullopt;
    case Stop::cancelled:
      return AnalyzeError{AnalyzeFault::cancelled, name_ + ": the analysis was cancelled"};
    case Stop::work:
      return AnalyzeError{
          AnalyzeFault::limit,
          fmt::format("{}: reading the database takes more than {} steps of SQLite: it is larger "
                      "than any profile, or made to last; record fewer steps",
                      name_, limits_.steps_max)};
  }
  std::unreachable();
}

std::expected<void, AnalyzeError> SqliteFile::read_tables() {
  // SQLite writes the first words of a table's text itself, so that others are no plain tables.
  constexpr std::string_view kPlain = "CREATE TABLE";
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v2(database_.get(),
                     "SELECT name, sql FROM main.sqlite_master WHERE type='table' AND rootpage>0",
                     -1, &prepared, nullptr);
  const SqliteStatement statement(prepared);
  int result = SQLITE_ERROR;
  while (prepared != nullptr && tables_.size() < kTablesMax) {
    result = sqlite3_step(prepared);
    if (result != SQLITE_ROW) break;
    const std::string_view table = raw_text(prepared, 0);
    if (table.starts_with("sqlite_") || !raw_text(prepared, 1).starts_with(kPlain)) continue;
    tables_.emplace(table);
  }
  if (auto stop = stopped()) return std::unexpected(*std::move(stop));
  has_schema_ = true;
  if (result == SQLITE_DONE || !tables_.empty()) return {};
  return std::unexpected(AnalyzeError{
      AnalyzeFault::no_trace,
      fmt::format("{}: the database's list of tables can not be read ({}); copy or export it again",
                  name_, last_error())});
}

const std::set<std::string, std::less<>>& SqliteFile::columns_of(std::string_view table) {
  const auto known = columns_.find(table);
  if (known != columns_.end()) return known->second;
  std::set<std::string, std::less<>>& columns = columns_[std::string(table)];
  SqliteRows rows(*this, std::string(table),
                  prepare(table, fmt::format("PRAGMA main.table_xinfo(\"{}\")", table)));
  while (rows.next()) {
    // What is computed when it is read (a generated column) is not data.
    const bool stored = rows.integer(6) == 0;
    if (const auto name = rows.text(1); name && stored) columns.insert(lowered(*name));
  }
  return columns;
}

bool SqliteFile::has(std::string_view table, std::string_view column) {
  return has(table) && columns_of(table).contains(lowered(column));
}

SqliteStatement SqliteFile::prepare(std::string_view table, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
  if (result != SQLITE_OK) note_fault(table, 0);
  return SqliteStatement(statement);
}

SqliteRows SqliteFile::rows(std::string_view table,
                            std::initializer_list<std::string_view> columns) {
  if (!has(table)) return {*this, std::string(table), nullptr};
  std::string list;
  for (const std::string_view column : columns) {
    if (!list.empty()) list += ", ";
    list += has(table, column) ? fmt::format("\"{}\"", column) : "NULL";
  }
  const std::string sql = fmt::format("SELECT {} FROM main.\"{}\" NOT INDEXED", list, table);
  return {*this, std::string(table), prepare(table, sql)};
}

SqliteStatement SqliteFile::lookup(std::string_view table, std::string_view key,
                                   std::string_view value) {
  if (!has(table, key) || !has(table, value)) return nullptr;
  return prepare(table,
                 fmt::format("SELECT \"{}\" FROM main.\"{}\" WHERE \"{}\"=?", value, table, key));
}

std::optional<std::string_view> SqliteTexts::find(std::int64_t id) {
  const auto known = cache_.find(id);
  if (known != cache_.end()) return known->second;
  if (cache_bytes_ > kCacheBytesMax) {
    cache_.clear();
    cache_bytes_ = 0;
  }
  std::optional<std::string> found;
  if (statement_) {
    sqlite3_bind_int64(statement_.get(), 1, id);
    const int result = sqlite3_step(statement_.get());
    const bool text = result == SQLITE_ROW &&
                      sqlite3_column_type(statement_.get(), 0) == SQLITE_TEXT &&
                      sqlite3_column_bytes(statement_.get(), 0) <= static_cast<int>(kTextBytesMax);
    std::string scratch;
    if (text) found = std::string(valid_utf8(raw_text(statement_.get(), 0), scratch));
    if (result != SQLITE_ROW && result != SQLITE_DONE) file_.note_fault(table_, 0);
    sqlite3_reset(statement_.get());
  }
  cache_bytes_ += sizeof(std::string) * 2 + (found ? found->size() : 0);
  return cache_.emplace(id, std::move(found)).first->second;
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string out(text.substr(0, bytes_max));
  for (char& c : out) c = c >= ' ' && c <= '~' ? c : '?';
  return text.size() > bytes_max ? out + "..." : out;
}

}  // namespace stepscope::analysis
