#pragma once
// Steps of real kernel names, laid end to end on their streams, as a scene with layers and roles.
// Owns all of it; not movable, because the scene points into it.

#include <map>
#include <string>
#include <vector>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/names/kernel_category.h"
#include "analysis/passes/step_scene.h"
#include "tests/support/trace_maker.h"

namespace stepscope::tests {

// Places kernels one behind the other on each stream.
class StepMaker {
 public:
  StepMaker& on(const std::string& stream) {
    stream_ = stream;
    return *this;
  }
  StepMaker& run(const std::string& name, analysis::Ns dur_ns) {
    maker_.add({.name = name, .start_ns = next_ns_[stream_], .dur_ns = dur_ns, .stream = stream_});
    next_ns_[stream_] += dur_ns;
    return *this;
  }
  StepMaker& copy(const std::string& name, analysis::Ns dur_ns) {
    maker_.add({.name = name,
                .start_ns = next_ns_[stream_],
                .dur_ns = dur_ns,
                .stream = stream_,
                .kind = analysis::DeviceKind::memcpy});
    next_ns_[stream_] += dur_ns;
    return *this;
  }
  StepMaker& idle(analysis::Ns ns) {
    next_ns_[stream_] += ns;
    return *this;
  }
  // The current stream goes on where the other one has arrived.
  StepMaker& join(const std::string& other) {
    next_ns_[stream_] = next_ns_[other];
    return *this;
  }
  const TraceMaker& trace() const { return maker_; }

 private:
  TraceMaker maker_;
  std::string stream_ = "7";
  std::map<std::string, analysis::Ns> next_ns_;
};

inline analysis::KernelCategory real_category(std::string_view name) {
  static const analysis::KernelClassifier kClassifier =
      analysis::KernelClassifier::create("").value();
  return kClassifier.classify(name);
}

class RoleScene {
 public:
  explicit RoleScene(const TraceMaker& maker, bool with_layers = true)
      : trace(maker.build()),
        classes(trace, real_category),
        table(analysis::devices_of(trace)),
        view{trace, classes, table},
        links(trace),
        device(table.devices.at(0)),
        scene{.view = view,
              .links = links,
              .device = device,
              .window = analysis::extent(view, device.events),
              .events = device.events} {
    const auto order = analysis::charge_order_of(view, device, scene.events, scene.window).value();
    scene.primary = order.primary;
    scene.parts = analysis::charged_parts(view, scene.events, order, scene.window);
    if (with_layers) {
      auto layers = analysis::find_layers(view, scene.events, scene.window, scene.primary);
      if (layers) scene.layers = std::move(*layers);
      if (!layers) scene.no_layers_reason = layers.error();
    }
    scene.roles =
        analysis::assign_roles(view, scene.events, scene.layers ? &*scene.layers : nullptr);
  }
  RoleScene(const RoleScene&) = delete;
  RoleScene& operator=(const RoleScene&) = delete;

  // The roles of a layer's events on one stream, in start order: "layer norm | o_proj | -".
  std::string roles(int layer, const std::string& stream) const {
    std::string out;
    for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
      if (device.streams[view.stream(scene.events[at])] != stream) continue;
      if (scene.layers && scene.layers->layer_of[at] != layer) continue;
      const std::string_view name = role_name(scene.roles.role_of[at]);
      if (!out.empty()) out += " | ";
      out += name.empty() ? "-" : name;
    }
    return out;
  }

  analysis::Accounting accounting() const {
    return analysis::account(view, device, scene.events, scene.window);
  }

  analysis::Trace trace;
  analysis::EventClasses classes;
  analysis::DeviceTable table;
  analysis::TraceView view;
  analysis::LaunchLinks links;
  const analysis::Device& device;
  analysis::StepScene scene;
};

// Names as engines write them, cut where nothing more is told.
namespace kernel {
inline const std::string kRmsNorm =
    "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>";
inline const std::string kFusedA = "fused_a_gemm_kernel";
inline const std::string kNvjet = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT";
inline const std::string kNvjetBig = "nvjet_tst_192x8_64x8_4x1_v_bz_TNT";
inline const std::string kSplitReduce = "void cublasLt::splitKreduce_kernel<32, 16, int>";
inline const std::string kRopeQuantize = "void flashinfer::RopeQuantizeKernel<true, 1u>";
inline const std::string kRotary = "void vllm::rotary_embedding_kernel<c10::BFloat16, true>";
inline const std::string kCacheWrite = "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>";
inline const std::string kSetMlaKv = "set_mla_kv_buffer_kernel";
inline const std::string kFmhaMla = "fmhaSm100fKernel_QkvE4m3OBfloat16HQk576HV512";
inline const std::string kFlash = "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits>";
inline const std::string kCvtFp4 = "void cvt_fp16_to_fp4<__nv_bfloat16, false>";
inline const std::string kCutlassFp4 =
    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<Sm100BlockScaled>>";
inline const std::string kLamport =
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<2>";
inline const std::string kNcclAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
inline const std::string kNcclAllGather = "ncclDevKernel_AllGather_RING_LL";
inline const std::string kSilu = "void vllm::act_and_mul_kernel<c10::BFloat16, silu_kernel>";
inline const std::string kRouterGemm = "router_gemm_kernel_float_output";
inline const std::string kRouting = "void moe::dev::routing::routingDeepSeek::routingMainKernel";
inline const std::string kBlockQuantize = "void tensorrt_llm::kernels::quantize_with_block_size<2>";
inline const std::string kBmmUp = "bmm_E2m1_E2m1E2m1_Fp32_t128x8x512";
inline const std::string kBmmDown = "bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512";
inline const std::string kFinalize = "void moe::dev::finalize::finalizeKernelVecLoad<int>";
inline const std::string kFusedMoe = "fused_moe_kernel";
inline const std::string kTopk = "void vllm::moe::topkGating<8, 128, 4>";
inline const std::string kAlign = "void moe_align_block_size_kernel<int>";
inline const std::string kMoeSum = "void moe_sum_kernel<c10::BFloat16>";
inline const std::string kElementwise =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>";
inline const std::string kEmbedding =
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)";
inline const std::string kArgMax =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps>>";
inline const std::string kDispatch = "void deep_ep::internode_ll::dispatch<false, 8>";
inline const std::string kCombine = "void deep_ep::internode_ll::combine<false, 8>";
}  // namespace kernel

}  // namespace stepscope::tests
