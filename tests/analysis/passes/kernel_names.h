#pragma once
// Kernel names of every family that the category rules know, as the libraries form them; long ones
// are cut, as reports cut them. A line that ends in a colon gives the category and the component of
// the names below it.

#include <string_view>

namespace stepscope::tests {

inline constexpr std::string_view kernel_names = R"(
memcpy, setup:
Memcpy PtoP (Device -> Device)
[CUDA memcpy Device-to-Host]
MEMORY_COPY_HOST_TO_DEVICE
__amd_rocclr_copyBufferAligned.kd
memset, setup:
__amd_rocclr_fillBufferAligned2D.kd
[CUDA memset]
comm-allreduce-nccl, communication:
ncclDevKernel_AllReduce_Sum_bf16_TREE_LL(ncclDevKernelArgsStorage<4096ul>)
ncclSymkDevKernel_AllReduce_AGxLL_R_sum_bf16(ncclSymkDevWorkArgs4K)
comm-allgather, communication:
ncclDevKernel_AllGather_RING_SIMPLE(ncclDevKernelArgsStorage<4096ul>)
void (anonymous namespace)::multimem_all_gather_kernel<16>(char*, char*)
comm-reducescatter, communication:
ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)
comm-sendrecv, communication:
ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)
comm-nccl-generic, communication:
ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)
ncclDevKernel_Generic_2(ncclDevKernelArgsStorage<4096ul>).kd
mscclKernel_Sum_half_Simple_false
nvshmemi_barrier_on_stream_kernel
comm-alltoall, communication:
void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(...)
_ZN7deep_ep12internode_ll8dispatchILb1ELi7168EEEvPv
void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)
void tensorrt_llm::kernels::moeAllToAllKernel<true>(Params)
EpDispatchIntraNodeKernel_bf16
comm-allreduce-custom, communication:
void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSig
void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<8, __nv_bfloat16>(Para
void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<half>, hal
two_shot_all_reduce_kernel_inplace
void flashinfer::trtllm_moe_allreduce_fusion::moefinalize_allreduce_fusion_kernel_ones
moe-routing, moe:
_moe_mxfp4_sort_kernel
void at::native::mbtopk::computeBlockwiseWithinKCounts<unsigned int>(unsigned int*)
void vllm::moe::moe_align_block_size_small_batch_expert_kernel<int, 256>(x)
void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>(x)
void vllm::moe::grouped_topk_fused_kernel<float, float, int>(x)
void moe::dev::routing::routingDeepSeek::routingMainKernel<KernelParams<float, __nv_bf
void tensorrt_llm::kernels::cutlass_kernels::finalizeMoeRoutingKernel<__nv_bfloat16, _
void tensorrt_llm::kernels::cutlass_kernels::computeStridesTmaWarpSpecializedKernel<__
void tensorrt_llm::kernels::cutlass_kernels::globalExpertPrefixSumKernel<1024>(x)
_ZN7ck_tile6kentryILi1ENS_30MoeSortingMultiPhaseKernel_P23IiEE
_ZN5aiter24biased_grouped_topk_kernelIDF16bE
_fwd_kernel_ep_scatter_2
deepep_post_reorder_triton_kernel
_combined_routing_compute
_routing_compute_indx
_bitmatrix_metadata_compute_stage2
_moe_sum_reduce_kernel
void moe_sum_reduce_warp_per_token_vec_kernel<16>(x)
opus_moe_sorting_entry
sampling, sampling:
void at::native::(anonymous namespace)::sampleMultinomialOnce<float, float>(long*, lon
triton_red_fused_argmax_0
void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u, (cub::BlockScanAlgori
void flashinfer::sampling::TopPRenormProbKernel<1024u, float>(x)
rejection_greedy_sample_kernel
void apply_token_bitmask_inplace_kernel<float, 4>(x)
_gumbel_sample_kernel
_penalties_kernel
void TreeSpeculativeSamplingTargetOnly<1024u, float>(x)
void tensorrt_llm::kernels::topKStage1<float, 128, 8>(x)
softmax, other:
void at::native::(anonymous namespace)::cunn_SoftMaxForwardSmem<4, c10::BFloat16, floa
void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, float, 7, false, false
triton_per_fused__softmax__to_copy_add_2
normalisation, norm:
_fused_rms_fp8_group_quant_kernel
void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, fl
void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<c10::BFloat16>(long,
triton_red_fused__to_copy_add_mean_moe_forward_shared_mul_pow_rsqrt_1
triton_per_fused_native_layer_norm_4
void vllm::rms_norm_static_fp8_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(x)
void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(x)
_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi128ELi8EEEvPv
void layer_norm::ln_bwd_finalize_kernel<layer_norm::Kernel_traits_finalize<4096u>>(P)
_layer_norm_fwd_1pass_kernel
_ZN7ck_tile6kentryILi1ENS_14Layernorm2dFwdINS_28Layernorm2dFwdPipelineTwoPassE
l2norm_fwd_kernel
void transformer_engine::normalization::rmsnorm_fwd_tuned_kernel<x>(P)
kernel_cutlass_kernel_flashinfernormkernelsrmsnormRMSNormKernel_object_at
activation, mlp:
act_mul_and_dynamic_mxfp4_quant_kernel
void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::T
_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_61_GLOBAL__N__1_silu_kernelERN
triton_poi_fused_mul_silu_slice_1
void vllm::silu_and_mul_kernel<c10::BFloat16>(x)
void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &(silu(float const&))>(
_swiglu_forward_kernel
silu_mul_cvt_fp16_to_fp4
activation, moe:
void tensorrt_llm::kernels::cutlass_kernels::doActivationKernel<__nv_bfloat16, x, TmaW
void moe::dev::activation::activationDeepSeekKernel<moe::dev::activation::KernelParams
_silu_mul_fp8_quant_deep_gemm
embedding/gather, embedding:
void at::native::(anonymous namespace)::indexSelectSmallIndex<c10::BFloat16, long, uns
void at::native::(anonymous namespace)::EmbeddingBag_updateOutputKernel_sum_mean<float
triton_poi_fused_embedding_0
void split_embedding_codegen_forward_unweighted_kernel<float, float, float, false, lon
elementwise/copy, elementwise:
void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(float*, fl
void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::nat
void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::(anonym
void at::native::vectorized_elementwise_kernel<4, fbgemm_gpu::_float_to_hfp8_gpu(at::T
void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<f(at::T
triton_poi_fused_add_cat_mul_sub_7
triton_red_fused_amax_0
void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<float, int, int>::P
void rocprim::detail::radix_sort_onesweep_histograms_kernel<x>(x)
void cudnn::ops::nhwcToNchwKernel<__half, __half, float>(x)
batched_transpose_64x64_half
memcpy_triton_kernel
compute_position_triton
void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelF
void fbgemm_gpu::permute_2D_data_kernel<false, int, int>(x)
gemm-dense, other:
void at::native::tinygemm_m16n8k16_chunk_kernel<at::native::ALayout_RM<3>, 2>(void con
triton_tem_fused_addmm_3
triton_mm
void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 2112u, 7168u, 1u, (deep_gemm::GemmType)0>(
void deep_gemm::sm100_bf16_gemm_impl<(cute::UMMA::Major)0, 0u>(x)
nvjet_qtst_128x256_128x6_2x1_2cta_v_badd_coopA_TNT
nvjet_hsh_128x192_64x5_1x2_h_bz_coopA_NNT
Custom_Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_shortname0_gfx950.kd
void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16>(cublasLt::cublasSplitKP
void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16>(P)
sm100_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cga1x1x1
cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1_tn_align8
void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int,
_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiiEEE
gemm_Bfloat16_E4m3E4m3_Fp32_t128x8x128_s7_et128x8_m128x8x32_cga1x1x1_sm100f
_gemm_afp4wfp4_kernel_BLOCK_SIZE_M_16
_w8a8_block_fp8_matmul
_ZN2ck30kernel_gemm_xdl_cshuffle_v3_multi_dINS_28GridwiseGemmMultiD_ABScale_xdl_cshuff
void wvSplitK_hf_sml_<__hip_bfloat16, 64, 2, 16, 8, 2, 1>(x)
void marlin::Marlin<__nv_bfloat16, 1125899906842635l, 256, 4, 16, 4>(x)
_lora_shrink_kernel
sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64
igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x32
_ZN5aiter37bf16gemm_fp32bf16_tn_64x64_splitk_cleanE
_ZN5aiter39f4gemm_bf16_per1x32Fp4_tn_256x256_splitE
gemm-dense, attention:
void fused_a_gemm_kernel<1, 2112, 7168, 16, 256, 16>(x)
gemm-dense, moe:
void router_gemm_kernel_float_output<__nv_bfloat16, 128, 8, 1, 256, 7168>(x)
attention-fmha, attention:
void mha_varlen_fwd_kernel<128>
triton_tem_fused_flex_attention_0
void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>, false>(
void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<x> > >
kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_a
void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<(flashinf
void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u,
void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u, 8u, 4u, float, __n
fmhaSm100aKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64VarSeqQ128Kv128StaticContext
fmha_v2_flash_attention_bf16_64_128_S_q_paged_kv_128_causal_sm90_kernel
_ZN7ck_tile6kentryILi2ENS_13FmhaFwdKernelINS_28BlockFmhaPipelineQRKSVSAsyncE
_ZN5aiter23fmha_fwd_hd128_bf16_causalE
void vllm::paged_attention_v2_kernel<__nv_bfloat16, __nv_bfloat16, 128, 16, 128>(x)
kernel_unified_attention_3d
reduce_segments
_ZN5aiter34pa_bf16_pertokenFp8_gqa8_2tg_4wE
cudnn_generated_fort_native_sdpa_sm100_flash_fprop_f16_knob_3i_128x128x64_4x1x1_cga1x1
_attn_fwd
_fwd_kernel_stage2
gemm-moe, moe:
void fbgemm_gpu::f8f8bf16_rowwise_grouped_kernel
triton_tem_fused__grouped_mm_1
bmm_E4m3_E4m3E4m3_Fp32_t128x8x256_s6_et128x8_m256x8x32_cga2x1x1_16dp256b_TN_transOut_s
bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x64x256u2_swiGlu_dynBatch_sm100f
_p_matmul_ogs_NNT_bf16xbf16xmxfp4_64x128x128x1_swiglu
fused_moe_kernel_gptq_awq
_ZN5aiter48fmoe_bf16_pertokenMXfp4_g1u1_vs_silu_1tg_ps_32x512E
_ZN2ck15kernel_moe_gemmINS_33GridwiseMoeGemmBlockScaleE
void cutlass::device_kernel<Gemm<cutlass::gemm::GroupProblemShape<x>, EpilogueMoeFusedFinalize>>
void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 4096u, 7168u, 32u, 128u, (deep_gemm::GemmType)2>(x)
_ZN9deep_gemm21sm100_fp8_gemm_1d1d_implILj0ELj7168ENS_8GemmTypeE1EEEvPi
void deep_gemm::fp8_gemm_kernel<4096u, 7168u, (deep_gemm::GemmType)1>(x)
void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899906909960l>(x)
flydsl_mxmoe_g2_a8w4_32x128x256
kernel_cutlass_kernel_Sm100BlockScaledContiguousGroupedGemmKernel_object
_ZN7ck_tile6kentryILi2ENS_15MoeFlatmmKernelE
__get_group_gemm_starts
quantize, quantize:
triton_poi_fused_static_scaled_fp8_quant_2
void vllm::cvt_fp16_to_fp4<__nv_bfloat16, false>(int, int, __nv_bfloat16 const*)
void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, false, true>
_per_token_group_quant_8bit_colmajor
void tensorrt_llm::kernels::fp8_blockscale_gemm::scale_1x128_kernel<__nv_bfloat16, __n
void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float
void deep_gemm::transpose_and_pack_fp32_into_ue8m0<512u, 48u, 64u>(x)
_ZN5aiter35dynamic_per_group_scaled_quant_kernelIDF16bE
_dynamic_mxfp4_quant_kernel
void tensorrt_llm::kernels::block_scale_interleave_kernel(int, int, x)
_downcast_to_mxfp
act_quant_kernel_kernel
other, other:
triton_red_fused_7
Kernel
unknown
allocate_slots_kernel
norm+rope, attention:
void tensorrt_llm::kernels::fusedQKNormRopeKernel<128, true>(void*, int, int, int, int
fused_qk_norm_mrope_3d_cache_pts_quant_shuffle_kernel
_ZN12_GLOBAL__N_124fused_qknorm_rope_kernelILi128EEEvPv
rope/kv-cache, attention:
kn_entry_2c_sbhd_cached_indirect_inplace
transfer_kv_per_layer_kernel
void vllm::concat_and_cache_mla_kernel<__nv_bfloat16, unsigned char, (vllm::Fp8KVCache
void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheEnhancedKernel<true, 64u, 8u, 32u,
void tensorrt_llm::kernels::applyMLARopeAndAssignQKVKernelGeneration<__nv_bfloat16, 25
void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<__nv_bfloat16, 64, KVBlockArr
_rope_kernel
void mla_rope_quantize_fp8_kernel<__nv_bfloat16>(x)
create_flashmla_kv_indices_triton
set_mla_kv_buffer_kernel
void vllm::indexer_k_quant_and_cache_kernel<__nv_bfloat16>(x)
void flashinfer::AppendPagedKVCacheKernel<128, 4, __nv_bfloat16, int>(x)
write_req_to_token_pool_triton
void vllm::gather_and_maybe_dequant_cache<__nv_bfloat16, unsigned char>(x)
concat_mla_k_kernel
_fwd_kernel_destindex_copy_kv
attention-mla, attention:
void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, 64, 64, 8, bf16>, true>(x)
void flash_fwd_mla_combine_kernel<cutlass::bfloat16_t, float, long, 512, 32>(x)
fmhaSm100fKernel_QkvE4m3OBfloat16HQk576HV512HVPerCta256PagedKvDenseP64VarSeqQ16Kv128St
void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaMlaKernelTmaWarpspecialize
void flashinfer::mla::BatchMLAPagedAttentionKernel<KernelTraits<true, 2u>, Params>(Par
_ZN5aiter42mla_a16w16_qh16_m16x4_n16x1_coex0_mask1_psE
kn_get_mla_metadata_v1_2
void flash::get_mla_metadata_kernel(x)
_fwd_grouped_kernel_stage1_rope
void sm100::fwd::head64::sparse_attn_fwd_kernel<x>(P)
void flashinfer::BatchDecodeWithPagedKVCacheKernelMLA<2u, 1u, 8u>(P)
cutlass_mla_kernel
attention-indexer, attention:
void deep_gemm::sm90_fp8_paged_mqa_logits<128u, 64u>(x)
void vllm::topKPerRowDecode<512, true>(float const*, int const*, int*)
_fp8_mqa_logits_kernel
linear-attention, attention:
chunk_gated_delta_rule_fwd_kernel_h_blockdim64
_causal_conv1d_fwd_kernel
_selective_scan_update_kernel
_chunk_scan_fwd_kernel
merge_16x16_to_64x64_inverse_kernel
recompute_w_u_fwd_kernel
fused_sigmoid_gating_delta_rule_update_kernel
)";

}  // namespace stepscope::tests
