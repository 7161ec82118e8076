#pragma once
// R14: the versioned, ordered table of (pattern, category, component, note). Data only; the first
// rule that matches wins. Categories are the vocabulary of the kernel-name table: attention-mla,
// attention-fmha, attention-indexer, linear-attention, gemm-dense, gemm-moe, moe-routing, quantize,
// comm-allreduce-nccl, comm-allreduce-custom, comm-allgather, comm-reducescatter, comm-alltoall,
// comm-sendrecv, comm-nccl-generic, normalisation, norm+rope, activation, rope/kv-cache, sampling,
// embedding/gather, softmax, elementwise/copy, memcpy, memset, other.

#include <span>
#include <string_view>

namespace stepscope::analysis {

struct CategoryRule {
  std::string_view pattern;  // RE2 syntax, matched anywhere in the name, case-sensitive unless (?i)
  std::string_view category;
  // attention, moe, mlp, norm, communication, sampling, embedding, setup, quantize, elementwise,
  // other
  std::string_view component;
  std::string_view note;  // which family it stands for
};

std::string_view category_table_version();
std::span<const CategoryRule> category_rules();

}  // namespace stepscope::analysis
