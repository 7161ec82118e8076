#include "workers/recipes/toy_moe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "workers/recipes/toy_math.h"

namespace stepscope::workers {
namespace {

using Floats = std::vector<float>;

constexpr int kMainStream = 1;
constexpr int kExpertStream = 2;

std::size_t size(int value) { return static_cast<std::size_t>(value); }

// A part of a row-major matrix.
std::span<float> part(Floats& values, std::size_t offset, std::size_t count) {
  return std::span(values).subspan(offset, count);
}
std::span<const float> part(const Floats& values, std::size_t offset, std::size_t count) {
  return std::span(values).subspan(offset, count);
}

struct Mlp {
  Floats gate_up;  // [hidden][2 * width]
  Floats down;     // [width][hidden]
};

struct Layer {
  Floats attention_norm;
  Floats qkv;     // [hidden][3 * hidden]
  Floats output;  // [hidden][hidden]
  Floats mlp_norm;
  Mlp mlp;        // dense, or the shared expert
  Floats router;  // [hidden][experts]; empty in dense layers
  std::vector<Mlp> experts;
  Floats keys;  // [sequence][position][hidden]
  Floats values;
};

Operator product(std::size_t rows, int in, int out) {
  return {"toy_moe::matmul", fmt::format("[[{}, {}], [{}, {}]]", rows, in, in, out)};
}

// Which token goes to which expert, and how much of the answer is taken.
struct Routing {
  std::vector<std::vector<std::size_t>> rows_of;  // by expert
  std::vector<std::vector<float>> shares_of;
};

}  // namespace

struct ToyMoe::Model {
  Model(ToyShape model_shape, int sequence_count, int positions);

  // Names a kernel and hands it to a stream.
  void launch(OpStream& stream, std::string_view name, std::function<void()> op);
  void launch(OpStream& stream, std::string_view name, Operator by, std::function<void()> op);
  void launch_attention(Layer& layer, bool decode);
  void launch_dense(Layer& layer);
  void launch_moe(Layer& layer);
  void launch_mlp(OpStream& stream, const Mlp& mlp, int width);

  void embed();
  void rope_and_cache(Layer& layer);
  void attend_all(const Layer& layer);
  void add_and_norm(const Floats& gain);
  void route();
  void gather();
  Operator grouped_product(int in, int out) const;
  void run_experts_up(const Layer& layer);
  void run_experts_act();
  void run_experts_down(const Layer& layer);
  void scatter();
  void sample();

  ToyShape shape;
  int sequences;
  int positions_max;
  Floats embedding;  // [vocabulary][hidden]
  std::vector<Layer> layers;
  Floats final_norm;
  Floats head;  // [hidden][vocabulary]

  // Activations of the pass under way, [rows][...]. Main stream:
  std::vector<ToyRow> rows;
  Floats residual;
  Floats normed;
  Floats qkv;
  Floats attended;
  Floats branch;  // what the next norm adds to the residual
  Floats wide;
  Floats activated;
  Floats scores;
  Routing routing;
  Floats last;  // normed rows that end a sequence
  Floats logits;
  std::vector<int> tokens;
  // Expert stream:
  std::vector<Floats> expert_in;
  std::vector<Floats> expert_wide;
  std::vector<Floats> expert_activated;
  std::vector<Floats> expert_out;
  Floats routed;

  std::int64_t next_correlation = 1;
  std::vector<TimedLaunch> launches;
  OpStream main{kMainStream};
  OpStream side{kExpertStream};
};

ToyMoe::Model::Model(ToyShape model_shape, int sequence_count, int positions)
    : shape(model_shape), sequences(sequence_count), positions_max(positions) {
  const std::size_t hidden = size(shape.hidden);
  std::uint64_t seed = 1;
  auto weights = [&](std::size_t in, std::size_t out) {
    return fixed_weights(seed++, in * out, 1.7F / static_cast<float>(hidden) * 4.0F);
  };
  auto mlp = [&](int width) {
    return Mlp{weights(hidden, 2 * size(width)), weights(size(width), hidden)};
  };
  embedding = fixed_weights(seed++, size(shape.vocabulary) * hidden, 1.0F);
  for (int i = 0; i < shape.layers; ++i) {
    const bool dense = i < shape.dense_layers;
    Layer layer{.attention_norm = Floats(hidden, 1.0F),
                .qkv = weights(hidden, 3 * hidden),
                .output = weights(hidden, hidden),
                .mlp_norm = Floats(hidden, 1.0F),
                .mlp = mlp(dense ? shape.dense_width : shape.expert_width)};
    if (!dense) {
      layer.router = weights(hidden, size(shape.experts));
      for (int e = 0; e < shape.experts; ++e) layer.experts.push_back(mlp(shape.expert_width));
    }
    layer.keys.resize(size(sequences) * size(positions_max) * hidden);
    layer.values.resize(layer.keys.size());
    layers.push_back(std::move(layer));
  }
  final_norm = Floats(hidden, 1.0F);
  head = weights(hidden, size(shape.vocabulary));
}

void ToyMoe::Model::launch(OpStream& stream, std::string_view name, std::function<void()> op) {
  launches.push_back(stream.launch(name, next_correlation++, std::move(op)));
}

void ToyMoe::Model::launch(OpStream& stream, std::string_view name, Operator by,
                           std::function<void()> op) {
  launch(stream, name, std::move(op));
  launches.back().by = std::move(by);
}

void ToyMoe::Model::embed() {
  const std::size_t hidden = size(shape.hidden);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto source = part(embedding, size(rows[row].token) * hidden, hidden);
    std::ranges::copy(source, part(residual, row * hidden, hidden).begin());
  }
  std::ranges::fill(branch, 0.0F);
}

// residual += branch; normed = norm(residual).
void ToyMoe::Model::add_and_norm(const Floats& gain) {
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] += branch[i];
  rms_norm(residual, gain, normed, shape.hidden);
}

void ToyMoe::Model::rope_and_cache(Layer& layer) {
  const std::size_t hidden = size(shape.hidden);
  const std::size_t head_width = hidden / size(shape.heads);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const ToyRow& at = rows[row];
    for (std::size_t i = 0; i < 2 * size(shape.heads); ++i) {  // the heads of q, then of k
      rope(part(qkv, row * 3 * hidden + i * head_width, head_width), at.position);
    }
    const std::size_t slot = (size(at.sequence) * size(positions_max) + size(at.position)) * hidden;
    const auto key = part(qkv, row * 3 * hidden + hidden, hidden);
    const auto value = part(qkv, row * 3 * hidden + 2 * hidden, hidden);
    std::ranges::copy(key, part(layer.keys, slot, hidden).begin());
    std::ranges::copy(value, part(layer.values, slot, hidden).begin());
  }
}

void ToyMoe::Model::attend_all(const Layer& layer) {
  const std::size_t hidden = size(shape.hidden);
  const std::size_t head_width = hidden / size(shape.heads);
  Floats weights(size(positions_max));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t cache = size(rows[row].sequence) * size(positions_max) * hidden;
    for (std::size_t start = 0; start < hidden; start += head_width) {
      const std::size_t span = layer.keys.size() - cache - start;
      attend(part(std::as_const(qkv), row * 3 * hidden + start, head_width),
             part(layer.keys, cache + start, span), part(layer.values, cache + start, span),
             rows[row].position + 1, shape.hidden, weights,
             part(attended, row * hidden + start, head_width));
    }
  }
}

void ToyMoe::Model::launch_attention(Layer& layer, bool decode) {
  const int hidden = shape.hidden;
  launch(main, "toy_moe::fused_add_rms_norm_kernel<float>",
         [this, &layer] { add_and_norm(layer.attention_norm); });
  launch(main, "toy_moe::gemm_qkv_kernel<float>", product(rows.size(), hidden, 3 * hidden),
         [this, &layer, hidden] { matmul(normed, layer.qkv, qkv, hidden, 3 * hidden); });
  launch(main, "toy_moe::rotary_embedding_and_cache_kernel<float>",
         [this, &layer] { rope_and_cache(layer); });
  launch(main,
         decode ? "toy_moe::fmha_decode_kernel<float>" : "toy_moe::fmha_prefill_kernel<float>",
         {"toy_moe::attention", fmt::format("[[{0}, {1}], [{2}, {3}, {1}], [{2}, {3}, {1}]]",
                                            rows.size(), hidden, sequences, positions_max)},
         [this, &layer] { attend_all(layer); });
  launch(main, "toy_moe::gemm_o_proj_kernel<float>", product(rows.size(), hidden, hidden),
         [this, &layer, hidden] { matmul(attended, layer.output, branch, hidden, hidden); });
  launch(main, "toy_moe::fused_add_rms_norm_kernel<float>",
         [this, &layer] { add_and_norm(layer.mlp_norm); });
}

void ToyMoe::Model::launch_mlp(OpStream& stream, const Mlp& mlp, int width) {
  const int hidden = shape.hidden;
  launch(stream, "toy_moe::gemm_gate_up_kernel<float>", product(rows.size(), hidden, 2 * width),
         [this, &mlp, hidden, width] {
           wide.resize(rows.size() * 2 * size(width));
           matmul(normed, mlp.gate_up, wide, hidden, 2 * width);
         });
  launch(stream, "toy_moe::silu_and_mul_kernel<float>", [this, width] {
    activated.resize(rows.size() * size(width));
    silu_and_mul(wide, activated, width);
  });
  launch(stream, "toy_moe::gemm_down_kernel<float>", product(rows.size(), width, hidden),
         [this, &mlp, hidden, width] { matmul(activated, mlp.down, branch, width, hidden); });
}

void ToyMoe::Model::launch_dense(Layer& layer) { launch_mlp(main, layer.mlp, shape.dense_width); }

void ToyMoe::Model::route() {
  const std::size_t experts = size(shape.experts);
  routing.rows_of.assign(experts, {});
  routing.shares_of.assign(experts, {});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto of_row = part(scores, row * experts, experts);
    softmax(of_row);
    for (const int expert : top_k(of_row, shape.experts_per_token)) {
      routing.rows_of[size(expert)].push_back(row);
      routing.shares_of[size(expert)].push_back(of_row[size(expert)]);
    }
  }
}

void ToyMoe::Model::gather() {
  const std::size_t hidden = size(shape.hidden);
  expert_in.resize(size(shape.experts));
  for (std::size_t e = 0; e < expert_in.size(); ++e) {
    expert_in[e].clear();
    for (const std::size_t row : routing.rows_of[e]) {
      const auto source = part(std::as_const(normed), row * hidden, hidden);
      expert_in[e].insert(expert_in[e].end(), source.begin(), source.end());
    }
  }
}

// Of the routed rows only their number is known before the router has run.
Operator ToyMoe::Model::grouped_product(int in, int out) const {
  const std::size_t routed_rows = rows.size() * size(shape.experts_per_token);
  return {"toy_moe::grouped_matmul",
          fmt::format("[[{}, {}], [{}, {}, {}]]", routed_rows, in, shape.experts, in, out)};
}

void ToyMoe::Model::run_experts_up(const Layer& layer) {
  expert_wide.resize(expert_in.size());
  for (std::size_t e = 0; e < expert_in.size(); ++e) {
    expert_wide[e].resize(routing.rows_of[e].size() * 2 * size(shape.expert_width));
    matmul(expert_in[e], layer.experts[e].gate_up, expert_wide[e], shape.hidden,
           2 * shape.expert_width);
  }
}

void ToyMoe::Model::run_experts_act() {
  expert_activated.resize(expert_wide.size());
  for (std::size_t e = 0; e < expert_wide.size(); ++e) {
    expert_activated[e].resize(expert_wide[e].size() / 2);
    silu_and_mul(expert_wide[e], expert_activated[e], shape.expert_width);
  }
}

void ToyMoe::Model::run_experts_down(const Layer& layer) {
  expert_out.resize(expert_activated.size());
  for (std::size_t e = 0; e < expert_activated.size(); ++e) {
    expert_out[e].resize(expert_in[e].size());
    matmul(expert_activated[e], layer.experts[e].down, expert_out[e], shape.expert_width,
           shape.hidden);
  }
}

void ToyMoe::Model::scatter() {
  const std::size_t hidden = size(shape.hidden);
  routed.assign(rows.size() * hidden, 0.0F);
  for (std::size_t e = 0; e < expert_out.size(); ++e) {
    for (std::size_t i = 0; i < routing.rows_of[e].size(); ++i) {
      const auto target = part(routed, routing.rows_of[e][i] * hidden, hidden);
      for (std::size_t j = 0; j < hidden; ++j) {
        target[j] += routing.shares_of[e][i] * expert_out[e][i * hidden + j];
      }
    }
  }
}

void ToyMoe::Model::launch_moe(Layer& layer) {
  launch(main, "toy_moe::gemm_router_kernel<float>",
         product(rows.size(), shape.hidden, shape.experts),
         [this, &layer] { matmul(normed, layer.router, scores, shape.hidden, shape.experts); });
  launch(main, "toy_moe::moe_topk_softmax_kernel<float>", [this] { route(); });
  side.wait(main.record());
  launch(side, "toy_moe::moe_permute_kernel<float>", [this] { gather(); });
  launch(side, "toy_moe::grouped_gemm_gate_up_kernel<float>",
         grouped_product(shape.hidden, 2 * shape.expert_width),
         [this, &layer] { run_experts_up(layer); });
  launch(side, "toy_moe::silu_and_mul_kernel<float>", [this] { run_experts_act(); });
  launch(side, "toy_moe::grouped_gemm_down_kernel<float>",
         grouped_product(shape.expert_width, shape.hidden),
         [this, &layer] { run_experts_down(layer); });
  launch(side, "toy_moe::moe_unpermute_kernel<float>", [this] { scatter(); });
  launch_mlp(main, layer.mlp, shape.expert_width);
  main.wait(side.record());
  launch(main, "toy_moe::moe_sum_kernel<float>", [this] {
    for (std::size_t i = 0; i < branch.size(); ++i) branch[i] += routed[i];
  });
}

void ToyMoe::Model::sample() {
  const std::size_t vocabulary = size(shape.vocabulary);
  tokens.clear();
  for (std::size_t start = 0; start < logits.size(); start += vocabulary) {
    const auto of_sequence = part(std::as_const(logits), start, vocabulary);
    tokens.push_back(static_cast<int>(std::ranges::max_element(of_sequence) - of_sequence.begin()));
  }
}

ToyMoe::ToyMoe(ToyShape shape, int sequences, int positions_max)
    : model_(std::make_unique<Model>(shape, sequences, positions_max)) {}

ToyMoe::~ToyMoe() = default;

std::vector<int> ToyMoe::forward(std::span<const ToyRow> rows) {
  Model& model = *model_;
  const std::size_t hidden = size(model.shape.hidden);
  model.rows.assign(rows.begin(), rows.end());
  for (Floats* buffer : {&model.residual, &model.normed, &model.attended, &model.branch}) {
    buffer->resize(rows.size() * hidden);
  }
  model.qkv.resize(rows.size() * 3 * hidden);
  model.scores.resize(rows.size() * size(model.shape.experts));
  std::vector<std::size_t> ends;  // the last row of each sequence
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool is_last = row + 1 == rows.size() || rows[row + 1].sequence != rows[row].sequence;
    if (is_last) ends.push_back(row);
  }
  const bool decode = ends.size() == rows.size();

  model.launch(model.main, "toy_moe::embedding_gather_kernel<float>", [&model] { model.embed(); });
  for (Layer& layer : model.layers) {
    model.launch_attention(layer, decode);
    layer.experts.empty() ? model.launch_dense(layer) : model.launch_moe(layer);
  }
  model.launch(model.main, "toy_moe::fused_add_rms_norm_kernel<float>",
               [&model] { model.add_and_norm(model.final_norm); });
  model.launch(
      model.main, "toy_moe::gemm_lm_head_kernel<float>",
      product(ends.size(), model.shape.hidden, model.shape.vocabulary), [&model, &ends, hidden] {
        model.last.clear();
        for (const std::size_t row : ends) {
          const auto source = part(std::as_const(model.normed), row * hidden, hidden);
          model.last.insert(model.last.end(), source.begin(), source.end());
        }
        model.logits.resize(ends.size() * size(model.shape.vocabulary));
        matmul(model.last, model.head, model.logits, model.shape.hidden, model.shape.vocabulary);
      });
  model.launch(model.main, "toy_moe::argmax_sampling_kernel<float>", [&model] { model.sample(); });
  model.main.record()->wait();
  return model.tokens;
}

std::vector<TimedOp> ToyMoe::take_ops() {
  std::vector<TimedOp> ops = model_->main.take_ops();
  const std::vector<TimedOp> side = model_->side.take_ops();
  ops.insert(ops.end(), side.begin(), side.end());
  std::ranges::sort(ops, {}, &TimedOp::start_ns);
  return ops;
}

std::vector<TimedLaunch> ToyMoe::take_launches() { return std::exchange(model_->launches, {}); }

}  // namespace stepscope::workers
