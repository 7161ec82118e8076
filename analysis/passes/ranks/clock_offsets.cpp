#include "analysis/passes/ranks/clock_offsets.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "analysis/lower_median.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kFewestCalls = 3;
constexpr Ns kFarthestNs = 3'000'000'000'000'000'000;

bool pairs_up(const CallQueue& queue) {
  const auto differs = [&](const auto& calls) { return calls.size() != queue.calls[0].size(); };
  return queue.members.size() > 1 && std::none_of(queue.calls.begin(), queue.calls.end(), differs);
}

// Own end - median end over the members, by rank.
using Differences = std::vector<std::vector<Ns>>;

void add_differences(const TraceView& view, const CallQueue& queue, Differences& out) {
  std::vector<Ns> ends_ns(queue.members.size());
  for (std::size_t call = 0; call < queue.calls[0].size(); ++call) {
    for (std::size_t i = 0; i < ends_ns.size(); ++i) {
      ends_ns[i] = view.interval(queue.calls[i][call]).end_ns;
    }
    const Ns median_ns = lower_median(ends_ns);
    for (std::size_t i = 0; i < ends_ns.size(); ++i) {
      out[queue.members[i]].push_back(ends_ns[i] - median_ns);
    }
  }
}

}  // namespace

ClockOffsets clock_offsets(const TraceView& view, const CallQueues& queues,
                           std::size_t rank_count) {
  assert(!queues.ranks.empty());
  Differences differences(rank_count);
  for (const bool whole : {true, false}) {
    for (const CallQueue& queue : queues.queues) {
      const bool over_all = queue.members.size() == queues.ranks.size();
      if (over_all == whole && pairs_up(queue)) add_differences(view, queue, differences);
    }
    if (differences[queues.ranks[0]].size() >= kFewestCalls) break;
  }

  ClockOffsets out{std::vector<Ns>(rank_count), std::vector<Ns>(rank_count), {}};
  for (std::size_t rank = 0; rank < rank_count; ++rank) {
    std::vector<Ns>& of_rank = differences[rank];
    if (of_rank.size() < kFewestCalls) continue;
    const Ns offset_ns = lower_median(of_rank);
    for (Ns& difference_ns : of_rank) difference_ns = std::abs(difference_ns - offset_ns);
    out.mad_ns = std::max(out.mad_ns.value_or(0), lower_median(std::move(of_rank)));
    out.measured_ns[rank] = offset_ns;
  }
  for (std::size_t rank = 0; rank < rank_count; ++rank) {
    const Ns size_ns = std::abs(out.measured_ns[rank]);
    // size > 3 mad, without overflow.
    const bool applied = size_ns > kSmallestOffsetNs && out.mad_ns.value_or(0) <= (size_ns - 1) / 3;
    if (applied) out.applied_ns[rank] = out.measured_ns[rank];
  }
  return out;
}

bool times_compare(const TraceView& view, const CallQueues& queues) {
  for (const CallQueue& queue : queues.queues) {
    for (const std::vector<EventIndex>& calls : queue.calls) {
      for (const EventIndex call : calls) {
        if (view.interval(call).end_ns - view.trace.summary.origin_ns > kFarthestNs) return false;
      }
    }
  }
  return true;
}

}  // namespace stepscope::analysis
