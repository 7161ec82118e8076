#include "tests/bench/kernel_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stepscope::bench {

namespace {

using Parts = std::vector<std::string>;

std::string constant(int value) { return fmt::format("cute::C<{}>", value); }

// Old demanglers leave a blank between closing brackets.
std::string of(const std::string& name, const Parts& arguments) {
  const std::string list = fmt::format("{}", fmt::join(arguments, ", "));
  return fmt::format("{}<{}{}>", name, list, list.ends_with('>') ? " " : "");
}

std::string tuple(const Parts& parts) { return of("cute::tuple", parts); }

std::string layout(const Parts& shape, const Parts& stride) {
  return of("cute::Layout", {tuple(shape), tuple(stride)});
}

std::string shared_layout(const std::string& element, int rows) {
  return of("cute::ComposedLayout",
            {"cute::Swizzle<3, 4, 3>", of("cute::smem_ptr_flag_bits", {"8"}),
             layout({constant(rows), constant(128)}, {constant(128), constant(1)}), element});
}

// One matrix product of 8-bit floats as the template of a kernel library spells it.
std::string gemm(int rows, int columns, int stages) {
  const std::string element = "cutlass::float_e4m3_t";
  const std::string tile = tuple({constant(rows), constant(columns), constant(128)});
  const std::string stride = tuple({"long", constant(1), "long"});
  const std::string cluster = tuple({constant(2), constant(1), constant(1)});
  const std::string scales =
      layout({tuple({constant(32), constant(4)}), tuple({constant(columns / 8), "int"})},
             {tuple({constant(16), constant(4)}), tuple({constant(0), constant(512)})});
  const std::string atom = of(
      "cute::MMA_Atom",
      {of("cute::SM100_MMA_F8F6F4_2x1SM_SS",
          {element, element, "float", constant(rows), constant(columns), "(cute::UMMA::Major)0"})});
  const std::string product = of(
      "cutlass::gemm::collective::CollectiveMma",
      {of("cutlass::gemm::MainloopSm100TmaUmmaWarpSpecialized", {fmt::to_string(stages), cluster}),
       tile, tuple({element, scales}), stride, tuple({element, scales}), stride,
       of("cute::TiledMMA", {atom, layout({constant(1), constant(1)}, {constant(0), constant(0)})}),
       "cute::SM100_TMA_2SM_LOAD", shared_layout(element, rows), "void", "cute::identity",
       "cute::SM100_TMA_2SM_LOAD_MULTICAST", shared_layout(element, columns), "void",
       "cute::identity"});
  const std::string epilogue =
      of("cutlass::epilogue::collective::CollectiveEpilogue",
         {"cutlass::epilogue::Sm100TmaWarpSpecialized<4, 2, 64, true, false>", tile,
          "cutlass::bfloat16_t", stride, "cutlass::bfloat16_t", stride});
  const std::string kernel =
      of("cutlass::gemm::kernel::GemmUniversal",
         {tuple({"int", "int", "int", "int"}), product, epilogue, "void", "void"});
  return fmt::format("void {}({}::Params)", of("cutlass::device_kernel", {kernel}),
                     "cutlass::gemm::kernel::GemmUniversal");
}

std::string elementwise(int width, const std::string& functor) {
  return fmt::format(
      "void at::native::vectorized_elementwise_kernel<{0}, {1}, std::array<char*, 3ul> >(int, {1}, "
      "std::array<char*, 3ul>)",
      width, functor);
}

// The deepest nesting of lambdas that PyTorch has: a conversion copy.
std::string conversion() {
  const std::string of_type =
      "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
      "const::{lambda()#9}::operator()() const::{lambda(float)#1}";
  return fmt::format(
      "void at::native::unrolled_elementwise_kernel<{0}, std::array<char*, 2ul>, 4, "
      "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1> >(int, {0}, "
      "std::array<char*, 2ul>)",
      of_type);
}

std::vector<KernelText> setup_kernels() {
  return {
      {elementwise(4, "at::native::FillFunctor<int>"), 1300, 18, 0, 8, 1, 128},
      {conversion(), 1500, 28, 0, 16, 1, 128},
      {"void cache::build_page_table_kernel<int, 64>(int*, int const*, int const*, int)", 2100, 24,
       0, 16, 1, 128},
      {elementwise(2, "at::native::CUDAFunctorOnSelf_add<long>"), 1400, 20, 0, 8, 1, 128},
  };
}

// Of a decoder with latent attention whose products run on 8-bit floats.
std::vector<KernelText> layer_kernels() {
  const std::string quantize =
      "void quant::per_token_group_quant_fp8_kernel<__nv_bfloat16, 128, true>(__nv_bfloat16 "
      "const*, __nv_fp8_e4m3*, float*, int, int, float)";
  const std::string reduce =
      "void comm::allreduce_oneshot_fused_kernel<__nv_bfloat16, 4, {}>(comm::AllReduceParams"
      "<__nv_bfloat16>, comm::Barrier*, unsigned int)";
  return {
      {"void norm::fused_add_rms_norm_kernel<__nv_bfloat16, 7168, 8>(__nv_bfloat16*, "
       "__nv_bfloat16*, __nv_bfloat16 const*, float)",
       3100, 40, 1024, 16, 1, 896},
      {"nvjet_tst_96x64_64x10_2x1_v_bz_TNN", 7400, 168, 198'656, 132, 1, 384},
      {"void norm::rms_norm_kernel<__nv_bfloat16, 1536, 8>(__nv_bfloat16*, __nv_bfloat16 const*, "
       "__nv_bfloat16 const*, float)",
       2000, 32, 1024, 16, 1, 192},
      {"nvjet_tst_192x32_64x8_1x2_h_bz_TNN", 5200, 168, 213'040, 148, 1, 384},
      {"void rope::apply_rotary_embedding_kernel<__nv_bfloat16, 64, true>(__nv_bfloat16*, "
       "__nv_bfloat16*, float const*, long const*, int, int)",
       2300, 36, 0, 16, 2, 128},
      {"void cache::store_latent_and_rope_cache_kernel<__nv_bfloat16, __nv_fp8_e4m3, 576>"
       "(__nv_fp8_e4m3*, __nv_bfloat16 const*, long const*, float)",
       1600, 26, 0, 16, 1, 128},
      {"void flash_mla::splitkv_decode_kernel<cutlass::float_e4m3_t, 576, 512, 64, 128>"
       "(flash_mla::DecodeParams)",
       13'800, 168, 221'184, 16, 9, 384},
      {"void flash_mla::combine_splits_kernel<cutlass::bfloat16_t, 512, 32>"
       "(flash_mla::CombineParams)",
       2600, 48, 2048, 16, 16, 128},
      {"nvjet_tst_128x16_64x12_2x1_v_bz_TNT", 4400, 168, 200'704, 128, 1, 384},
      {quantize, 2200, 30, 0, 148, 1, 512},
      {gemm(128, 64, 6), 9200, 168, 227'328, 56, 1, 256},
      {fmt::format(fmt::runtime(reduce), true), 10'500, 64, 0, 32, 1, 896, true},
      {quantize, 2200, 30, 0, 148, 1, 512},
      {gemm(256, 32, 8), 11'900, 168, 227'328, 32, 4, 256},
      {"void activation::silu_and_mul_kernel<__nv_bfloat16, 8>(__nv_bfloat16*, __nv_bfloat16 "
       "const*, int)",
       2700, 24, 0, 16, 1, 256},
      {quantize, 2100, 30, 0, 148, 1, 512},
      {gemm(128, 32, 9), 8300, 168, 227'328, 56, 1, 256},
      {elementwise(8, "at::native::CUDAFunctor_add<c10::BFloat16>"), 1500, 20, 0, 28, 1, 128},
      {fmt::format(fmt::runtime(reduce), false), 10'900, 64, 0, 32, 1, 896, true},
  };
}

std::vector<KernelText> expert_kernels() {
  return {
      {"void moe::router_gemm_kernel<__nv_bfloat16, float, 256, 7168>(float*, __nv_bfloat16 "
       "const*, __nv_bfloat16 const*)",
       8200, 64, 128, 256, 1, 128},
      {"void moe::routing_topk_sigmoid_kernel<float, 256, 8>(float const*, float const*, int*, "
       "float*, int)",
       4100, 40, 2048, 16, 1, 256},
      {"void moe::routing_expert_offsets_kernel<256, 8>(int const*, int*, int*, int*, int)", 3900,
       32, 8192, 8, 1, 256},
      {"void moe::quantize_permuted_rows_kernel<__nv_bfloat16, 128>(__nv_bfloat16 const*, int "
       "const*, __nv_fp8_e4m3*, float*)",
       3400, 32, 0, 148, 1, 512},
      {"grouped_gemm_E4m3_E4m3_Bf16_t128x16x128_s6_cga1x1x1_swiGlu_dynBatch_sm100f", 18'000, 168,
       210'000, 256, 1, 384},
      {"grouped_gemm_Bf16_E4m3_E4m3_t128x16x256_s5_cga1x1x1_dynBatch_sm100f", 16'200, 168, 200'000,
       448, 1, 384},
      {"void moe::finalize_weighted_rows_kernel<cutlass::bfloat16_t, 8>(cutlass::bfloat16_t*, "
       "cutlass::bfloat16_t const*, float const*, int const*)",
       2900, 40, 512, 16, 7, 256},
      {"void norm::rms_norm_kernel<__nv_bfloat16, 7168, 8>(__nv_bfloat16*, __nv_bfloat16 const*, "
       "__nv_bfloat16 const*, float)",
       2300, 32, 1024, 16, 1, 896},
  };
}

}  // namespace

KernelTexts kernel_texts() {
  return {setup_kernels(),
          {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1'400'000, 96,
           90'000, 24, 1, 544, true},
          layer_kernels(),
          expert_kernels()};
}

std::vector<std::string> python_frames() {
  return {
      "engine/scheduler.py(611): serve_forever",
      "engine/scheduler.py(702): take_requests",
      "engine/scheduler.py(1240): next_batch",
      "engine/batch.py(877): grow_for_decode",
      "engine/memory/page_pool.py(96): take_pages",
      "engine/model/runner.py(455): replay_graph",
      "engine/model/decoder.py(1310): forward",
      "engine/model/attention.py(288): decode_step",
      "engine/output.py(174): hand_out_tokens",
      "nn.Module: DecoderLayer_17",
      "nn.Module: LatentAttention_17",
      "nn.Module: Experts_42",
      "torch/nn/modules/module.py(1741): _call_impl",
      "torch/cuda/graphs.py(91): replay",
      "torch/utils/_contextlib.py(120): wrapper",
      "socket.py(702): readinto",
      "selectors.py(468): select",
      "threading.py(655): wait",
      "<built-in method poll of select.epoll object at 0x7f20b0c41d50>",
      "<built-in method append of list object at 0x7f1fe81d7a40>",
      "<built-in method item of Tensor object at 0x7f1fdc2e9430>",
      "<built-in function isinstance>",
      "<string>(2): __eq__",
      "/srv/größe/warteschlange.py(58): nächste",
  };
}

std::vector<std::string> operators() {
  return {"aten::empty_strided",
          "aten::copy_",
          "aten::_to_copy",
          "aten::to",
          "aten::select",
          "aten::slice",
          "aten::view",
          "aten::as_strided",
          "aten::fill_",
          "aten::zeros_like",
          "aten::add",
          "aten::cumsum",
          "aten::index_put_",
          "aten::index_select",
          "aten::cat",
          "aten::item",
          "aten::mm",
          "aten::argmax",
          "engine::all_reduce_",
          "engine::quantize_rows"};
}

}  // namespace stepscope::bench
