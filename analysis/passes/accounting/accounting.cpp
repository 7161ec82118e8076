#include "analysis/passes/accounting/accounting.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/passes/accounting/charging.h"
#include "analysis/passes/accounting/row_index.h"

namespace stepscope::analysis {
namespace {

struct StreamTally {
  std::int64_t calls = 0;
  Ns sum_ns = 0;
  RunningUnion busy;
  bool compute = false;
};

struct RowTally {
  EventIndex first = 0;  // gives the row its stream, name and category
  std::int64_t calls = 0;
  Ns sum_ns = 0;
  RunningUnion busy;
};

// Everything that one pass in start order can tell.
struct Tally {
  std::vector<StreamTally> streams;
  std::vector<RowTally> rows;
  std::vector<std::uint32_t> row_of;  // parallel to the events
  RunningUnion all;
  RunningUnion compute;
  RunningUnion comm;
  RunningUnion copy;
  RunningUnion compute_or_comm;
};

void add_stream(StreamTally& tally, const Interval& part, DeviceClass device_class) {
  ++tally.calls;
  tally.sum_ns += part.length_ns();
  tally.busy.add(part);
  tally.compute = tally.compute || device_class == DeviceClass::compute;
}

void add_class(Tally& tally, const Interval& part, DeviceClass device_class) {
  tally.all.add(part);
  if (device_class == DeviceClass::copy) {
    tally.copy.add(part);
    return;
  }
  (device_class == DeviceClass::compute ? tally.compute : tally.comm).add(part);
  tally.compute_or_comm.add(part);
}

Tally tally_events(const TraceView& view, const Device& device, std::span<const EventIndex> events,
                   const Interval& window) {
  Tally tally;
  tally.streams.resize(device.streams.size());
  tally.row_of.reserve(events.size());
  RowIndex index;
  for (const EventIndex event : events) {
    const Interval part = clipped(view.interval(event), window);
    const DeviceClass device_class = view.category(event).device_class;
    const StreamIndex stream = view.stream(event);
    add_stream(tally.streams[stream], part, device_class);
    add_class(tally, part, device_class);

    const std::uint32_t row = index.of(stream, view.event(event).name);
    tally.row_of.push_back(row);
    if (row == tally.rows.size()) tally.rows.push_back({.first = event, .busy = {}});
    ++tally.rows[row].calls;
    tally.rows[row].sum_ns += part.length_ns();
    tally.rows[row].busy.add(part);
  }
  return tally;
}

std::vector<StreamTally> tally_streams(const TraceView& view, const Device& device,
                                       std::span<const EventIndex> events, const Interval& window) {
  std::vector<StreamTally> streams(device.streams.size());
  for (const EventIndex event : events) {
    const Interval part = clipped(view.interval(event), window);
    add_stream(streams[view.stream(event)], part, view.category(event).device_class);
  }
  return streams;
}

std::optional<StreamIndex> pick_primary(const std::vector<StreamTally>& streams) {
  std::optional<StreamIndex> best;
  for (StreamIndex i = 0; i < streams.size(); ++i) {  // lowest id first
    const StreamTally& stream = streams[i];
    if (stream.calls == 0) continue;
    const auto key = [](const StreamTally& tally) {
      return std::tuple(tally.compute, tally.busy.total_ns(), tally.calls);
    };
    if (!best || key(stream) > key(streams[*best])) best = i;
  }
  return best;
}

ChargeOrder charge_order(const std::vector<StreamTally>& streams, StreamIndex primary) {
  std::vector<StreamIndex> busiest(streams.size());
  std::iota(busiest.begin(), busiest.end(), StreamIndex{0});
  std::sort(busiest.begin(), busiest.end(), [&](StreamIndex a, StreamIndex b) {
    const Ns busy_a_ns = streams[a].busy.total_ns();
    const Ns busy_b_ns = streams[b].busy.total_ns();
    return busy_a_ns != busy_b_ns ? busy_a_ns > busy_b_ns : a < b;
  });
  ChargeOrder order{primary, std::vector<std::uint32_t>(streams.size())};
  for (std::uint32_t rank = 0; rank < busiest.size(); ++rank) {
    order.rank_of_stream[busiest[rank]] = rank;
  }
  return order;
}

// |P and others| = |P| + |others| - |all|
PartitionTimes partition(const TraceView& view, std::span<const EventIndex> events,
                         const Interval& window, const Tally& tally, StreamIndex primary) {
  RunningUnion others;
  for (const EventIndex event : events) {
    if (view.stream(event) != primary) others.add(clipped(view.interval(event), window));
  }
  const Ns primary_ns = tally.streams[primary].busy.total_ns();
  const Ns busy_ns = tally.all.total_ns();
  return {.primary = primary_ns,
          .exposed_other = busy_ns - primary_ns,
          .hidden_other = primary_ns + others.total_ns() - busy_ns,
          .idle = window.length_ns() - busy_ns};
}

// Durations within the window, ordered by row; each row's part is then searched for its median.
void fill_spread(const TraceView& view, std::span<const EventIndex> events, const Interval& window,
                 const Tally& tally, std::vector<KernelRow>& rows) {
  std::vector<std::size_t> next(tally.rows.size());
  std::size_t filled = 0;
  for (std::size_t row = 0; row < tally.rows.size(); ++row) {
    next[row] = filled;
    filled += static_cast<std::size_t>(tally.rows[row].calls);
  }
  std::vector<Ns> durations(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    durations[next[tally.row_of[i]]++] = clipped(view.interval(events[i]), window).length_ns();
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto end = durations.begin() + static_cast<std::ptrdiff_t>(next[row]);
    const auto begin = end - rows[row].calls;
    const auto middle = begin + (rows[row].calls - 1) / 2;
    std::nth_element(begin, middle, end);
    rows[row].median_ns = *middle;
    rows[row].min_ns = *std::min_element(begin, middle + 1);
    rows[row].max_ns = *std::max_element(middle, end);
  }
}

std::vector<KernelRow> kernel_rows(const TraceView& view, const Device& device, const Tally& tally,
                                   const Charges& charges) {
  std::vector<KernelRow> rows(tally.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowTally& from = tally.rows[i];
    const KernelCategory& category = view.category(from.first);
    rows[i].stream = device.streams[view.stream(from.first)];
    rows[i].name = view.trace.names[view.event(from.first).name];
    rows[i].category = category.category;
    rows[i].component = category.component;
    rows[i].device_class = category.device_class;
    rows[i].calls = from.calls;
    rows[i].sum_ns = from.sum_ns;
    rows[i].busy_ns = from.busy.total_ns();
    rows[i].charged_ns = charges.row_ns[i];
  }
  return rows;
}

// Streams as text here, as the contract has them in JSON: whoever reads it can check the order.
void sort_rows(std::vector<KernelRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return std::tie(b.sum_ns, a.stream, a.name) < std::tie(a.sum_ns, b.stream, b.name);
  });
}

void fill_totals(const Device& device, const Tally& tally, Accounting& out) {
  out.busy_ns = tally.all.total_ns();
  out.idle_ns = out.window_ns - out.busy_ns;
  for (StreamIndex i = 0; i < tally.streams.size(); ++i) {
    const StreamTally& stream = tally.streams[i];
    if (stream.calls == 0) continue;
    out.kernel_sum_ns += stream.sum_ns;
    out.streams.push_back({device.streams[i], stream.calls, stream.sum_ns, stream.busy.total_ns()});
  }
  out.classes = {.compute = tally.compute.total_ns(),
                 .comm_exposed = tally.compute_or_comm.total_ns() - tally.compute.total_ns(),
                 .copy_exposed = tally.all.total_ns() - tally.compute_or_comm.total_ns(),
                 .idle = out.idle_ns};
  out.comm_total_ns = tally.comm.total_ns();
  out.comm_hidden_ns = out.comm_total_ns - out.classes.comm_exposed;
  out.copy_total_ns = tally.copy.total_ns();
}

}  // namespace

Accounting account(const TraceView& view, const Device& device, std::span<const EventIndex> events,
                   const Interval& window) {
  const Tally tally = tally_events(view, device, events, window);
  Accounting out;
  out.window_ns = window.length_ns();
  fill_totals(device, tally, out);
  out.partition.idle = out.idle_ns;
  const std::optional<StreamIndex> primary = pick_primary(tally.streams);
  if (!primary) return out;

  out.primary_stream = device.streams[*primary];
  out.partition = partition(view, events, window, tally, *primary);
  const Charges charges =
      charge_rows(view, events, tally.row_of, static_cast<std::uint32_t>(tally.rows.size()),
                  charge_order(tally.streams, *primary), window);
  assert(charges.idle_ns == out.idle_ns);
  out.comm_beside_compute_ns = charges.comm_beside_compute_ns;
  out.kernels = kernel_rows(view, device, tally, charges);
  fill_spread(view, events, window, tally, out.kernels);
  sort_rows(out.kernels);
  return out;
}

std::optional<ChargeOrder> charge_order_of(const TraceView& view, const Device& device,
                                           std::span<const EventIndex> events,
                                           const Interval& window) {
  const std::vector<StreamTally> streams = tally_streams(view, device, events, window);
  const std::optional<StreamIndex> primary = pick_primary(streams);
  if (!primary) return {};
  return charge_order(streams, *primary);
}

std::optional<StreamIndex> primary_stream(const TraceView& view, const Device& device,
                                          std::span<const EventIndex> events,
                                          const Interval& window) {
  return pick_primary(tally_streams(view, device, events, window));
}

}  // namespace stepscope::analysis
