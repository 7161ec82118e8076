#include "analysis/passes/roles/kernel_traits.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_scene.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

KernelTraits traits(std::string_view name) { return traits_of(name, real_category(name)); }

}  // namespace

TEST_CASE("kinds of kernels") {
  CHECK(traits(kernel::kNvjet).kind == KernelKind::gemm);
  CHECK(traits(kernel::kSplitReduce).kind == KernelKind::gemm_tail);
  CHECK(traits("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT").kind == KernelKind::gemm);
  CHECK(traits("_gemm_afp4wfp4_reduce_kernel_ACTUAL_KSPLIT_7").kind == KernelKind::gemm_tail);
  CHECK(traits("_gemm_a16_w16_reduce_kernel").kind == KernelKind::gemm_tail);
  CHECK(traits("void flash::prepare_varlen_num_blocks_kernel<1, true>").kind == KernelKind::rope);
  CHECK(traits(kernel::kBmmUp).kind == KernelKind::expert_gemm);
  CHECK(traits(kernel::kRouterGemm).kind == KernelKind::gemm);
  CHECK(traits(kernel::kRouterGemm).moe_by_name);
  CHECK_FALSE(traits(kernel::kNvjet).moe_by_name);
  CHECK(traits(kernel::kSetMlaKv).kind == KernelKind::rope);
  CHECK(traits("Memcpy DtoD (Device -> Device)").kind == KernelKind::other);
}

TEST_CASE("a lone sigmoid stands between no two GEMMs") {
  CHECK(traits(kernel::kSilu).gates);
  CHECK_FALSE(
      traits("void at::native::vectorized_elementwise_kernel<4, sigmoid_kernel_cuda>").gates);
  CHECK(traits("triton_poi_fused_mul_sigmoid_silu_0").gates);
  CHECK_FALSE(traits(kernel::kNvjet).gates);
}

TEST_CASE("collectives and which way they go") {
  CHECK(traits(kernel::kLamport).exchange == Exchange::all_reduce);
  CHECK(traits(kernel::kNcclAllGather).exchange == Exchange::all_gather);
  CHECK(traits("ncclDevKernel_Generic_1").exchange == Exchange::unnamed);
  CHECK(traits(kernel::kDispatch).says_dispatch);
  CHECK_FALSE(traits(kernel::kDispatch).says_combine);
  CHECK(traits(kernel::kCombine).says_combine);
  CHECK(traits(kernel::kFinalize).says_combine);
  CHECK_FALSE(traits(kernel::kTopk).says_combine);
  CHECK(exchange_word(Exchange::reduce_scatter) == "reduce-scatter");
  CHECK(exchange_word(Exchange::unnamed) == "collective");
}

TEST_CASE("the word for a norm") {
  CHECK(norm_word(kernel::kRmsNorm) == "RMSNorm");
  CHECK(norm_word("vectorized_layer_norm_kernel") == "LayerNorm");
  CHECK(norm_word("triton_red_fused_rsqrt_0") == "norm");
}
