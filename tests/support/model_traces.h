#pragma once
// Traces of several steps of model shapes that serving frameworks run, made with jittered durations
// from a seed: what the structure passes must find is known from how they are made.

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::tests {

enum class ModelShape : std::uint8_t {
  dense,        // Qwen3 dense: 36 layers on one stream
  gpt_oss,      // MoE in every layer, one stream, no shared expert
  deepseek,     // 3 dense and 58 MoE layers, routed experts on a second stream
  hybrid,       // three linear-attention layers, then one with attention; MoE with a shared expert
  moe_primary,  // experts heavier than all else, on a stream of their own
  fused_norms,  // no norm kernels: they are fused into the all-reduces
};

struct ModelTraceOptions {
  ModelShape shape = ModelShape::dense;
  int steps = 3;
  bool markers = true;     // step[DECODE bs=4] around the launches of each step
  bool graph = true;       // one replay a step, else a launch for each kernel
  bool autotuned = false;  // GEMM names differ from layer to layer
  unsigned seed = 1;
};

std::string model_trace(const ModelTraceOptions& options);

// What model_trace() puts into each step.
struct ModelFacts {
  int layers = 0;
  std::vector<int> moe_layers;
};
ModelFacts facts_of(ModelShape shape);

}  // namespace stepscope::tests
