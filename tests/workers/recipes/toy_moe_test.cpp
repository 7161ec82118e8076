#include "workers/recipes/toy_moe.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

using namespace stepscope::workers;

namespace {

const ToyShape kSmall{.layers = 3,
                      .dense_layers = 1,
                      .hidden = 16,
                      .heads = 2,
                      .dense_width = 32,
                      .experts = 4,
                      .experts_per_token = 2,
                      .expert_width = 8,
                      .vocabulary = 64};

std::vector<ToyRow> prompt(int sequences, const std::vector<int>& tokens) {
  std::vector<ToyRow> rows;
  for (int sequence = 0; sequence < sequences; ++sequence) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      rows.push_back({sequence, static_cast<int>(i), (tokens[i] + sequence) % 64});
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("decoding with the KV cache gives the tokens that a prefill of the whole text gives") {
  std::vector<int> text{5, 17, 3, 40};
  ToyMoe cached(kSmall, 1, 16);
  std::vector<int> next = cached.forward(prompt(1, text));
  for (int step = 0; step < 6; ++step) {
    ToyMoe fresh(kSmall, 1, 16);
    CHECK(fresh.forward(prompt(1, text)) == next);
    text.push_back(next.front());
    const ToyRow row{0, static_cast<int>(text.size()) - 1, text.back()};
    next = cached.forward(std::vector<ToyRow>{row});
  }
}

TEST_CASE("sequences of a batch do not see each other") {
  const std::vector<int> text{1, 2, 3};
  ToyMoe both(kSmall, 2, 8);
  const auto tokens = both.forward(prompt(2, text));
  REQUIRE(tokens.size() == 2);
  ToyMoe alone(kSmall, 2, 8);
  CHECK(alone.forward(prompt(1, text)).front() == tokens[0]);
}

TEST_CASE("a pass runs the kernels of its layers on two streams") {
  ToyMoe model(kSmall, 2, 8);
  model.forward(prompt(2, {1, 2, 3}));
  std::map<std::string, int> calls;
  std::map<int, int> by_stream;
  const auto ops = model.take_ops();
  for (const TimedOp& op : ops) {
    ++calls[std::string(op.name)];
    ++by_stream[op.stream];
    CHECK(op.dur_ns >= 0);
  }
  // 3 layers: 1 dense and 2 MoE. Norms: 2 a layer and the final one.
  CHECK(calls["toy_moe::fused_add_rms_norm_kernel<float>"] == 7);
  CHECK(calls["toy_moe::fmha_prefill_kernel<float>"] == 3);
  CHECK(calls["toy_moe::moe_topk_softmax_kernel<float>"] == 2);
  CHECK(calls["toy_moe::grouped_gemm_down_kernel<float>"] == 2);
  CHECK(calls["toy_moe::silu_and_mul_kernel<float>"] == 5);  // 3 on the main stream, 2 routed
  CHECK(by_stream[2] == 10);                                 // 5 operations in each MoE layer
  const auto launches = model.take_launches();
  CHECK(launches.size() == ops.size());
  // Sizes are told of GEMMs and attention: 5 a dense layer, 8 a MoE layer, lm_head.
  CHECK(std::ranges::count_if(launches, [](const TimedLaunch& launch) {
          return !launch.by.dims.empty();
        }) == 5 + 2 * 8 + 1);
  CHECK(launches[2].by.dims ==
        "[[6, 16], [16, 48]]");  // embedding, norm, q/kv projection of 6 rows
  CHECK(std::ranges::is_sorted(ops, {}, &TimedOp::start_ns));
}

TEST_CASE("one row a sequence is a decode pass") {
  ToyMoe model(kSmall, 2, 8);
  model.forward(std::vector<ToyRow>{{0, 0, 1}, {1, 0, 2}});
  const auto ops = model.take_ops();
  CHECK(std::ranges::count(ops, std::string_view("toy_moe::fmha_decode_kernel<float>"),
                           &TimedOp::name) == 3);
}
