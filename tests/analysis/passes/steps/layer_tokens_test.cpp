#include "analysis/passes/steps/layer_tokens.h"

#include <doctest/doctest.h>

#include <string>

#include "analysis/passes/names/kernel_category.h"
#include "tests/support/trace_maker.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// By the built-in table.
std::string token_of(const std::string& name, DeviceKind kind = DeviceKind::kernel) {
  const Trace trace = TraceMaker().add({.name = name, .dur_ns = 1, .kind = kind}).build();
  const KernelClassifier classifier = KernelClassifier::create("").value();
  const EventClasses classes(trace, [&](std::string_view n) { return classifier.classify(n); });
  const DeviceTable table = devices_of(trace);
  const TraceView view{trace, classes, table};
  return std::string(layer_token_text(view, layer_token_of(view, 0)));
}

}  // namespace

TEST_CASE("kernels whose names vary are their category") {
  CHECK(token_of("fmhaSm100aKernel_QkvE4m3") == "attention");
  CHECK(token_of("flash_fwd_splitkv_mla_kernel") == "attention");
  CHECK(token_of("nvjet_tst_64x8_64x16_4x1_v_bz_TNT") == "gemm-dense");
  CHECK(token_of("nvjet_tst_128x64_64x5_2x1_v_bz_TNT") == "gemm-dense");
  CHECK(token_of("void flashinfer::norm::FusedAddRMSNormKernel<8u>") == "normalisation");
  CHECK(token_of("reshape_and_cache_flash_kernel") == "rope/kv-cache");
}

TEST_CASE("a q/k norm fused with rotary is no norm at which a layer could start") {
  CHECK(token_of("fused_qk_norm_rope_kernel") == "rope/kv-cache");
}

TEST_CASE("the indexer of sparse attention is no attention and no expert routing") {
  const std::string name = "sm100_fp8_paged_mqa_logits";
  CHECK(token_of(name) == name);
}

TEST_CASE("what plans attention for all layers is no attention") {
  const std::string flash = "void flash::prepare_varlen_num_blocks_kernel<1, true>(int, int)";
  CHECK(token_of(flash) == flash);
  const std::string aiter = "void kn_get_mla_metadata_v1_2<MlaMetadataV12Traits<16, 1> >(Params)";
  CHECK(token_of(aiter) == aiter);
  CHECK(token_of("get_mla_metadata_kernel") == "get_mla_metadata_kernel");
  // What takes the plan attends.
  CHECK(token_of("void flash_fwd_splitkv_mla_kernel<bf16>(decoding_metadata)") == "attention");
  CHECK(token_of("void (anonymous namespace)::flash_fwd_kernel<x>(metadata)") == "attention");
}

TEST_CASE("communication and copies are their class, and a norm in a collective is one") {
  CHECK(token_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL") == "comm");
  CHECK(token_of("allreduce_fusion_kernel_oneshot_lamport_rmsnorm") == "comm");
  CHECK(token_of("gemm by its name", DeviceKind::memcpy) == "copy");
}

TEST_CASE("all else is its name") {
  CHECK(token_of("act_and_mul_kernel") == "act_and_mul_kernel");
  CHECK(token_of("cvt_fp16_to_fp4") == "cvt_fp16_to_fp4");
}
