#pragma once
// A small mixture-of-experts decoder that really computes, on this machine's CPU: six layers (two
// dense, four MoE with a router, a shared and eight routed experts), attention with a KV cache,
// RMSNorm. Routed experts run on a second thread beside the shared one. Random but fixed weights;
// no input, no network.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "workers/recipes/op_stream.h"

namespace stepscope::workers {

struct ToyShape {
  int layers = 6;
  int dense_layers = 2;
  int hidden = 128;
  int heads = 4;
  int dense_width = 512;
  int experts = 8;
  int experts_per_token = 2;
  int expert_width = 256;
  int vocabulary = 512;
};

// One row of a batch: a token of a sequence at a position.
struct ToyRow {
  int sequence = 0;
  int position = 0;
  int token = 0;
};

// Owns the weights, the KV cache and the two streams. Used by one host thread.
class ToyMoe {
 public:
  ToyMoe(ToyShape shape, int sequences, int positions_max);
  ~ToyMoe();

  // One forward pass: rows of all sequences, positions rising within each. Returns the next token
  // of each sequence that has rows, in order of sequence. The kernels of a pass over one row a
  // sequence carry decode names.
  std::vector<int> forward(std::span<const ToyRow> rows);

  // Everything timed since the last call, device operations in order of start.
  std::vector<TimedOp> take_ops();
  std::vector<TimedLaunch> take_launches();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace stepscope::workers
