#pragma once
// The answer to "how long did MoE take?" in words: charged and hidden time of the shared expert,
// the collectives, the routed experts and the exchange between ranks. Owns nothing.

#include <span>
#include <string>

#include "analysis/step_breakdown.h"

namespace stepscope::analysis {

struct MoeSentenceFacts {
  std::span<const MoePart> parts;
  // Union of router, routed experts and, without an exchange between ranks, the sum of their
  // outputs.
  MoePart routed;
  bool behind_critical = false;  // all that is hidden of it runs beside the critical stream
  bool exchanges = false;        // between ranks: dispatch and combine stand for themselves
  std::string critical_stream;
  std::string shared_stream;  // empty: several
  std::string routed_stream;  // empty: several
  // Words of the collectives that end the MoE layers: "all-reduces", "collectives".
  std::string collectives;
};

// Plain text, milliseconds with three decimals.
std::string moe_sentence(const MoeSentenceFacts& facts);

}  // namespace stepscope::analysis
