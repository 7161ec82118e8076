#include "analysis/reading/formats/rocprof/rocprof_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stepscope::analysis {

namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kGpuType = 2;  // of an agent; 1 is a CPU

std::uint32_t index_of(const std::optional<std::uint64_t>& number) {
  return number && *number < kUnknown ? static_cast<std::uint32_t>(*number) : kUnknown;
}

std::int64_t correlation_of(const RocprofRecord& record) {
  const std::uint64_t id = record.correlation.value_or(0);
  return id == 0 ? kNoCorrelation : static_cast<std::int64_t>(id);
}

// Kernel descriptors carry a suffix that is no part of the function's name.
std::string_view without_descriptor_suffix(std::string_view name) {
  for (const std::string_view suffix : {" [clone .kd]", ".kd"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// Hosts' side of a launch: calls that set up the next one, or only register code, start nothing.
bool is_launch_kind(std::string_view kind) {
  return kind.empty() || kind.starts_with("HIP_RUNTIME") || kind.starts_with("HSA_");
}

struct Direction {
  std::string_view operation;  // ends of the names of operations, by age with and without a prefix
  std::string_view name;
};
constexpr std::array<Direction, 4> kDirections = {{{"HOST_TO_HOST", "HtoH"},
                                                   {"HOST_TO_DEVICE", "HtoD"},
                                                   {"DEVICE_TO_HOST", "DtoH"},
                                                   {"DEVICE_TO_DEVICE", "DtoD"}}};

}  // namespace

std::string_view RocprofProcess::limit_passed() const {
  if (texts_.full()) return "different names";
  if (lanes_.size() + copy_ends_.size() > TraceBuilder::kTimelinesMax) return "streams";
  if (agents_.size() > kAgentsMax) return "agents";
  if (kinds_.size() > kKindsMax || operations_ > kOperationsMax) return "kinds of operations";
  const std::size_t rows = std::max({dispatches_.size(), copies_.size(), calls_.size(),
                                     markers_.size(), kernel_names_.size(), marker_names_.size()});
  return rows > TraceBuilder::kRowsMax ? "events" : "";
}

bool RocprofProcess::take(RocprofList list, std::string_view text) {
  if (list == RocprofList::kinds) return take_kind(text);
  const std::optional<RocprofRecord> record = read_rocprof_record(text);
  if (!record) return false;
  const bool text_of_marker = list == RocprofList::markers && record->key.has_value();
  if (list >= RocprofList::markers && !text_of_marker) {
    ++facts_.events;
    ++facts_.objects;
  }
  switch (list) {
    case RocprofList::metadata:
      pid_ = record->pid ? fmt::format("{}", *record->pid) : "";
      group_by_queue_ = record->group_by_queue;
      break;
    case RocprofList::agents:
      take_agent(*record);
      break;
    case RocprofList::kernel_symbols:
      take_symbol(*record);
      break;
    case RocprofList::dispatches:
      take_dispatch(*record);
      break;
    case RocprofList::copies:
      take_copy(*record);
      break;
    case RocprofList::hip_calls:
    case RocprofList::hsa_calls:
      take_call(*record, calls_);
      break;
    case RocprofList::markers:
      if (!text_of_marker) {
        take_call(*record, markers_);
      } else if (record->value.kind == JsonValue::Kind::string) {
        marker_names_[*record->key] = text_of(record->value);
      }
      break;
    default:
      break;
  }
  return true;
}

NameId RocprofProcess::text_of(const JsonValue& value) {
  scratch_.clear();
  append_decoded(value.text.substr(0, kNameBytesMax), scratch_);
  return texts_.intern(without_descriptor_suffix(scratch_));
}

bool RocprofProcess::take_kind(std::string_view text) {
  std::optional<RocprofKind> kind = read_rocprof_kind(text);
  if (!kind) return false;
  operations_ += kind->operations.size();
  kinds_.push_back(*std::move(kind));
  return true;
}

void RocprofProcess::take_agent(const RocprofRecord& record) {
  if (!record.id) return;
  Agent& agent = agents_[*record.id];
  agent.gpu = record.type == kGpuType;
  agent.number = record.type_number;
  agent.node = record.node.value_or(agents_.size());
  const JsonValue& name = record.product.text.empty() ? record.name : record.product;
  agent.name.clear();
  append_decoded(name.text.substr(0, 256), agent.name);
}

void RocprofProcess::take_symbol(const RocprofRecord& record) {
  if (!record.kernel_id) return;
  for (const JsonValue* name :
       {&record.formatted_name, &record.demangled_name, &record.kernel_name}) {
    if (name->text.empty()) continue;
    kernel_names_[*record.kernel_id] = text_of(*name);
    return;
  }
}

// Counts what makes the record useless. The device gives no time as 0.
bool RocprofProcess::device_span(const RocprofRecord& record, Span& span) {
  ++facts_.device_events;
  DropCounts& dropped = builder_.trace().summary.dropped;
  const Ns start_ns = record.start_ns.value_or(0);
  const Ns end_ns = record.end_ns.value_or(0);
  if (start_ns <= 0) {
    ++dropped.bad_ts;
  } else if (end_ns <= 0) {
    ++dropped.no_dur;
  } else if (end_ns < start_ns) {
    ++dropped.negative_dur;
  } else {
    span = {start_ns, end_ns - start_ns};
    return true;
  }
  return false;
}

ArgsId RocprofProcess::launch_size(const RocprofRecord& record) {
  const auto& group = record.group_size;
  if (std::ranges::find(group, 0U) != group.end()) return 0;
  std::array<std::uint64_t, 3> grid{};  // in groups, as other tools count; rocprofv3 has work-items
  for (std::size_t i = 0; i < grid.size(); ++i) {
    grid[i] = record.work_items[i] / group[i] + (record.work_items[i] % group[i] == 0 ? 0 : 1);
  }
  auto text = [](const std::array<std::uint64_t, 3>& size) {
    return fmt::format("[{}, {}, {}]", size[0], size[1], size[2]);
  };
  sizes_ = {text(grid), text(group)};
  ArgumentValues values;
  values.keep("grid", {JsonValue::Kind::container, sizes_[0]});
  values.keep("block", {JsonValue::Kind::container, sizes_[1]});
  return builder_.args_of(values);
}

std::uint32_t RocprofProcess::lane_of(const Lane& lane) {
  const auto [it, added] = lane_ids_.try_emplace(lane, static_cast<std::uint32_t>(lanes_.size()));
  if (added) lanes_.push_back(lane);
  return it->second;
}

void RocprofProcess::take_dispatch(const RocprofRecord& record) {
  Span span;
  if (!device_span(record, span)) return;
  if (!record.kernel_id || !record.agent) {
    ++builder_.trace().summary.dropped.malformed;
    return;
  }
  busy_agents_.insert(*record.agent);
  dispatches_.push_back({span.start_ns, span.dur_ns, correlation_of(record), *record.kernel_id,
                         lane_of({*record.agent, record.stream, record.queue}),
                         launch_size(record)});
}

void RocprofProcess::take_copy(const RocprofRecord& record) {
  Span span;
  if (!device_span(record, span)) return;
  copy_ends_.emplace(record.source.value_or(0), record.destination.value_or(0));
  copies_.push_back({span.start_ns, span.dur_ns, correlation_of(record), record.source.value_or(0),
                     record.destination.value_or(0), record.stream.value_or(0),
                     index_of(record.kind), index_of(record.operation), record.stream.has_value()});
}

void RocprofProcess::take_call(const RocprofRecord& record, ChunkedRows<CallRow>& rows) {
  const std::int64_t correlation = correlation_of(record);
  if (!record.start_ns || !record.end_ns || correlation == kNoCorrelation) return;
  if (*record.start_ns < 0 || *record.end_ns < *record.start_ns) return;
  rows.push_back({*record.start_ns, *record.end_ns - *record.start_ns, correlation,
                  index_of(record.kind), index_of(record.operation)});
}

void RocprofProcess::settle() {
  number_gpus();
  for (const auto& [source, destination] : copy_ends_) {
    const std::uint64_t agent = device_agent_of(source, destination);
    if (is_gpu(agent)) busy_agents_.insert(agent);
  }
}

// The tool's own number among the GPUs of the host, else the place in the order of their nodes.
void RocprofProcess::number_gpus() {
  std::vector<std::pair<std::uint64_t, Agent*>> gpus;  // by node, then handle
  std::set<std::uint64_t> numbers;
  for (auto& [handle, agent] : agents_) {
    if (!agent.gpu) continue;
    gpus.emplace_back(agent.node, &agent);
    if (agent.number) numbers.insert(*agent.number);
  }
  if (numbers.size() == gpus.size()) return;
  std::ranges::sort(gpus, {}, [](const auto& gpu) { return gpu.first; });
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i].second->number = i;
}

bool RocprofProcess::is_gpu(std::uint64_t agent) const {
  const auto it = agents_.find(agent);
  return it != agents_.end() && it->second.gpu;
}

std::string RocprofProcess::device_of(std::uint64_t agent) const {
  const auto it = agents_.find(agent);
  if (it == agents_.end() || !it->second.gpu) return fmt::format("agent {}", agent);
  return fmt::format("{}", it->second.number.value_or(0));
}

std::string RocprofProcess::label() const {
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t handle : busy_agents_) {
    const auto it = agents_.find(handle);
    if (it != agents_.end()) lowest = std::min(lowest, it->second.number.value_or(lowest));
  }
  const std::string process = fmt::format("PID{:0>7}", pid_);  // as wide as Linux's can be
  if (lowest == std::numeric_limits<std::uint64_t>::max()) return process;
  return fmt::format("GPU{:02}-{}", lowest, process);
}

std::vector<std::string> RocprofProcess::device_names() const {
  std::map<std::uint64_t, std::string_view> by_number;
  for (const std::uint64_t handle : busy_agents_) {
    const auto it = agents_.find(handle);
    if (it != agents_.end()) by_number[it->second.number.value_or(0)] = it->second.name;
  }
  std::vector<std::string> names;
  for (const auto& [number, name] : by_number) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

void RocprofProcess::hand_over(std::string_view label, std::vector<std::string>& notes) {
  const ScopeId scope = builder_.scope_of_process(label);
  hand_over_dispatches(scope, notes);
  hand_over_copies(scope, notes);
  hand_over_calls(scope);
  hand_over_markers(scope);
}

std::string RocprofProcess::stream_of(const Lane& lane) const {
  const std::optional<std::uint64_t>& id =
      lane.stream && !(group_by_queue_ && lane.queue) ? lane.stream : lane.queue;
  return id ? fmt::format("{}", *id) : "";
}

void RocprofProcess::hand_over_dispatches(ScopeId scope, std::vector<std::string>& notes) {
  std::vector<TimelineId> timelines;
  timelines.reserve(lanes_.size());
  bool queues = false;
  for (const Lane& lane : lanes_) {
    queues = queues || !lane.stream || group_by_queue_;
    timelines.push_back(builder_.timeline_of(scope, pid_, device_of(lane.agent), stream_of(lane)));
  }
  std::size_t nameless = 0;
  dispatches_.drain([&](const DispatchRow& row) {
    DeviceEvent event;
    event.start_ns = row.start_ns;
    event.dur_ns = row.dur_ns;
    event.correlation = row.correlation;
    const auto name = kernel_names_.find(row.kernel);
    if (name == kernel_names_.end()) ++nameless;
    event.name = builder_.name_of(name == kernel_names_.end()
                                      ? fmt::format("unknown kernel {}", row.kernel)
                                      : std::string_view(texts_.names()[name->second]));
    event.timeline = timelines[row.lane];
    event.args = row.args;
    builder_.add(event);
  });
  if (queues) notes.emplace_back("streams are the queues of the hardware: the file names no other");
  if (nameless > 0) {
    notes.push_back(fmt::format(
        "{} kernels have no name in the file (kernel_symbols); they are called \"unknown kernel\" "
        "and their number",
        nameless));
  }
}

std::string_view RocprofProcess::operation_name(std::uint32_t kind, std::uint32_t operation) const {
  if (kind >= kinds_.size() || operation >= kinds_[kind].operations.size()) return {};
  return kinds_[kind].operations[operation];
}

// By the name of the operation, else by what the two ends are.
std::string_view RocprofProcess::direction_of(const CopyRow& row) const {
  const std::string_view operation = operation_name(row.kind, row.operation);
  for (const Direction& direction : kDirections) {
    if (operation.ends_with(direction.operation)) return direction.name;
  }
  const std::size_t ends = (is_gpu(row.source) ? 2U : 0U) + (is_gpu(row.destination) ? 1U : 0U);
  constexpr std::array<std::string_view, 4> kByEnds = {"HtoH", "HtoD", "DtoH", "DtoD"};
  return kByEnds[ends];
}

std::uint64_t RocprofProcess::device_agent_of(std::uint64_t source,
                                              std::uint64_t destination) const {
  return is_gpu(source) ? source : destination;
}

void RocprofProcess::hand_over_copies(ScopeId scope, std::vector<std::string>& notes) {
  std::size_t on_host = 0;
  copies_.drain([&](const CopyRow& row) {
    const std::string_view direction = direction_of(row);
    if (direction == "HtoH") {
      ++on_host;
      return;
    }
    DeviceEvent event;
    event.start_ns = row.start_ns;
    event.dur_ns = row.dur_ns;
    event.correlation = row.correlation;
    event.name = builder_.name_of(fmt::format("Memcpy {}", direction));
    event.timeline = builder_.timeline_of(
        scope, pid_, device_of(device_agent_of(row.source, row.destination)),
        row.has_stream ? fmt::format("{}", row.stream) : fmt::format("copy {}", direction));
    event.kind = DeviceKind::memcpy;
    builder_.add(event);
  });
  if (on_host > 0) {
    notes.push_back(fmt::format("{} copies from host to host are no work of a device", on_host));
  }
}

void RocprofProcess::hand_over_calls(std::optional<ScopeId> scope) {
  Trace& trace = builder_.trace();
  trace.has_cpu_events = trace.has_cpu_events || calls_.size() + markers_.size() > 0;
  calls_.drain([&](const CallRow& row) {
    if (row.kind < kinds_.size() && !is_launch_kind(kinds_[row.kind].name)) return;
    std::string_view name = operation_name(row.kind, row.operation);
    if (name.empty()) name = "unknown call";
    ++facts_.launches;
    if (name.find("Launch") != std::string_view::npos) ++facts_.kernel_launches;
    if (!scope) return;
    trace.has_launches = true;
    builder_.add(Launch{row.start_ns, row.dur_ns, row.correlation, builder_.name_of(name), *scope});
  });
}

void RocprofProcess::hand_over_markers(ScopeId scope) {
  markers_.drain([&](const CallRow& row) {
    const auto text = marker_names_.find(static_cast<std::uint64_t>(row.correlation));
    if (text == marker_names_.end()) return;
    if (operation_name(row.kind, row.operation) == "roctxMarkA") return;  // a point, no range
    const std::string& name = texts_.names()[text->second];
    if (name.starts_with("capture_")) {
      facts_.capture_markers = true;
      builder_.trace().has_capture_markers = true;
    }
    builder_.add(Marker{row.start_ns, row.dur_ns, builder_.name_of(name), scope,
                        MarkerKind::user_annotation});
  });
}

}  // namespace stepscope::analysis
