#include "analysis/reading/formats/kineto_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "analysis/reading/json/decimal_time.h"

namespace stepscope::analysis {

namespace {

using Kind = JsonValue::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ProfilerStep#12, also with blanks before the hash.
bool is_profiler_step(std::string_view name) {
  constexpr std::string_view kWord = "ProfilerStep";
  if (!name.starts_with(kWord)) return false;
  std::size_t at = name.find_first_not_of(" \t", kWord.size());
  if (at == std::string_view::npos || name[at] != '#') return false;
  std::string_view number = name.substr(at + 1);
  return !number.empty() && std::ranges::all_of(number, is_digit);
}

// The frames that run one step: SGLang's scheduler, vLLM's model runner.
bool is_step_frame(std::string_view name) {
  return name.ends_with(": run_batch") || name.ends_with(": _run_batch_inner") ||
         name.ends_with(": execute_model");
}

std::optional<std::int64_t> number_of(const JsonValue& value, int scale) {
  if (value.kind != Kind::scalar && value.kind != Kind::string) return std::nullopt;
  return parse_scaled(value.text, scale);
}

bool has_point(const JsonValue& value) {
  return value.text.find_first_of(".eE") != std::string_view::npos;
}

std::int64_t correlation_of(const JsonValue& value) {
  if (value.kind != Kind::scalar && value.kind != Kind::string) return kNoCorrelation;
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  std::int64_t number = 0;
  auto result = std::from_chars(begin, end, number);
  if (result.ec == std::errc() && result.ptr == end) return number;
  std::uint64_t large = 0;  // ids beyond int64 only have to stay distinct
  result = std::from_chars(begin, end, large);
  if (result.ec == std::errc() && result.ptr == end) return static_cast<std::int64_t>(large);
  return kNoCorrelation;
}

std::string_view without_stream_word(std::string_view id) {
  constexpr std::string_view kWord = "stream ";
  return id.starts_with(kWord) ? id.substr(kWord.size()) : id;
}

bool is_id(const JsonValue& value) {
  return value.kind == Kind::scalar || value.kind == Kind::string;
}

// rocprof names of copies and fills; everything else that runs on a GPU there is a kernel.
DeviceKind rpd_kind(std::string_view name) {
  if (name.starts_with("Copy")) return DeviceKind::memcpy;
  return name.starts_with("Fill") ? DeviceKind::memset : DeviceKind::kernel;
}

}  // namespace

KinetoReader::Role KinetoReader::role_of(std::string_view category) {
  std::string lowered(category);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  bool other_accelerator = lowered.starts_with("xpu_") || lowered.starts_with("privateuse1_");
  auto device = [&](std::string_view word) {
    return lowered == word || (other_accelerator && lowered.ends_with(word));
  };
  if (device("kernel") || lowered == "mtia_ccp_events") return Role::kernel;
  if (device("memcpy") || lowered == "gpu_memcpy") return Role::memcpy;
  if (device("memset") || lowered == "gpu_memset") return Role::memset;
  if (lowered == "cuda_runtime" || lowered == "cuda_driver" || lowered == "runtime") {
    return Role::launch;
  }
  if (category == "user_annotation") return Role::annotation;
  if (category == "gpu_user_annotation") return Role::gpu_annotation;
  if (category == "python_function") return Role::python;
  if (category == "cpu_op" || category == "Operator") return Role::cpu_op;
  return category == "cuda_profiler_range" ? Role::profiler_range : Role::ignored;
}

KinetoReader::Role KinetoReader::known_role(std::string_view category) {
  if (category.empty()) return Role::ignored;
  std::size_t slot = category.size() +
                     static_cast<unsigned char>(category.front()) * std::size_t{7} +
                     static_cast<unsigned char>(category.back());
  KnownCategory& known = categories_[slot % categories_.size()];
  if (known.role == Role::undecided || known.name != category) {
    known = {std::string(category), role_of(category)};
  }
  return known.role;
}

JsonValue* KinetoReader::event_slot(Fields& fields, std::string_view key) {
  switch (key.size()) {
    case 2:
      return key == "ts" ? &fields.ts : key == "ph" ? &fields.ph : nullptr;
    case 3:
      if (key == "cat") return &fields.cat;
      if (key == "dur") return &fields.dur;
      if (key == "pid") return &fields.pid;
      return key == "tid" ? &fields.tid : nullptr;
    case 4:
      return key == "name" ? &fields.name : nullptr;
    default:
      return nullptr;
  }
}

JsonValue* KinetoReader::args_slot(Fields& fields, std::string_view key) {
  switch (key.size()) {
    case 4:
      return key == "name" ? &fields.arg_name : nullptr;
    case 6:
      if (key == "device") return &fields.device;
      return key == "stream" ? &fields.stream : nullptr;
    case 11:
      return key == "correlation" ? &fields.correlation : nullptr;
    default:
      return nullptr;
  }
}

std::string_view KinetoReader::decoded(const JsonValue& value, bool escapes,
                                       std::string& scratch) const {
  if (!escapes || value.kind != Kind::string) return value.text;
  scratch.clear();
  append_decoded(value.text, scratch);
  return scratch;
}

bool KinetoReader::read_value(JsonCursor& cursor, std::string_view key, Fields& fields) {
  std::string_view name = key;
  if (name != "args" || !cursor.enter_object()) {
    JsonValue value = cursor.value();
    if (JsonValue* slot = event_slot(fields, name)) *slot = value;
    return !cursor.failed();
  }
  while (cursor.next_key(name)) {
    JsonValue value = cursor.value();
    if (JsonValue* slot = args_slot(fields, name)) {
      *slot = value;
    } else {
      arguments_.keep(name, value);
    }
  }
  return !cursor.failed();
}

bool KinetoReader::name_wanted(Fields& fields, Role role) {
  if (fields.name_wanted || (role != Role::python && role != Role::cpu_op)) return true;
  const std::string_view name = decoded(fields.name, fields.escapes, name_);
  fields.name_wanted = role == Role::python ? is_step_frame(name)
                                            : is_sized_operator(name) || is_profiler_step(name);
  return fields.name_wanted;
}

// False as soon as what was read shows that the event is of no use.
bool KinetoReader::worth_reading(Fields& fields, Role& role) {
  if (role == Role::undecided) {
    if (fields.cat.kind != Kind::string) return true;
    role = known_role(decoded(fields.cat, fields.escapes, name_));
  }
  if (role == Role::ignored || role == Role::profiler_range) return false;
  return fields.name.kind == Kind::none || name_wanted(fields, role);
}

KinetoReader::Reading KinetoReader::read_fields(std::string_view text, Fields& fields, Role& role) {
  JsonCursor cursor(text, fields.escapes);
  if (!cursor.enter_object()) return Reading::broken;
  std::string_view key;
  while (cursor.next_key(key)) {
    if (fields.escapes && key.find('\\') != std::string_view::npos) {
      key_.clear();
      append_decoded(key, key_);
      key = key_;
    }
    if (!read_value(cursor, key, fields)) return Reading::broken;
    if (!worth_reading(fields, role)) return Reading::unwanted;
  }
  if (cursor.failed() || !cursor.at_end()) return Reading::broken;
  return name_wanted(fields, role) ? Reading::wanted : Reading::unwanted;
}

bool KinetoReader::on_event(std::string_view text, std::uint64_t /*byte*/, bool escapes) {
  Fields fields;
  fields.escapes = escapes;
  arguments_.clear();
  Role role = Role::undecided;
  Reading reading = read_fields(text, fields, role);
  if (reading == Reading::broken) return false;
  ++facts_.events;
  ++facts_.objects;
  if (role == Role::python) trace_.python_stacks = true;
  if (role == Role::profiler_range) facts_.profiler_ranges = true;
  if (role != Role::undecided && role != Role::gpu_annotation && role != Role::ignored) {
    bool device = role == Role::kernel || role == Role::memcpy || role == Role::memset;
    trace_.has_cpu_events = trace_.has_cpu_events || !device;
  }
  if (reading == Reading::unwanted) {
    return true;
  }
  if (role == Role::undecided) {
    without_category(fields);
    return true;
  }
  if (fields.ph.text != "X") return true;
  switch (role) {
    case Role::kernel:
      device_event(fields, DeviceKind::kernel, kMicroseconds);
      break;
    case Role::memcpy:
      device_event(fields, DeviceKind::memcpy, kMicroseconds);
      break;
    case Role::memset:
      device_event(fields, DeviceKind::memset, kMicroseconds);
      break;
    case Role::launch:
      launch(fields);
      break;
    case Role::gpu_annotation:
      marker(fields, MarkerKind::gpu_annotation);
      break;
    case Role::python:
      marker(fields, MarkerKind::python_frame);
      break;
    case Role::cpu_op:
      op_shape(fields);
      break;
    default:
      marker(fields, MarkerKind::user_annotation);
      break;
  }
  return true;
}

void KinetoReader::without_category(const Fields& fields) {
  if (fields.ph.text == "M" && fields.name.text == "process_name" && is_id(fields.pid) &&
      fields.arg_name.text.starts_with("GPU")) {
    gpu_pids_.emplace(fields.pid.text);
  }
  if (fields.ph.text != "X") return;
  if (!gpu_pids_.contains(fields.pid.text)) {
    trace_.has_cpu_events = true;
    return;
  }
  facts_.nanoseconds = true;
  device_event(fields, rpd_kind(fields.name.text), kNanoseconds);
}

void KinetoReader::device_event(const Fields& fields, DeviceKind kind, int scale) {
  ++facts_.device_events;
  DropCounts& dropped = trace_.summary.dropped;
  std::optional<Ns> dur = number_of(fields.dur, scale);
  std::optional<Ns> start = number_of(fields.ts, scale);
  bool nameless = fields.name.kind == Kind::none || fields.name.kind == Kind::null;
  if (!dur) {
    ++dropped.no_dur;
  } else if (!start) {
    ++dropped.bad_ts;
  } else if (*dur < 0) {
    ++dropped.negative_dur;
  } else if ((!nameless && fields.name.kind != Kind::string) ||
             fields.name.text.size() > kNameBytesMax) {
    ++dropped.malformed;
  } else {
    facts_.fractions = facts_.fractions || has_point(fields.ts) || has_point(fields.dur);
    std::string_view pid = is_id(fields.pid) ? decoded(fields.pid, fields.escapes, pid_) : "";
    const JsonValue& device = is_id(fields.device) ? fields.device : fields.pid;
    const JsonValue& stream = is_id(fields.stream) ? fields.stream : fields.tid;
    DeviceEvent event;
    event.start_ns = *start;
    event.dur_ns = *dur;
    event.correlation = correlation_of(fields.correlation);
    event.name = builder_.name_of(nameless ? "" : decoded(fields.name, fields.escapes, name_));
    event.timeline = builder_.timeline_of(
        pid, is_id(device) ? decoded(device, fields.escapes, device_) : "",
        is_id(stream) ? without_stream_word(decoded(stream, fields.escapes, stream_)) : "");
    event.args = builder_.args_of(arguments_);
    event.external_id = arguments_.external_id();
    event.kind = kind;
    builder_.add(event);
  }
}

bool KinetoReader::span_of(const Fields& fields, Span& span) {
  std::optional<Ns> dur = number_of(fields.dur, kMicroseconds);
  std::optional<Ns> start = number_of(fields.ts, kMicroseconds);
  if (!dur || !start || *dur < 0 || fields.name.text.size() > kNameBytesMax) return false;
  span = {*start, *dur};
  return true;
}

ScopeId KinetoReader::scope_of(const Fields& fields) {
  return builder_.scope_of(is_id(fields.pid) ? decoded(fields.pid, fields.escapes, pid_) : "");
}

void KinetoReader::launch(const Fields& fields) {
  std::int64_t correlation = correlation_of(fields.correlation);
  Span span;
  if (correlation == kNoCorrelation || !span_of(fields, span)) return;
  std::string_view name = decoded(fields.name, fields.escapes, name_);
  ++facts_.launches;
  if (name.find("Launch") != std::string_view::npos) ++facts_.kernel_launches;
  trace_.has_launches = true;
  builder_.add(
      Launch{span.start_ns, span.dur_ns, correlation, builder_.name_of(name), scope_of(fields)});
}

void KinetoReader::marker(const Fields& fields, MarkerKind kind) {
  Span span;
  if (!span_of(fields, span)) return;
  std::string_view name = decoded(fields.name, fields.escapes, name_);
  if (name.starts_with("capture_")) {
    facts_.capture_markers = true;
    trace_.has_capture_markers = true;
  }
  builder_.add(Marker{span.start_ns, span.dur_ns, builder_.name_of(name), scope_of(fields), kind});
}

void KinetoReader::op_shape(const Fields& fields) {
  const std::string_view name = decoded(fields.name, fields.escapes, name_);
  if (is_profiler_step(name)) {
    marker(fields, MarkerKind::user_annotation);
    return;
  }
  const std::uint32_t external_id = arguments_.external_id();
  if (external_id == 0 || fields.name.text.size() > kNameBytesMax) return;
  const std::string dims = arguments_.input_dims();
  if (!dims.empty()) builder_.add_op_shape(scope_of(fields), external_id, name, dims);
}

void KinetoReader::on_other_element() {
  ++facts_.events;
  facts_.list_elements = true;
}

bool KinetoReader::wants(std::string_view key) {
  if (facts_.keys.size() < kKeysKept) facts_.keys.emplace_back(key);
  return is_metadata_key(key);
}

void KinetoReader::on_value(std::string_view key, std::string_view text) {
  read_metadata(key, text, metadata_);
}

void KinetoReader::on_damage(std::uint64_t byte, std::string_view reason, bool event_lost) {
  if (event_lost) ++facts_.events;
  builder_.add_damage(byte, damage_prefix_ + std::string(reason));
}

}  // namespace stepscope::analysis
