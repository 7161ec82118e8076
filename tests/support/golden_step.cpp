#include "tests/support/golden_step.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/support/trace_builder.h"

namespace stepscope::tests {
namespace {

using analysis::Ns;

constexpr int kLayers = 61;
constexpr int kDenseLayers = 3;
constexpr int kSetupStream = 7;
constexpr int kMainStream = 39;
constexpr int kSideStream = 461;
constexpr Ns kLateNs = 13'625'000;  // the other ranks enter the first all-reduce so much later

constexpr std::string_view kNccl = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
constexpr std::string_view kIndexing =
    "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel>";

// Name and total of each kind of kernel over the step.
struct Kind {
  std::string_view name;
  EvenShares shares;
};

struct Kinds {
  Kind norm{"void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>", {218'000, 63}};
  Kind fused_a{"dsv3_fused_a_gemm", {1'207'000, 61}};
  Kind nvjet{"nvjet_tst_64x32_64x16_2x1_2cta", {851'000, 184}};
  Kind rope{"RopeQuantizeKernel", {137'000, 61}};
  Kind kv{"set_mla_kv_buffer_kernel", {89'000, 61}};
  Kind fmha{"fmhaSm100fKernel_QkvE4m3OBfloat16HQk576HV512", {776'000, 61}};
  Kind convert{"cvt_fp16_to_fp4", {423'000, 183}};
  Kind fp4_gemm{"DeviceGemmFp4GemmSm100", {1'522'000, 183}};
  Kind lamport{
      "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<"
      "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 2, false, "
      "true>",
      {1'490'000, 121}};
  Kind silu{"void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &silu>", {177'000, 61}};
  Kind elementwise{
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>"
      ", std::array<char*, 3ul>>",
      {101'000, 64}};
  // On the side stream.
  Kind side_norm{"void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>", {135'000, 61}};
  Kind router{"nvjet_tst_64x32_64x16_2x2_2cta_h", {525'000, 58}};
  Kind routing{"routingIndicesClusterKernel", {534'000, 116}};
  Kind quantize{"quantize_with_block_size", {227'000, 58}};
  Kind bmm{"bmm_E2m1_E2m1E2m1_Fp32", {2'092'000, 116}};
  Kind finalize{"finalizeKernelVecLoad", {164'000, 58}};
};

class Step {
 public:
  explicit Step(int rank) : rank_(rank), builder_(rank, kGoldenRanks) {}

  std::string build() {
    set_up();
    first_collectives();
    graph_ = builder_.launch("cudaGraphLaunch", now_ns_ - 12'000'000);
    EvenShares gaps(1'120'000, kLayers);
    for (int layer = 0; layer < kLayers; ++layer) {
      add_layer(layer);
      now_ns_ += gaps.next();
    }
    for (Kind* kind : {&kinds_.norm, &kinds_.norm, &kinds_.elementwise, &kinds_.nvjet,
                       &kinds_.elementwise, &kinds_.elementwise}) {
      add(*kind);
    }
    return builder_.json();
  }

 private:
  void set_up() {
    now_ns_ = 50'000'000 + (rank_ == 0 ? 0 : kLateNs);
    EvenShares shares(3'140'000, 20);
    for (int i = 0; i < 20; ++i) {
      const Ns dur_ns = shares.next();
      const bool copies = i % 2 == 0;
      const int call =
          builder_.launch(copies ? "cudaMemcpyAsync" : "cudaLaunchKernel", now_ns_ - 30'000);
      if (copies) {
        builder_.copy("Memcpy HtoD (Pinned -> Device)", kSetupStream, now_ns_, dur_ns, call);
      } else {
        builder_.kernel(std::string(kIndexing), kSetupStream, now_ns_, dur_ns, call);
      }
      now_ns_ += dur_ns;
    }
  }

  void first_collectives() {
    for (const Ns dur_ns : {rank_ == 0 ? 13'665'000 : 40'000, 60'000}) {
      const int call = builder_.launch("cudaLaunchKernelExC", now_ns_ - 25'000);
      builder_.kernel(std::string(kNccl), kMainStream, now_ns_, dur_ns, call,
                      R"("Collective name": "allreduce", "dtype": "BFloat16", )"
                      R"("In msg nelems": 28672, "Out msg nelems": 28672)");
      now_ns_ += dur_ns;
    }
  }

  void add_layer(int layer) {
    const Ns start_ns = now_ns_;
    Kinds& k = kinds_;
    for (Kind* kind : {&k.norm, &k.fused_a, &k.nvjet, &k.nvjet, &k.rope, &k.kv, &k.fmha, &k.nvjet,
                       &k.convert, &k.fp4_gemm}) {
      add(*kind);
    }
    if (layer > 0) add(k.lamport);
    for (Kind* kind :
         {&k.convert, &k.fp4_gemm, &k.silu, &k.convert, &k.fp4_gemm, &k.lamport, &k.elementwise}) {
      add(*kind);
    }
    // Begins after the main stream's first kernel has begun and ends long before its last one ends.
    Ns side_ns = start_ns + 1000;
    add_side(k.side_norm, side_ns);
    if (layer < kDenseLayers) return;
    for (Kind* kind :
         {&k.router, &k.routing, &k.routing, &k.quantize, &k.bmm, &k.bmm, &k.finalize}) {
      add_side(*kind, side_ns);
    }
  }

  void add(Kind& kind) {
    const Ns dur_ns = kind.shares.next();
    builder_.kernel(std::string(kind.name), kMainStream, now_ns_, dur_ns, graph_);
    now_ns_ += dur_ns;
  }

  void add_side(Kind& kind, Ns& at_ns) {
    const Ns dur_ns = kind.shares.next();
    builder_.kernel(std::string(kind.name), kSideStream, at_ns, dur_ns, graph_);
    at_ns += dur_ns;
  }

  int rank_;
  TraceBuilder builder_;
  Kinds kinds_;
  int graph_ = 0;
  Ns now_ns_ = 0;
};

}  // namespace

std::string golden_step_trace(int rank) { return Step(rank).build(); }

}  // namespace stepscope::tests
