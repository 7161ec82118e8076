#include "analysis/passes/names/category_rules.h"

#include <array>

// Order is the logic: names carry the words of other families in their template text, so a rule
// stands before every rule whose words it may contain. The order is: copies, communication, PyTorch
// and Inductor (anchored at the start of the name), rotary and cache writes, attention, sampling,
// MoE, norms, activations, quantization, GEMM, and last the weak words. A note names the family
// first. Components say what the name itself tells; a GEMM that may serve any layer is "other".

namespace stepscope::analysis {
namespace {

constexpr auto rules = std::to_array<CategoryRule>({
    // Copies. A profiler of ROCm shows them as kernels.
    {R"(^(?:__amd_rocclr_copyBuffer|MEMORY_COPY_|Memcpy\b|\[CUDA memcpy|Copy(?:Host|Device)To))",
     "memcpy", "setup", "Copies: Kineto, nsys, rocprofv3 and roctracer names, rocclr copy kernels"},
    {R"(^(?:__amd_rocclr_fillBuffer|Memset\b|\[CUDA memset|FillBuffer\b))", "memset", "setup",
     "Memory fills: Kineto, nsys and roctracer names, rocclr fill kernels"},

    // Communication. Together the patterns hold exactly the words of the accounting rules' class.
    {R"((?i)(?:nccl|rccl)[\w:]*all_?reduce)", "comm-allreduce-nccl", "communication",
     "NCCL/RCCL: all-reduce, also of symmetric memory"},
    {R"((?i)nccl\w*(?:send|recv)|nvshmem\w*_(?:put|get)|nccl[\w:]*p2p)", "comm-sendrecv",
     "communication", "NCCL/RCCL, NVSHMEM: point to point; all-to-all may show as this too"},
    {R"((?i)allgather|all_gather)", "comm-allgather", "communication",
     "All-gather: NCCL, symmetric memory, engines' own"},
    {R"((?i)reducescatter|reduce_scatter)", "comm-reducescatter", "communication",
     "Reduce-scatter: NCCL, symmetric memory, aiter"},
    {R"((?i)alltoall|all_to_all|internode|intranode|dispatch_ll|combine_ll|deep_ep)",
     "comm-alltoall", "communication", "DeepEP, MoRI, TRT-LLM: expert dispatch and combine"},
    {R"((?i)allreduce|all_reduce|cross_device_reduce|quickreduce|lamport)", "comm-allreduce-custom",
     "communication",
     "Custom all-reduce: vLLM, SGLang, aiter, FlashInfer/TRT-LLM Lamport, quickreduce, multimem"},
    {R"((?i)nccl|rccl|mscclkernel|mscclpp|nvshmem)", "comm-nccl-generic", "communication",
     "NCCL/RCCL/MSCCL/NVSHMEM: the name hides the collective, or it is another one"},

    // PyTorch's own kernels, by the function at the start; operators are told by the functor.
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*)"
     R"((?:Arg(?:Max|Min)Ops|[mM]ultinomial|renormRows))",
     "sampling", "sampling", "PyTorch: greedy and multinomial sampling"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:[sm]btopk|SortKVInPlace))", "moe-routing",
     "moe", "PyTorch: torch.topk, in LLMs mostly the router's (sampling uses it too)"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native|\(anonymous namespace\)::).*[sS]oft_?[mM]ax)",
     "softmax", "other", "PyTorch: softmax and log-softmax, role unknown"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*)"
     R"((?:(?:batch|layer|group|rms|instance|weight)_norm|(?:Layer|Group|Batch|RMS)Norm)"
     R"(|RowwiseMoments|GammaBeta|FusedParams|InternalGradients|ComputeGradInput))",
     "normalisation", "norm", "PyTorch: layer, group, batch and RMS norm"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*)"
     R"((?:silu|[a-z]elu_|gelu|Gelu|sigmoid|softplus|hardswish|mish_|tanh_|glu_))",
     "activation", "mlp", "PyTorch: unary activations"},
    {R"(^(?:void )?(?:(?:at::native::|_ZN2at6native).*)?)"
     R"((?:indexSelect|vectorized_gather|[eE]mbedding_?(?:[bB]ag|dense|backward))"
     R"(|compute_grad_weight|krn_partial))",
     "embedding/gather", "embedding", "PyTorch: index_select, gather and embedding, both ways"},
    {R"(^(?:void )?(?:at::native::|_ZN2at6native).*(?:gemv|[^b]gemm))", "gemm-dense", "other",
     "PyTorch: tinygemm and other GEMMs of its own"},
    {R"(^(?:void )?(?:at::|_ZN2at6native|at_cuda_detail::|c10::cuda)"
     R"(|(?:\(anonymous namespace\)::)?(?:\w*elementwise_kernel|multi_tensor_apply_kernel)"
     R"(|fused_dropout|reduce_kernel|CatArrayBatchedCopy|indexing_backward)))",
     "elementwise/copy", "elementwise", "PyTorch: elementwise, reduce, index, cat, scan"},

    // Inductor names list the operators that were fused; the heaviest role wins.
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
    {R"(^triton_(?:poi|for)_)"
     R"(|^triton_(?:per|red)_fused\w*(?:copy|mean|amax|add|mul|div|clone|cat))",
     "elementwise/copy", "elementwise", "Inductor: fused pointwise operators"},
    {R"(^triton_(?:per|red|unk)_)", "other", "other",
     "Inductor: reductions whose operators tell no role"},

    // Rotary embedding and KV cache writes: they name the attention that follows them.
    {R"((?i)(?:qk?v?|kv?|rms)_?(?:rms_?)?norm\w{0,24}rope)", "norm+rope", "attention",
     "Fused QK norm and rotary: TRT-LLM, vLLM, SGLang, aiter"},
    {R"(_fwd_grouped_kernel|grouped_att)", "attention-mla", "attention",
     "Triton split-K decode: grouped heads, the MLA backend of SGLang and vLLM"},
    {R"((?i)rotary|(?:^|[^a-zA-Z])m?rope(?:[^a-zA-Z]|$)|_and_\w{0,16}cache|kv_?indices)"
     R"(|kn_entry_\dc|concat_\w{0,12}mha_k)",
     "rope/kv-cache", "attention", "Rotary embedding and cache writes: vLLM, SGLang, aiter"},
    {R"(R[oO][pP][eE](?:[^a-z]|$)|QKVPreprocess)", "rope/kv-cache", "attention",
     "Rotary embedding in CamelCase: TRT-LLM, FlashInfer"},

    // Attention.
    {R"((?i)fmha\w*HQk576|fmhaSm\d+[a-z]?\.\.\.|fmha_?mla|flash_?mla|splitkv_mla|fwd_mla)"
     R"(|sparse_(?:mla|attn_fwd))",
     "attention-mla", "attention",
     "MLA decode: FlashMLA, CUTLASS, TRT-LLM gen (576 = 512 latent + 64 rotary), cut fmha names"},
    {R"((?i)BatchMLA|MLAPaged|KernelMLA|(?:^|[^a-z])kn_\w*mla)"
     R"(|(?:^|[^a-z])mla_(?:a\d+w\d+|pfl|dec|pre|red|comb|fwd|attn|meta))"
     R"(|mla_(?:decode|prefill|reduce|combine|metadata|attn|attention))",
     "attention-mla", "attention", "MLA of aiter, FlashInfer, vLLM: decode, reduce and metadata"},
    {R"((?i)mqa_logits|indexer|fp8_index|top_?k_?per_?row|topk_transform|fast_topk)"
     R"(|lightning_index)",
     "attention-indexer", "attention",
     "DeepSeek sparse attention: logits and top-k of the indexer"},
    {R"((?i)causal_conv1d|delta_rule|gated_?delta|fused_recurrent|(?:^|_)(?:gdn|kda|gla|ssd)_)",
     "linear-attention", "attention", "Linear attention: gated delta net, KDA, causal conv"},
    {R"((?i)selective_(?:scan|state)|mamba)"
     R"(|chunk_(?:fwd|bwd|state|scan|cumsum|local|scaled|gated|o)|state_passing|recompute_w_u)"
     R"(|solve_tril|merge_\d+x\d+_to|linear_?att|lightning_?att|fwd_(?:none_)?diag)"
     R"(|fwd_kv_(?:parallel|reduce)|rwkv|qkvzba)",
     "linear-attention", "attention", "Linear attention: Mamba, SSD, lightning, chunked scans"},
    {R"((?i)flash_?att|flash_?(?:fwd|bwd|decod)|flash::|N\d+flash\d|splitkv)", "attention-fmha",
     "attention", "FlashAttention: 2, 3, 4 and PyTorch's copy"},
    {R"((?i)fmha|PyTorchMemEff|sdpa|xformers)", "attention-fmha", "attention",
     "FMHA: TRT-LLM gen, CUTLASS, CK, xFormers, cuDNN"},
    {R"((?i)(?:prefill|decode)_?with\w{0,10}kv_?cache|(?:batch|single)_?(?:prefill|decode)_?with)"
     R"(|merge_?(?:attn_)?state)",
     "attention-fmha", "attention", "FlashInfer: prefill, decode and merge of states"},
    {R"((?i)paged_?att|unified_att|reduce_segments|ragged_?att)"
     R"(|(?:^|[^a-z])pa_(?:bf16|fp|a\d|dec|fwd|m))",
     "attention-fmha", "attention", "Paged attention: vLLM, aiter"},
    {R"((?i)kernel_mha|(?:^|[^a-z])mha_|xqa|mmha|multi_?head_?att|sage_?(?:attn|fwd))"
     R"(|attn_(?:fwd|bwd))",
     "attention-fmha", "attention", "Other attention: XQA, SageAttention, Triton"},
    {R"(^_(?:fwd|bwd)_kernel)"
     R"((?:_stage\d|_dk\w*|_dq|_unified|_flash|_alibi|_prefix|_int8kv)?(?:\.kd|$))",
     "attention-fmha", "attention",
     "Triton attention by its bare name: SGLang extend, vLLM prefill, flash tutorial"},
    {R"((?i)(?:store|set|get|write|append|update|insert|save|copy|gather|scatter|quantize)_?)"
     R"(\w{0,12}k_?v?_?(?:cache|buf))"
     R"(|set_k_and_s|req_to_token|slot_mapping|alloc_(?:extend|decode)_kernel)"
     R"(|(?:copy|swap)_blocks|cp_gather|(?:copy|transfer)_kv|concat_mla)",
     "rope/kv-cache", "attention", "KV cache: writes, reads, page and slot tables"},

    // Sampling and speculative decoding.
    {R"((?i)sampling|sample_(?:kernel|recovered|tokens?)|argmax|top_?[kp]_?stage|air_?top_?p)"
     R"(|multinomial|gumbel|future_token)",
     "sampling", "sampling", "FlashInfer, vLLM, SGLang, TRT-LLM: sampling"},
    {R"((?i)top_?k_?top_?p|(?:^|[^a-z])(?:top|min)_?p_|renorm_prob|penalt|token_bitmask)"
     R"(|log_?prob|logit_?s?_?(?:bias|process)|temperature)",
     "sampling", "sampling", "Logit processing: penalties, masks, temperature, top-p and min-p"},
    {R"((?i)rejection_|specul|verify_?tree|(?:build|draft)_?(?:\w+_)?tree|eagle|draft_token)"
     R"(|ngram)",
     "sampling", "sampling", "Speculative decoding: verify, rejection, draft trees"},

    // MoE: routing first, because the template text of its kernels names the GEMM.
    {R"((?i)routing)", "moe-routing", "moe",
     "Routing: TRT-LLM gen routingIndices, TRT-LLM custom, triton_kernels"},
    {R"((?i)moe_?(?:align|sort|\w{0,8}_sort|sum|permute|unpermute|gating|fused_gate|topk|softmax)"
     R"(|reduce|ep_|lora_align))"
     R"(|fused_moe_router)",
     "moe-routing", "moe", "vLLM, SGLang, aiter: align, sort, sum, permute, gate"},
    {R"((?i)expert_?(?:map|count|offset|first|prefix|sort|token|id|load|hist))"
     R"(|(?:count|sort|clean|build|sum)\w{0,24}expert)",
     "moe-routing", "moe", "Expert maps, counts and offsets: TRT-LLM, vLLM, SGLang"},
    {R"(finalizeKernel|finalizeMoe|finalize_moe|finalize_matmul|moe::dev::(?:permute|finalize))"
     R"(|(?i:(?:expand|shuffle)_?input_?rows|computeStrides))",
     "moe-routing", "moe", "TRT-LLM, triton_kernels: permute and finalize"},
    {R"(bitmatrix|_topk_(?:for|back)ward|_reduce_grouped|_expt_|ragged_tensor_metadata)",
     "moe-routing", "moe", "triton_kernels: routing metadata, grouped reduction"},
    {R"(expand_to_fused|reduce_fused|get_fused_mapping|group_indices|aux_fi|dispatch_layout)"
     R"(|topk_sum_and)",
     "moe-routing", "moe", "DeepSeek training: expert-parallel maps, expand and reduce"},
    {R"((?i)ep_(?:gather|scatter)|deepep_|(?:pre|post)_reorder|src2dst|seg_indptr|masked_m_)"
     R"(|m_range|shuffle_(?:rows|mul_sum)|problem_sizes|arg_sorts|gateup_input)",
     "moe-routing", "moe", "SGLang, vLLM: expert-parallel reorder, gather and scatter"},
    {R"((?i)doActivation|activationDeepSeek|dev::activation|cuda::swiglu_)"
     R"(|(?:silu|swiglu|gelu|act)\w{0,8}_mul\w*(?:masked|expert|deep_gemm|moe|batched))",
     "activation", "moe", "Activation between the expert GEMMs: TRT-LLM, DeepSeek, SGLang, vLLM"},
    {R"((?:^|::| )(?:batched_)?transpose(?:[<(]|_\d|_[A-Z]|_kernel|$))", "elementwise/copy",
     "elementwise", "Transposes: MIOpen, DeepSeek's and others' utilities"},
    {R"(grouped_gemm::cuda::fp8_)", "gemm-dense", "other",
     "DeepSeek training: plain FP8 GEMM of its grouped_gemm library (m_grouped is the MoE one)"},
    {R"((?:^|[^a-zA-Z])bmm_(?:Mx|E\dm\d|Bfloat|Fp|Int))", "gemm-moe", "moe",
     "TRT-LLM gen: batched GEMM of the routed experts, activation fused or not"},
    {R"((?i)_matmul_ogs|fused_?(?:batched_)?moe|batched_triton_kernel|moe_mmk|invoke_moe)",
     "gemm-moe", "moe", "Triton and triton_kernels: expert GEMMs; TRT-LLM fused MoE"},
    {R"((?i)fmoe|moe_?(?:mx|fc)?_?gemm|mxmoe|moe_?flatmm|moe_?(?:wna16|marlin|stage|cutlass))"
     R"(|marlin_?moe|kernel_moe)",
     "gemm-moe", "moe", "aiter, CK, FlyDSL, CUTLASS, Marlin: expert GEMMs"},
    {R"(GroupProblemShape|MoEProblemShape|GemmGrouped|PtrArray|rowwise_grouped)"
     R"(|(?i:group(?:ed)?_?(?:gemm|mm)))",
     "gemm-moe", "moe", "CUTLASS, CuTe DSL, FBGEMM: grouped GEMM, with or without fused finalize"},
    {R"([mk]_grouped|GemmType(?:\)|E)[1235]|GemmType::\w*Grouped)", "gemm-moe", "moe",
     "DeepGEMM: grouped by name or by template argument"},
    {R"((?i)top_?k)", "moe-routing", "moe", "Top-k of routers: vLLM, SGLang, aiter, RAFT"},

    // Norms, activations and quantization whose names may hold a GEMM's words.
    {R"((?i)(?:rms|layer|batch|group|instance|qk|l2|weight)_?norm|(?:fused|add)_rms_)",
     "normalisation", "norm",
     "Norms: RMS, layer, batch, group and QK, with or without fused add and quantization"},
    {R"((?i)norm(?:alize)?_?(?:fwd|bwd|forward|backward|kernel)|flashinfer::norm|cudnn::bn_)"
     R"(|(?:^|[^a-z])ln_(?:fwd|bwd|par)|cuCompute\w*Grad|bn_(?:fw|bw)_)",
     "normalisation", "norm", "Norms by other words: cuDNN, Apex, TransformerEngine, Triton"},
    {R"((?i)act_(?:and_)?mul|(?:silu|gelu|glu|swish|relu)\w{0,12}_and_mul|(?:silu|gelu)_?mul)"
     R"(|(?:silu|gelu)andmul)",
     "activation", "mlp", "Gated activations: vLLM, SGLang, FlashInfer, aiter"},
    {R"((?i)cvt_\w{0,24}fp[48]|scale_\d+x128|ue8m0|transpose_fp32|cast_back|cast_to_fp)"
     R"(|(?:^|[^d])cast_and_transpose)",
     "quantize", "quantize", "FP4 and FP8 conversion, scale layouts: TRT-LLM, DeepGEMM, DeepSeek"},
    {R"((?i)^_?(?:batched_)?gemm_a\d+_?w\d+)", "gemm-dense", "other",
     "Triton: aiter GEMMs that quantize their input"},
    {R"((?i)per_?(?:token|channel|tensor|group)_?\w{0,16}(?:quant|cast)|scaled_\w{0,8}quant)"
     R"(|quantize_with_block|group_quant)",
     "quantize", "quantize", "Per-token, per-group and scaled quantization: vLLM, SGLang, aiter"},

    // Dense GEMM. The same kernel serves projections, MLP, router and LM head: position tells.
    {R"((?i)fused_a_gemm|qkv_(?:a_)?gemm|q_?kv_?proj)", "gemm-dense", "attention",
     "Small-batch GEMM named for the QKV down projection: SGLang, vLLM, TRT-LLM"},
    {R"((?i)router_gemm|gate_gemm)", "gemm-dense", "moe",
     "Small-batch GEMM named for the router: SGLang, vLLM, TRT-LLM"},
    {R"(nvjet_)", "gemm-dense", "other", "cuBLAS nvjet: any dense layer, only position tells"},
    {R"(Cijk_)", "gemm-dense", "other", "hipBLASLt/Tensile: any dense layer, only position tells"},
    {R"((?i)cublas|split_?k_?reduce|reduce_?split_?k|gemv|gemmk1|gemmSN)", "gemm-dense", "other",
     "cuBLAS and cuBLASLt: split-K, gemv and small-N kernels"},
    {R"(xmma_|[sdchz]gemm|s\d+gemm|wgmma|cutlass_\d+_|_tensorop)", "gemm-dense", "other",
     "cuBLAS, cuDNN and CUTLASS by tile name: xmma, sgemm, s16816gemm"},
    {R"(sm\d+_\w*gemm|deep_gemm::|fp8_gemm)", "gemm-dense", "other",
     "DeepGEMM: plain, the shape is in the template arguments"},
    {R"((?i)DeviceGemm|GemmUniversal|cutlass(?:::|\d+)(?:device_kernel|Kernel2?)(?:[^a-z]|$))"
     R"(|scaled_mm|blockwise_mm)",
     "gemm-dense", "other", "CUTLASS: device kernels of FlashInfer, vLLM, SGLang, PyTorch"},
    {R"((?i)kernel_gemm|ck_gemm|Gridwise\w*Gemm|GemmKernel|ck_tile\w*gemm|flatmm)", "gemm-dense",
     "other", "Composable Kernel, ck_tile and CuTe DSL: dense GEMM"},
    {R"((?i)gemm_a\d+_?w\d+|w\d+a\d+|block_scaled_mm|matmul|(?:^|_)b?mm_kernel)", "gemm-dense",
     "other", "Triton: aiter, SGLang, vLLM GEMMs"},
    {R"(wvSpl|LLGemm|LLMM|(?i:skinny|smallm_|tinygemm|_mfma))", "gemm-dense", "other",
     "Small-M GEMM: vLLM ROCm skinny, aiter, TRT-LLM"},
    {R"((?i)marlin|machete|gptq|awq|exllama|wna16|fpA_?intB|bitblas)", "gemm-dense", "other",
     "Weight-only quantized GEMM: Marlin, Machete, GPTQ, AWQ"},
    {R"((?i)lora|bgmv|sgmv)", "gemm-dense", "other", "LoRA: shrink and expand, SGMV, BGMV"},
    {R"((?i)scudnn|implicit_?(?:gemm|convolve)|igemm_|winograd)"
     R"(|(?:^|[^a-z])conv\w*(?:fwd|bwd|wrw|grad)|miopen\w*conv|grouped_conv|fft2d_|[wd]grad_)"
     R"(|cask_cudnn)",
     "gemm-dense", "other", "Convolutions as implicit GEMM: cuDNN, MIOpen, CK"},
    {R"((?i)(?:^|[^b])gemm|mul_mat|(?:^|[^a-z])mm_(?:fp|bf))", "gemm-dense", "other",
     "Weak word: any other name that says GEMM (not fbgemm), TRT-LLM gen dense, llama.cpp"},

    // Weak words, for names that no family above has claimed.
    {R"((?i)quant|(?:to|from|2)_?(?:fp|float|bf|mxfp|nvfp)\d|mxfp|nvfp4|(?:^|[^d])cast_)"
     R"(|scale_?(?:inter|swiz)|fp8_?row|convert_?fp|align_input_scale|absmax)",
     "quantize", "quantize", "Weak word: any other quantization or cast"},
    {R"((?i)(?:^|[^a-z])mla(?:[^a-z]|$))", "attention-mla", "attention",
     "Weak word: any other name that says MLA"},
    {R"((?i)attention|attn)", "attention-fmha", "attention",
     "Weak word: any other name that says attention"},
    {R"((?i)kv_?cache|paged_?kv)", "rope/kv-cache", "attention",
     "Weak word: any other name of the KV cache"},
    {R"((?i)embedding|embs_|(?:^|_)embed(?:_|$)|lookup)", "embedding/gather", "embedding",
     "Embedding tables: FBGEMM, vocabulary-parallel lookups"},
    {R"((?i)soft_?max)", "softmax", "other", "Softmax: cuDNN, MIOpen, Triton; role unknown"},
    {R"((?i)silu|gelu|swiglu|swish|relu|sigmoid|geglu|activation)", "activation", "mlp",
     "Weak word: any other activation"},
    {R"((?i)(?:^|[^a-z])norm(?:[^a-z]|$)|_norm_|norm_?(?:fused|add|gated))", "normalisation",
     "norm", "Weak word: any other norm"},
    {R"((?i)(?:^|[^a-z])moe(?:[^a-z]|$)|expert)", "moe-routing", "moe",
     "Weak word: any other MoE kernel that is no GEMM"},
    {R"((?i)cub::|rocprim|hipcub|thrust|moderngpu)", "elementwise/copy", "elementwise",
     "CUB, rocPRIM, Thrust: scans, sorts, reductions"},
    {R"((?i)SubTensorOp|Op\dd?Tensor|OpTensor|nchw|nhwc|cudnn::ops|Im2d?2?Col|Col2Im)",
     "elementwise/copy", "elementwise", "MIOpen and cuDNN: tensor operators and layout changes"},
    {R"((?i)position_|positions|seq_?len|page_(?:table|ind)|cu_seqlens|metadata|prepare_)"
     R"(|block_table)",
     "elementwise/copy", "elementwise", "Serving engines: positions, lengths and page metadata"},
    {R"((?i)copy|transpose|permute|concat|(?:^|_)cat_|fill|memset|memcpy|zero|clone|slice)"
     R"(|(?:^|_)pad_)",
     "elementwise/copy", "elementwise", "Weak word: any other copy, fill or layout change"},
    {R"((?i)elementwise|pointwise|dropout|hadamard)"
     R"(|(?:^|[^a-z])(?:add|mul|sub|div|scal|scale|axpy|clamp|sum)_)",
     "elementwise/copy", "elementwise", "Weak word: any other pointwise operator"},
    {R"((?i)gather|scatter|index|reduce_|_reduce|reduction|cumsum|scan_|arange|adam|optimizer)",
     "elementwise/copy", "elementwise",
     "Weak word: any other index, reduction or optimizer kernel"},
});

}  // namespace

std::string_view category_table_version() { return "2"; }

std::span<const CategoryRule> category_rules() { return rules; }

}  // namespace stepscope::analysis
