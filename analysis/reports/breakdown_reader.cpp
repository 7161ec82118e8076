#include "analysis/reports/breakdown_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace stepscope::analysis {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "stepscope.breakdown/1";

// What is wrong with the document, and the size of all figures read: as long as their sum fits 64
// bits, every sum of some of them does.
struct Reading {
  static constexpr double kSumMax = 4e18;
  std::string fault;
  double sum = 0;
};

// A value with its path, for errors. A required figure that is not there notes the first fault and
// reads as 0; the caller looks at the fault once, at the end.
class Node {
 public:
  Node(const Json& value, std::string path, Reading& reading)
      : value_(&value), path_(std::move(path)), reading_(&reading) {}

  bool is_array() const { return value_->is_array(); }
  bool is_absent() const { return value_->is_null(); }

  Node at(const char* key) const {
    static const Json kNull;
    const auto found = value_->is_object() ? value_->find(key) : value_->end();
    const bool has = value_->is_object() && found != value_->end();
    return {has ? *found : kNull, path_.empty() ? key : path_ + "." + key, *reading_};
  }

  std::vector<Node> items() const {
    std::vector<Node> out;
    if (!value_->is_array()) return out;
    for (std::size_t i = 0; i < value_->size(); ++i) {
      out.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i), *reading_);
    }
    return out;
  }
  std::vector<Node> required_items() const {
    if (!value_->is_array()) note("a list");
    return items();
  }

  template <std::integral T = std::int64_t>
  std::optional<T> number() const {
    if (!value_->is_number_integer()) return {};
    const auto whole = value_->get<std::int64_t>();
    const bool unsigned_beyond = value_->is_number_unsigned() && whole < 0;
    if (unsigned_beyond || !std::in_range<T>(whole)) return {};
    reading_->sum += std::abs(static_cast<double>(whole));
    if (reading_->sum > Reading::kSumMax) note("a figure of a step: it is far too large");
    return static_cast<T>(whole);
  }
  template <std::integral T = std::int64_t>
  T required() const {
    const std::optional<T> found = number<T>();
    if (!found || *found < 0) note("a whole number of 0 or more");
    return found.value_or(0);
  }
  std::string text() const { return value_->is_string() ? value_->get<std::string>() : ""; }
  std::string required_text() const {
    if (!value_->is_string()) note("a text");
    return text();
  }
  bool is_true(bool otherwise) const {
    return value_->is_boolean() ? value_->get<bool>() : otherwise;
  }
  bool has_fault() const { return !reading_->fault.empty(); }
  void note(std::string_view wanted) const {
    if (reading_->fault.empty()) reading_->fault = fmt::format("{} is not {}", path_, wanted);
  }

 private:
  const Json* value_;
  std::string path_;
  Reading* reading_;
};

std::vector<std::string> texts(const Node& list) {
  std::vector<std::string> out;
  for (const Node& item : list.items()) out.push_back(item.text());
  return out;
}

void read_context(const Node& report, ReportContext& out) {
  out.title = report.at("title").text();
  out.hardware_note = report.at("hardware_note").text();
  out.replayed = report.at("replayed").is_true(false);
  out.provenance = texts(report.at("provenance"));
}

void read_trace(const Node& trace, TraceSummary& out) {
  for (const Node& file : trace.at("files").items()) {
    out.files.push_back({file.at("name").text(), file.at("sha256").text(),
                         file.at("bytes").number<std::uint64_t>().value_or(0)});
  }
  out.complete = trace.at("complete").is_true(true);
  out.cut_at_byte = trace.at("cut_at_byte").number<std::uint64_t>();
  for (const Node& spot : trace.at("damaged").items()) {
    out.damaged.push_back(
        {spot.at("byte").number<std::uint64_t>().value_or(0), spot.at("reason").text()});
  }
  out.damaged_count = trace.at("damaged_count").number().value_or(0);
  out.device_names = texts(trace.at("device_names"));
  out.world_size = trace.at("world_size").number<int>();
}

void read_step(const Node& node, Step& out) {
  out.rank = node.at("rank").number<int>();
  out.device = node.at("device").text();
  out.index = node.at("index").number<int>().value_or(0);
  out.phase = node.at("phase").text();
  out.source = node.at("source").text();
  out.label = node.at("label").text();
  out.span_ns = node.at("span_ns").required();
  out.busy_ns = node.at("busy_ns").number().value_or(0);
  out.batch_size = node.at("batch_size").number();
  out.tokens = node.at("tokens").number();
}

DeviceClass class_of(std::string_view name) {
  if (name == "comm") return DeviceClass::comm;
  return name == "copy" ? DeviceClass::copy : DeviceClass::compute;
}

KernelRow read_kernel(const Node& node) {
  KernelRow out;
  out.stream = node.at("stream").text();
  out.name = node.at("name").required_text();
  out.category = node.at("category").text();
  out.component = node.at("component").text();
  out.device_class = class_of(node.at("class").text());
  out.calls = node.at("calls").number().value_or(0);
  out.sum_ns = node.at("sum_ns").number().value_or(0);
  out.busy_ns = node.at("busy_ns").required();
  out.charged_ns = node.at("wall_ns").required();
  out.min_ns = node.at("min_ns").number().value_or(0);
  out.median_ns = node.at("median_ns").number().value_or(0);
  out.max_ns = node.at("max_ns").number().value_or(0);
  return out;
}

ComponentRow read_component(const Node& node) {
  ComponentRow out;
  out.component = node.at("component").required_text();
  out.calls = node.at("calls").number().value_or(0);
  out.charged_ns = node.at("charged_ns").required();
  out.sum_ns = node.at("sum_ns").number().value_or(0);
  out.hidden_ns = node.at("hidden_ns").number().value_or(0);
  return out;
}

LayerKind read_kind(const Node& node) {
  LayerKind out;
  out.first = node.at("first").number<int>().value_or(0);
  out.last = node.at("last").number<int>().value_or(0);
  out.count = node.at("count").number<int>().value_or(0);
  out.moe = node.at("moe").is_true(false);
  out.label = node.at("label").text();
  out.median_wall_ns = node.at("median_wall_ns").required();
  out.mean_wall_ns = node.at("mean_wall_ns").number().value_or(0);
  out.min_wall_ns = node.at("min_wall_ns").number().value_or(0);
  out.max_wall_ns = node.at("max_wall_ns").number().value_or(0);
  Ns charged_ns = 0;
  for (const Node& item : node.at("rows").items()) {
    LayerRow row;
    row.stream = item.at("stream").text();
    row.name = item.at("name").text();
    row.category = item.at("category").text();
    row.role = item.at("role").text();
    row.component = item.at("component").text();
    row.calls = item.at("calls").number().value_or(0);
    row.charged_ns = item.at("charged_ns").required();
    row.sum_ns = item.at("sum_ns").number().value_or(0);
    if (!node.has_fault()) charged_ns += row.charged_ns;
    out.rows.push_back(std::move(row));
  }
  out.idle_ns = node.at("idle_ns").number().value_or(out.median_wall_ns - charged_ns);
  return out;
}

void check_sums(const Node& node, const ShownStep& shown) {
  if (node.has_fault()) return;  // figures beyond 64 bits must not be summed
  Ns kernels_ns = shown.accounting.idle_ns;
  for (const KernelRow& row : shown.accounting.kernels) kernels_ns += row.charged_ns;
  if (kernels_ns != shown.accounting.window_ns)
    node.at("wall_ns").note("the sum of kernels and idle");
  Ns components_ns = shown.accounting.idle_ns;
  for (const ComponentRow& row : shown.components) components_ns += row.charged_ns;
  if (components_ns != shown.accounting.window_ns)
    node.at("wall_ns").note("the sum of components and idle");
}

ShownStep read_shown(const Node& node) {
  ShownStep out;
  read_step(node, out.step);
  out.accounting.window_ns = node.at("wall_ns").required();
  out.accounting.idle_ns = node.at("idle_ns").required();
  out.accounting.busy_ns = out.step.busy_ns;
  out.accounting.primary_stream = node.at("primary_stream").text();
  for (const Node& row : node.at("kernels").required_items()) {
    out.accounting.kernels.push_back(read_kernel(row));
  }
  for (const Node& row : node.at("components").required_items()) {
    out.components.push_back(read_component(row));
  }
  const Node spread = node.at("spread");
  out.spread.min_ns = spread.at("min_ns").number().value_or(0);
  out.spread.median_ns = spread.at("median_ns").number().value_or(0);
  out.spread.max_ns = spread.at("max_ns").number().value_or(0);
  out.spread.count = spread.at("count").number<int>().value_or(0);
  if (const Node layers = node.at("layers"); !layers.is_absent()) {
    out.layers.emplace();
    for (const Node& kind : layers.at("kinds").items()) {
      out.layers->kinds.push_back(read_kind(kind));
    }
  }
  check_sums(node, out);
  return out;
}

// busy_ns of a shown step is that of its window; that of its own events, which decides between
// steps of equal length, stands in the list of all steps.
void read_busy(const Node& steps, std::vector<ShownStep>& shown) {
  using Place = std::tuple<std::optional<int>, std::string, int>;
  std::map<Place, Ns> busy_ns;
  for (const Node& node : steps.items()) {
    Step step;
    read_step(node, step);
    busy_ns[Place(step.rank, step.device, step.index)] = step.busy_ns;
  }
  for (ShownStep& one : shown) {
    const auto found = busy_ns.find(Place(one.step.rank, one.step.device, one.step.index));
    if (found != busy_ns.end()) one.step.busy_ns = found->second;
  }
}

}  // namespace

bool is_breakdown_json(std::string_view text) {
  return text.contains(fmt::format("\"{}\"", kSchema));
}

std::expected<StoredReport, std::string> read_breakdown_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::unexpected("no JSON object");
  Reading reading;
  const Node root(json, "", reading);
  if (root.at("schema").text() != kSchema) {
    return std::unexpected(fmt::format("its schema is not {}", kSchema));
  }
  StoredReport out;
  out.breakdown.analyzer_version = root.at("analyzer_version").text();
  out.breakdown.table_version = root.at("table_version").text();
  read_context(root.at("report"), out.context);
  read_trace(root.at("trace"), out.breakdown.trace);
  out.breakdown.diagnostics.notes = texts(root.at("diagnostics").at("notes"));
  const Node step = root.at("step");
  out.breakdown.all_steps = step.is_array();
  if (step.is_array()) {
    for (const Node& one : step.items()) out.breakdown.shown.push_back(read_shown(one));
  } else if (!step.is_absent()) {
    out.breakdown.shown.push_back(read_shown(step));
  }
  read_busy(root.at("steps"), out.breakdown.shown);
  if (!reading.fault.empty()) return std::unexpected(reading.fault);
  return out;
}

}  // namespace stepscope::analysis
