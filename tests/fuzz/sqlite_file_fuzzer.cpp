// SQL makes a database in memory, whose bytes are then a file: tables of nsys and RPD with columns
// missing, of other types, as views, with triggers, generated columns and values of every kind; one
// in four has bytes changed as well. By bytes alone hardly any file would get past its first page.

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "tests/fuzz/checked_analysis.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/scan_record.h"

namespace {

using namespace stepscope;

constexpr int kStepsMax = 50'000;  // of SQLite's virtual machine, to make one database
constexpr int kStepsPerCheck = 1000;
constexpr int kValueBytesMax = 100'000;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, Close>;

// No other files, and of the pragmas only those that shape the one at hand.
int allow(void*, int action, const char* first, const char*, const char*, const char*) {
  if (action == SQLITE_ATTACH || action == SQLITE_DETACH) return SQLITE_DENY;
  if (action != SQLITE_PRAGMA) return SQLITE_OK;
  constexpr std::array<std::string_view, 5> kPragmas = {"writable_schema", "encoding", "page_size",
                                                        "auto_vacuum", "user_version"};
  const bool known = first != nullptr && std::ranges::find(kPragmas, first) != kPragmas.end();
  return known ? SQLITE_OK : SQLITE_DENY;
}

int count_steps(void* checks) { return ++*static_cast<int*>(checks) > kStepsMax / kStepsPerCheck; }

Database open_memory() {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(":memory:", &opened);
  Database database(opened);
  fuzz::require(result == SQLITE_OK, "a database in memory can be opened");
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kValueBytesMax);
  sqlite3_exec(opened, "PRAGMA page_size=512", nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(opened, allow, nullptr);
  return database;
}

// A statement that fails is passed over.
void run_all(sqlite3* database, const std::string& sql) {
  for (const char* rest = sql.c_str(); *rest != '\0';) {
    sqlite3_stmt* statement = nullptr;
    const char* const before = rest;
    sqlite3_prepare_v2(database, rest, -1, &statement, &rest);
    while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
    }
    sqlite3_finalize(statement);
    if (rest == before) return;
  }
}

std::string bytes_of(sqlite3* database) {
  sqlite3_set_authorizer(database, nullptr, nullptr);  // sqlite3_serialize() asks a pragma
  sqlite3_progress_handler(database, 0, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* const data = sqlite3_serialize(database, "main", &size, 0);
  if (data == nullptr) return "";
  std::string bytes(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  sqlite3_free(data);
  return bytes;
}

void change_bytes(std::string& bytes, std::uint64_t hash) {
  if (bytes.empty() || hash % 4 != 0) return;
  for (int i = 0; i < 4; ++i) {
    hash = hash * 6364136223846793005ULL + 1442695040888963407ULL;
    bytes[hash / 512 % bytes.size()] = static_cast<char>(hash >> 56U);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string sql(reinterpret_cast<const char*>(data), size);
  const std::uint64_t hash = fuzz::content_hash(sql);
  int checks = 0;
  const Database database = open_memory();
  sqlite3_progress_handler(database.get(), kStepsPerCheck, count_steps, &checks);
  run_all(database.get(), sql);
  std::string bytes = bytes_of(database.get());
  change_bytes(bytes, hash >> 4U);
  fuzz::analyze_file(bytes, hash >> 8U);
  return 0;
}
