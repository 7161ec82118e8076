#include "tests/support/reference_accounting.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace stepscope::tests {

using namespace stepscope::analysis;

namespace {

// Numbers before words, numbers by value. Ids in tests fit an integer.
std::tuple<bool, long long, std::string> id_key(const std::string& id) {
  const std::string digits = id.starts_with('-') ? id.substr(1) : id;
  const bool number =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  return {!number, number ? std::stoll(id) : 0, id};
}

struct Part {
  const ReferenceEvent* event = nullptr;
  Ns from_ns = 0;
  Ns to_ns = 0;

  bool runs(Ns at_ns, Ns next_ns) const { return from_ns <= at_ns && next_ns <= to_ns; }
};

std::vector<Part> parts_in(const std::vector<ReferenceEvent>& events, Ns start_ns, Ns end_ns) {
  std::vector<Part> parts;
  for (const ReferenceEvent& e : events) {
    const bool point = e.start_ns == e.end_ns;
    const bool inside = point ? start_ns <= e.start_ns && e.start_ns <= end_ns
                              : e.start_ns < end_ns && e.end_ns > start_ns;
    if (inside) parts.push_back({&e, std::max(e.start_ns, start_ns), std::min(e.end_ns, end_ns)});
  }
  return parts;
}

// Every stretch between two neighbouring edges, with the parts that run through it.
template <typename Visit>
void for_each_stretch(const std::vector<Part>& parts, Ns start_ns, Ns end_ns, const Visit& visit) {
  std::set<Ns> edges = {start_ns, end_ns};
  for (const Part& part : parts) edges.insert({part.from_ns, part.to_ns});
  for (auto at = edges.begin(); std::next(at) != edges.end(); ++at) {
    std::vector<const Part*> running;
    for (const Part& part : parts) {
      if (part.runs(*at, *std::next(at))) running.push_back(&part);
    }
    visit(*std::next(at) - *at, running);
  }
}

// R7 within a stream: started first, ends last, name, correlation with absent first.
auto own_key(const ReferenceEvent& e) {
  return std::tuple(e.start_ns, -e.end_ns, e.name, e.correlation.has_value(),
                    e.correlation.value_or(0));
}

struct StreamFigures {
  StreamRow row;
  bool compute = false;
};
using Streams = std::map<std::string, StreamFigures>;

Streams streams_of(const std::vector<Part>& parts, Ns start_ns, Ns end_ns) {
  Streams streams;
  for (const Part& part : parts) {
    StreamFigures& figures = streams[part.event->stream];
    figures.row.stream = part.event->stream;
    ++figures.row.calls;
    figures.row.sum_ns += part.to_ns - part.from_ns;
    if (part.event->device_class == DeviceClass::compute) figures.compute = true;
  }
  for_each_stretch(parts, start_ns, end_ns, [&](Ns length, const auto& running) {
    std::set<std::string> active;
    for (const Part* part : running) active.insert(part->event->stream);
    for (const std::string& stream : active) streams[stream].row.busy_ns += length;
  });
  return streams;
}

std::string primary_of(const Streams& streams) {
  const bool any = std::any_of(streams.begin(), streams.end(),
                               [](const auto& entry) { return entry.second.compute; });
  std::string best;
  for (const auto& [id, figures] : streams) {
    if (any && !figures.compute) continue;
    const auto key = [&](const std::string& name) {
      const StreamRow& row = streams.at(name).row;
      return std::tuple(-row.busy_ns, -row.calls, id_key(name));
    };
    if (best.empty() || key(id) < key(best)) best = id;
  }
  return best;
}

const Part* owner_of(const std::vector<const Part*>& running, const Streams& streams,
                     const std::string& primary) {
  const auto key = [&](const Part* part) {
    const ReferenceEvent& e = *part->event;
    const bool on_primary = e.stream == primary;
    return std::tuple(!on_primary, on_primary ? DeviceClass::compute : e.device_class,
                      on_primary ? 0 : -streams.at(e.stream).row.busy_ns, id_key(e.stream),
                      own_key(e));
  };
  return *std::min_element(running.begin(), running.end(),
                           [&](const Part* a, const Part* b) { return key(a) < key(b); });
}

using RowKey = std::pair<std::string, std::string>;

void add_stretch(Ns length, const std::vector<const Part*>& running, const Streams& streams,
                 std::map<RowKey, KernelRow>& rows, Accounting& out) {
  std::set<DeviceClass> classes;
  std::set<std::string> active;
  std::set<RowKey> busy_rows;
  for (const Part* part : running) {
    classes.insert(part->event->device_class);
    active.insert(part->event->stream);
    busy_rows.insert({part->event->stream, part->event->name});
  }
  for (const RowKey& key : busy_rows) rows[key].busy_ns += length;
  if (running.empty()) {
    out.idle_ns += length;
    return;
  }
  out.busy_ns += length;
  const bool comm = classes.contains(DeviceClass::comm);
  if (comm) out.comm_total_ns += length;
  if (classes.contains(DeviceClass::copy)) out.copy_total_ns += length;
  if (classes.contains(DeviceClass::compute)) {
    out.classes.compute += length;
    if (comm) out.comm_hidden_ns += length;
  } else {
    (comm ? out.classes.comm_exposed : out.classes.copy_exposed) += length;
  }
  const bool primary = active.contains(out.primary_stream);
  (primary ? out.partition.primary : out.partition.exposed_other) += length;
  if (primary && active.size() > 1) out.partition.hidden_other += length;
  const ReferenceEvent& owner = *owner_of(running, streams, out.primary_stream)->event;
  rows[{owner.stream, owner.name}].charged_ns += length;
  if (owner.device_class == DeviceClass::comm && classes.contains(DeviceClass::compute)) {
    out.comm_beside_compute_ns += length;
  }
}

std::map<RowKey, KernelRow> rows_of(const std::vector<Part>& parts) {
  std::map<RowKey, std::vector<Ns>> durations;
  std::map<RowKey, KernelRow> rows;
  for (const Part& part : parts) {
    const RowKey key = {part.event->stream, part.event->name};
    durations[key].push_back(part.to_ns - part.from_ns);
    rows[key].device_class = part.event->device_class;
  }
  for (auto& [key, row] : rows) {
    std::vector<Ns>& all = durations[key];
    std::sort(all.begin(), all.end());
    row.stream = key.first;
    row.name = key.second;
    row.calls = static_cast<std::int64_t>(all.size());
    for (const Ns duration : all) row.sum_ns += duration;
    row.min_ns = all.front();
    row.median_ns = all[(all.size() - 1) / 2];
    row.max_ns = all.back();
  }
  return rows;
}

}  // namespace

Accounting reference_account(const std::vector<ReferenceEvent>& events, Ns window_start_ns,
                             Ns window_end_ns) {
  const std::vector<Part> parts = parts_in(events, window_start_ns, window_end_ns);
  const Streams streams = streams_of(parts, window_start_ns, window_end_ns);
  Accounting out;
  out.window_ns = window_end_ns - window_start_ns;
  out.primary_stream = primary_of(streams);
  std::map<RowKey, KernelRow> rows = rows_of(parts);
  for_each_stretch(parts, window_start_ns, window_end_ns, [&](Ns length, const auto& running) {
    add_stretch(length, running, streams, rows, out);
  });
  out.classes.idle = out.idle_ns;
  out.partition.idle = out.idle_ns;
  for (const auto& [id, figures] : streams) {
    out.kernel_sum_ns += figures.row.sum_ns;
    out.streams.push_back(figures.row);
  }
  std::sort(out.streams.begin(), out.streams.end(),
            [](const auto& a, const auto& b) { return id_key(a.stream) < id_key(b.stream); });
  for (const auto& [key, row] : rows) out.kernels.push_back(row);
  std::sort(out.kernels.begin(), out.kernels.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a.sum_ns, a.stream, a.name) < std::tuple(-b.sum_ns, b.stream, b.name);
  });
  return out;
}

}  // namespace stepscope::tests
