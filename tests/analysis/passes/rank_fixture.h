#pragma once
// A trace of several ranks made in memory, with the built-in categories; all events of a device are
// one step. Owns all of it; not movable, because the view points into it.

#include <string>
#include <vector>

#include "analysis/passes/ranks/collectives.h"
#include "tests/support/trace_maker.h"

namespace stepscope::tests {

struct RankFixture {
  explicit RankFixture(const TraceMaker& maker)
      : trace(maker.build()),
        classes(trace, [](std::string_view name) { return classifier().classify(name); }),
        table(analysis::devices_of(trace)),
        view{trace, classes, table} {
    for (const analysis::Device& device : table.devices) {
      analysis::StepSet set;
      set.steps.push_back({.label = "file", .events = device.events});
      steps.push_back(analysis::measure_steps(view, device, set));
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const analysis::Device& device = table.devices[i];
      ranks.push_back({device.rank, trace.scopes[device.scope].label, &device, &steps[i].front()});
    }
  }
  RankFixture(const RankFixture&) = delete;
  RankFixture& operator=(const RankFixture&) = delete;

  std::optional<analysis::CollectiveMatch> match(std::size_t shown = 0) const {
    return analysis::match_collectives(view, ranks, shown, static_cast<int>(ranks.size()));
  }

  static const analysis::KernelClassifier& classifier() {
    static const auto made = analysis::KernelClassifier::create("");
    return *made;
  }

  analysis::Trace trace;
  analysis::EventClasses classes;
  analysis::DeviceTable table;
  analysis::TraceView view;
  std::vector<std::vector<analysis::MeasuredStep>> steps;  // by device
  std::vector<analysis::RankStep> ranks;
};

// Scopes of ranks 0, 1, ... in a TraceMaker, each with calls on stream 7 unless told otherwise.
class RankMaker {
 public:
  explicit RankMaker(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      scopes_.push_back(maker.scope(rank, "rank" + std::to_string(rank) + ".json"));
    }
  }

  // A kernel from start to end.
  RankMaker& call(int rank, analysis::Ns start_ns, analysis::Ns end_ns,
                  const std::string& name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
                  const std::string& stream = "7", const analysis::KernelArgs& args = {}) {
    analysis::KernelArgs copy = args;
    maker.add({.name = name,
               .start_ns = start_ns,
               .dur_ns = end_ns - start_ns,
               .stream = stream,
               .scope = scopes_.at(static_cast<std::size_t>(rank)),
               .args = std::move(copy)});
    return *this;
  }

  TraceMaker maker;

 private:
  std::vector<analysis::ScopeId> scopes_;
};

}  // namespace stepscope::tests
