#include "tests/support/sqlite_trace_maker.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace stepscope::tests {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

// Bits of nsys's ids: machine, process, thread.
std::int64_t global_id(int pid, int thread) {
  return std::int64_t{1} << 48 | std::int64_t{pid} << 24 | thread;
}

constexpr std::string_view kStrings =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);";

std::string_view columns_of(std::string_view table, NsysVersion version) {
  const bool newer = version == NsysVersion::v2025;
  if (table == "CUPTI_ACTIVITY_KIND_KERNEL") {
    return newer ? "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
                   "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
                   "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, "
                   "shortName INTEGER NOT NULL, mangledName INTEGER, gridX INTEGER NOT NULL, "
                   "gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, "
                   "blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, graphNodeId INTEGER, "
                   "graphId INTEGER"
                 : "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
                   "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, "
                   "globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, "
                   "mangledName INTEGER, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ "
                   "INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ "
                   "INTEGER NOT NULL, graphNodeId INTEGER";
  }
  if (table == "CUPTI_ACTIVITY_KIND_RUNTIME") {
    return "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid "
           "INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, "
           "callchainId INTEGER";
  }
  if (table == "NVTX_EVENTS") {
    return "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, text "
           "TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER";
  }
  if (table == "CUPTI_ACTIVITY_KIND_GRAPH_TRACE") {
    return "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId "
           "INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
           "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL";
  }
  // Of copies and fills.
  return "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId "
         "INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
         "bytes INTEGER NOT NULL, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, memKind "
         "INTEGER, graphNodeId INTEGER";
}

}  // namespace

void SqliteMaker::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

SqliteMaker::SqliteMaker(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  const int result = sqlite3_open(path.c_str(), &database);
  database_.reset(database);
  if (result != SQLITE_OK) throw std::runtime_error("cannot make " + path.string());
  run("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;");
}

SqliteMaker::~SqliteMaker() = default;

SqliteMaker& SqliteMaker::run(const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    const std::string text = message != nullptr ? message : "unknown error";
    sqlite3_free(message);
    throw std::runtime_error(text + " in " + sql.substr(0, 200));
  }
  return *this;
}

NsysMaker::NsysMaker(const std::filesystem::path& path, NsysVersion version)
    : maker_(path), version_(version) {
  const std::string_view metadata =
      version == NsysVersion::v2023 ? "EXPORT_META_DATA" : "META_DATA_EXPORT";
  maker_.run(fmt::format(
      "{} CREATE TABLE {} (name TEXT NOT NULL, value TEXT); INSERT INTO {} VALUES "
      "('EXPORT_SCHEMA_VERSION', '{}'); CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs "
      "INTEGER, utcTime TEXT, localTime TEXT); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES "
      "({}, '', ''); CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, "
      "name "
      "TEXT, cuDevice INTEGER); INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA B200', 0);",
      kStrings, metadata, metadata, version == NsysVersion::v2023 ? "3.1.2" : "3.17.2",
      kSessionStartNs));
}

NsysMaker& NsysMaker::run(const std::string& sql) {
  maker_.run(sql);
  return *this;
}

std::int64_t NsysMaker::text_id(std::string_view text) {
  const auto known = texts_.find(text);
  if (known != texts_.end()) return known->second;
  const std::int64_t id = static_cast<std::int64_t>(texts_.size()) + 10;
  maker_.run(fmt::format("INSERT INTO StringIds VALUES ({}, {})", id, quoted(text)));
  texts_.emplace(text, id);
  return id;
}

void NsysMaker::need(std::string_view table) {
  if (!made_.try_emplace(std::string(table), true).second) return;
  maker_.run(fmt::format("CREATE TABLE {} ({})", table, columns_of(table, version_)));
}

NsysMaker& NsysMaker::kernel(std::string_view name, const NsysEvent& event) {
  need("CUPTI_ACTIVITY_KIND_KERNEL");
  const std::int64_t id = text_id(name);
  return run(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, "
      "blockZ) VALUES ({}, {}, {}, 1, {}, {}, {}, {}, {}, 4, 2, 1, 128, 1, 1)",
      event.start_ns, event.end_ns, event.device, event.stream, event.correlation,
      global_id(event.pid, 0), id, id));
}

NsysMaker& NsysMaker::copy(int direction, int source, int target, const NsysEvent& event) {
  need("CUPTI_ACTIVITY_KIND_MEMCPY");
  return run(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, bytes, copyKind, srcKind, dstKind) VALUES ({}, {}, {}, 1, {}, {}, "
      "{}, 64, {}, {}, {})",
      event.start_ns, event.end_ns, event.device, event.stream, event.correlation,
      global_id(event.pid, 0), direction, source, target));
}

NsysMaker& NsysMaker::fill(const NsysEvent& event) {
  need("CUPTI_ACTIVITY_KIND_MEMSET");
  return run(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, bytes, memKind) VALUES ({}, {}, {}, 1, {}, {}, {}, 64, 2)",
      event.start_ns, event.end_ns, event.device, event.stream, event.correlation,
      global_id(event.pid, 0)));
}

NsysMaker& NsysMaker::call(std::string_view name, const NsysEvent& event) {
  need("CUPTI_ACTIVITY_KIND_RUNTIME");
  return run(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {}, 0, NULL)",
      event.start_ns, event.end_ns, global_id(event.pid, 9), event.correlation, text_id(name)));
}

NsysMaker& NsysMaker::range(std::string_view text, std::int64_t start_ns, std::int64_t end_ns,
                            int pid) {
  need("NVTX_EVENTS");
  return run(
      fmt::format("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES ({}, "
                  "{}, 59, {}, {})",
                  start_ns, end_ns, quoted(text), global_id(pid, 9)));
}

NsysMaker& NsysMaker::registered_range(std::string_view text, std::int64_t start_ns,
                                       std::int64_t end_ns, int pid) {
  need("NVTX_EVENTS");
  return run(fmt::format(
      "INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid) VALUES ({}, {}, 60, {}, "
      "{})",
      start_ns, end_ns, text_id(text), global_id(pid, 9)));
}

NsysMaker& NsysMaker::whole_graph(const NsysEvent& event) {
  need("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  return run(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ({}, {}, {}, 1, {}, {}, {}, 1, 1)",
      event.start_ns, event.end_ns, event.device, event.stream, event.correlation,
      global_id(event.pid, 0)));
}

RpdMaker::RpdMaker(const std::filesystem::path& path) : maker_(path) {
  maker_.run(
      "CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string "
      "varchar(4096) NOT NULL);"
      "CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, gpuId integer NOT "
      "NULL, queueId integer NOT NULL, sequenceId integer NOT NULL, completionSignal varchar(18) "
      "NOT NULL, start integer NOT NULL, end integer NOT NULL, description_id integer NOT NULL, "
      "opType_id integer NOT NULL);"
      "CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, pid integer NOT "
      "NULL, "
      "tid integer NOT NULL, start integer NOT NULL, end integer NOT NULL, apiName_id integer NOT "
      "NULL, args_id integer NOT NULL);"
      "CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id integer "
      "NOT NULL, op_id integer NOT NULL);"
      "CREATE TABLE rocpd_kernelapi (api_ptr_id integer NOT NULL PRIMARY KEY, gridX integer NOT "
      "NULL, gridY integer NOT NULL, gridZ integer NOT NULL, workgroupX integer NOT NULL, "
      "workgroupY integer NOT NULL, workgroupZ integer NOT NULL, kernelName_id integer NOT NULL);"
      "CREATE VIEW top AS SELECT string FROM rocpd_string UNION SELECT 'x';");
}

RpdMaker& RpdMaker::run(const std::string& sql) {
  maker_.run(sql);
  return *this;
}

std::int64_t RpdMaker::text_id(std::string_view text) {
  const auto known = texts_.find(text);
  if (known != texts_.end()) return known->second;
  const std::int64_t id = static_cast<std::int64_t>(texts_.size()) + 1;
  maker_.run(fmt::format("INSERT INTO rocpd_string VALUES ({}, {})", id, quoted(text)));
  texts_.emplace(text, id);
  return id;
}

RpdMaker& RpdMaker::op(std::string_view type, std::string_view description, const RpdOp& op) {
  const std::int64_t type_id = text_id(type);
  const std::int64_t name_id = text_id(description);
  const std::int64_t id = ++ops_ + 1000;
  run(fmt::format("INSERT INTO rocpd_op VALUES ({}, {}, {}, 0, '', {}, {}, {}, {})", id, op.gpu,
                  op.queue, op.start_ns, op.end_ns, name_id, type_id));
  if (op.call == 0) return *this;
  return run(fmt::format("INSERT INTO rocpd_api_ops (api_id, op_id) VALUES ({}, {})", op.call, id));
}

RpdMaker& RpdMaker::call(std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                         std::string_view args, int pid) {
  const std::int64_t name_id = text_id(name);
  const std::int64_t args_id = text_id(args);
  return run(fmt::format("INSERT INTO rocpd_api VALUES ({}, {}, {}, {}, {}, {}, {})", ++calls_, pid,
                         pid, start_ns, end_ns, name_id, args_id));
}

RpdMaker& RpdMaker::kernel_call(std::int64_t call, std::string_view name, int grid, int block) {
  return run(fmt::format("INSERT INTO rocpd_kernelapi VALUES ({}, {}, 1, 1, {}, 1, 1, {})", call,
                         grid, block, text_id(name)));
}

}  // namespace stepscope::tests
