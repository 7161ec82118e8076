#pragma once
// A small DeepSeek-shaped step with hand-countable times: set-up, one collective, four layers of
// which the last two are MoE with the routed experts on stream 461, and the tail.

#include "tests/analysis/passes/role_scene.h"

namespace stepscope::tests {

// Durations on stream 39. Attention block: 4 + 20 + 10 + 10 + 3 + 3 + 30 + 10 + 2 + 20 (norm
// first), all-reduce 12, feed-forward part 2 + 20 + 5 + 2 + 20, all-reduce 12: 185 in all.
inline StepMaker deepseek_step() {
  using namespace kernel;
  StepMaker step;
  step.on("7").copy("Memcpy HtoD (Pinned -> Device)", 30).run(kElementwise, 70);
  step.on("39").join("7").run(kNcclAllReduce, 500);
  for (int layer = 0; layer < 4; ++layer) {
    step.on("39").run(kRmsNorm, 4).run(kFusedA, 20).run(kNvjet, 10).run(kNvjet, 10);
    step.run(kRopeQuantize, 3).run(kSetMlaKv, 3).run(kFmhaMla, 30).run(kNvjet, 10);
    step.run(kCvtFp4, 2).run(kCutlassFp4, 20).run(kLamport, 12);
    if (layer >= 2) {
      step.on("461").join("39").run(kRouterGemm, 4).run(kRouting, 3).run(kBlockQuantize, 2);
      step.run(kBmmUp, 10).run(kBmmDown, 10).run(kFinalize, 4);
    }
    step.on("39").run(kCvtFp4, 2).run(kCutlassFp4, 20).run(kSilu, 5).run(kCvtFp4, 2);
    step.run(kCutlassFp4, 20).run(kLamport, 12).idle(5);
  }
  step.run(kRmsNorm, 4).run(kElementwise, 1).run(kNvjetBig, 50);
  return step;
}

}  // namespace stepscope::tests
