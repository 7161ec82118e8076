#pragma once
// A shown step with figures of its own for the tests of takeaways. Owns nothing but the values.

#include <string>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/reports/takeaways/takeaways.h"

namespace stepscope::tests {

inline constexpr analysis::Ns kMs = 1'000'000;
inline constexpr analysis::Ns kUs = 1'000;

// Rank 0, device 0, 25 ms of wall and nothing else.
inline analysis::ShownStep bare_step() {
  analysis::ShownStep shown;
  shown.step.rank = 0;
  shown.step.device = "0";
  shown.step.phase = "decode";
  shown.accounting.window_ns = 25 * kMs;
  return shown;
}

inline analysis::KernelRow kernel(const std::string& name, analysis::DeviceClass device_class,
                                  std::int64_t calls, analysis::Ns charged_ns) {
  analysis::KernelRow row;
  row.stream = "7";
  row.name = name;
  row.category = device_class == analysis::DeviceClass::comm ? "comm-allreduce-nccl" : "gemm-dense";
  row.component = device_class == analysis::DeviceClass::comm ? "communication" : "mlp";
  row.device_class = device_class;
  row.calls = calls;
  row.charged_ns = charged_ns;
  return row;
}

inline const analysis::Takeaway* find_rule(const std::vector<analysis::Takeaway>& all,
                                           const std::string& rule) {
  for (const analysis::Takeaway& takeaway : all) {
    if (takeaway.rule == rule) return &takeaway;
  }
  return nullptr;
}

// Of the rule, or empty.
inline std::string text_of(const analysis::ShownStep& shown, const analysis::Breakdown& breakdown,
                           const std::string& rule) {
  const auto all = analysis::takeaways_of(shown, breakdown);
  const analysis::Takeaway* found = find_rule(all, rule);
  return found == nullptr ? std::string() : found->text;
}

}  // namespace stepscope::tests
