#include "analysis/passes/ranks/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/lower_median.h"
#include "analysis/passes/ranks/collective_calls.h"
#include "analysis/passes/ranks/collective_match.h"
#include "analysis/passes/ranks/collective_notes.h"

namespace stepscope::analysis {
namespace {

// A match before it is told in words.
struct Match {
  Ns first_ns = 0;  // first arrival, common clock
  std::size_t queue = 0;
  std::span<const EventIndex> events;  // by member
};

class Assembly {
 public:
  Assembly(const TraceView& view, std::span<const RankStep> ranks, std::size_t shown,
           const CallQueues& queues, const ClockOffsets& offsets)
      : view_(view),
        ranks_(ranks),
        shown_(shown),
        shown_offset_ns_(offsets.applied_ns[shown]),
        queues_(queues),
        offsets_(offsets),
        clock_{view, offsets.applied_ns},
        by_rank_(ranks.size()) {}

  void fill(CollectiveMatch& out) {
    std::vector<MatchedCalls> matched;
    matched.reserve(queues_.queues.size());
    for (const CallQueue& queue : queues_.queues) {
      matched.push_back(match_calls(clock_, queue));
      out.figures.unmatched += matched.back().unmatched;
    }
    for (const Match& match : in_time_order(matched)) add(match, out);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::vector<EventWait>& waits = out.waits[rank];
      if (waits.empty()) continue;
      std::sort(waits.begin(), waits.end(),
                [](const EventWait& a, const EventWait& b) { return a.event < b.event; });
      by_rank_[rank].rank = ranks_[rank].rank;
      by_rank_[rank].label = ranks_[rank].label;
      by_rank_[rank].clock_offset_ns = offsets_.applied_ns[rank];
      out.figures.by_rank.push_back(std::move(by_rank_[rank]));
    }
  }

 private:
  std::vector<Match> in_time_order(const std::vector<MatchedCalls>& matched) const {
    std::vector<Match> matches;
    for (std::size_t i = 0; i < matched.size(); ++i) {
      const std::vector<std::size_t>& members = queues_.queues[i].members;
      const std::span<const EventIndex> events(matched[i].events);
      for (std::size_t at = 0; at < events.size(); at += members.size()) {
        Match match{clock_.start_ns(events[at], members[0]), i, events.subspan(at, members.size())};
        for (std::size_t m = 1; m < members.size(); ++m) {
          match.first_ns = std::min(match.first_ns, clock_.start_ns(match.events[m], members[m]));
        }
        matches.push_back(match);
      }
    }
    std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
      return std::tuple(a.first_ns, a.queue, a.events.data()) <
             std::tuple(b.first_ns, b.queue, b.events.data());
    });
    return matches;
  }

  void add(const Match& match, CollectiveMatch& out) {
    const CallQueue& queue = queues_.queues[match.queue];
    std::size_t late = queue.members[0];
    Ns last_ns = clock_.start_ns(match.events[0], late);
    Ns first_end_ns = clock_.end_ns(match.events[0], late);
    Ns last_end_ns = first_end_ns;
    for (std::size_t m = 1; m < queue.members.size(); ++m) {
      const std::size_t rank = queue.members[m];
      const Ns start_ns = clock_.start_ns(match.events[m], rank);
      if (start_ns > last_ns) late = rank;
      last_ns = std::max(last_ns, start_ns);
      first_end_ns = std::min(first_end_ns, clock_.end_ns(match.events[m], rank));
      last_end_ns = std::max(last_end_ns, clock_.end_ns(match.events[m], rank));
    }
    for (std::size_t m = 0; m < queue.members.size(); ++m) {
      add_wait(queue.members[m], match.events[m], last_ns, out);
    }
    ++by_rank_[late].late_calls;

    CollectiveCall call;
    call.kind = queue.kind;
    call.group = queue.group;
    call.name = view_.trace.names[view_.event(match.events[0]).name];
    call.start_ns = match.first_ns + shown_offset_ns_;
    call.last_arrival_ns = last_ns + shown_offset_ns_;
    call.max_wait_ns = last_ns - match.first_ns;
    call.shortest_ns = first_end_ns - last_ns;
    call.release_spread_ns = last_end_ns - first_end_ns;
    call.late_rank = ranks_[late].rank;
    call.late_label = ranks_[late].label;
    for (std::size_t m = 0; m < queue.members.size(); ++m) {
      if (queue.members[m] != shown_) continue;
      call.shown_wait_ns = last_ns - clock_.start_ns(match.events[m], shown_);
      call.shown_transfer_ns = clock_.end_ns(match.events[m], shown_) - last_ns;
    }
    call.bytes = message_bytes(view_.trace.kernel_args[view_.event(match.events[0]).args]);
    Collectives& figures = out.figures;
    ++figures.matched;
    figures.largest_wait_ns = std::max(figures.largest_wait_ns, call.max_wait_ns);
    figures.largest_release_spread_ns =
        std::max(figures.largest_release_spread_ns, call.release_spread_ns);
    figures.calls.push_back(std::move(call));
  }

  void add_wait(std::size_t rank, EventIndex event, Ns last_ns, CollectiveMatch& out) {
    const Ns wait_ns = last_ns - clock_.start_ns(event, rank);
    const Ns transfer_ns = clock_.end_ns(event, rank) - last_ns;
    by_rank_[rank].wait_ns += wait_ns;
    by_rank_[rank].transfer_ns += transfer_ns;
    out.waits[rank].push_back({event, view_.event(event).start_ns + wait_ns, wait_ns, transfer_ns});
  }

  const TraceView& view_;
  std::span<const RankStep> ranks_;
  std::size_t shown_;
  Ns shown_offset_ns_;
  const CallQueues& queues_;
  const ClockOffsets& offsets_;
  CommonClock clock_;
  std::vector<CollectiveRank> by_rank_;  // parallel to the ranks
};

std::int64_t count_calls(const CallQueues& queues) {
  std::size_t count = 0;
  for (const CallQueue& queue : queues.queues) {
    for (const std::vector<EventIndex>& calls : queue.calls) count += calls.size();
  }
  return static_cast<std::int64_t>(count);
}

// Calls of the shown rank that last more than 10 times the median of their communicator and kind.
std::vector<LongCall> long_calls(const TraceView& view, const RankStep& shown) {
  std::vector<LongCall> found;
  std::vector<std::pair<EventIndex, Ns>> events;  // and the median
  const CallQueues queues = queue_calls(view, std::span(&shown, 1));
  for (const CallQueue& queue : queues.queues) {
    if (queue.calls[0].size() < 2) continue;
    std::vector<Ns> durations_ns;
    for (const EventIndex call : queue.calls[0]) durations_ns.push_back(view.event(call).dur_ns);
    const Ns median_ns = lower_median(std::move(durations_ns));
    for (const EventIndex call : queue.calls[0]) {
      const Ns dur_ns = view.event(call).dur_ns;
      if (dur_ns > 0 && median_ns <= (dur_ns - 1) / 10) events.emplace_back(call, median_ns);
    }
  }
  std::sort(events.begin(), events.end());
  for (const auto& [event, median_ns] : events) {
    const DeviceEvent& call = view.event(event);
    found.push_back({.name = view.trace.names[call.name],
                     .stream = shown.device->streams[view.stream(event)],
                     .start_ns = call.start_ns - shown.step->cut.window.start_ns,
                     .dur_ns = call.dur_ns,
                     .kind_median_ns = median_ns});
  }
  return found;
}

}  // namespace

std::string rank_name(const RankStep& rank) {
  if (!rank.label.empty()) return rank.label;
  return rank.rank ? fmt::format("rank {}", *rank.rank) : "the rank without a number";
}

std::optional<CollectiveMatch> match_collectives(const TraceView& view,
                                                 std::span<const RankStep> ranks, std::size_t shown,
                                                 std::optional<int> world_size) {
  const CallQueues queues = queue_calls(view, ranks);
  if (queues.ranks.empty()) return {};
  CollectiveMatch out;
  out.waits.resize(ranks.size());
  Collectives& figures = out.figures;
  figures.ranks = static_cast<int>(queues.ranks.size());
  figures.world_size = world_size;
  figures.complete = world_size == figures.ranks;

  ClockOffsets offsets;
  if (queues.ranks.size() > 1 && times_compare(view, queues)) {
    offsets = clock_offsets(view, queues, ranks.size());
    figures.release_mad_ns = offsets.mad_ns;
    Assembly(view, ranks, shown, queues, offsets).fill(out);
  } else if (queues.ranks.size() > 1) {
    figures.unmatched = count_calls(queues);
  }
  if (figures.matched == 0) figures.long_calls = long_calls(view, ranks[shown]);
  figures.notes = collective_notes(view, ranks, queues, offsets, figures);
  return out;
}

}  // namespace stepscope::analysis
