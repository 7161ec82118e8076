#include <doctest/doctest.h>

#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

std::string short_name(std::string_view name) { return short_kernel_name(name, 72); }

TEST_CASE("wrappers of CUTLASS keep what they wrap") {
  CHECK(short_name("void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwd<2, "
                   "cute::tuple<cute::C<1>, cute::C<1> > > > >(Params)") ==
        "cutlass::device_kernel<enable_sm90<FlashAttnFwd<…>>>");
  CHECK(short_name("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>(T::Params)") ==
        "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>");
  // Three levels do not fit: the namespace goes first, then a level.
  CHECK(short_kernel_name("void ns::outer<ns::a::First<ns::Second<int> >, ns::Third<int> >()",
                          38) == "outer<First<Second<…>>, Third<int>>");
  CHECK(short_kernel_name("void ns::outer<ns::a::First<ns::Second<int> >, ns::Third<int> >()",
                          33) == "ns::outer<First<…>, Third<…>>");
}

TEST_CASE("templates of ATen and others keep their arguments") {
  CHECK(short_name("void at::native::vectorized_elementwise_kernel<4, "
                   "at::native::FillFunctor<bool>, at::detail::Array<char*, 1> >(int, T)") ==
        "vectorized_elementwise_kernel<4, FillFunctor<bool>, Array<char*, 1>>");
  CHECK(short_name("void (anonymous namespace)::store_kvcache<2048l, 4, false>(P)") ==
        "store_kvcache<2048l, 4, false>");
  CHECK(short_name("void f<(ns::Kind)2, a::B>(float const*, ns::Layout)") == "f<(Kind)2, B>");
}

TEST_CASE("parameter lists go, remarks in brackets stay") {
  CHECK(short_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  CHECK(short_name("Memcpy HtoD (Pinned -> Device)") == "Memcpy HtoD (Pinned -> Device)");
  CHECK(short_name("Memset (Device)") == "Memset (Device)");
  CHECK(short_name("void outer(int)::inner(float)") == "outer::inner");
  CHECK(short_name("copyBuffer.kd") == "copyBuffer");
  CHECK(short_name("kernel(int) [clone .isra.0]") == "kernel");
}

TEST_CASE("a return type goes, with the comparisons in it") {
  CHECK(short_name("std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, "
                   "void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(float, int)") ==
        "vllm::fused_add_rms_norm_kernel<BFloat16, 8>");
  CHECK(short_name("void f<(a<b), (c>d), g<int> >(int)") == "f<(a<b), (c>d), g<int>>");
}

TEST_CASE("plain long names lose their middle: shape and suffix stay") {
  const std::string triton =
      "triton_red_fused_add_addmm_cat_mul_native_layer_norm_slice_split_unsqueeze_view_36";
  CHECK(short_kernel_name(triton, 40) == "triton_red_fused_add_addmm…ueeze_view_36");
  CHECK(short_name("nvjet_tst_256x24_64x6_2x1_v_bz_TNT") == "nvjet_tst_256x24_64x6_2x1_v_bz_TNT");
}

TEST_CASE("mangled names are read as far as they name things") {
  CHECK(short_name("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELb1EEEvPT0_PT_") ==
        "aiter::add_rmsnorm_quant_kernel<…>");
  CHECK(short_name("_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_8PipelineEEEEEvT_") ==
        "ck_tile::kentry<Rmsnorm2dFwd…>");
  CHECK(short_name("_Z32paged_attention_ll4mi_QKV_kernelIDF16_hLi512EEvPKT_") ==
        "paged_attention_ll4mi_QKV_kernel<…>");
  // The type of a parameter is no template argument.
  CHECK(short_name("_Z6kernelILi1EEvPKN4vllm5ThingE") == "kernel<…>");
  CHECK(short_name("_ZN12_GLOBAL__N_16kernelEv") == "kernel");
  CHECK(short_name("_ZL9my_kernelPf") == "my_kernel");
  // No names that can be read: kept as it is.
  CHECK(short_name("_ZTV99x") == "_ZTV99x");
  CHECK(short_name("_Z999999999999999999999999x") == "_Z999999999999999999999999x");
}

TEST_CASE("no input is too strange") {
  CHECK(short_name("").empty());
  CHECK(short_kernel_name("anything", 0).empty());
  CHECK(short_kernel_name("anything", 1) == "…");
  CHECK(short_name("a<b<c") == "a<b<c");  // cut by the profiler
  CHECK(short_name(">>>)(") == ">>>)");
  CHECK(short_name("void ") == "");
  CHECK(short_name("::<::>::") == "::<>::");
  CHECK(short_name("x\n`|\xFF") == "x `|\uFFFD");
  // 100 000 open brackets, or names within names: quick and short.
  CHECK(short_name(std::string(100'000, '<')).size() <= 72 * 3);
  std::string scopes;
  for (int i = 0; i < 20'000; ++i) scopes += "(anonymous namespace)::a<b>::";
  CHECK(short_name(scopes).size() <= 72 * 3);
}

}  // namespace
}  // namespace stepscope::analysis
