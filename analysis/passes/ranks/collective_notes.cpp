#include "analysis/passes/ranks/collective_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/figures.h"

namespace stepscope::analysis {
namespace {

constexpr Ns kMillisecond = 1'000'000;

std::string time_text(Ns ns) {
  return std::abs(ns) < kMillisecond ? format_us(ns) + " µs" : format_ms(ns) + " ms";
}

// The rank whose clock is farthest off.
std::size_t farthest(const std::vector<Ns>& offsets_ns) {
  const auto most = std::ranges::max_element(offsets_ns, {}, [](Ns ns) { return std::abs(ns); });
  return static_cast<std::size_t>(most - offsets_ns.begin());
}

std::string about_world(const Collectives& figures) {
  if (!figures.world_size) {
    return "the trace does not say how many ranks there are: wait is a lower bound if some are "
           "missing";
  }
  if (figures.ranks < *figures.world_size) {
    return fmt::format("{} of {} ranks are compared: wait is a lower bound", figures.ranks,
                       *figures.world_size);
  }
  if (figures.ranks > *figures.world_size) {
    return fmt::format("{} ranks are compared, though the trace says that there are {}",
                       figures.ranks, *figures.world_size);
  }
  return "";
}

std::string about_silent(std::span<const RankStep> ranks, const CallQueues& queues) {
  std::vector<std::string> silent;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!std::ranges::binary_search(queues.ranks, rank)) silent.push_back(rank_name(ranks[rank]));
  }
  if (silent.empty()) return "";
  return fmt::format("no communication in this step on {}: left out of the comparison",
                     fmt::join(silent, ", "));
}

// Why no call matched.
std::string about_failure(std::span<const RankStep> ranks, const ClockOffsets& offsets) {
  const std::string_view told = "wait and transfer are not told";
  if (offsets.measured_ns.empty()) {
    return fmt::format("the clocks of the ranks can not be aligned: decades lie between them; {}",
                       told);
  }
  if (!offsets.mad_ns) {
    return fmt::format(
        "no call shares an instant on all its ranks, and fewer than 3 calls pair up to align the "
        "clocks by; {}",
        told);
  }
  const std::size_t far = farthest(offsets.measured_ns);
  return fmt::format(
      "the clocks of the ranks can not be aligned: no call shares an instant on all its ranks "
      "(largest offset {} on {}, median absolute deviation {}); {}",
      time_text(offsets.measured_ns[far]), rank_name(ranks[far]), time_text(*offsets.mad_ns), told);
}

std::vector<std::string> about_clocks(std::span<const RankStep> ranks,
                                      const ClockOffsets& offsets) {
  std::vector<std::string> notes;
  if (!offsets.mad_ns) return notes;
  const std::size_t far = farthest(offsets.applied_ns);
  if (offsets.applied_ns[far] != 0) {
    notes.push_back(fmt::format(
        "clock offsets are taken off: up to {} on {}; the largest median absolute deviation is {}",
        time_text(offsets.applied_ns[far]), rank_name(ranks[far]), time_text(*offsets.mad_ns)));
  }
  std::vector<Ns> left_ns = offsets.measured_ns;
  for (std::size_t rank = 0; rank < left_ns.size(); ++rank) {
    left_ns[rank] -= offsets.applied_ns[rank];
  }
  const std::size_t left = farthest(left_ns);
  if (std::abs(left_ns[left]) > kSmallestOffsetNs) {
    notes.push_back(fmt::format(
        "the clock of {} seems {} off, but the calls differ by {} (median absolute deviation): not "
        "corrected",
        rank_name(ranks[left]), time_text(left_ns[left]), time_text(*offsets.mad_ns)));
  }
  return notes;
}

// Of all calls, relative to the first of the rank: the file's base may add nanoseconds to each.
bool whole_microseconds(const TraceView& view, std::span<const RankStep> ranks,
                        const CallQueues& queues) {
  std::vector<std::optional<Ns>> first_ns(ranks.size());
  for (const CallQueue& queue : queues.queues) {
    for (std::size_t m = 0; m < queue.members.size(); ++m) {
      for (const EventIndex event : queue.calls[m]) {
        const DeviceEvent& call = view.event(event);
        std::optional<Ns>& first = first_ns[queue.members[m]];
        if (!first) first = call.start_ns;
        if (call.dur_ns % 1000 != 0 || (call.start_ns - *first) % 1000 != 0) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> collective_notes(const TraceView& view, std::span<const RankStep> ranks,
                                          const CallQueues& queues, const ClockOffsets& offsets,
                                          const Collectives& figures) {
  std::vector<std::string> notes;
  if (figures.ranks == 1) notes.emplace_back("waiting and transfer cannot be told from one rank");
  if (std::string silent = about_silent(ranks, queues); !silent.empty()) {
    notes.push_back(std::move(silent));
  }
  if (figures.ranks == 1) return notes;
  if (figures.matched == 0) {
    notes.push_back(about_failure(ranks, offsets));
    return notes;
  }
  if (std::string world = about_world(figures); !world.empty()) notes.push_back(std::move(world));
  for (std::string& note : about_clocks(ranks, offsets)) notes.push_back(std::move(note));
  if (figures.unmatched > 0) {
    notes.push_back(fmt::format("{} {} no partner on all the ranks of its communicator",
                                figures.unmatched,
                                figures.unmatched == 1 ? "call has" : "calls have"));
  }
  if (whole_microseconds(view, ranks, queues)) {
    notes.emplace_back("times are whole microseconds: each wait and transfer is ±1 µs");
  }
  return notes;
}

}  // namespace stepscope::analysis
