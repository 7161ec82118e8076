#include "analysis/passes/roles/where_labels.h"

#include <fmt/format.h>

#include <array>

namespace stepscope::analysis {
namespace {

struct PlaceWords {
  std::string_view key;
  std::string_view label;
};

// In the order of the enumeration.
constexpr auto kWords = std::to_array<PlaceWords>({
    {"wait", "waiting for other ranks"},
    {"head.setup", "set-up before the first layer"},
    {"head.collective", "before the first layer"},
    {"embedding", "embedding"},
    {"attention", "attention"},
    {"moe.router", "MoE router"},
    {"moe.routed", "MoE routed experts"},
    {"moe.shared_expert", "MoE shared experts"},
    {"mlp", "dense MLP"},
    {"norm", "norms"},
    {"comm.layers", "in the layers"},
    {"comm.dispatch", "MoE dispatch"},
    {"comm.combine", "MoE combine"},
    {"comm.tail", "after the layers"},
    {"comm", ""},
    {"tail.lm_head", "lm_head"},
    {"sampling", "sampling"},
    {"quantize", "quantize"},
    {"elementwise", "elementwise"},
    {"copy", "copies"},
    {"gemm.unknown", "GEMM, role not told"},
    {"other", "not classified"},
});
static_assert(kWords.size() == kWherePlaces);

const PlaceWords& words_of(WherePlace place) { return kWords.at(static_cast<std::size_t>(place)); }

std::string_view exchange_of(const WhereFacts& facts) {
  return exchange_word(facts.one_exchange ? facts.exchange : Exchange::unnamed);
}

std::string counted_exchange(const WhereFacts& facts) {
  return fmt::format("{} {}{}", facts.calls, exchange_of(facts), facts.calls == 1 ? "" : "s");
}

std::string calls_text(std::int64_t calls) {
  return fmt::format("{} {}", calls, calls == 1 ? "call" : "calls");
}

std::string head_collective_label(const WhereFacts& facts) {
  static constexpr auto kNumbers = std::to_array<std::string_view>(
      {"", "", "two ", "three ", "four ", "five ", "six ", "seven ", "eight ", "nine "});
  const auto count = static_cast<std::size_t>(facts.calls);
  const std::string number =
      count < kNumbers.size() ? std::string(kNumbers[count]) : fmt::format("{} ", count);
  return fmt::format("first {}{}{}{}", number, exchange_of(facts), count == 1 ? "" : "s",
                     facts.waited ? ", transfer" : "");
}

std::string gemms(std::int64_t count) {
  return fmt::format("{} GEMM{}", count, count == 1 ? "" : "s");
}

std::string with_layers(std::string_view label, std::size_t layers) {
  if (layers == 0) return std::string(label);
  return fmt::format("{}, {} layer{}", label, layers, layers == 1 ? "" : "s");
}

}  // namespace

std::string_view where_key(WherePlace place) { return words_of(place).key; }

std::string where_label(WherePlace place, const WhereFacts& facts) {
  const std::string_view label = words_of(place).label;
  switch (place) {
    case WherePlace::wait:
      return fmt::format("{}, {}", label, counted_exchange(facts));
    case WherePlace::head_setup:
      return facts.heavy == 0 ? std::string(label)
                              : fmt::format("before the first layer, with {}", gemms(facts.heavy));
    case WherePlace::head_collective:
      return head_collective_label(facts);
    case WherePlace::comm_layers:
    case WherePlace::comm_tail:
      return fmt::format("{} {}, {}", exchange_of(facts), label, calls_text(facts.calls));
    case WherePlace::comm:
      return fmt::format("{}, {}", exchange_of(facts), calls_text(facts.calls));
    case WherePlace::comm_dispatch:
    case WherePlace::comm_combine:
      return fmt::format("{}, {}, {}", label, exchange_of(facts), calls_text(facts.calls));
    case WherePlace::lm_head:
      return facts.final_norm ? "lm_head and final norm" : std::string(label);
    case WherePlace::sampling:
      return facts.others ? "sampling and what follows lm_head" : std::string(label);
    case WherePlace::gemm_unknown:
      return fmt::format("{}, {}", label, calls_text(facts.calls));
    case WherePlace::attention:
    case WherePlace::moe_router:
    case WherePlace::moe_routed:
    case WherePlace::moe_shared:
    case WherePlace::mlp:
      return with_layers(label, facts.layers);
    default:
      return std::string(label);
  }
}

}  // namespace stepscope::analysis
