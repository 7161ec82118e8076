#include "analysis/reading/tables/trace_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "analysis/reading/tables/rank_source.h"

namespace stepscope::analysis {

namespace {

// Ids that are numbers come first, by value; then text.
auto id_key(const std::string& id) {
  bool number = !id.empty() && id.size() < 20 &&
                std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
  std::size_t zeros = number ? std::min(id.find_first_not_of('0'), id.size()) : 0;
  return std::tuple(!number, number ? id.size() - zeros : 0, std::string_view(id).substr(zeros),
                    std::string_view(id));
}

auto timeline_key(const Timeline& t) {
  return std::tuple(t.scope, id_key(t.pid), id_key(t.device), id_key(t.stream));
}

auto order_key(const DeviceEvent& e) {
  return std::tuple(e.start_ns, e.dur_ns, e.timeline, e.name, e.correlation, e.kind);
}

auto order_key(const Launch& l) {
  return std::tuple(l.scope, l.correlation, l.start_ns, l.dur_ns, l.name);
}

auto order_key(const Marker& m) {
  return std::tuple(m.scope, m.start_ns, -m.dur_ns, m.name, m.kind);
}

auto order_key(const OpShape& o) { return std::tuple(o.scope, o.external_id, o.op, o.dims); }

template <typename Row>
void sort_rows(std::vector<Row>& rows) {
  auto less = [](const Row& a, const Row& b) { return order_key(a) < order_key(b); };
  if (!std::ranges::is_sorted(rows, less)) std::ranges::sort(rows, less);
}

bool in_range(Ns base, Ns& start) {
  if (__builtin_add_overflow(base, start, &start)) return false;
  return start >= -TraceBuilder::kTimeMax && start <= TraceBuilder::kTimeMax;
}

}  // namespace

ScopeId TraceBuilder::scope_of_label(std::string_view label) {
  auto known = scopes_.find(label);
  if (known != scopes_.end()) return known->second;
  ScopeId id = static_cast<ScopeId>(trace_.scopes.size());
  trace_.scopes.push_back({0, std::nullopt, std::string(label)});
  scopes_.emplace(label, id);
  return id;
}

ScopeId TraceBuilder::scope_of(std::string_view pid) { return scope_of_label(rank_label(pid)); }

TimelineId TraceBuilder::timeline_of(ScopeId scope, std::string_view pid, std::string_view device,
                                     std::string_view stream) {
  timeline_key_.assign(std::to_string(scope));
  for (std::string_view part : {pid, device, stream}) {
    timeline_key_ += '\x1F';
    timeline_key_ += part;
  }
  auto it = timeline_ids_.find(timeline_key_);
  if (it != timeline_ids_.end()) return it->second;
  TimelineId id = static_cast<TimelineId>(trace_.timelines.size());
  trace_.timelines.push_back({scope, std::string(pid), std::string(device), std::string(stream)});
  timeline_ids_.emplace(timeline_key_, id);
  return id;
}

void TraceBuilder::add(const DeviceEvent& event) {
  // Nobody profiles for a century: such durations are damage, and would overflow every sum.
  if (event.dur_ns > kTimeMax - duration_sum_ns_) {
    ++trace_.summary.dropped.malformed;
    return;
  }
  duration_sum_ns_ += event.dur_ns;
  device_events_.push_back(event);
}

void TraceBuilder::add_op_shape(ScopeId scope, std::uint32_t external_id, std::string_view op,
                                std::string_view dims) {
  if (op_shapes_.size() >= kOpShapesMax) {
    op_shapes_left_out_ = true;
    return;
  }
  const OpShape shape{scope, external_id, shape_names_.intern(op), shape_names_.intern(dims)};
  if (shape_names_.full()) {
    op_shapes_left_out_ = true;
  } else {
    op_shapes_.push_back(shape);
  }
}

void TraceBuilder::add_damage(std::uint64_t byte, std::string reason) {
  trace_.summary.complete = false;
  ++trace_.summary.damaged_count;
  if (trace_.summary.damaged.size() < kDamagedShown) {
    trace_.summary.damaged.push_back({byte, std::move(reason)});
  }
}

void TraceBuilder::end_file(const TraceMetadata& metadata, std::optional<int> file_rank) {
  std::vector<std::string> labels;
  for (const auto& [label, scope] : scopes_) {
    if (!label.empty()) labels.push_back(label);
  }
  std::vector<int> ranks = ranks_of_labels(labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    trace_.scopes[scopes_.find(labels[i])->second].rank = ranks[i];
  }
  auto own = scopes_.find("");
  if (own != scopes_.end() && labels.empty()) {
    trace_.scopes[own->second].rank = metadata.rank ? metadata.rank : file_rank;
  }
  scope_base_ns_.assign(trace_.scopes.size(), metadata.base_ns);
  trace_.summary.device_names = metadata.device_names;
  trace_.summary.world_size = metadata.world_size;
}

void TraceBuilder::absorb_summary(TraceSummary&& other) {
  TraceSummary& summary = trace_.summary;
  auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(summary.files, other.files);
  append(summary.notes, other.notes);
  summary.events += other.events;
  summary.dropped.no_dur += other.dropped.no_dur;
  summary.dropped.negative_dur += other.dropped.negative_dur;
  summary.dropped.bad_ts += other.dropped.bad_ts;
  summary.dropped.malformed += other.dropped.malformed;
  summary.complete = summary.complete && other.complete;
  if (!summary.cut_at_byte) summary.cut_at_byte = other.cut_at_byte;  // of the first that is cut
  summary.damaged_count += other.damaged_count;
  append(summary.damaged, other.damaged);
  if (summary.damaged.size() > kDamagedShown) summary.damaged.resize(kDamagedShown);
  for (std::string& name : other.device_names) {
    if (std::ranges::find(summary.device_names, name) == summary.device_names.end()) {
      summary.device_names.push_back(std::move(name));
    }
  }
  if (!summary.world_size) summary.world_size = other.world_size;
}

void TraceBuilder::absorb(TraceBuilder&& other) {
  const ScopeId first_scope = static_cast<ScopeId>(trace_.scopes.size());
  const TimelineId first_timeline = static_cast<TimelineId>(trace_.timelines.size());
  absorb_summary(std::move(other.trace_.summary));
  for (RankScope& scope : other.trace_.scopes) {
    scope.file += files_;
    trace_.scopes.push_back(std::move(scope));
  }
  files_ += other.files_;
  scope_base_ns_.insert(scope_base_ns_.end(), other.scope_base_ns_.begin(),
                        other.scope_base_ns_.end());
  for (Timeline& timeline : other.trace_.timelines) {
    timeline.scope += first_scope;
    trace_.timelines.push_back(std::move(timeline));
  }
  std::vector<NameId> names;
  names.reserve(other.names_.size());
  for (const std::string& name : other.names_.names()) names.push_back(names_.intern(name));
  const std::vector<ArgsId> args = args_.absorb(std::move(other.args_));
  other.device_events_.drain([&](DeviceEvent event) {
    event.timeline += first_timeline;
    event.name = names[event.name];
    event.args = args[event.args];
    add(event);
  });
  auto moved = [&](auto row) {
    row.scope += first_scope;
    row.name = names[row.name];
    return row;
  };
  other.launches_.drain([&](const Launch& launch) { add(moved(launch)); });
  other.markers_.drain([&](const Marker& marker) { add(moved(marker)); });
  const std::vector<std::string>& sizes = other.shape_names_.names();
  other.op_shapes_.drain([&](const OpShape& shape) {
    add_op_shape(shape.scope + first_scope, shape.external_id, sizes[shape.op], sizes[shape.dims]);
  });
  op_shapes_left_out_ = op_shapes_left_out_ || other.op_shapes_left_out_;
  std::ranges::move(other.trace_.first_notes, std::back_inserter(trace_.first_notes));
  trace_.python_stacks = trace_.python_stacks || other.trace_.python_stacks;
  trace_.has_cpu_events = trace_.has_cpu_events || other.trace_.has_cpu_events;
  trace_.has_capture_markers = trace_.has_capture_markers || other.trace_.has_capture_markers;
  trace_.has_launches = trace_.has_launches || other.trace_.has_launches;
}

std::string_view TraceBuilder::limit_passed() const {
  if (names_.full()) return "different names";
  if (trace_.summary.damaged_count > kDamagedMax) return "damaged places";
  if (strangers_ > kStrangersMax) return "elements that are no events";
  if (trace_.timelines.size() > kTimelinesMax) return "streams";
  if (trace_.scopes.size() > kTimelinesMax) return "rank labels";
  std::size_t rows = std::max({device_events_.size(), launches_.size(), markers_.size()});
  return rows > kRowsMax ? "events" : "";
}

std::optional<AnalyzeError> TraceBuilder::limit_fault(std::string_view file,
                                                      std::uint64_t byte) const {
  std::string_view limit = limit_passed();
  if (limit.empty()) return std::nullopt;
  return AnalyzeError{AnalyzeFault::limit,
                      fmt::format("{}: more {} than are allowed, near byte {} of the text; record "
                                  "fewer steps",
                                  file, limit, byte)};
}

void TraceBuilder::renumber_scopes_and_timelines() {
  std::vector<ScopeId> order(trace_.scopes.size());
  std::iota(order.begin(), order.end(), ScopeId{0});
  std::ranges::sort(order, [&](ScopeId a, ScopeId b) {
    const RankScope& x = trace_.scopes[a];
    const RankScope& y = trace_.scopes[b];
    return std::tie(x.file, x.label) < std::tie(y.file, y.label);
  });
  new_scopes_.resize(order.size());
  std::vector<RankScope> scopes;
  std::vector<Ns> bases;
  for (ScopeId old : order) {
    new_scopes_[old] = static_cast<ScopeId>(scopes.size());
    scopes.push_back(trace_.scopes[old]);
    bases.push_back(scope_base_ns_[old]);
  }
  trace_.scopes = std::move(scopes);
  scope_base_ns_ = std::move(bases);

  for (Timeline& t : trace_.timelines) t.scope = new_scopes_[t.scope];
  std::vector<TimelineId> lines(trace_.timelines.size());
  std::iota(lines.begin(), lines.end(), TimelineId{0});
  std::ranges::sort(lines, [&](TimelineId a, TimelineId b) {
    return timeline_key(trace_.timelines[a]) < timeline_key(trace_.timelines[b]);
  });
  new_timelines_.resize(lines.size());
  std::vector<Timeline> timelines;
  for (TimelineId old : lines) {
    new_timelines_[old] = static_cast<TimelineId>(timelines.size());
    timelines.push_back(trace_.timelines[old]);
  }
  trace_.timelines = std::move(timelines);
}

void TraceBuilder::take_device_events(const std::vector<NameId>& names) {
  trace_.device_events = device_events_.take([&](DeviceEvent& e) {
    e.timeline = new_timelines_[e.timeline];
    e.name = names[e.name];
    if (in_range(scope_base_ns_[trace_.timelines[e.timeline].scope], e.start_ns)) return true;
    ++trace_.summary.dropped.bad_ts;
    return false;
  });
  sort_rows(trace_.device_events);
}

void TraceBuilder::take_launches_and_markers(const std::vector<NameId>& names) {
  auto move = [&](auto& row) {
    row.scope = new_scopes_[row.scope];
    row.name = names[row.name];
    return row.dur_ns <= kTimeMax && in_range(scope_base_ns_[row.scope], row.start_ns);
  };
  trace_.launches = launches_.take(move);
  trace_.markers = markers_.take(move);
  sort_rows(trace_.launches);
  sort_rows(trace_.markers);
}

// By id of shape_names_; empty when the limit of the trace's names does not allow for them.
std::vector<NameId> TraceBuilder::share_shape_names() {
  std::vector<NameId> place;
  const std::vector<std::string> texts = shape_names_.take_sorted(place);
  std::vector<NameId> shared;
  shared.reserve(place.size());
  for (const NameId id : place) shared.push_back(names_.intern(texts[id]));
  if (names_.full()) shared.clear();
  return shared;
}

void TraceBuilder::take_op_shapes(const std::vector<NameId>& shared,
                                  const std::vector<NameId>& names) {
  op_shapes_left_out_ = op_shapes_left_out_ || (shared.empty() && op_shapes_.size() > 0);
  trace_.op_shapes = op_shapes_.take([&](OpShape& shape) {
    if (shared.empty()) return false;
    shape.scope = new_scopes_[shape.scope];
    shape.op = names[shared[shape.op]];
    shape.dims = names[shared[shape.dims]];
    return true;
  });
  sort_rows(trace_.op_shapes);
}

void TraceBuilder::note_left_out() {
  std::vector<std::string>& notes = trace_.summary.notes;
  if (args_.left_out()) {
    notes.push_back("kernels with too many different launch arguments: those of some are left out");
  }
  if (op_shapes_left_out_) {
    notes.push_back("too many operators with recorded shapes: those of some are left out");
  }
}

void TraceBuilder::remove_duplicates() {
  auto same = [](const DeviceEvent& a, const DeviceEvent& b) {
    return std::tie(a.start_ns, a.dur_ns, a.timeline, a.name, a.correlation) ==
           std::tie(b.start_ns, b.dur_ns, b.timeline, b.name, b.correlation);
  };
  auto rest = std::ranges::unique(trace_.device_events, same);
  trace_.summary.duplicates = static_cast<std::int64_t>(rest.size());
  trace_.device_events.erase(rest.begin(), rest.end());
}

void TraceBuilder::summarize() {
  TraceSummary& summary = trace_.summary;
  summary.device_events = static_cast<std::int64_t>(trace_.device_events.size());
  for (const DeviceEvent& e : trace_.device_events) {
    switch (e.kind) {
      case DeviceKind::kernel:
        ++summary.kernels;
        break;
      case DeviceKind::memcpy:
        ++summary.memcpys;
        break;
      case DeviceKind::memset:
        ++summary.memsets;
        break;
    }
  }
  if (!trace_.device_events.empty()) summary.origin_ns = trace_.device_events.front().start_ns;
}

Trace TraceBuilder::finish() {
  const std::vector<NameId> shared = share_shape_names();
  std::vector<NameId> names;
  trace_.names = names_.take_sorted(names);
  renumber_scopes_and_timelines();
  take_device_events(names);
  take_launches_and_markers(names);
  take_op_shapes(shared, names);
  trace_.kernel_args = args_.take();
  note_left_out();
  remove_duplicates();
  summarize();
  return std::move(trace_);
}

}  // namespace stepscope::analysis
