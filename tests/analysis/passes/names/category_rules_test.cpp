#include "analysis/passes/names/category_rules.h"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <set>
#include <string>
#include <string_view>

#include "analysis/passes/names/kernel_category.h"
#include "tests/analysis/passes/kernel_names.h"

using namespace stepscope::analysis;

namespace {

const KernelClassifier& classifier() {
  static const KernelClassifier built_in = KernelClassifier::create("").value();
  return built_in;
}

std::set<std::string_view> distinct(std::string_view CategoryRule::* column) {
  std::set<std::string_view> words;
  for (const CategoryRule& rule : category_rules()) words.insert(rule.*column);
  return words;
}

}  // namespace

TEST_CASE("names of every family fall into their category and component") {
  std::string_view rest = stepscope::tests::kernel_names;
  std::string expected;
  int names = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.empty()) continue;
    if (line.ends_with(':')) {
      expected = line.substr(0, line.size() - 1);
      continue;
    }
    CAPTURE(line);
    const KernelCategory found = classifier().classify(line);
    CAPTURE(found.rule);
    CHECK(found.category + ", " + found.component == expected);
    ++names;
  }
  CHECK(names >= 200);
}

TEST_CASE("the table uses exactly the vocabulary") {
  // The list of category_rules.h, and the components of the command line's contract.
  const std::set<std::string_view> categories = {"attention-mla",
                                                 "attention-fmha",
                                                 "attention-indexer",
                                                 "linear-attention",
                                                 "gemm-dense",
                                                 "gemm-moe",
                                                 "moe-routing",
                                                 "quantize",
                                                 "comm-allreduce-nccl",
                                                 "comm-allgather",
                                                 "comm-alltoall",
                                                 "comm-sendrecv",
                                                 "comm-allreduce-custom",
                                                 "comm-reducescatter",
                                                 "comm-nccl-generic",
                                                 "normalisation",
                                                 "norm+rope",
                                                 "activation",
                                                 "rope/kv-cache",
                                                 "sampling",
                                                 "embedding/gather",
                                                 "softmax",
                                                 "elementwise/copy",
                                                 "memcpy",
                                                 "memset",
                                                 "other"};
  const std::set<std::string_view> components = {
      "attention", "moe",   "mlp",      "norm",        "communication", "sampling",
      "embedding", "setup", "quantize", "elementwise", "other"};
  CHECK(distinct(&CategoryRule::category) == categories);
  CHECK(distinct(&CategoryRule::component) == components);
}

TEST_CASE("the table is bounded, distinct, compiles, and every note names a family") {
  CHECK(category_table_version() == "3");
  CHECK(category_rules().size() <= 150);
  CHECK(distinct(&CategoryRule::pattern).size() == category_rules().size());
  CHECK(distinct(&CategoryRule::note).size() == category_rules().size());
  for (const CategoryRule& rule : category_rules()) {
    CAPTURE(rule.pattern);
    const RE2 pattern(re2::StringPiece(rule.pattern.data(), rule.pattern.size()));
    CHECK(pattern.ok());
    CHECK_FALSE(RE2::PartialMatch("", pattern));  // a rule that takes the empty name takes all
    CHECK(rule.pattern.find('\t') == std::string_view::npos);
    const std::size_t colon = rule.note.find(": ");
    REQUIRE(colon != std::string_view::npos);
    CHECK(colon > 0);
    CHECK(colon + 2 < rule.note.size());
  }
}

TEST_CASE("words of other families inside a name do not decide") {
  const auto category = [](std::string_view name) { return classifier().classify(name).category; };
  // Attention built on CUTLASS is no GEMM; a GEMM that fuses an activation or a finalize is one.
  CHECK(category("void cutlass::device_kernel<flash::FlashAttnFwdSm90<cutlass::gemm::Gemm>>") ==
        "attention-fmha");
  CHECK(category("bmm_Bfloat16_E2m1E2m1_Fp32_t128x8x512_swiGlu_sm100f") == "gemm-moe");
  CHECK(category("_matmul_ogs_NNT_bf16xbf16xmxfp4_32x256x128x1_swiglu") == "gemm-moe");
  CHECK(category("void cutlass::device_kernel<cutlass::gemm::GroupProblemShape<x>, "
                 "cutlass::epilogue::EpilogueMoeFusedFinalize>") == "gemm-moe");
  // aiter's name says quant also where nothing is quantized; a cache's data type is no quantizer.
  CHECK(category("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8EE") == "normalisation");
  CHECK(category("void vllm::reshape_and_cache_flash_kernel<x, (vllm::Fp8KVCacheDataType)1>") ==
        "rope/kv-cache");
  CHECK(category("void layer_norm::ln_bwd_finalize_kernel<layer_norm::Kernel_traits>") ==
        "normalisation");
  CHECK(category("_combined_routing_compute") == "moe-routing");
  // A GEMM that quantizes its input; the KV cache that attention reads; keys that are put together.
  CHECK(
      category("_batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant_kernel") ==
      "gemm-dense");
  CHECK(category("void flashinfer::PrefillWithKVCacheKernel<flashinfer::CollectiveMainloop>") ==
        "attention-fmha");
  CHECK(category("concat_and_cast_mha_k_kernel") == "rope/kv-cache");
  // One ATen function, told apart by its functor.
  CHECK(category("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                 "at::native::ArgMaxOps<float> > >") == "sampling");
  CHECK(category("void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
                 "at::native::sum_functor<float> > >") == "elementwise/copy");
  CHECK(category("_ZN2at6native53_GLOBAL__N__21_DistributionNormal_cu_distribution_kernel") ==
        "elementwise/copy");
  CHECK(category("void at::native::elementwise_kernel<4, f(at::TensorIterator&)::dispatch>") ==
        "elementwise/copy");
  // Routing kernels carry the GEMM's types as template arguments.
  CHECK(category("void expandInputRowsKernel<x, TmaWarpSpecializedGroupedGemmInput::Type>") ==
        "moe-routing");
  CHECK(category("void fbgemm_gpu::permute_2D_lengths_kernel<int>") == "elementwise/copy");
  CHECK(category("broadcast_kernel") == "other");
}

TEST_CASE("DeepGEMM is grouped by its template argument alone") {
  const auto category = [](std::string_view kind) {
    const std::string name = "void deep_gemm::sm90_fp8_gemm_1d2d_impl<7168u, 2048u, ";
    return classifier().classify(name + std::string{kind} + ">(float*)").category;
  };
  CHECK(category("(deep_gemm::GemmType)0") == "gemm-dense");
  CHECK(category("(deep_gemm::GemmType)1") == "gemm-moe");
  CHECK(category("(deep_gemm::GemmType)2") == "gemm-moe");
  CHECK(category("(deep_gemm::GemmType)3") == "gemm-moe");
  CHECK(category("(deep_gemm::GemmType)4") == "gemm-dense");  // batched einsum of the attention
}

TEST_CASE("communication and copies are exactly the accounting rules' words") {
  const auto device_class = [](std::string_view name) {
    return classifier().classify(name).device_class;
  };
  for (const std::string_view word :
       {"nccl",        "RCCL",       "lamport",       "AllReduce",      "all_reduce",
        "AllGather",   "all_gather", "ReduceScatter", "reduce_scatter", "cross_device_reduce",
        "quickreduce", "deep_ep",    "nvshmem",       "mscclpp",        "mscclKernel",
        "internode",   "IntraNode",  "dispatch_ll",   "combine_ll",     "AllToAll",
        "all_to_all"}) {
    CAPTURE(word);
    CHECK(device_class("void x::" + std::string{word} + "<gemm, flash_attn>") == DeviceClass::comm);
    CHECK(device_class(std::string{word}) == DeviceClass::comm);
  }
  for (const std::string_view name :
       {"allocate_slots_kernel", "void cub::DeviceReduceSingleTileKernel<float>(float*)",
        "void aiter::fmoe_fp8_kernel<64>(Params)", "dispatch", "combine_kernel", "msccl",
        "get_dispatch_layout", "broadcast", "all_kernel"}) {
    CAPTURE(name);
    CHECK(device_class(name) == DeviceClass::compute);
  }
  CHECK(device_class("__amd_rocclr_copyBuffer.kd") == DeviceClass::copy);
  CHECK(device_class("__amd_rocclr_fillBufferAligned") == DeviceClass::copy);
  CHECK(device_class("MEMORY_COPY_DEVICE_TO_HOST") == DeviceClass::copy);
  CHECK(device_class("Memset (Device)") == DeviceClass::copy);
  CHECK(device_class("my__amd_rocclr_copyBuffer") == DeviceClass::compute);
}
