#include "analysis/passes/accounting/charging.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace stepscope::analysis {
namespace {

// A running event that may still own an instant. Fewer `lane` wins, then fewer `turn`.
struct Claim {
  std::uint64_t lane = 0;  // primary stream 0, others by class and rank
  std::uint32_t turn = 0;  // R7's order within a lane: the order in which events are offered
  std::uint32_t at = 0;
  Ns end_ns = 0;
  bool comm = false;

  bool before(const Claim& other) const {
    return lane != other.lane ? lane < other.lane : turn < other.turn;
  }
};

// Walks through the window once. Claims wait in a heap, best first; those that ended or can never
// win are not kept. `Own` is called with each stretch that one event owns, in time order.
template <typename Own>
class Sweep {
 public:
  Sweep(Ns start_ns, Own own) : own_(std::move(own)), now_ns_(start_ns) {}

  void advance(Ns until_ns) {
    while (now_ns_ < until_ns) {
      drop_ended();
      if (claims_.empty()) {
        now_ns_ = until_ns;
        return;
      }
      const Claim& owner = claims_.front();
      const Ns next_ns = std::min(until_ns, owner.end_ns);
      own_(owner.at, Interval{now_ns_, next_ns});
      if (owner.comm) {
        comm_beside_compute_ns_ += std::max(std::min(next_ns, compute_until_ns_) - now_ns_, Ns{0});
      }
      now_ns_ = next_ns;
    }
  }

  // The compute event of those begun that ends last: until then compute runs without a break.
  void compute_runs_until(Ns end_ns) { compute_until_ns_ = std::max(compute_until_ns_, end_ns); }

  void offer(const Claim& claim) {
    drop_ended();
    if (!claims_.empty() && claims_.front().before(claim) &&
        claims_.front().end_ns >= claim.end_ns) {
      return;  // outlived by a better one
    }
    claims_.push_back(claim);
    std::push_heap(claims_.begin(), claims_.end(), later);
  }

  Ns comm_beside_compute_ns() const { return comm_beside_compute_ns_; }

 private:
  static bool later(const Claim& a, const Claim& b) { return b.before(a); }

  void drop_ended() {
    while (!claims_.empty() && claims_.front().end_ns <= now_ns_) {
      std::pop_heap(claims_.begin(), claims_.end(), later);
      claims_.pop_back();
    }
  }

  Own own_;
  std::vector<Claim> claims_;
  Ns comm_beside_compute_ns_ = 0;
  Ns now_ns_;
  Ns compute_until_ns_ = std::numeric_limits<Ns>::min() / 2;
};

// R7 among events of one stream that start together: ends last, name by bytes, correlation (absent
// first). Positions are into `events`.
void sort_equal_starts(const TraceView& view, std::span<const EventIndex> events,
                       std::span<std::uint32_t> positions) {
  std::sort(positions.begin(), positions.end(), [&](std::uint32_t at_a, std::uint32_t at_b) {
    const DeviceEvent& a = view.event(events[at_a]);
    const DeviceEvent& b = view.event(events[at_b]);
    if (a.dur_ns != b.dur_ns) return a.dur_ns > b.dur_ns;
    if (a.name != b.name) {
      const auto order = view.trace.names[a.name] <=> view.trace.names[b.name];
      if (order != 0) return order < 0;
    }
    return a.correlation != b.correlation ? a.correlation < b.correlation : at_a < at_b;
  });
}

// Offers the events to the sweep in R7's order; returns what it noted of communication.
template <typename Own>
Ns sweep_window(const TraceView& view, std::span<const EventIndex> events, const ChargeOrder& order,
                const Interval& window, Own own) {
  Sweep<Own> sweep(window.start_ns, std::move(own));
  const std::uint64_t streams = order.rank_of_stream.size();
  std::uint32_t turn = 0;
  std::vector<std::uint32_t> together;
  for (std::size_t i = 0; i < events.size(); i += together.size()) {
    const Ns start_ns = view.event(events[i]).start_ns;
    std::size_t end = i + 1;
    while (end < events.size() && view.event(events[end]).start_ns == start_ns) ++end;
    together.resize(end - i);
    std::iota(together.begin(), together.end(), static_cast<std::uint32_t>(i));
    if (together.size() > 1) sort_equal_starts(view, events, together);
    for (const std::uint32_t at : together) {
      const Interval part = clipped(view.interval(events[at]), window);
      if (part.start_ns >= part.end_ns) continue;
      const StreamIndex stream = view.stream(events[at]);
      const DeviceClass device_class = view.category(events[at]).device_class;
      const std::uint64_t lane = stream == order.primary
                                     ? 0
                                     : 1 + static_cast<std::uint64_t>(device_class) * streams +
                                           order.rank_of_stream[stream];
      sweep.advance(part.start_ns);
      if (device_class == DeviceClass::compute) sweep.compute_runs_until(part.end_ns);
      sweep.offer({lane, turn++, at, part.end_ns, device_class == DeviceClass::comm});
    }
  }
  sweep.advance(window.end_ns);
  return sweep.comm_beside_compute_ns();
}

}  // namespace

Charges charge_rows(const TraceView& view, std::span<const EventIndex> events,
                    std::span<const std::uint32_t> row_of, std::uint32_t row_count,
                    const ChargeOrder& order, const Interval& window) {
  assert(events.size() == row_of.size());
  Charges charges;
  charges.row_ns.resize(row_count);
  charges.idle_ns = window.length_ns();
  charges.comm_beside_compute_ns =
      sweep_window(view, events, order, window, [&](std::uint32_t at, const Interval& part) {
        charges.row_ns[row_of[at]] += part.length_ns();
        charges.idle_ns -= part.length_ns();
      });
  return charges;
}

std::vector<ChargedPart> charged_parts(const TraceView& view, std::span<const EventIndex> events,
                                       const ChargeOrder& order, const Interval& window) {
  std::vector<ChargedPart> parts;
  sweep_window(view, events, order, window, [&](std::uint32_t at, const Interval& part) {
    if (!parts.empty() && parts.back().at == at && parts.back().end_ns == part.start_ns) {
      parts.back().end_ns = part.end_ns;
    } else {
      parts.push_back({part.start_ns, part.end_ns, at});
    }
  });
  return parts;
}

}  // namespace stepscope::analysis
