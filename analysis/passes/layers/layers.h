#pragma once
// R12: the layers of a step, from its kernels alone: one for each attention group of the stream
// that has most of them. Owns positions only, which are indices into the events it was given.

#include <algorithm>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "analysis/passes/accounting/device_table.h"

namespace stepscope::analysis {

struct LayerMap {
  StreamIndex stream = 0;
  std::vector<std::uint32_t> sequence;  // positions of the layer stream's events, in start order
  // Layer k is [bounds[k], bounds[k + 1]) of the sequence; one more than there are layers.
  std::vector<std::size_t> bounds;
  std::vector<std::size_t>
      attention;  // of each layer, where its attention group begins in sequence
  std::vector<std::vector<std::uint32_t>> side;  // of each layer, positions on other streams
  std::vector<Ns> start_ns;                      // of each layer, absolute
  Ns end_ns = 0;                                 // of the last layer, absolute
  struct Kind {
    bool moe = false;                  // MoE kernels on any stream
    std::vector<std::size_t> members;  // layers, rising
  };
  std::vector<Kind> kinds;           // by first member
  std::vector<std::size_t> kind_of;  // by layer
  // Parallel to the events: the layer, or kBefore, or kAfter.
  static constexpr int kBefore = -1;
  static constexpr int kAfter = -2;
  std::vector<int> layer_of;

  std::size_t count() const { return start_ns.size(); }
  // Start to next start; the last one to end_ns. Clipped to the window; layers do not overlap and
  // leave nothing out between them.
  Interval interval(std::size_t layer, const Interval& window) const {
    const Ns next_ns = layer + 1 < count() ? start_ns[layer + 1] : end_ns;
    const Ns from_ns = std::clamp(start_ns[layer], window.start_ns, window.end_ns);
    return {from_ns, std::clamp(next_ns, from_ns, window.end_ns)};
  }
};

// `events` touch `window`, in start order. Error: why there are no layers, as a sentence without
// its full stop ("fewer than 3 attention groups", "backward kernels: a training step", ...).
std::expected<LayerMap, std::string> find_layers(const TraceView& view,
                                                 std::span<const EventIndex> events,
                                                 const Interval& window, StreamIndex primary);

// What a layer's sequence is compared by, in words (layer_tokens.h). Lives as long as the view.
std::string_view layer_token(const TraceView& view, EventIndex event);

}  // namespace stepscope::analysis
