#pragma once
// The rows of the first table of a report and their words. Owns nothing.

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/passes/roles/kernel_traits.h"

namespace stepscope::analysis {

enum class WherePlace : std::uint8_t {
  wait,
  head_setup,
  head_collective,
  embedding,
  attention,
  moe_router,
  moe_routed,
  moe_shared,
  mlp,
  norm,
  comm_layers,
  comm_dispatch,
  comm_combine,
  comm_tail,
  comm,  // without layers
  lm_head,
  sampling,
  quantize,
  elementwise,
  copy,
  gemm_unknown,
  other,
};
inline constexpr std::size_t kWherePlaces = static_cast<std::size_t>(WherePlace::other) + 1;

// "moe.routed": stable.
std::string_view where_key(WherePlace place);

// What a row's label is made of.
struct WhereFacts {
  std::int64_t calls = 0;
  std::size_t layers = 0;  // that have a call of the row
  bool one_exchange = true;
  Exchange exchange = Exchange::none;  // of its collectives, when they are all alike
  bool waited = false;                 // a part of it stands in the row of the wait
  std::int64_t heavy = 0;              // GEMMs
  bool final_norm = false;
  bool others = false;  // kernels that the row's name does not cover
};

// "attention, 61 layers".
std::string where_label(WherePlace place, const WhereFacts& facts);

}  // namespace stepscope::analysis
