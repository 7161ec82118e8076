#include "tests/support/rocprof_text.h"

namespace stepscope::tests {

namespace {

std::string number(std::int64_t value) { return std::to_string(value); }
std::string number(std::uint64_t value) { return std::to_string(value); }
std::string number(int value) { return std::to_string(value); }

std::string handle(std::string_view key, int value) {
  return "\"" + std::string(key) + "\": {\"handle\": " + number(value) + "}";
}

std::string head(int kind, int operation, std::int64_t start_ns, std::int64_t end_ns,
                 std::uint64_t correlation) {
  return "{\"size\": 80, \"kind\": " + number(kind) + ", \"operation\": " + number(operation) +
         ", \"thread_id\": 77, \"correlation_id\": {\"internal\": " + number(correlation) +
         ", \"external\": 9}, \"start_timestamp\": " + number(start_ns) +
         ", \"end_timestamp\": " + number(end_ns);
}

std::string agent(int id, int type, std::string_view name, int node, int of_type) {
  return "{\"size\": 312, " + handle("id", id) + ", \"type\": " + number(type) +
         ", \"mem_banks\": [{\"heap_type\": 0}], \"name\": \"short\", \"product_name\": \"" +
         std::string(name) + "\", \"node_id\": " + number(node) +
         ", \"logical_node_type_id\": " + number(of_type) + "}";
}

std::string kind(std::string_view name, std::string_view operations) {
  return "{\"kind\": \"" + std::string(name) + "\", \"operations\": [" + std::string(operations) +
         "]}";
}

}  // namespace

RocprofText::RocprofText(int pid) : pid_(pid) {
  lists_["agents"] = {agent(10, 1, "A CPU", 0, 0), agent(12, 2, "GPU two", 2, 1),
                      agent(11, 2, "GPU one", 1, 0)};
  lists_["kinds"] = {
      kind("NONE", ""),
      kind("KERNEL_DISPATCH", R"("NONE", "ENQUEUE", "COMPLETE")"),
      kind("HIP_RUNTIME_API_EXT", R"("hipFree", "hipLaunchKernel", "hipGraphLaunch")"),
      kind("HIP_COMPILER_API_EXT", R"("__hipPushCallConfiguration")"),
      kind("MEMORY_COPY", R"("MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST",
           "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST",
           "MEMORY_COPY_DEVICE_TO_DEVICE")"),
      kind("MARKER_CORE_RANGE_API", R"("roctxMarkA", "roctxThreadRangeA")"),
  };
}

RocprofText& RocprofText::raw(std::string_view list, std::string_view record) {
  lists_[std::string(list)].emplace_back(record);
  return *this;
}

RocprofText& RocprofText::dispatch(std::uint64_t kernel_id, std::int64_t start_ns,
                                   std::int64_t end_ns, std::uint64_t correlation, int agent,
                                   std::string_view extra) {
  return raw("kernel_dispatch", head(1, 2, start_ns, end_ns, correlation) +
                                    ", \"dispatch_info\": {\"size\": 72, " +
                                    handle("agent_id", agent) + ", " + handle("queue_id", 16) +
                                    ", \"kernel_id\": " + number(kernel_id) +
                                    ", \"workgroup_size\": {\"x\": 256, \"y\": 1, \"z\": 1}"
                                    ", \"grid_size\": {\"x\": 1000, \"y\": 2, \"z\": 1}}" +
                                    std::string(extra) + "}");
}

RocprofText& RocprofText::copy(int operation, int from, int to, std::int64_t start_ns,
                               std::int64_t end_ns, std::string_view extra) {
  return raw("memory_copy", head(4, operation, start_ns, end_ns, 0) + ", " +
                                handle("dst_agent_id", to) + ", " + handle("src_agent_id", from) +
                                ", \"bytes\": 64" + std::string(extra) + "}");
}

RocprofText& RocprofText::call(int operation, std::int64_t start_ns, std::int64_t end_ns,
                               std::uint64_t correlation, int kind) {
  return raw("hip_api", head(kind, operation, start_ns, end_ns, correlation) + "}");
}

RocprofText& RocprofText::marker(std::string_view text, std::int64_t start_ns, std::int64_t end_ns,
                                 std::uint64_t correlation, int operation) {
  raw("marker_texts",
      "{\"key\": " + number(correlation) + ", \"value\": \"" + std::string(text) + "\"}");
  return raw("marker_api", head(5, operation, start_ns, end_ns, correlation) + "}");
}

RocprofText& RocprofText::symbol(std::uint64_t kernel_id, std::string_view formatted,
                                 std::string_view demangled, std::string_view raw_name) {
  return raw("kernel_symbols", "{\"size\": 88, \"kernel_id\": " + number(kernel_id) +
                                   ", \"kernel_name\": \"" + std::string(raw_name) +
                                   "\", \"formatted_kernel_name\": \"" + std::string(formatted) +
                                   "\", \"demangled_kernel_name\": \"" + std::string(demangled) +
                                   "\", \"truncated_kernel_name\": \"cut\"}");
}

std::string RocprofText::list(std::string_view name) const {
  std::string text;
  const auto found = lists_.find(name);
  if (found == lists_.end()) return "[]";
  for (const std::string& record : found->second) text += (text.empty() ? "" : ",") + record;
  return "[" + text + "]";
}

std::string RocprofText::process(const std::vector<std::string>& order) const {
  const std::map<std::string, std::string> members = {
      {"metadata", "{\"node\": {\"id\": 0, \"hostname\": \"h\"}, \"pid\": " + number(pid_) +
                       ", \"command\": [\"a\"], \"config\": {\"group_by_queue\": false}}"},
      {"agents", list("agents")},
      {"strings",
       "{\"callback_records\": [{\"kind\": \"NONE\", \"operations\": []}], "
       "\"buffer_records\": " +
           list("kinds") + ", \"marker_api\": " + list("marker_texts") +
           ", \"counters\": {\"dimension_ids\": []}}"},
      {"kernel_symbols", list("kernel_symbols")},
      {"buffer_records", "{\"kernel_dispatch\": " + list("kernel_dispatch") +
                             ", \"hip_api\": " + list("hip_api") + ", \"memory_allocation\": " +
                             list("memory_allocation") + ", \"marker_api\": " + list("marker_api") +
                             ", \"memory_copy\": " + list("memory_copy") + "}"},
  };
  std::vector<std::string> names = order;
  if (names.empty()) names = {"metadata", "agents", "strings", "kernel_symbols", "buffer_records"};
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "\"" : ", \"") + name + "\": " + members.at(name);
  }
  return "{" + text + "}";
}

std::string RocprofText::file() const { return rocprof_file({process()}); }

std::string rocprof_file(const std::vector<std::string>& processes) {
  std::string text;
  for (const std::string& process : processes) text += (text.empty() ? "" : ",") + process;
  return "{\"rocprofiler-sdk-tool\": [" + text + "]}\n";
}

}  // namespace stepscope::tests
