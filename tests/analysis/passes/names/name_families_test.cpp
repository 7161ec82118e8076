// Names of the families that meet the table first: each is spelled as its library would spell one
// that nobody has profiled yet (other shapes, types, suffixes, mangling and profilers).
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "analysis/passes/names/kernel_category.h"

using namespace stepscope::analysis;

namespace {

struct NamedRow {
  std::string_view category;
  std::string_view name;
};

constexpr auto rows = std::to_array<NamedRow>({
    // Copies and fills of all profilers.
    {"memcpy", "[CUDA memcpy DtoP]"},
    {"memcpy", "[CUDA Unified Memory memcpy DtoH]"},
    {"memcpy", "__amd_rocclr_copyImageToBuffer.kd"},
    {"memcpy", "CopyDeviceToHost"},
    {"memcpy", "zeCommandListAppendMemoryCopy(M2D)[65536]"},
    {"memset", "__amd_rocclr_fillImage.kd"},
    {"memset", "Memset (Pinned)"},

    // Communication.
    {"comm-alltoall", "void tensorrt_llm::kernels::moeCommKernel<8>(FusedMoeCommParams)"},
    {"comm-alltoall", "void nixl_ep::ep_kernels::dispatch<true, 4096>(void*, float*)"},
    {"comm-allreduce-nccl", "ncclDevKernel_AllReduce_Min_f64_TREE_LL(ncclDevComm*, unsigned long)"},
    {"comm-allreduce-nccl",
     "ncclSymkDevKernel_AllReduce_RSxLD_AGxST_sum_f16(ncclSymkDevWorkArgs4K)"},
    {"comm-allreduce-nccl", "hcom_allReduce__417_12_1"},
    {"comm-allgather",
     "ncclDevKernel_AllGather_COLLNET_DIRECT_SIMPLE(ncclDevComm*, unsigned long)"},
    {"comm-allgather", "void turbomind::comm::Allgather2D_Simple_Push<__half, 4>(__half*)"},
    {"comm-allgather", "HcomAllGather"},
    {"comm-reducescatter", "ncclSymkDevKernel_ReduceScatter_LD_sum_f32(ncclSymkDevWorkArgs4K)"},
    {"comm-reducescatter", "_ZN5aiter29reduce_scatter_split_rowsIDF16_Li4EEEvPNS_8RankDataE"},
    {"comm-sendrecv", "hcom_receive_7_3_1"},
    {"comm-alltoall", "void deep_ep::elastic::dispatch_impl<7168, 8>(void*, int)"},
    {"comm-alltoall", "void mori::moe::EpCombineLowLatencyAsyncSendCopy<__hip_bfloat16>(Args)"},
    {"comm-alltoall", "void kernels::moeA2ACombineKernel<8, __half>(Params)"},
    {"comm-alltoall", "MoeDistributeDispatchV4"},
    {"comm-alltoall", "void sp::ulysses_a2a_kernel<__half, 4>(__half*)"},
    {"comm-alltoall", "notify_combine_a3"},
    {"comm-allreduce-custom",
     "void turbomind::comm::Allreduce_LL16_V3<__nv_bfloat16, 8>(__nv_bfloat16*)"},
    {"comm-allreduce-custom", "_ZN5aiter27allreduce_fusion_kernel_splitIDF16bLi8ELi5120EEEvPv"},
    {"comm-allreduce-custom", "void mscclpp::collective::allreduceNvlsRing<__half>(__half*, int)"},
    {"comm-allreduce-custom", "void <unnamed>::two_shot_all_reduce_kernel<__half, (int)16>(T1 **)"},
    {"comm-nccl-generic", "ncclDevKernel_Reduce_Sum_u8_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
    {"comm-nccl-generic", "hcom_broadcast__33_2_1"},
    {"comm-nccl-generic", "userbuffers_fp16_sum_inplace_gpu_xx"},

    // cuBLAS, cuDNN, CUTLASS, DeepGEMM.
    {"gemm-dense", "ampere_h16816gemm_256x64_sliced1x2_ldg8_stages_32x4_nt"},
    {"gemm-dense", "volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_nn"},
    {"gemm-dense", "nvjet_hsh_96x192_64x5_1x2_h_bz_coopB_scaleAB_NNT"},
    {"gemm-dense", "nvjet_sm100_qqtst_256x96_128x6_2x1_2cta_v_badd_TNN"},
    {"gemm-dense", "sm80_xmma_gemm_i8i32_i8i32_i32_tn_n_tilesize64x64x64_stage5_kernel"},
    {"gemm-dense", "sm90_xmma_wgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_kernel__5x_cudnn"},
    {"gemm-dense", "turing_fp16_s1688cudnn_fp16_64x64_ldg8_relu_f2f_exp_interior_nhwc_tn_v1"},
    {"gemm-dense",
     "void gemv2N_kernel<int, int, __half, __half, __half, float, 64, 4>(cublasGemvParams)"},
    {"gemm-dense",
     "void internal::gemvx::kernel<int, int, float, float, float, (bool)1, (int)9>(T13)"},
    {"gemm-dense",
     "void splitKreduce_kernel<__half, __half, float, __half, true>(cublasSplitKParams)"},
    {"elementwise/copy",
     "void scal_kernel<double, double, 1, true, 6>(cublasTransposeParams<double>)"},
    {"gemm-dense",
     "_ZN7cutlass7Kernel2I58cutlass_75_tensorop_f16_s1688gemm_f16_64x128_nn_align4EEvNT_6ParamsE"},
    {"gemm-dense", "cutlass3x_sm100_bstensorop_s256x192x64gemm_block_scaled_ue8m0xe4m3_tnt_2sm"},
    {"gemm-dense",
     "void cutlass::device_kernel<enable_sm120_only<cutlass::gemm::kernel::GemmUniversal<S>>>(P)"},
    {"gemm-dense",
     "kernel_cutlass_kernel_my_kernelsSm103DenseGemmKernel_object_at__TiledMMA_ThrLayout"},
    {"gemm-dense",
     "void deep_gemm::sm100_bf16_gemm_impl<128u, 64u, (deep_gemm::GemmType)0>(CUtensorMap)"},
    {"gemm-moe", "_ZN9deep_gemm22sm100_bf16_gemm_implILj128ELNS_8GemmTypeE2EEEvPf"},
    {"gemm-moe",
     "void cutlass::device_kernel<GemmUniversal<cutlass::gemm::GroupProblemShape<S>>>(P)"},
    {"gemm-moe", "kernel_cutlass_kernel_my_moeBlockScaledContiguousGroupedGemmKernel_object_at"},
    {"attention-fmha",
     "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaBwdKernel<S>>(P)"},
    {"attention-mla",
     "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaMlaKernel<S>>(P)"},

    // A block-scaled GEMM carries the type of its scales, and the words of what its epilogue does.
    {"gemm-dense", "void cutlass::device_kernel<GemmUniversal<S, cutlass::float_ue8m0_t>>(P)"},
    {"gemm-dense", "void cutlass::device_kernel<GemmUniversal<S, LinCombPerRowBiasEltActAmax>>(P)"},
    {"gemm-dense",
     "void cutlass::Kernel<cutlass::gemm::kernel::GemmWithEpilogueVisitor<Softmax>>(P)"},
    {"gemm-moe", "void cutlass::Kernel<cutlass::gemm::kernel::GemmGrouped<MmaMultistage<S>>>(P)"},

    // TRT-LLM gen, FlashInfer, FlashMLA, FlashAttention.
    {"gemm-moe", "bmm_E4m3_MxE2m1E4m3_Fp32_t64x32x256_s4_et64x32_rM_TN_clmp_swiGlu_dynB_sm103a"},
    {"gemm-dense", "gemm_Fp16_E2m1E2m1_Fp32_t128x64x256_s5_et128x64_m128x64x64_cga1x1x1_sm103a"},
    {"attention-fmha", "fmhaSm103aKernel_QFp16KvE4m3OFp16H128PagedKvCausalP64VarSeqQ64Kv128"},
    {"attention-mla", "fmhaSm103fKernel_QkvE4m3OE4m3HQk576HV512PagedKvDenseP16VarSeqQ8Kv128"},
    {"moe-routing",
     "void moe::dev::routing::routingNew::routingIndicesTileKernel<KernelParams<float>>(P)"},
    {"attention-fmha",
     "void flashinfer::PODWithKVCacheKernel<32u, flashinfer::DefaultAttention>(P)"},
    {"attention-mla",
     "void flashinfer::mla::BatchMLAPagedAttentionKernel<KernelTraits<false, 4u>>(P)"},
    {"rope/kv-cache", "void flashinfer::AppendPagedKVCacheKernel<192u, 16u, __half, long>(P)"},
    {"sampling", "void flashinfer::sampling::MinPSamplingFromProbKernel<512u, double>(P)"},
    {"normalisation", "void flashinfer::norm::RMSNormQuantKernel<16u, __half, __nv_fp8_e4m3>(P)"},
    {"gemm-moe", "void flashinfer::group_gemm::compute_sm103_group_gemm_args<__half>(int*)"},
    {"attention-mla", "void sm100::decode::head128::flash_fwd_splitkv_mla_fp4_kernel<T>(P)"},
    {"attention-fmha",
     "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<96>, 4, 7>(P)"},
    {"attention-fmha",
     "kernel_cutlass_kernel_flash_attncuteflash_fwd_sm120FlashAttentionForwardSm120_object"},
    {"attention-fmha", "cudnn_generated_fort_native_sdpa_sm100_flash_fprop_f16_knob_9_128x128x128"},
    {"attention-fmha",
     "void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<float, 96>(P)"},
    {"attention-fmha", "_paged_decode_split_kernel"},
    {"attention-fmha", "_fwd_kernel_with_sink_and_window.kd"},
    {"attention-fmha", "_gqa_share_sparse_fwd_kernel"},
    {"attention-indexer", "void deep_gemm::smxx_clean_logits<4096u, 2u>(float*, unsigned int)"},
    {"attention-indexer", "_prefill_index_score_kernel"},
    {"attention-indexer", "_convert_req_index_to_global_index_kernel"},
    {"linear-attention", "prepare_wy_fast_fwd_kernel"},
    {"elementwise/copy", "fill_page_table_kernel"},
    {"other", "prefill_plan_kernel"},

    // Linear attention.
    {"linear-attention", "chunk_newrule_fwd_kernel_h_blockdim128"},
    {"linear-attention", "void fused_conv1d_batched_kernel_v3<__half, 4>(__half*)"},
    {"linear-attention", "kernel_flashkda_fp16_persistent_m256"},
    {"linear-attention", "gdr_decode_packed_fp16_kernel"},
    {"linear-attention", "void ssm_scan_f32<16, 128>(float const*)"},
    {"linear-attention", "void cutlass::device_kernel<flat::kernel::FlatKernelDeltaRule<S>>(P)"},
    {"linear-attention", "prepare_wy_repr_fwd_kernel_chunk128"},

    // AMD: aiter, CK, Tensile, MIOpen.
    {"gemm-moe", "_ZN5aiter51fmoe_bf16_pertokenFp8_g1u1_vs_multix_silu_2tg_64x256E"},
    {"gemm-moe", "mfma_moe2_afp4_wfp4_fp16_t64x128x256_atomic"},
    {"gemm-moe", "flydsl_moe1_abf16_wint4_bf16_t16x64x256_w2"},
    {"gemm-moe", "moe_ck2stages_gemm2_256x32x64x128_1x4_MulABScaleWeightSilu_v1"},
    {"gemm-moe", "_ZN7ck_tile6kentryILi2ENS_15MoeFlatmmKernelINS_22TilePartitionerE"},
    {"gemm-dense", "_ZN5aiter44f4gemm_bf16_per1x32Fp4_BpreShuffle_192x128_psE"},
    {"gemm-dense", "hgemm_fp16_64x128x64x3_SPK4_W4x1x1_TN"},
    {"gemm-dense", "aiter::wv_splitk_small_fp8_kernel(float const*, int)"},
    {"gemm-dense", "Custom_Cijk_Ailk_Bjlk_S_MX_B_MT128x256x32_MI16x16x1_shortname2_gfx950"},
    {"gemm-dense", "_ZN7ck_tile6kentryILi1ENS_16StreamKGemmKernelINS_17TilePartitionerE"},
    {"gemm-dense", "igemm_fwd_gtcx4_nhwc_fp16_bx0_ex1_bt128x128x64_wt32x32x16"},
    {"attention-mla", "_ZN5aiter37mla_a8w8_qh64_qseqlen2_gqaratio64_psE"},
    {"attention-mla", "kn_mi40x_mla_v50_fwd_decode_m32x8_fp8_fp8"},
    {"attention-fmha", "_ZN5aiter41PA_A8W8_BLK512_2TG_8W_8mx1_64nx4_MTP_PSE"},
    {"attention-fmha", "_ZN5aiter29fmha_fwd_hd256_fp8_causal_groupE"},
    {"moe-routing", "_ZN5aiter21topksoftmax_8x512x10E"},
    {"moe-routing", "_ZN7ck_tile6kentryILi1ENS_18MoeSortingKernelV2INS_7ProblemEEEEvT_"},
    {"moe-routing", "void aiter::mxfp4_moe::moe_scatter_reduce::kernel<64>(int*)"},
    {"rope/kv-cache", "_ZN5aiter32kn_entry_2c_thd_cached_indirect3INS_5OpE"},
    {"elementwise/copy", "void aiter::operator_bcast_tile_kernel<float, 256>(float*)"},
    {"elementwise/copy", "batched_transpose_8x256_pack_2x2_ediv_1x1_half"},
    {"normalisation", "MIOpenBatchNormFwdInferPerActivationEst"},

    // Engines: vLLM, SGLang, TRT-LLM, lmdeploy, lightllm.
    {"gemm-moe", "void marlin_moe_wna16::Marlin<__half, 2251799813685248l, 256, 2>(int4 const*)"},
    {"elementwise/copy", "void marlin_moe::permute_cols_kernel<8>(int4 const*)"},
    {"gemm-dense", "void machete::prepacked_gemm_kernel<__half, 4>(P)"},
    {"quantize", "void vllm::gptq::reconstruct_exllama_5bit_kernel(unsigned int const*)"},
    {"quantize", "dequantize_block_q7_K<__half>(void const*, __half*)"},
    {"quantize", "void per_token_group_quant_4bit_kernel<c10::Half, 128>(P)"},
    {"rope/kv-cache", "void vllm::concat_and_cache_mla_v2_kernel<__half, unsigned char>(P)"},
    {"rope/kv-cache", "_fwd_kernel_destindex_copy_quantize_fp4_kv"},
    {"rope/kv-cache", "turbomind::flattenKV_v3(float const*, int)"},
    {"norm+rope", "void fused_rope_rms_4way_kernel<__half, 192>(__half*)"},
    {"moe-routing", "void turbomind::MoeGateNoAuxTCKernel_v2<float, 8>(float const*)"},
    {"moe-routing", "_w8a16_route_prefix_from_counts_kernel"},
    {"moe-routing",
     "void transformer_engine::fused_router::fused_moe_aux_loss_v2_kernel<float>(P)"},
    {"activation", "_silu_and_mul_moe_ep_fp8_kernel"},
    {"activation", "void swiglu_group_quant_v2<__half, 128>(__half*)"},
    {"activation", "void transformer_engine::dgated_act_v2_kernel<__half>(P)"},
    {"quantize", "void transformer_engine::group_amax_kernel::grouped_compute_scale_v2(P)"},
    {"quantize", "void transformer_engine::swizzle_row_scaling_wide_kernel<int4>(P)"},
    {"normalisation", "void batchnorm_welford_kernel_parallel<float>(float*)"},
    {"sampling", "LogitsBitmaskKernelV2(float const*, int)"},
    {"sampling", "_bad_words_mask_kernel"},
    {"sampling", "void tensorrt_llm::kernels::beamStage2Kernel<float, 128>(P)"},
    {"sampling", "void turbomind::topPMinPFilterV2<float, 256>(P)"},
    {"sampling", "_tree_target_only_verify_kernel"},
    {"gemm-dense", "_awq_linear_splitk_kernel"},
    {"gemm-dense", "linear_persistent_bias_kernel"},
    {"embedding/gather", "void k_get_rows_half<__half, float>(P)"},
    {"elementwise/copy", "void k_bin_bcast<&(op_div(float, float)), float>(P)"},

    {"elementwise/copy", "copy_block_buffer_v2_kernel"},
    {"elementwise/copy", "void turbomind::gemm::convert_layout_kernel<__half>(__half*)"},

    // Ascend.
    {"gemm-dense", "aclnnAddmm_MatMulV3Common_MatMulV3"},
    {"gemm-moe", "aclnnGroupedMatmulV7_GroupedMatmul_GroupedMatmul"},
    {"gemm-moe", "GroupedMatmulSwigluQuantV2"},
    {"gemm-moe", "dispatch_ffn_combine_w8_a8"},
    {"attention-fmha", "aclnnFusedInferAttentionScoreV5_FusedInferAttentionScore"},
    {"moe-routing", "MoeTokenPermuteWithEp"},
    {"normalisation", "aclnnAddRmsNormQuant_AddRmsNormQuant_AddRmsNormQuant"},
    {"rope/kv-cache", "ReshapeAndCacheNzKernel"},
    {"activation", "DequantSwigluQuantV2"},
    {"quantize", "aclnnDynamicQuantV3_DynamicQuant_DynamicQuant"},
    {"elementwise/copy", "aclnnMuls_MulAiCore_Mul"},
    {"elementwise/copy", "StridedSliceD"},
    {"elementwise/copy", "ConcatV2"},

    // PyTorch as Nsight prints it, and as Inductor names it.
    {"softmax", "void <unnamed>::softmax_warp_forward<float, float, float, (int)7, (bool)1>(T2 *)"},
    {"elementwise/copy", "void <unnamed>::elementwise_kernel_with_index<int, T2>(T1, T2)"},
    {"normalisation",
     "void at::native::<unnamed>::vectorized_layer_norm_kernel<float, (bool)1>(int)"},
    {"gemm-dense", "void at::native::<unnamed>::conv_depthwise3d_cuda_kernel<float, (int)3>(T1)"},
    {"gemm-moe", "triton_tem_fused__grouped_mm_4"},
    {"normalisation", "triton_red_fused__to_copy_add_fused_add_rms_norm_9"},
    {"normalisation", "triton_red_fused__to_copy_add_all_reduce_mean_mul_pow_rsqrt_2"},
    {"activation", "triton_poi_fused_all_reduce_mul_silu_5"},
    {"elementwise/copy", "triton_poi_fused_all_gather_into_tensor_wait_tensor_3"},
    {"elementwise/copy", "triton_per_fused_add_reduce_scatter_tensor_wait_tensor_1"},
    {"elementwise/copy", "triton_poi_fused_all_to_all_single_cat_0"},
    {"comm-allreduce-custom", "triton_one_shot_all_reduce_bias_rms_norm"},

    // Other makers of chips, and names that say their family without a namespace.
    {"comm-alltoall", "hybrid_ep_combine_kernel"},
    {"comm-alltoall", "_ZN7nixl_ep10ep_kernels8dispatchILb1EEEvPv"},
    {"gemm-dense", "void cutlass::Kernel<cutlass::gemm::kernel::Gemm<HybridEpilogue>>(P)"},
    {"comm-nccl-generic", "oneccl_broadcast_ring"},
    {"gemm-dense", "_ZN5aiter37flatmm_bf16_a8w8_blkscale_256x128x128E"},
    {"quantize", "void tensorrt_llm::kernels::scale_1x128_kernel<__half, __nv_fp8_e4m3>(P)"},
    {"attention-mla", "MultiHeadLatentAttention"},
    {"elementwise/copy", "SplitVD"},
    {"elementwise/copy", "TransData"},
});

}  // namespace

TEST_CASE("a name of a known family that no list holds falls into its category") {
  const KernelClassifier classifier = KernelClassifier::create("").value();
  for (const NamedRow& row : rows) {
    CAPTURE(row.name);
    const KernelCategory found = classifier.classify(row.name);
    CAPTURE(found.rule);
    CHECK(found.category == row.category);
  }
}

TEST_CASE("the words that name communication do not take a GEMM or an attention") {
  const KernelClassifier classifier = KernelClassifier::create("").value();
  for (const NamedRow& row : rows) {
    const bool computes = row.category.starts_with("gemm") || row.category.starts_with("attention");
    if (!computes) continue;
    // Template text of compute kernels says dispatch, combine, reduce, gather and ring.
    const std::string name = std::string{row.name} +
                             "<DispatchPolicy, FlashAttnFwdCombine, ReduceOp, GatherA, RingBuffer, "
                             "cutlass::epilogue::Broadcast, two_shot, a2afoo, StepDispatchX>";
    CAPTURE(name);
    CHECK(classifier.classify(name).device_class == DeviceClass::compute);
  }
}
