#include "analysis/reports/takeaways/takeaways.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/reports/takeaways/takeaway_rules.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kTakeawaysMax = 7;
constexpr std::size_t kNameChars = 60;
constexpr std::size_t kWholeNameChars = 400;

Ns charged_wait(const ShownStep& shown, const Collectives* collectives) {
  Ns wait_ns = 0;
  for (const WhereRow& row : shown.where) wait_ns += row.wait ? row.charged_ns : 0;
  if (!shown.where.empty() || collectives == nullptr) return wait_ns;
  for (const CollectiveRank& rank : collectives->by_rank) {
    if (rank.rank == shown.step.rank) wait_ns += rank.wait_ns;
  }
  return wait_ns;
}

std::string largest_component(const ShownStep& shown) {
  const ComponentRow* most = nullptr;
  for (const ComponentRow& row : shown.components) {
    if (row.component == "communication" || row.charged_ns <= 0) continue;
    if (most == nullptr || row.charged_ns > most->charged_ns) most = &row;
  }
  return most == nullptr ? std::string() : most->component;
}

// At least 0.5 %.
bool matters(Ns stake_ns, Ns wall_ns) { return stake_ns > 0 && stake_ns >= wall_ns / 200; }

// The smallest findings go first; warnings stay as long as there is anything else.
void keep_seven(Findings& findings) {
  while (findings.size() > kTakeawaysMax) {
    auto last = std::find_if(findings.rbegin(), findings.rend(),
                             [](const Finding& finding) { return !finding.warning; });
    if (last == findings.rend()) last = findings.rbegin();
    findings.erase(std::next(last).base());
  }
}

}  // namespace

TakeawayFacts::TakeawayFacts(const ShownStep& shown_step, const Breakdown& of)
    : shown(shown_step),
      breakdown(of),
      wall_ns(shown_step.accounting.window_ns),
      collectives(of.collectives ? &*of.collectives : nullptr),
      wait_ns(charged_wait(shown_step, collectives)),
      rank(shown_step.step.rank ? fmt::format("Rank {}", *shown_step.step.rank) : "This rank"),
      largest(largest_component(shown_step)) {
  if (collectives == nullptr || wait_ns > 0) return;
  for (const LongCall& call : collectives->long_calls) {
    suspected_ns += call.dur_ns - call.kind_median_ns;
  }
}

void add_finding(Findings& out, std::string_view rule, Ns at_stake_ns, std::string text) {
  out.push_back({{std::string(rule), std::move(text), at_stake_ns}, false});
}

void add_warning(Findings& out, std::string_view rule, Ns at_stake_ns, std::string text) {
  out.push_back({{std::string(rule), std::move(text), at_stake_ns}, true});
}

std::string in_ms(Ns ns) { return format_ms(ns) + " ms"; }

std::string in_us_each(Ns ns, std::int64_t count) {
  return format_us(count > 0 ? ns / count : ns) + " µs";
}

std::string percent(Ns part_ns, Ns whole_ns) {
  const long double share = 1000.0L * static_cast<long double>(part_ns) / whole_ns;
  return format_permille(static_cast<int>(std::lround(share))) + " %";
}

std::string kernel_words(std::string_view name) {
  // A sentence needs the family, not the template, which must not cost the family its middle.
  std::string family = short_kernel_name(name, kWholeNameChars);
  if (const std::size_t at = family.find('<'); at != std::string::npos && at > 0) family.resize(at);
  if (char_count(family) > kNameChars && family.contains("::")) {
    family.erase(0, family.rfind("::") + 2);
  }
  return shortened(family, kNameChars);
}

std::vector<Takeaway> takeaways_of(const ShownStep& shown, const Breakdown& breakdown) {
  const TakeawayFacts facts(shown, breakdown);
  if (facts.wall_ns <= 0) return {};
  Findings findings;
  find_communication(facts, findings);
  find_work(facts, findings);
  find_outliers(facts, findings);
  find_doubts(facts, findings);
  std::erase_if(findings, [&](const Finding& finding) {
    return !finding.warning && !matters(finding.takeaway.at_stake_ns, facts.wall_ns);
  });
  stable_order(findings, [](const Finding& a, const Finding& b) {
    return a.takeaway.at_stake_ns > b.takeaway.at_stake_ns;
  });
  keep_seven(findings);
  std::vector<Takeaway> takeaways;
  for (Finding& finding : findings) takeaways.push_back(std::move(finding.takeaway));
  return takeaways;
}

}  // namespace stepscope::analysis
