#include "analysis/passes/names/category_rules.h"

#include <array>

// Order is the logic: names carry the words of other families in their template text, so a rule
// stands before every rule whose words it may contain. The order is: copies, Inductor (anchored at
// the start of the name), communication, PyTorch (anchored too), rotary and cache writes,
// attention, sampling, MoE, norms, activations, quantization, GEMM, and last the weak words. A note
// names the family first. Under (?i) a short word also meets the substitutions of mangled names
// (NSA_, S1_). Components say what the name itself tells; a GEMM that may serve any layer is
// "other".

namespace stepscope::analysis {
namespace {

constexpr auto rules = std::to_array<CategoryRule>({
    // Copies. A profiler of ROCm shows them as kernels.
    {R"(^(?:__amd_rocclr_copy(?:Buffer|Image)|MEMORY_COPY_|MEMCPY(?:_|$)|Memcpy\b)"
     R"(|\[CUDA (?:Unified Memory )?memcpy|Copy(?:Host|Device)To)"
     R"(|zeCommandListAppendMemoryCopy))",
     "memcpy", "setup",
     "Copies: Kineto, nsys, rocprofv3, roctracer, msprof and Level Zero names, rocclr kernels"},
    {R"(^(?:__amd_rocclr_fill(?:Buffer|Image)|MEMSET(?:_|$)|Memset\b|\[CUDA memset)"
     R"(|FillBuffer\b|zeCommandListAppendMemoryFill))",
     "memset", "setup",
     "Memory fills: Kineto, nsys, roctracer, msprof and Level Zero names, rocclr kernels"},

    // Inductor names list the operators that were fused; the heaviest role wins. They stand before
    // communication: an all-reduce among the words was awaited, and runs as a kernel of its own.
    {R"(^triton_\w*flex_(?:attention|decoding))", "attention-fmha", "attention",
     "Inductor: FlexAttention templates"},
    {R"(^triton_\w*(?:grouped_mm|moe_mm))", "gemm-moe", "moe", "Inductor: grouped GEMM templates"},
    {R"(^triton_(?:tem_|mm|bmm|addmm|conv))", "gemm-dense", "other", "Inductor: GEMM templates"},
    {R"(^triton_[a-z]{3}_fused\w*(?:rsqrt|(?:layer|rms|group|batch|instance)_norm))",
     "normalisation", "norm", "Inductor: fused norms (mean alone is not enough, rsqrt is)"},
    {R"(^triton_[a-z]{3}_fused\w*softmax)", "softmax", "other", "Inductor: fused softmax"},
    {R"(^triton_[a-z]{3}_fused\w*(?:argmax|argmin|multinomial|exponential))", "sampling",
     "sampling", "Inductor: fused sampling"},
    {R"(^triton_[a-z]{3}_fused\w*_(?:moe_|topk|bincount))", "moe-routing", "moe",
     "Inductor: what is fused before or after a MoE layer"},
    {R"(^triton_(?:per|red)_fused_(?:copy__)?mul_sum_\d+)", "moe-routing", "moe",
     "Inductor: weighted sum over the experts of a token (a guess from its place in Qwen3 MoE)"},
    {R"(^triton_[a-z]{3}_fused\w*(?:silu|gelu|sigmoid|relu|swish|tanh))", "activation", "mlp",
     "Inductor: fused activations"},
    {R"(^triton_[a-z]{3}_fused\w*embedding)", "embedding/gather", "embedding",
     "Inductor: fused embedding, both ways"},
    {R"(^triton_[a-z]{3}_fused\w*(?:quant|fp8|float8))", "quantize", "quantize",
     "Inductor: fused quantization"},
    {R"(^triton_(?:poi|for)_|^triton_(?:per|red)_fused\w*(?:copy|mean|amax|add|mul|div)"
     R"(|clone|cat))",
     "elementwise/copy", "elementwise", "Inductor: fused pointwise operators"},
    {R"(^triton_(?:per|red|unk)_)", "other", "other",
     "Inductor: reductions whose operators tell no role"},

    // Communication. Together the patterns hold the words of the accounting rules' class, and names
    // of other libraries that can be nothing else: no word here occurs in a GEMM or an attention.
    {R"((?i)(?:nccl|rccl|hccl|hcom_)[\w:]*all_?reduce)", "comm-allreduce-nccl", "communication",
     "NCCL/RCCL/HCCL: all-reduce, also of symmetric memory"},
    {R"((?i)(?:nccl|hccl|hcom_)\w*(?:send|recv|receive)|nvshmem\w*_(?:put|get))"
     R"(|nccl[\w:]*p2p)",
     "comm-sendrecv", "communication",
     "NCCL/RCCL/HCCL, NVSHMEM: point to point; all-to-all may show as this too"},
    {R"((?i)allgather|all_gather)", "comm-allgather", "communication",
     "All-gather: NCCL, symmetric memory, engines' own"},
    {R"((?i)reducescatter|reduce_scatter)", "comm-reducescatter", "communication",
     "Reduce-scatter: NCCL, symmetric memory, aiter"},
    {R"((?i)alltoall|all_to_all|all2all|internode|intranode|dispatch_ll|combine_ll|deep_ep)"
     R"(|(?:hybrid_?|nixl_|uccl_)ep(?:[^a-z]|$)|notify_(?:dispatch|combine))"
     R"(|low_latency_(?:dispatch|combine))"
     R"(|(?:dispatch|combine)_normal|MoeDistribute|moe_?comm)"
     R"(|(?-i:(?:^|[^A-Za-z0-9])a2av?_))"
     R"(|(?-i:Ep(?:Dispatch|Combine)[A-Z])|(?-i:A2A(?:Prepare|Dispatch|Combine|Sanitize)))",
     "comm-alltoall", "communication",
     "DeepEP, MoRI, TRT-LLM, CANN: expert dispatch and combine, Ulysses exchange"},
    {R"((?i)allreduce|all_reduce|cross_device_reduce|quickreduce|lamport)", "comm-allreduce-custom",
     "communication",
     "Custom all-reduce: vLLM, SGLang, aiter, FlashInfer/TRT-LLM Lamport, quickreduce, multimem"},
    {R"((?i)nccl|rccl|oneccl|mscclkernel|mscclpp|nvshmem|rocshmem|hccl|(?:^|_)hcom_|userbuffers_)"
     R"(|(?:turbomind|flashinfer)::comm::|turbomind4comm)"
     R"(|mori(?:::|_|\d)(?:collective|shmem)|(?:^|::|\d)(?:ar|ag|rs)_(?:ll_)?gfx\d)",
     "comm-nccl-generic", "communication",
     "NCCL/RCCL/MSCCL/SHMEM and engines' own: the name hides the collective, or it is another one"},

    // PyTorch's own kernels, by the function at the start; operators are told by the functor.
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:Arg(?:Max|Min)Ops|[mM]ultinomial)"
     R"(|renormRows))",
     "sampling", "sampling", "PyTorch: greedy and multinomial sampling"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:[sm]btopk|SortKVInPlace))", "moe-routing",
     "moe", "PyTorch: torch.topk, in LLMs mostly the router's (sampling uses it too)"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native|\(anonymous namespace\)::)"
     R"(|<unnamed>::).*[sS]oft_?[mM]ax)",
     "softmax", "other", "PyTorch: softmax and log-softmax, role unknown"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:(?:batch|layer|group|rms|instance)"
     R"(|weight)_norm|(?:Layer|Group|Batch|RMS)Norm|RowwiseMoments|GammaBeta|FusedParams)"
     R"(|InternalGradients|ComputeGradInput))",
     "normalisation", "norm", "PyTorch: layer, group, batch and RMS norm"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:silu|[a-z]elu_|gelu|Gelu|sigmoid)"
     R"(|softplus|hardswish|mish_|tanh_|glu_))",
     "activation", "mlp", "PyTorch: unary activations"},
    {R"(^(?:void )?(?:(?:at::native::|_ZN2at6native).*)?(?:indexSelect|vectorized_gather)"
     R"(|[eE]mbedding_?(?:[bB]ag|dense|backward)|compute_grad_weight|krn_partial))",
     "embedding/gather", "embedding", "PyTorch: index_select, gather and embedding, both ways"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:gemv|[^b]gemm|conv_depth|slow_conv))",
     "gemm-dense", "other", "PyTorch: tinygemm and other GEMMs and convolutions of its own"},
    {R"(^(?:void )?(?:at::|_ZN2at6native|at_cuda_detail::|c10::cuda)"
     R"(|(?:(?:\(anonymous namespace\)|<unnamed>)::)?(?:\w*elementwise_kernel)"
     R"(|multi_tensor_apply_kernel|fused_dropout|reduce_kernel|CatArrayBatchedCopy)"
     R"(|indexing_backward)))",
     "elementwise/copy", "elementwise", "PyTorch: elementwise, reduce, index, cat, scan"},

    // Rotary embedding and KV cache writes: they name the attention that follows them.
    {R"((?i)(?:qk?v?|kv?|rms)_?(?:rms_?)?norm\w{0,24}rope|rope_rms_)", "norm+rope", "attention",
     "Fused QK norm and rotary: TRT-LLM, vLLM, SGLang, aiter"},
    {R"(_fwd_grouped_kernel|grouped_att)", "attention-mla", "attention",
     "Triton split-K decode: grouped heads, the MLA backend of SGLang and vLLM"},
    {R"((?i)rotary|(?:^|[^a-zA-Z])m?rope(?:[^a-zA-Z]|$)|_and_\w{0,16}cache|AndCache)"
     R"(|kv_?indices|kn_entry_\dc|concat_\w{0,12}mha_k)",
     "rope/kv-cache", "attention", "Rotary embedding and cache writes: vLLM, SGLang, aiter"},
    {R"(R[oO][pP][eE](?:[^a-z]|$)|QKVPreprocess|fusedQKV_bias|(?:[pP]rocess|[pP]repare)QKV)",
     "rope/kv-cache", "attention", "Rotary embedding in CamelCase: TRT-LLM, FlashInfer"},

    // Attention.
    {R"((?i)fmha\w*HQk576|fmhaSm\d+[a-z]?\.\.\.|fmha_?mla|flash_?mla|splitkv_mla|fwd_mla)"
     R"(|sparse_(?:mla|attn_fwd)|(?:^|[^a-z])dsa_\w*(?:decode|prefill|fwd))",
     "attention-mla", "attention",
     "MLA decode: FlashMLA, CUTLASS, TRT-LLM gen (576 = 512 latent + 64 rotary), cut fmha names"},
    {R"((?i)BatchMLA|MLAPaged|KernelMLA|(?:^|[^a-z])kn_\w*mla)"
     R"(|(?:^|[^a-z])mla_(?:a\d+w\d+|pfl|dec|pre|red|comb|fwd|attn|meta))"
     R"(|mla_(?:decode|prefill|reduce|combine|metadata|attn|attention))",
     "attention-mla", "attention", "MLA of aiter, FlashInfer, vLLM: decode, reduce and metadata"},
    {R"((?i)mqa_logits|indexer|req_index_to_global|fp8_index|top_?k_?per_?row|topk_transform)"
     R"(|fast_topk|lightning_index|clean_logits|index_(?:block_)?score)",
     "attention-indexer", "attention",
     "DeepSeek sparse attention: logits and top-k of the indexer"},
    {R"((?i)conv1d|delta_?rule|gated_?delta|fused_recurrent|flash_?kda)"
     R"(|gdr_?(?:fwd|h|recurrent)?kernel)"
     R"(|(?:^|[_: \d])(?:gdn|kda|gla|gsa|gdr|ssd|ssu|ssm|hgrn)\d?_|gdn_(?:decode|prefill|fwd))",
     "linear-attention", "attention", "Linear attention: gated delta net, KDA, SSM, causal conv"},
    {R"((?i)selective_(?:scan|state)|mamba)"
     R"(|chunk_(?:fwd|bwd|state|scan|cumsum|local|scaled|gated|gate|global|o))"
     R"(|state_passing|(?:^|_)chunk(?:wise)?_\w{0,40}(?:fwd|bwd)|(?:fwd|bwd)_chunk)"
     R"(|recompute_w_u|wy_(?:repr|fast)|(?:^|_)kkt_|segsum|solve_tril|merge_\d+x\d+_to|linear_?att)"
     R"(|lightning_?att|fwd_(?:none_)?diag|fwd_kv_(?:parallel|reduce)|rwkv|qkvzba)",
     "linear-attention", "attention", "Linear attention: Mamba, SSD, lightning, chunked scans"},
    {R"((?i)flash_?att|flash_?(?:fwd|bwd|decod|prefill)|flash::|N\d+flash\d|splitkv)",
     "attention-fmha", "attention", "FlashAttention: 2, 3, 4 and PyTorch's copy"},
    {R"((?i)fmha|PyTorchMemEff|sdpa|xformers)", "attention-fmha", "attention",
     "FMHA: TRT-LLM gen, CUTLASS, CK, xFormers, cuDNN"},
    {R"((?i)(?:prefill|decode|pod)_?with\w{0,10}kv_?cache)"
     R"(|(?:batch|single)_?(?:prefill|decode)_?with|merge_?(?:attn_)?state|topk_attn_out)",
     "attention-fmha", "attention", "FlashInfer: prefill, decode and merge of states"},
    {R"((?i)paged_?(?:att|decode|prefill)|(?:decode|prefill)_paged|varlen_prefill)"
     R"(|unified_att|reduce_segments|ragged_?att)"
     R"(|(?:^|[^a-z])pa_(?:bf16|fp|a\d|dec|fwd|pre|ps|m))",
     "attention-fmha", "attention", "Paged attention: vLLM, SGLang, aiter"},
    {R"((?i)kernel_mha|(?:^|[^a-z])mha_|(?:^|[^a-z])gqa_|(?-i:(?:^|[^A-Za-z])nsa_)|xqa)"
     R"(|mmha|multi_?head_?att|sage_?(?:attn|fwd)|attn_(?:fwd|bwd))",
     "attention-fmha", "attention", "Other attention: XQA, SageAttention, Triton"},
    {R"(^_(?:fwd|bwd)_kernel(?:_stage\d|_dk\w*|_dq|_unified|_flash|_alibi|_prefix)"
     R"(|_int8kv)?(?:\.kd|$))",
     "attention-fmha", "attention",
     "Triton attention by its bare name: SGLang extend, vLLM prefill, flash tutorial"},
    {R"((?i)(?:store|set|get|write|append|update|insert|save|copy|gather|scatter|quantize)"
     R"(|fill|zero|flatten|repack|transpose|load|shuffle)_?\w{0,12}(?:_k_?(?:cache|buf))"
     R"(|kv_?(?:cache|buf|block|index|indices|pool|scale))|set_k_and_s|req_to_token|slot_mapping)"
     R"(|alloc_(?:extend|decode)_kernel|destindex_copy|quantize_and_insert|kv_quant)"
     R"(|_[kv]_cache|cached_kv|(?:flatten|process|repeat)_?kv|(?:copy|swap)_blocks)"
     R"(|cp_gather|(?:copy|transfer)_kv|(?:^|_)kv_trans|concat_?mla)",
     "rope/kv-cache", "attention", "KV cache: writes, reads, page and slot tables"},

    // Sampling and speculative decoding.
    {R"((?i)sampling|sample_(?:kernel|recovered|tokens?)|(?:random|greedy|mix)_sample)"
     R"(|argmax|top_?[kp]_?(?:sort_?)?stage|air_?top_?p|(?-i:[tT]opP[A-Z])|multinomial)"
     R"(|gumbel|random_?states|curand_?(?:batch)?_?init|future_token|sample_triton)"
     R"(|topk_log_|beam_?(?:search|stage|hyp|online))",
     "sampling", "sampling", "FlashInfer, vLLM, SGLang, TRT-LLM: sampling"},
    {R"((?i)top_?k_?top_?p|(?:^|[^a-z])(?:top|min)_?p_|renorm_prob|penalt|temperature)"
     R"(|bad_?words|(?:token|grammar|logits?)_?bitmask|log_?prob)"
     R"(|logit_?s?_?(?:bias|process)|(?:^|_)bincount|stop_?words|length_?criterion)",
     "sampling", "sampling", "Logit processing: penalties, masks, temperature, top-p and min-p"},
    {R"((?i)rejection_|specul|spec_?dec|tree_?target|verify_?tree)"
     R"(|(?:build|draft)_?(?:\w+_)?tree|eagle|draft_(?:token|cache|kv)|spec_info)"
     R"(|target_cache|mtp_new|ngram)",
     "sampling", "sampling", "Speculative decoding: verify, rejection, draft trees"},

    // MoE: what fuses a GEMM with more is told by its first word. Then routing, before the GEMMs:
    // the
    // template text of its kernels names them.
    {R"((?i)(?:^|_)moe[12]_|moe_?ck|e2e_moe|dispatch_?ffn_?combine)", "gemm-moe", "moe",
     "FlyDSL, CK, CANN: expert GEMMs that fuse the activation, the weights or the exchange"},
    {R"((?i)doActivation|activationDeepSeek|dev::activation|cuda::swiglu_)"
     R"(|(?:silu|swiglu|gelu|act)\w{0,8}_mul\w*(?:masked|expert|deep_gemm|moe|batched))",
     "activation", "moe", "Activation between the expert GEMMs: TRT-LLM, DeepSeek, SGLang, vLLM"},
    {R"((?i)routing)", "moe-routing", "moe",
     "Routing: TRT-LLM gen routingIndices, TRT-LLM custom, triton_kernels"},
    {R"((?i)moe_?(?:align|prepare|sort|\w{0,8}_sort|sum|permute|unpermute|gating|fused_gate|topk)"
     R"(|softmax|reduc|ep_|lora_align|aux|router|gather|scatter|scan|hash|token|finalize)"
     R"(|combine|output)|moe_?gate_?(?:kernel|no_?aux|top)|fused_moe_router)",
     "moe-routing", "moe", "vLLM, SGLang, aiter, turbomind: align, sort, sum, permute, gate"},
    {R"((?i)route_(?:count|prefix|output|pack)|_routes_|no_?aux_?tc|topk_ids)"
     R"(|get_?m_?indices|row_id_map|source_?row|sparse_?mixer|index_shuffling|chunk_sort)"
     R"(|sort_chunks|unpermute|token_(?:gather|permute))",
     "moe-routing", "moe", "Routes and token permutation: FlashInfer, TransformerEngine, DeepSeek"},
    {R"((?i)expert_?(?:map|count|offset|first|prefix|sort|token|id|load|hist))"
     R"(|(?:count|sort|clean|build|sum)\w{0,24}expert)",
     "moe-routing", "moe", "Expert maps, counts and offsets: TRT-LLM, vLLM, SGLang"},
    {R"(finalizeKernel|finalizeMoe|finalize_moe|finalize_matmul)"
     R"(|moe::dev::(?:permute|finalize))"
     R"(|(?i:(?:expand|shuffle)_?input_?rows|computeStrides))",
     "moe-routing", "moe", "TRT-LLM, triton_kernels: permute and finalize"},
    {R"(bitmatrix|_topk_(?:for|back)ward|_reduce_grouped|_expt_|ragged_tensor_metadata)",
     "moe-routing", "moe", "triton_kernels: routing metadata, grouped reduction"},
    {R"(expand_to_fused|reduce_fused|get_fused_mapping|group_indices|aux_fi)"
     R"(|dispatch_layout|topk_sum_and)",
     "moe-routing", "moe", "DeepSeek training: expert-parallel maps, expand and reduce"},
    {R"((?i)ep_(?:gather|scatter)|deepep_|(?:pre|post)_reorder|src2dst|seg_indptr)"
     R"(|masked_m_|m_range|shuffle_(?:rows|mul_sum)|problem_sizes)"
     R"(|arg_sorts|gateup_input)",
     "moe-routing", "moe", "SGLang, vLLM: expert-parallel reorder, gather and scatter"},
    {R"((?:^|::| )(?:batched_)?(?:transpose|permute_cols)(?:[<(]|_\d|_[A-Z]|_kernel|$))",
     "elementwise/copy", "elementwise", "Transposes: MIOpen, DeepSeek's and others' utilities"},
    {R"(grouped_gemm::cuda::fp8_)", "gemm-dense", "other",
     "DeepSeek training: plain FP8 GEMM of its grouped_gemm library (m_grouped is the MoE one)"},
    {R"((?:^|[^a-zA-Z])bmm_(?:Mx|E\dm\d|Bfloat|Fp|Int))", "gemm-moe", "moe",
     "TRT-LLM gen: batched GEMM of the routed experts, activation fused or not"},
    {R"((?i)_matmul_ogs|(?:fused|batched)_?(?:batched_)?moe|moe_fused)"
     R"(|batched_triton_kernel|moe_mmk|invoke_moe)",
     "gemm-moe", "moe", "Triton and triton_kernels: expert GEMMs; TRT-LLM fused MoE"},
    {R"((?i)fmoe|moe_?(?:mx|fc)?_?gemm|mxmoe|moe_?flatmm)"
     R"(|moe_?(?:wna16|marlin|stage|cutlass)|marlin_?moe|kernel_moe)",
     "gemm-moe", "moe", "aiter, CK, FlyDSL, CUTLASS, Marlin: expert GEMMs"},
    {R"(GroupProblemShape|MoEProblemShape|GemmGrouped|PtrArray|rowwise_grouped)"
     R"(|(?i:group(?:ed)?_?(?:gemm|mm|mat_?mul)|(?:^|_)t?gmm_|grouped_fp\d))",
     "gemm-moe", "moe",
     "CUTLASS, CuTe DSL, FBGEMM, CANN: grouped GEMM, with or without fused finalize"},
    {R"([mk]_grouped|GemmType(?:\)|E)[1235]|GemmType::\w*Grouped)", "gemm-moe", "moe",
     "DeepGEMM: grouped by name or by template argument"},
    {R"((?i)top_?k|radix_kernel|last_filter)", "moe-routing", "moe",
     "Top-k of routers: vLLM, SGLang, aiter, RAFT"},

    // Norms, activations and quantization whose names may hold a GEMM's words.
    {R"((?i)(?:rms|layer|batch|group|instance|qk|l2|weight)_?norm|welford)"
     R"(|(?:fused|add|reduce)_rms_|_rms_(?:quant|fp8|mxfp))",
     "normalisation", "norm",
     "Norms: RMS, layer, batch, group and QK, with or without fused add and quantization"},
    {R"((?i)norm(?:alize)?_?(?:fwd|bwd|forward|backward|kernel)|flashinfer::norm)"
     R"(|cudnn::bn_|(?:^|[^a-z])ln_(?:fwd|bwd|par)|cuCompute\w*Grad)"
     R"(|(?:^|[^a-z])bn_(?:fw|bw|kernel|c_last))",
     "normalisation", "norm", "Norms by other words: cuDNN, Apex, TransformerEngine, Triton"},
    {R"((?i)act_(?:and_)?mul|(?:silu|gelu|glu|swish|relu)\w{0,12}_and_mul)"
     R"(|(?:silu|gelu)_?mul|(?:silu|gelu)andmul|(?:silu|gelu|swiglu)\w{0,24}quant)"
     R"(|swiglu_?quant|gated_act_)",
     "activation", "mlp",
     "Gated activations, quantized or not: vLLM, SGLang, FlashInfer, aiter, TransformerEngine"},
    {R"((?i)de_?quant(?:ize)?_?(?:kernel|weight|block|marlin|int|fp|nf|mx|nv|s4|\d|symm)"
     R"(|mm_int)|reconstruct_(?:exllama|gptq|kernel)|(?:swizzle|scaling)_(?:row|col|block))"
     R"(|tensor_scale|amax_and_scale|max_reduction|initializeScale|data_to_scale)"
     R"(|pack_\w{0,8}fp[46])",
     "quantize", "quantize", "Dequantization and scales: vLLM, bitsandbytes, TransformerEngine"},
    {R"((?i)cvt_\w{0,24}fp[48]|(?:^|[^a-z])scale_\d+x128(?:[^x\d]|$)|(?:into|to|pack|adjust)_ue8m0)"
     R"(|transpose_fp32|cast_back|cast_to_fp|(?:^|[^d])cast_and_transpose)",
     "quantize", "quantize", "FP4 and FP8 conversion, scale layouts: TRT-LLM, DeepGEMM, DeepSeek"},
    {R"((?i)^_?(?:batched_)?gemm_a\d+_?w\d+)", "gemm-dense", "other",
     "Triton: aiter GEMMs that quantize their input"},
    {R"((?i)per_?(?:token|channel|tensor|group)_?\w{0,16}(?:quant|cast))"
     R"(|scaled_\w{0,8}quant|quantize_with_block|group_quant)",
     "quantize", "quantize", "Per-token, per-group and scaled quantization: vLLM, SGLang, aiter"},

    // Dense GEMM. The same kernel serves projections, MLP, router and LM head: position tells.
    {R"((?i)fused_a_gemm|qkv_(?:a_)?gemm|q_?kv_?proj)", "gemm-dense", "attention",
     "Small-batch GEMM named for the QKV down projection: SGLang, vLLM, TRT-LLM"},
    {R"((?i)router_gemm|gate_gemm)", "gemm-dense", "moe",
     "Small-batch GEMM named for the router: SGLang, vLLM, TRT-LLM"},
    {R"((?:^|[ :])(?:scal|axpy|swap|copy|asum|nrm2)_(?:64addr_)?kernel(?:_val)?<)",
     "elementwise/copy", "elementwise", "cuBLAS: level 1 vector kernels, dot products excepted"},
    {R"(nvjet_)", "gemm-dense", "other", "cuBLAS nvjet: any dense layer, only position tells"},
    {R"(Cijk_)", "gemm-dense", "other", "hipBLASLt/Tensile: any dense layer, only position tells"},
    {R"((?i)cublas|split_?k_?reduc|reduce_?split_?k|gemv|gemmk1|gemmSN)", "gemm-dense", "other",
     "cuBLAS and cuBLASLt: split-K, gemv and small-N kernels"},
    {R"(xmma_|[sdchz]gemm|s\d+gemm|wgmma|cutlass_\d+_|_tensorop)", "gemm-dense", "other",
     "cuBLAS, cuDNN and CUTLASS by tile name: xmma, sgemm, s16816gemm"},
    {R"(sm\d+_\w*gemm|deep_gemm::|fp8_gemm)", "gemm-dense", "other",
     "DeepGEMM: plain, the shape is in the template arguments"},
    {R"((?i)DeviceGemm|GemmUniversal|cutlass(?:::|\d+)(?:device_kernel|Kernel2?)(?:[^a-z])"
     R"(|$)|scaled_mm|blockwise_mm)",
     "gemm-dense", "other", "CUTLASS: device kernels of FlashInfer, vLLM, SGLang, PyTorch"},
    {R"((?i)kernel_gemm|ck_gemm|Gridwise\w*Gemm|GemmKernel|ck_tile\w*gemm|flatmm)", "gemm-dense",
     "other", "Composable Kernel, ck_tile and CuTe DSL: dense GEMM"},
    {R"((?i)gemm_a\d+_?w\d+|w\d+a\d+|block_scaled_mm|mat_?mul|mat_?vec|matrix_?mult)"
     R"(|(?:^|_)b?mm_(?:kernel|scaled)|(?:^|_)linear_(?:persist|kernel|fp|add))",
     "gemm-dense", "other", "Triton, CANN: aiter, SGLang, vLLM GEMMs and linear layers"},
    {R"(wvSpl|wv_splitk|LLGemm|LLMM|(?i:skinny|smallm_|tinygemm|_mfma))", "gemm-dense", "other",
     "Small-M GEMM: vLLM ROCm skinny, aiter, TRT-LLM"},
    {R"((?i)marlin|machete|gptq|awq|exllama|wna16|fpA_?intB|weight_?only|bitblas)", "gemm-dense",
     "other", "Weight-only quantized GEMM: Marlin, Machete, GPTQ, AWQ"},
    {R"((?i)lora|bgmv|sgmv)", "gemm-dense", "other", "LoRA: shrink and expand, SGMV, BGMV"},
    {R"((?i)s\d*cudnn|implicit_?(?:gemm|convolve)|igemm_|winograd|conv[23]d|depthwise)"
     R"(|(?:^|[^a-z])conv\w*(?:fwd|bwd|wrw|grad)|miopen\w*conv|grouped_conv|fft2d_)"
     R"(|[wd]grad_|cask_cudnn)",
     "gemm-dense", "other", "Convolutions as implicit GEMM: cuDNN, MIOpen, CK"},
    {R"((?i)(?:^|[^b])gemm(?:[^:]|$)|mul_mat|(?:^|[^a-z])mm_(?:fp|bf))", "gemm-dense", "other",
     "Weak word: any other name that says GEMM (not fbgemm), TRT-LLM gen dense, llama.cpp"},

    // Weak words, for names that no family above has claimed.
    {R"((?i)quant|(?:to|from|2)_?(?:fp|float|bf|mxfp|nvfp)\d|mxfp|nvfp4|bit_?rowwise)"
     R"(|qparam|(?:^|[^bd])cast_|amax|compute_scale|channel_scale|block_scaled)"
     R"(|swizzle_scal|scale_?(?:inter|swiz)|fp8_?row|convert_?fp|align_input_scale|absmax)",
     "quantize", "quantize", "Weak word: any other quantization or cast"},
    {R"((?i:(?:^|[^a-z])mla(?:[^a-z]|$)|latent_?att)|MLA|Mla[A-Z])", "attention-mla", "attention",
     "Weak word: any other name that says MLA"},
    {R"((?i)attention|attn|^_?(?:fwd|bwd)_(?:kernel|preprocess)(?:[_.]|$))", "attention-fmha",
     "attention",
     "Weak words: any other name that says attention, Triton attention that says forward kernel"},
    {R"((?i)kv_?cache|paged_?kv)", "rope/kv-cache", "attention",
     "Weak word: any other name of the KV cache"},
    {R"((?i)embedding|embs_|get_rows|(?:^|_)embed(?:_|$)|lookup)", "embedding/gather", "embedding",
     "Embedding tables: FBGEMM, vocabulary-parallel lookups"},
    {R"((?i)soft_?max)", "softmax", "other", "Softmax: cuDNN, MIOpen, Triton; role unknown"},
    {R"((?i)silu|gelu|swiglu|swish|[a-z]elu(?:_|$)|relu|sigmoid|glu(?:_|$))"
     R"(|gated_(?:for|back)ward|activation)",
     "activation", "mlp", "Weak word: any other activation"},
    {R"((?i)(?:^|[^a-z])norm(?:[^a-z]|$)|_norm_|norm_?(?:fused|add|gated))", "normalisation",
     "norm", "Weak word: any other norm"},
    {R"((?i)(?:^|[^a-z])moe(?:[^a-z]|$)|expert)", "moe-routing", "moe",
     "Weak word: any other MoE kernel that is no GEMM"},
    {R"((?i)cub::|rocprim|hipcub|thrust|moderngpu)", "elementwise/copy", "elementwise",
     "CUB, rocPRIM, Thrust: scans, sorts, reductions"},
    {R"((?i)SubTensorOp|Op\dd?Tensor|OpTensor|nchw|nhwc|cudnn::ops|Im2d?2?Col|Col2Im)",
     "elementwise/copy", "elementwise", "MIOpen and cuDNN: tensor operators and layout changes"},
    {R"(^(?:aclnn\w*_)?(?:Inplace)?(?:(?:Add|Sub|Mul|Div|Pow)s?|RealDiv|Exp|Neg|Abs)"
     R"(|R?[sS]qrt|Cos|Sin|Cast|Concat|SplitV?|(?:Strided)?Slice|Pack|Tile|Range|Transpose)"
     R"(|TensorMove|TransData|ViewCopy|(?:Zeros|Ones)Like|Fill|Select\w*|Equal|Less\w*|Greater\w*)"
     R"(|Logical\w+|MaskedFill|Maximum|Minimum|Reduce\w+|Cumsum|Sort|Index\w*|Scatter\w*)"
     R"(|BroadcastTo)(?:D|V\d+|AiCore)?(?:_\w+)?$)",
     "elementwise/copy", "elementwise",
     "CANN: pointwise, shape and index operators of Ascend NPUs"},
    {R"((?i)position_|positions|seq_?len|page_(?:table|ind)|cu_seqlens|metadata|prepare_)"
     R"(|block_table)",
     "elementwise/copy", "elementwise", "Serving engines: positions, lengths and page metadata"},
    {R"((?i)copy|cpy|convert|(?:un)?compact_|unpack_|histogram)"
     R"(|(?:rebuild|remove)_\w*padding|transpose|permute|concat|(?:^|_)cat_|(?:^|[^e])fill|memset)"
     R"(|memcpy|zero|clone|slice|(?:^|_)pad(?:ding)?_)",
     "elementwise/copy", "elementwise", "Weak word: any other copy, fill or layout change"},
    {R"((?i)elementwise|pointwise|dropout|hadamard|bcast|bias_?(?:kernel|add)|add_?bias)"
     R"(|plus_?scalar|residual_?scale|addc(?:mul|div)|swap_(?:first|dim)|sub_?mean)"
     R"(|(?:multiply|divide)_?scale|(?:unary|binary)_op|operator_(?:bcast|contig|elem|tn))"
     R"(|(?:^|[^a-z])m?hc_(?:pre|post|fused|split)|sinkhorn|(?:^|[^a-z])mean_)"
     R"(|(?:^|[^a-z])(?:add|mul|sub|div|scal|scale|axpy|clamp|sum)_)",
     "elementwise/copy", "elementwise", "Weak word: any other pointwise operator"},
    {R"((?i)gemm::)", "gemm-dense", "other",
     "Weak word: a namespace that says GEMM, when the function says nothing else"},
    {R"((?i)gather|scatter|index|indices|reduce_|_reduce|reduction|cumsum|scan_|arange)"
     R"(|adam|optimizer)",
     "elementwise/copy", "elementwise",
     "Weak word: any other index, reduction or optimizer kernel"},
});

}  // namespace

std::string_view category_table_version() { return "3"; }

std::span<const CategoryRule> category_rules() { return rules; }

}  // namespace stepscope::analysis
