#pragma once
// R10: the communication calls of each rank in queues, one for each communicator and kind; calls of
// one queue match in order. Holds indices only.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/passes/ranks/collectives.h"

namespace stepscope::analysis {

struct CallQueue {
  std::string group;                           // "group 0", or "stream 84"
  std::string kind;                            // see collective_kind
  std::vector<std::size_t> members;            // into the ranks, rising: who has to take part
  std::vector<std::vector<EventIndex>> calls;  // parallel to the members, in start order
};

struct CallQueues {
  std::vector<std::size_t> ranks;  // into the ranks, rising: those that have calls
  std::vector<CallQueue> queues;   // by first rank, then first call
};

// A communicator is the process group where the arguments name one, else the place of the stream
// among those that carry calls on its rank. All ranks with calls are its members; of a process
// group that lists its ranks only those, as long as no other rank takes part.
CallQueues queue_calls(const TraceView& view, std::span<const RankStep> ranks);

// What the arguments say, else a word of the name (AllReduce, SendRecv, ...), else the whole name.
std::string collective_kind(const KernelArgs& args, std::string_view name);

// The larger of the message in and out; absent where count or type of the elements is not known.
std::optional<std::int64_t> message_bytes(const KernelArgs& args);

// The numbers in "[0, 1, 2, 3]"; empty when it holds anything else (long lists are cut by "...").
std::vector<int> listed_ranks(std::string_view text);

}  // namespace stepscope::analysis
