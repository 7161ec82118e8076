#include "analysis/passes/ranks/collective_match.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace stepscope::analysis {
namespace {

// The next call of each member. Ends are kept as a heap, so that the calls that ended too early are
// found without looking at every member again.
class Fronts {
 public:
  Fronts(const CommonClock& clock, const CallQueue& queue)
      : clock_(clock), queue_(queue), next_(queue.members.size()) {
    ends_.reserve(next_.size());
  }

  // Moves on to the next calls that share an instant; false when a member has no more.
  bool find() {
    ends_.clear();
    for (std::size_t member = 0; member < next_.size(); ++member) {
      if (!look_at(member)) return false;
    }
    std::make_heap(ends_.begin(), ends_.end(), later_);
    while (ends_.front().first < last_arrival_ns_) {
      std::pop_heap(ends_.begin(), ends_.end(), later_);
      const std::size_t member = ends_.back().second;
      ends_.pop_back();
      ++next_[member];
      if (!look_at(member)) return false;
      std::push_heap(ends_.begin(), ends_.end(), later_);
    }
    return true;
  }

  void take(std::vector<EventIndex>& out) {
    for (std::size_t member = 0; member < next_.size(); ++member) {
      out.push_back(queue_.calls[member][next_[member]++]);
    }
  }

 private:
  using End = std::pair<Ns, std::size_t>;  // and the member

  bool look_at(std::size_t member) {
    if (next_[member] == queue_.calls[member].size()) return false;
    const EventIndex call = queue_.calls[member][next_[member]];
    const std::size_t rank = queue_.members[member];
    // A member's calls start one after another, so the last arrival of the fronts never falls.
    last_arrival_ns_ = std::max(last_arrival_ns_, clock_.start_ns(call, rank));
    ends_.emplace_back(clock_.end_ns(call, rank), member);
    return true;
  }

  const CommonClock& clock_;
  const CallQueue& queue_;
  std::vector<std::size_t> next_;  // by member
  std::vector<End> ends_;
  std::greater<End> later_;
  Ns last_arrival_ns_ = std::numeric_limits<Ns>::min();
};

}  // namespace

MatchedCalls match_calls(const CommonClock& clock, const CallQueue& queue) {
  MatchedCalls matched;
  for (const auto& calls : queue.calls)
    matched.unmatched += static_cast<std::int64_t>(calls.size());
  if (queue.members.size() < 2) return matched;
  Fronts fronts(clock, queue);
  while (fronts.find()) fronts.take(matched.events);
  matched.unmatched -= static_cast<std::int64_t>(matched.events.size());
  return matched;
}

}  // namespace stepscope::analysis
