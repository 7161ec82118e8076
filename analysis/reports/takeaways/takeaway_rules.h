#pragma once
// The rules behind takeaways.h, in groups, and what they share. Owns the findings only; refers to
// the breakdown that it looks at.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

struct Finding {
  Takeaway takeaway;
  bool warning = false;  // says how far the figures can be trusted: kept however small
};
using Findings = std::vector<Finding>;

// What several rules need to know, so that none names what another one has named.
struct TakeawayFacts {
  const ShownStep& shown;
  const Breakdown& breakdown;
  Ns wall_ns = 0;
  const Collectives* collectives = nullptr;  // absent: nullptr
  Ns wait_ns = 0;                            // charged to waiting for other ranks
  Ns suspected_ns = 0;  // with one rank: what calls last beyond the median of their kind
  std::string rank;     // "Rank 0"
  std::string largest;  // component, communication aside; empty: nothing is charged

  TakeawayFacts(const ShownStep& shown_step, const Breakdown& of);
};

// Waiting, suspected waiting, exposed communication, no communication at all.
void find_communication(const TakeawayFacts& facts, Findings& out);
// The largest component, what comes before the layers, idle.
void find_work(const TakeawayFacts& facts, Findings& out);
// Calls and layers that stand out, names that no rule knows.
void find_outliers(const TakeawayFacts& facts, Findings& out);
// Suspects, the first step, the unprofiled run, events of other steps.
void find_doubts(const TakeawayFacts& facts, Findings& out);

void add_finding(Findings& out, std::string_view rule, Ns at_stake_ns, std::string text);
void add_warning(Findings& out, std::string_view rule, Ns at_stake_ns, std::string text);

// "13.625 ms"
std::string in_ms(Ns ns);
// "12.3 µs": of one of `count`, rounded down to 1 ns first.
std::string in_us_each(Ns ns, std::int64_t count);
// "54.6 %" of `whole`, which is above 0.
std::string percent(Ns part_ns, Ns whole_ns);
// A kernel's name, short and harmless.
std::string kernel_words(std::string_view name);

}  // namespace stepscope::analysis
