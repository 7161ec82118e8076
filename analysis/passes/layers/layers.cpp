#include "analysis/passes/layers/layers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "analysis/lower_median.h"
#include "analysis/passes/layers/layer_starts.h"
#include "analysis/passes/steps/attention_groups.h"
#include "analysis/passes/steps/layer_tokens.h"

namespace stepscope::analysis {
namespace {

using Events = std::span<const EventIndex>;

bool is_backward(std::string_view name) {
  static constexpr auto kWords =
      std::to_array<std::string_view>({"bwd", "backward", "dgrad", "wgrad"});
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return std::search(name.begin(), name.end(), word.begin(), word.end(), same) != name.end();
  });
}

bool has_backward(const TraceView& view, Events events) {
  std::unordered_set<NameId> seen;
  return std::any_of(events.begin(), events.end(), [&](EventIndex event) {
    const NameId name = view.event(event).name;
    return seen.insert(name).second && is_backward(view.trace.names[name]);
  });
}

// The stream with most attention groups; of equals the primary one, then the last.
std::optional<StreamIndex> layer_stream(const TraceView& view, Events events,
                                        std::span<const LayerToken> tokens, StreamIndex primary) {
  std::map<StreamIndex, GroupCounter> counters;
  for (std::size_t at = 0; at < events.size(); ++at) {
    counters[view.stream(events[at])].begins(tokens[at]);
  }
  std::optional<StreamIndex> best;
  for (const auto& [stream, counter] : counters) {
    if (counter.groups() < kWholeStepGroups) continue;
    const std::size_t most = best ? counters.at(*best).groups() : 0;
    if (counter.groups() > most || (counter.groups() == most && best != primary)) best = stream;
  }
  return best;
}

// Layers of up to twice the median size are regular; they hold half of the stream's kernels.
bool are_regular(std::span<const std::size_t> bounds, std::size_t in_stream) {
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) sizes.push_back(bounds[k + 1] - bounds[k]);
  const std::size_t median = lower_median(sizes);
  std::size_t regular = 0;
  for (const std::size_t size : sizes) regular += size <= 2 * median ? size : 0;
  return 2 * regular >= in_stream;
}

class MapBuilder {
 public:
  MapBuilder(const TraceView& view, Events events, std::vector<LayerToken> tokens)
      : view_(view), events_(events), tokens_(std::move(tokens)) {}

  std::expected<LayerMap, std::string> build(StreamIndex stream) {
    map_.stream = stream;
    cut();
    if (!are_regular(map_.bounds, map_.sequence.size())) {
      return std::unexpected(
          "what repeats with attention is irregular: less than half of the stream's kernels");
    }
    set_times();
    hand_out();
    set_end();
    find_kinds();
    return std::move(map_);
  }

 private:
  void cut() {
    std::vector<LayerKernel> kernels;
    GroupCounter counter;
    for (std::uint32_t at = 0; at < events_.size(); ++at) {
      if (view_.stream(events_[at]) != map_.stream) continue;
      if (counter.begins(tokens_[at])) map_.attention.push_back(kernels.size());
      kernels.push_back({tokens_[at], view_.event(events_[at]).name});
      map_.sequence.push_back(at);
    }
    map_.bounds = layer_bounds(kernels, map_.attention);
  }

  const DeviceEvent& event(std::uint32_t at) const { return view_.event(events_[at]); }

  void set_times() {
    for (std::size_t k = 0; k < map_.attention.size(); ++k) {
      map_.start_ns.push_back(event(map_.sequence[map_.bounds[k]]).start_ns);
    }
    const std::size_t end = map_.bounds.back();
    if (end < map_.sequence.size()) {
      limit_ns_ = event(map_.sequence[end]).start_ns;
      return;
    }
    limit_ns_ = map_.start_ns.front();
    for (const EventIndex index : events_) {
      limit_ns_ = std::max(limit_ns_, view_.interval(index).end_ns);
    }
  }

  void hand_out() {
    map_.layer_of.assign(events_.size(), LayerMap::kBefore);
    map_.side.resize(map_.start_ns.size());
    std::size_t begun = 0;  // layers that have started, by time
    for (std::uint32_t at = 0; at < events_.size(); ++at) {
      if (view_.stream(events_[at]) == map_.stream) continue;
      const Ns start_ns = event(at).start_ns;
      while (begun < map_.start_ns.size() && map_.start_ns[begun] <= start_ns) ++begun;
      if (begun == 0) continue;
      if (start_ns >= limit_ns_) {
        map_.layer_of[at] = LayerMap::kAfter;
        continue;
      }
      map_.layer_of[at] = static_cast<int>(begun) - 1;
      map_.side[begun - 1].push_back(at);
    }
    for (std::size_t k = 0; k + 1 < map_.bounds.size(); ++k) {
      for (std::size_t i = map_.bounds[k]; i < map_.bounds[k + 1]; ++i) {
        map_.layer_of[map_.sequence[i]] = static_cast<int>(k);
      }
    }
    for (std::size_t i = map_.bounds.back(); i < map_.sequence.size(); ++i) {
      map_.layer_of[map_.sequence[i]] = LayerMap::kAfter;
    }
  }

  void set_end() {
    const std::size_t last = map_.count() - 1;
    Ns end_ns = map_.start_ns[last];
    for (std::size_t i = map_.bounds[last]; i < map_.bounds[last + 1]; ++i) {
      end_ns = std::max(end_ns, view_.interval(events_[map_.sequence[i]]).end_ns);
    }
    for (const std::uint32_t at : map_.side[last]) {
      end_ns = std::max(end_ns, view_.interval(events_[at]).end_ns);
    }
    map_.end_ns = std::min(end_ns, limit_ns_);
  }

  void find_kinds() {
    std::map<std::pair<std::vector<LayerToken>, bool>, std::size_t> known;
    for (std::size_t k = 0; k < map_.count(); ++k) {
      std::vector<LayerToken> tokens;
      for (std::size_t i = map_.bounds[k]; i < map_.bounds[k + 1]; ++i) {
        tokens.push_back(tokens_[map_.sequence[i]]);
      }
      const bool moe = std::any_of(tokens.begin(), tokens.end(), is_moe_token) ||
                       std::any_of(map_.side[k].begin(), map_.side[k].end(),
                                   [&](std::uint32_t at) { return is_moe_token(tokens_[at]); });
      const auto [found, added] = known.try_emplace({std::move(tokens), moe}, map_.kinds.size());
      if (added) map_.kinds.push_back({.moe = moe, .members = {}});
      map_.kinds[found->second].members.push_back(k);
      map_.kind_of.push_back(found->second);
    }
  }

  const TraceView& view_;
  Events events_;
  std::vector<LayerToken> tokens_;  // parallel to the events
  Ns limit_ns_ = 0;  // the last layer's events start before it: the next event of its stream
  LayerMap map_;
};

}  // namespace

std::expected<LayerMap, std::string> find_layers(const TraceView& view,
                                                 std::span<const EventIndex> events,
                                                 const Interval& /*window*/, StreamIndex primary) {
  if (has_backward(view, events)) return std::unexpected("backward kernels: a training step");
  std::vector<LayerToken> tokens;
  tokens.reserve(events.size());
  for (const EventIndex event : events) tokens.push_back(layer_token_of(view, event));
  const std::optional<StreamIndex> stream = layer_stream(view, events, tokens, primary);
  if (!stream) return std::unexpected("fewer than 3 attention groups on every stream");
  return MapBuilder(view, events, std::move(tokens)).build(*stream);
}

std::string_view layer_token(const TraceView& view, EventIndex event) {
  return layer_token_text(view, layer_token_of(view, event));
}

}  // namespace stepscope::analysis
