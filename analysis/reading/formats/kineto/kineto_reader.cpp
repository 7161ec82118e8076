#include "analysis/reading/formats/kineto/kineto_reader.h"

#include <charconv>
#include <optional>

#include "analysis/reading/json/decimal_time.h"

namespace stepscope::analysis {

namespace {

using Kind = JsonValue::Kind;
using Role = EventRole;

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

}  // namespace

std::string_view KinetoReader::decoded(const JsonValue& value, std::string& scratch) const {
  if (!fields_.escapes() || value.kind != Kind::string) return value.text;
  scratch.clear();
  append_decoded(value.text, scratch);
  return scratch;
}

void KinetoReader::note_piece(std::string_view text, Slot slot, const JsonValue& value) {
  const auto begin = static_cast<std::uint32_t>(value.text.data() - text.data());
  const bool constant =
      value.kind == Kind::string && (slot == slot_of(Field::ph) || slot == slot_of(Field::cat));
  pieces_.push_back({.begin = begin,
                     .end = begin + static_cast<std::uint32_t>(value.text.size()),
                     .kind = value.kind,
                     .slot = slot,
                     .constant = constant});
  fields_.set(slot, value);
}

bool KinetoReader::name_wanted(Role role) {
  if (!is_chosen_by_name(role)) return true;
  return roles_.name_wanted(role, decoded(fields_[Field::name], name_));
}

// False as soon as what was read shows that the event is of no use.
bool KinetoReader::worth_reading(Role& role) {
  if (role == Role::undecided) {
    const JsonValue cat = fields_[Field::cat];
    if (cat.kind != Kind::string) return true;
    role = roles_.of_category(decoded(cat, name_));
  }
  if (role == Role::ignored || role == Role::profiler_range) return false;
  return fields_[Field::name].kind == Kind::none || name_wanted(role);
}

KinetoReader::Reading KinetoReader::read_known_shape(const RawEvent& event, Role& role) {
  const EventShapes::Match* match = shapes_.match(event, fields_);
  if (match == nullptr) return Reading::broken;
  role = static_cast<Role>(match->tag);
  if (match->whole) {
    fields_.set(slot_of(Field::ph), {Kind::string, "X"});  // a constant of every whole shape
    return Reading::wanted;
  }
  if (!is_chosen_by_name(role) || !name_wanted(role)) return Reading::unwanted;
  role = Role::undecided;
  return Reading::broken;
}

bool KinetoReader::read_arguments(std::string_view text, std::string_view object) {
  JsonCursor cursor(object, fields_.escapes());
  if (!cursor.enter_object()) return true;  // other things than an object are none of ours
  std::string_view key;
  while (cursor.next_key(key)) {
    const JsonValue value = cursor.value();
    if (!cursor.failed()) note_piece(text, slot_of_argument_key(key), value);
  }
  return !cursor.failed() && cursor.at_end();
}

// Arguments are read last, wherever they stand: most events turn out to be of no use before.
KinetoReader::Reading KinetoReader::read_fields(const RawEvent& event, Role& role) {
  fields_.clear(event.escapes);
  pieces_.clear();
  JsonCursor cursor(event.text, event.escapes, event.inner);
  if (!cursor.enter_object()) return Reading::broken;
  std::string_view key;
  std::optional<std::size_t> arguments;  // which piece they are
  while (cursor.next_key(key)) {
    if (event.escapes && key.find('\\') != std::string_view::npos) {
      key_.clear();
      append_decoded(key, key_);
      key = key_;
    }
    const bool is_arguments = key == "args";
    const Slot slot = slot_of_key(key);
    const JsonValue value = cursor.value();
    if (cursor.failed()) return Reading::broken;
    if (is_arguments && value.kind == Kind::container) arguments = pieces_.size();
    note_piece(event.text, slot, value);
    if (worth_reading(role)) continue;
    if (!event.escapes) shapes_.learn(event.text, pieces_, false, static_cast<std::uint8_t>(role));
    return Reading::unwanted;
  }
  if (cursor.failed() || !cursor.at_end()) return Reading::broken;
  if (!name_wanted(role)) return Reading::unwanted;
  if (arguments) {
    const EventPiece piece = pieces_[*arguments];
    const auto at = static_cast<std::ptrdiff_t>(*arguments);
    const std::vector<EventPiece> behind(pieces_.begin() + at + 1, pieces_.end());
    pieces_.resize(*arguments);
    if (!read_arguments(event.text, event.text.substr(piece.begin, piece.end - piece.begin))) {
      return Reading::broken;
    }
    pieces_.insert(pieces_.end(), behind.begin(), behind.end());
  }
  if (!event.escapes && !is_chosen_by_name(role) && fields_[Field::ph].text == "X") {
    shapes_.learn(event.text, pieces_, true, static_cast<std::uint8_t>(role));
  }
  return Reading::wanted;
}

void KinetoReader::note_role(Role role) {
  if (role == Role::python) trace_.python_stacks = true;
  if (role == Role::profiler_range) facts_.profiler_ranges = true;
  if (role == Role::undecided || role == Role::gpu_annotation || role == Role::ignored) return;
  const bool device = role == Role::kernel || role == Role::memcpy || role == Role::memset;
  trace_.has_cpu_events = trace_.has_cpu_events || !device;
}

bool KinetoReader::on_event(const RawEvent& event) {
  Role role = Role::undecided;
  fields_.clear(event.escapes);
  Reading reading = event.escapes ? Reading::broken : read_known_shape(event, role);
  if (reading == Reading::broken) reading = read_fields(event, role);
  if (reading == Reading::broken) return false;
  ++facts_.events;
  ++facts_.objects;
  note_role(role);
  if (reading == Reading::wanted) use(role);
  return true;
}

void KinetoReader::use(Role role) {
  if (role == Role::undecided) {
    without_category();
    return;
  }
  if (fields_[Field::ph].text != "X") return;
  switch (role) {
    case Role::kernel:
      device_event(DeviceKind::kernel, kMicroseconds);
      break;
    case Role::memcpy:
      device_event(DeviceKind::memcpy, kMicroseconds);
      break;
    case Role::memset:
      device_event(DeviceKind::memset, kMicroseconds);
      break;
    case Role::launch:
      launch();
      break;
    case Role::gpu_annotation:
      marker(MarkerKind::gpu_annotation);
      break;
    case Role::python:
      marker(MarkerKind::python_frame);
      break;
    case Role::cpu_op:
      op_shape();
      break;
    default:
      marker(MarkerKind::user_annotation);
      break;
  }
}

void KinetoReader::without_category() {
  const JsonValue pid = fields_[Field::pid];
  const std::string_view name = fields_[Field::name].text;
  const std::string_view ph = fields_[Field::ph].text;
  const std::string_view tid = fields_[Field::tid].text;
  if (ph == "M" && is_id(pid)) {
    const std::string_view given = fields_[Field::arg_name].text;
    if (name == "process_name") device_processes_.name_process(pid.text, given);
    if (name == "thread_name") device_processes_.name_thread(pid.text, tid, given);
  }
  if (ph != "X") return;
  const auto work = device_processes_.work_of(pid.text, tid, name);
  if (!work) {
    trace_.has_cpu_events = true;
    return;
  }
  facts_.nanoseconds = facts_.nanoseconds || work->unit_guessed;
  device_event(work->kind, work->scale);
}

// The same few timelines come again and again, so their texts are compared before anything else.
TimelineId KinetoReader::timeline() {
  const JsonValue pid = fields_[Field::pid];
  const JsonValue own_device = fields_[Field::device];
  const JsonValue own_stream = fields_[Field::stream];
  const JsonValue& device = is_id(own_device) ? own_device : pid;
  const JsonValue stream = is_id(own_stream) ? own_stream : fields_[Field::tid];
  const auto text = [](const JsonValue& value) {
    return is_id(value) ? value.text : std::string_view();
  };
  for (const KnownTimeline& known : known_timelines_) {
    if (known.id && known.stream == text(stream) && known.pid == text(pid) &&
        known.device == text(device)) {
      return *known.id;
    }
  }
  const std::string_view pid_text = is_id(pid) ? decoded(pid, pid_) : "";
  const TimelineId id =
      builder_.timeline_of(pid_text, is_id(device) ? decoded(device, device_) : "",
                           is_id(stream) ? without_stream_word(decoded(stream, stream_)) : "");
  known_timelines_[next_known_timeline_++ % known_timelines_.size()] = {
      std::string(text(pid)), std::string(text(device)), std::string(text(stream)), id};
  return id;
}

void KinetoReader::device_event(DeviceKind kind, int scale) {
  ++facts_.device_events;
  DropCounts& dropped = trace_.summary.dropped;
  const JsonValue ts = fields_[Field::ts];
  const JsonValue dur = fields_[Field::dur];
  const JsonValue name = fields_[Field::name];
  const std::optional<Ns> dur_ns = number_of(dur, scale);
  const std::optional<Ns> start_ns = number_of(ts, scale);
  const bool nameless = name.kind == Kind::none || name.kind == Kind::null;
  if (!dur_ns) {
    ++dropped.no_dur;
  } else if (!start_ns) {
    ++dropped.bad_ts;
  } else if (*dur_ns < 0) {
    ++dropped.negative_dur;
  } else if ((!nameless && name.kind != Kind::string) || name.text.size() > kNameBytesMax) {
    ++dropped.malformed;
  } else {
    facts_.fractions = facts_.fractions || has_point(ts) || has_point(dur);
    DeviceEvent event;
    event.start_ns = *start_ns;
    event.dur_ns = *dur_ns;
    event.correlation = correlation_of(fields_[Field::correlation]);
    event.name = builder_.name_of(nameless ? "" : decoded(name, name_));
    event.timeline = timeline();
    event.args = builder_.args_of(fields_.arguments());
    event.external_id = fields_.arguments().external_id();
    event.kind = kind;
    builder_.add(event);
  }
}

bool KinetoReader::span(Span& span) const {
  const std::optional<Ns> dur = number_of(fields_[Field::dur], kMicroseconds);
  const std::optional<Ns> start = number_of(fields_[Field::ts], kMicroseconds);
  if (!dur || !start || *dur < 0 || fields_[Field::name].text.size() > kNameBytesMax) return false;
  span = {*start, *dur};
  return true;
}

ScopeId KinetoReader::scope() {
  const JsonValue pid = fields_[Field::pid];
  return builder_.scope_of(is_id(pid) ? decoded(pid, pid_) : "");
}

void KinetoReader::launch() {
  const std::int64_t correlation = correlation_of(fields_[Field::correlation]);
  Span at;
  if (correlation == kNoCorrelation || !span(at)) return;
  const std::string_view name = decoded(fields_[Field::name], name_);
  ++facts_.launches;
  if (name.find("Launch") != std::string_view::npos) ++facts_.kernel_launches;
  trace_.has_launches = true;
  builder_.add(Launch{at.start_ns, at.dur_ns, correlation, builder_.name_of(name), scope()});
}

void KinetoReader::marker(MarkerKind kind) {
  Span at;
  if (!span(at)) return;
  const std::string_view name = decoded(fields_[Field::name], name_);
  if (name.starts_with("capture_")) {
    facts_.capture_markers = true;
    trace_.has_capture_markers = true;
  }
  builder_.add(Marker{at.start_ns, at.dur_ns, builder_.name_of(name), scope(), kind});
}

void KinetoReader::op_shape() {
  const JsonValue name_value = fields_[Field::name];
  const std::string_view name = decoded(name_value, name_);
  if (is_profiler_step(name)) {
    marker(MarkerKind::user_annotation);
    return;
  }
  const std::uint32_t external_id = fields_.arguments().external_id();
  if (external_id == 0 || name_value.text.size() > kNameBytesMax) return;
  const std::string dims = fields_.arguments().input_dims();
  if (!dims.empty()) builder_.add_op_shape(scope(), external_id, name, dims);
}

void KinetoReader::on_other_element() {
  ++facts_.events;
  facts_.list_elements = true;
  builder_.add_stranger();
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
