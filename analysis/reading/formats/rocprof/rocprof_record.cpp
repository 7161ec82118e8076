#include "analysis/reading/formats/rocprof/rocprof_record.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/reading/json/decimal_time.h"

namespace stepscope::analysis {

namespace {

using nlohmann::json;
using Number = std::optional<std::uint64_t>;

constexpr int kDepthMax = 4;  // what is of interest lies no deeper

Number number_of(const JsonValue& value) {
  std::uint64_t number = 0;
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  const auto result = std::from_chars(begin, end, number);
  return result.ec == std::errc() && result.ptr == end ? Number(number) : std::nullopt;
}

struct NumberField {
  std::string_view name;
  Number RocprofRecord::* slot;
};
constexpr std::array<NumberField, 15> kNumbers = {{
    {"correlation_id", &RocprofRecord::correlation},
    {"kind", &RocprofRecord::kind},
    {"operation", &RocprofRecord::operation},
    {"kernel_id", &RocprofRecord::kernel_id},
    {"agent_id", &RocprofRecord::agent},
    {"queue_id", &RocprofRecord::queue},
    {"stream_id", &RocprofRecord::stream},
    {"src_agent_id", &RocprofRecord::source},
    {"dst_agent_id", &RocprofRecord::destination},
    {"key", &RocprofRecord::key},
    {"id", &RocprofRecord::id},
    {"type", &RocprofRecord::type},
    {"node_id", &RocprofRecord::node},
    {"logical_node_type_id", &RocprofRecord::type_number},
    {"pid", &RocprofRecord::pid},
}};

struct TextField {
  std::string_view name;
  JsonValue RocprofRecord::* slot;
};
constexpr std::array<TextField, 6> kTexts = {{
    {"value", &RocprofRecord::value},
    {"name", &RocprofRecord::name},
    {"product_name", &RocprofRecord::product},
    {"formatted_kernel_name", &RocprofRecord::formatted_name},
    {"demangled_kernel_name", &RocprofRecord::demangled_name},
    {"kernel_name", &RocprofRecord::kernel_name},
}};

void keep_extent(std::string_view parent, std::string_view key, const JsonValue& value,
                 RocprofRecord& record) {
  const bool items = parent == "grid_size";
  if (key.size() != 1 || key[0] < 'x' || key[0] > 'z' || (!items && parent != "workgroup_size")) {
    return;
  }
  (items ? record.work_items : record.group_size)[static_cast<std::size_t>(key[0] - 'x')] =
      number_of(value).value_or(0);
}

// `parent`: the name of the object that holds the value, empty for the record itself. Ids are
// numbers, or objects around one: {"handle": 7}, {"internal": 7, ...}.
void keep(std::string_view parent, std::string_view key, const JsonValue& value,
          RocprofRecord& record) {
  const bool in_id = key == "handle" || key == "internal";
  if (!in_id) keep_extent(parent, key, value, record);
  if (!parent.empty() && !in_id && parent != "dispatch_info" && parent != "config") return;
  const std::string_view name = in_id ? parent : key;
  if (name == "start_timestamp") record.start_ns = parse_scaled(value.text, kNanoseconds);
  if (name == "end_timestamp") record.end_ns = parse_scaled(value.text, kNanoseconds);
  if (name == "group_by_queue") record.group_by_queue = value.text == "true";
  for (const NumberField& field : kNumbers) {
    if (field.name == name) record.*field.slot = number_of(value);
  }
  if (value.kind != JsonValue::Kind::string) return;
  for (const TextField& field : kTexts) {
    if (field.name == name) record.*field.slot = value;
  }
}

void walk(JsonCursor& cursor, std::string_view parent, int depth, RocprofRecord& record) {
  std::string_view key;
  while (cursor.next_key(key)) {
    if (depth < kDepthMax && cursor.enter_object()) {
      walk(cursor, key, depth + 1, record);
    } else {
      keep(parent, key, cursor.value(), record);
    }
    if (cursor.failed()) return;
  }
}

}  // namespace

std::optional<RocprofRecord> read_rocprof_record(std::string_view text) {
  JsonCursor cursor(text, text.find('\\') != std::string_view::npos);
  if (!cursor.enter_object()) return std::nullopt;
  RocprofRecord record;
  walk(cursor, "", 0, record);
  if (cursor.failed() || !cursor.at_end()) return std::nullopt;
  return record;
}

std::optional<RocprofKind> read_rocprof_kind(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  const auto name = value.find("kind");
  if (name == value.end() || !name->is_string()) return std::nullopt;
  RocprofKind kind{name->get<std::string>(), {}};
  const auto operations = value.find("operations");
  if (operations == value.end() || !operations->is_array()) return kind;
  kind.operations.reserve(operations->size());
  for (const json& operation : *operations) {
    kind.operations.push_back(operation.is_string() ? operation.get<std::string>() : "");
  }
  return kind;
}

}  // namespace stepscope::analysis
