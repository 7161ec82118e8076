#include "tests/support/model_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "tests/support/trace_builder.h"

namespace stepscope::tests {
namespace {

using analysis::Ns;

constexpr int kMain = 7;
constexpr int kSide = 23;

constexpr std::string_view kNorm =
    "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>";
constexpr std::string_view kGemm = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT";
constexpr std::string_view kAttention =
    "void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0>";
constexpr std::string_view kMla = "fmhaSm100fKernel_QkvE4m3OBfloat16HQk576HV512";
constexpr std::string_view kRope = "void vllm::rotary_embedding_kernel<c10::BFloat16, true>";
constexpr std::string_view kCache =
    "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16>";
constexpr std::string_view kAct = "void vllm::act_and_mul_kernel<c10::BFloat16, &silu_kernel>";
constexpr std::string_view kLinear = "fused_recurrent_gated_delta_rule_fwd_kernel";
constexpr std::string_view kAllReduce =
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)";
constexpr std::string_view kLamport =
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>";
constexpr std::string_view kTopK = "void vllm::moe::topkGatingSoftmax<4, 128, 4, 16>";
constexpr std::string_view kAlign = "void moe_align_block_size_kernel<int>";
constexpr std::string_view kExpert = "fused_moe_kernel";
constexpr std::string_view kSum = "void moe_sum_kernel<c10::BFloat16, 4>";

struct Op {
  std::string name;
  int stream = kMain;
  Ns dur_ns = 0;
  bool joins = false;  // waits for the other stream
};

class Writer {
 public:
  explicit Writer(const ModelTraceOptions& options)
      : options_(options), facts_(facts_of(options.shape)), random_(options.seed) {}

  std::string write() {
    for (int step = 0; step < options_.steps; ++step) add_step(step);
    return builder_.json();
  }

 private:
  void add_step(int step) {
    const Ns begin_ns = now_ns_;
    host_ns_ = begin_ns - 800'000;
    graph_ = 0;
    put({"void at::native::vectorized_gather_kernel<16, long>", kMain, 4000}, false);
    if (options_.graph) graph_ = builder_.launch("cudaGraphLaunch", host_ns_ += 3000);
    for (int layer = 0; layer < facts_.layers; ++layer) {
      for (const Op& op : layer_ops(layer)) put(op, options_.graph);
    }
    put({std::string(kNorm), kMain, 3000}, options_.graph);
    put({"nvjet_tst_192x8_64x8_4x1_v_bz_TNT", kMain, 90'000}, options_.graph);
    put({"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
         "at::native::ArgMaxOps<float>, unsigned int, long, 4>>",
         kMain, 9000},
        false);
    if (options_.markers) {
      builder_.annotation(fmt::format("step[DECODE bs={}]", 4), begin_ns - 801'000,
                          host_ns_ - begin_ns + 802'000);
    }
    now_ns_ = std::max(now_ns_, side_ns_) + 400'000 + 1000 * step;
    side_ns_ = now_ns_;
  }

  // The next kernel of its stream; the side stream follows the main one and may lag behind.
  void put(const Op& op, bool in_graph) {
    const Ns dur_ns = op.dur_ns + static_cast<Ns>(random_() % 700);
    Ns& at_ns = op.stream == kMain ? now_ns_ : side_ns_;
    if (op.stream != kMain) at_ns = std::max(at_ns, fork_ns_);
    if (op.joins) at_ns = std::max(at_ns, side_ns_);
    host_ns_ += 2000;
    const int call = in_graph ? graph_ : builder_.launch("cudaLaunchKernel", host_ns_, 1500);
    builder_.kernel(op.name, op.stream, at_ns, dur_ns, call);
    if (op.stream == kMain) fork_ns_ = at_ns;
    at_ns += dur_ns + static_cast<Ns>(random_() % 300);
  }

  std::string gemm(int layer, int which) const {
    if (!options_.autotuned) return std::string(kGemm);
    return fmt::format("nvjet_tst_{}x8_64x{}_4x1_v_bz_TNT", 64 << ((layer * 7 + which) % 3),
                       16 >> (layer % 2));
  }

  bool is_moe(int layer) const { return std::ranges::count(facts_.moe_layers, layer) > 0; }

  std::vector<Op> layer_ops(int layer) const {
    switch (options_.shape) {
      case ModelShape::deepseek:
        return deepseek_layer(layer);
      case ModelShape::moe_primary:
        return moe_primary_layer(layer);
      default:
        return plain_layer(layer);
    }
  }

  // One stream: attention, then a dense or a routed feed-forward part.
  std::vector<Op> plain_layer(int layer) const {
    const bool norms = options_.shape != ModelShape::fused_norms;
    const bool linear = options_.shape == ModelShape::hybrid && layer % 4 != 3;
    const std::string reduce(norms ? kAllReduce : kLamport);
    std::vector<Op> ops;
    const auto add = [&](std::string_view name, Ns dur_ns) {
      ops.push_back({std::string(name), kMain, dur_ns});
    };
    if (norms) add(kNorm, 3000);
    add(gemm(layer, 0), 11'000);
    if (linear) {
      add("_causal_conv1d_update_kernel", 3000);
      add(kLinear, 15'000);
    } else {
      add(kRope, 2500);
      add(kCache, 2000);
      add(kAttention, 21'000);
    }
    add(gemm(layer, 1), 8000);
    add(reduce, 9000);
    if (norms) add(kNorm, 3000);
    if (is_moe(layer)) {
      add("nvjet_tst_64x8_64x16_1x1_h_bz_TNT", 4000);
      for (const std::string_view name : {kTopK, kAlign, kExpert, kAct, kExpert, kSum}) {
        add(name, name == kExpert ? 25'000 : 3000);
      }
    } else {
      add(gemm(layer, 2), 18'000);
      add(kAct, 3000);
      add(gemm(layer, 3), 10'000);
    }
    add(reduce, 9000);
    return ops;
  }

  // The main stream looks alike in dense and in MoE layers; the experts run beside it.
  std::vector<Op> deepseek_layer(int layer) const {
    std::vector<Op> ops;
    const auto add = [&](std::string_view name, Ns dur_ns, int stream = kMain) {
      ops.push_back({std::string(name), stream, dur_ns});
    };
    add(kNorm, 3000);
    add("dsv3_fused_a_gemm", 12'000);
    add(gemm(layer, 0), 7000);
    add("RopeQuantizeKernel", 2000);
    add("set_mla_kv_buffer_kernel", 1500);
    add(kMla, 13'000);
    add(gemm(layer, 1), 5000);
    add(kLamport, 10'000);
    add(kNorm, 3000);
    if (is_moe(layer)) {
      add("nvjet_tst_64x32_64x16_2x2_2cta_h", 4000, kSide);
      add("routingIndicesClusterKernel", 4000, kSide);
      add("bmm_E2m1_E2m1E2m1_Fp32", 9000, kSide);
      add("bmm_E2m1_E2m1E2m1_Fp32", 8000, kSide);
      add("finalizeKernelVecLoad", 3000, kSide);
    }
    add(gemm(layer, 2), 14'000);
    add(kAct, 3000);
    add(gemm(layer, 3), 9000);
    add(kLamport, 10'000);
    ops.back().joins = is_moe(layer);
    return ops;
  }

  std::vector<Op> moe_primary_layer(int layer) const {
    std::vector<Op> ops = plain_layer(layer);
    for (Op& op : ops) {
      if (op.name == kExpert) op = {op.name, kSide, 240'000};
      op.joins = op.name == kSum;
    }
    return ops;
  }

  ModelTraceOptions options_;
  ModelFacts facts_;
  std::minstd_rand random_;
  TraceBuilder builder_;
  Ns now_ns_ = 20'000'000;
  Ns side_ns_ = 20'000'000;
  Ns fork_ns_ = 0;
  Ns host_ns_ = 0;
  int graph_ = 0;
};

}  // namespace

ModelFacts facts_of(ModelShape shape) {
  ModelFacts facts;
  int first_moe = 0;
  switch (shape) {
    case ModelShape::dense:
    case ModelShape::fused_norms:
      return {36, {}};
    case ModelShape::deepseek:
      facts.layers = 61;
      first_moe = 3;
      break;
    case ModelShape::hybrid:
      facts.layers = 48;
      break;
    default:
      facts.layers = 24;
  }
  for (int layer = first_moe; layer < facts.layers; ++layer) facts.moe_layers.push_back(layer);
  return facts;
}

std::string model_trace(const ModelTraceOptions& options) { return Writer(options).write(); }

}  // namespace stepscope::tests
