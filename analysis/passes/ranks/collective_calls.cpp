#include "analysis/passes/ranks/collective_calls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/passes/accounting/row_index.h"

namespace stepscope::analysis {
namespace {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

// Communicator and kind: process group and its ranks, or place of the stream; then the kind.
using QueueKey = std::tuple<std::string, std::string, std::uint32_t, std::string>;

// The places of a rank's streams among those that carry calls, in the order of their first call.
class StreamPlaces {
 public:
  explicit StreamPlaces(std::size_t streams) : place_of_(streams, kNoPlace) {}

  std::uint32_t of(StreamIndex stream) {
    if (place_of_[stream] == kNoPlace) place_of_[stream] = count_++;
    return place_of_[stream];
  }

 private:
  std::vector<std::uint32_t> place_of_;
  std::uint32_t count_ = 0;
};

class Sorter {
 public:
  Sorter(const TraceView& view, std::span<const RankStep> ranks) : view_(view), ranks_(ranks) {}

  CallQueues sort() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) add_rank(i);
    for (Draft& draft : drafts_) {
      choose_members(draft);
      out_.queues.push_back(std::move(draft.queue));
    }
    return std::move(out_);
  }

 private:
  struct Draft {
    CallQueue queue;
    std::vector<int> listed;  // ranks that the process group names
  };

  void add_rank(std::size_t rank) {
    const RankStep& step = ranks_[rank];
    StreamPlaces places(step.device->streams.size());
    RowIndex names;  // calls of one stream, name and arguments go to one queue
    RowIndex sorts;
    std::vector<std::size_t> queue_of;  // by sort
    bool any = false;
    for (const EventIndex event : step.step->events) {
      if (view_.category(event).device_class != DeviceClass::comm) continue;
      any = true;
      const StreamIndex stream = view_.stream(event);
      const std::uint32_t place = places.of(stream);
      const DeviceEvent& call = view_.event(event);
      const std::uint32_t sort = sorts.of(names.of(stream, call.name), call.args);
      if (sort == queue_of.size()) queue_of.push_back(queue_for(*step.device, event, place));
      add_call(drafts_[queue_of[sort]].queue, rank, event);
    }
    if (any) out_.ranks.push_back(rank);
  }

  std::size_t queue_for(const Device& device, EventIndex event, std::uint32_t place) {
    const KernelArgs& args = view_.trace.kernel_args[view_.event(event).args];
    std::string kind = collective_kind(args, view_.trace.names[view_.event(event).name]);
    const bool named = !args.group.empty();
    QueueKey key{args.group, named ? args.group_ranks : "", named ? kNoPlace : place, kind};
    const auto [found, added] = queue_of_key_.try_emplace(std::move(key), drafts_.size());
    if (!added) return found->second;
    Draft draft;
    draft.queue.group =
        named ? "group " + args.group : "stream " + device.streams[view_.stream(event)];
    draft.queue.kind = std::move(kind);
    if (named) draft.listed = listed_ranks(args.group_ranks);
    drafts_.push_back(std::move(draft));
    return found->second;
  }

  // Ranks come one after another, so a queue's last member is the only one that can be this rank.
  static void add_call(CallQueue& queue, std::size_t rank, EventIndex event) {
    if (queue.members.empty() || queue.members.back() != rank) {
      queue.members.push_back(rank);
      queue.calls.emplace_back();
    }
    queue.calls.back().push_back(event);
  }

  bool is_listed(const std::vector<int>& listed, std::size_t rank) const {
    const std::optional<int>& number = ranks_[rank].rank;
    return number && std::binary_search(listed.begin(), listed.end(), *number);
  }

  // Until here the members are the ranks that have a call. A rank that should have some and has
  // none is a member as well: nothing matches without it.
  void choose_members(Draft& draft) const {
    CallQueue& queue = draft.queue;
    std::sort(draft.listed.begin(), draft.listed.end());
    // Ranks of file names or labels need not be those that the group means: then the list is not
    // taken.
    const bool trusted = std::all_of(queue.members.begin(), queue.members.end(),
                                     [&](std::size_t r) { return is_listed(draft.listed, r); });
    CallQueue whole{queue.group, queue.kind, {}, {}};
    std::size_t have = 0;
    for (const std::size_t rank : out_.ranks) {
      const bool has = have < queue.members.size() && queue.members[have] == rank;
      if (!has && trusted && !is_listed(draft.listed, rank)) continue;
      whole.members.push_back(rank);
      whole.calls.push_back(has ? std::move(queue.calls[have++]) : std::vector<EventIndex>{});
    }
    queue = std::move(whole);
  }

  const TraceView& view_;
  std::span<const RankStep> ranks_;
  CallQueues out_;
  std::vector<Draft> drafts_;
  std::map<QueueKey, std::size_t> queue_of_key_;
};

struct ElementType {
  std::string_view name;  // as PyTorch spells it
  int bytes;
};

constexpr std::array kElementTypes = {
    ElementType{"Byte", 1},
    ElementType{"Char", 1},
    ElementType{"Bool", 1},
    ElementType{"Float8_e4m3fn", 1},
    ElementType{"Float8_e5m2", 1},
    ElementType{"Float8_e4m3fnuz", 1},
    ElementType{"Float8_e5m2fnuz", 1},
    ElementType{"Float8_e8m0fnu", 1},
    ElementType{"UInt8", 1},
    ElementType{"Int8", 1},
    ElementType{"Short", 2},
    ElementType{"Half", 2},
    ElementType{"BFloat16", 2},
    ElementType{"UInt16", 2},
    ElementType{"Int", 4},
    ElementType{"Float", 4},
    ElementType{"UInt32", 4},
    ElementType{"ComplexHalf", 4},
    ElementType{"Long", 8},
    ElementType{"Double", 8},
    ElementType{"UInt64", 8},
    ElementType{"ComplexFloat", 8},
    ElementType{"ComplexDouble", 16},
};

}  // namespace

CallQueues queue_calls(const TraceView& view, std::span<const RankStep> ranks) {
  return Sorter(view, ranks).sort();
}

std::string collective_kind(const KernelArgs& args, std::string_view name) {
  if (!args.collective.empty()) return args.collective;
  static constexpr std::array<std::string_view, 8> kWords = {
      "AllReduce", "AllGather", "ReduceScatter", "SendRecv",
      "Broadcast", "AllToAll",  "AlltoAll",      "Reduce"};
  // The word that stands first; of those at one place the longest, because "Reduce" begins another.
  std::string_view kind;
  std::size_t first = std::string_view::npos;
  for (const std::string_view word : kWords) {
    const std::size_t at = name.find(word);
    if (at >= first) continue;
    first = at;
    kind = word;
  }
  return std::string(kind.empty() ? name : kind);
}

std::optional<std::int64_t> message_bytes(const KernelArgs& args) {
  const auto type = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                 [&](const ElementType& t) { return t.name == args.dtype; });
  const std::int64_t elements =
      std::max(args.in_elements.value_or(-1), args.out_elements.value_or(-1));
  if (type == kElementTypes.end() || elements < 0) return {};
  if (elements > std::numeric_limits<std::int64_t>::max() / type->bytes) return {};
  return elements * type->bytes;
}

std::vector<int> listed_ranks(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  std::vector<int> listed;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int rank = 0;
    const auto [next, fault] = std::from_chars(at, end, rank);
    if (fault != std::errc{} || rank < 0) return {};
    listed.push_back(rank);
    at = next;
  }
  return listed;
}

}  // namespace stepscope::analysis
