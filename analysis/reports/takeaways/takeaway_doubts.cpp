// Takeaways on what stands out (calls, layers, unknown names) and on what says how far the figures
// can be trusted (suspects, the first step, the unprofiled run, events of other steps).

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "analysis/reports/report_words.h"
#include "analysis/reports/takeaways/takeaway_rules.h"

namespace stepscope::analysis {
namespace {

constexpr int kNotePermille = 50;
constexpr int kWarningPermille = 200;

// A name of at least 3 calls of which one lasts more than 10 times the median.
bool has_outlier(const KernelRow& row) {
  return row.calls >= 3 && row.median_ns > 0 && row.max_ns / 10 >= row.median_ns &&
         row.max_ns > 10 * row.median_ns;
}

// What the call lasts too long, as far as it is charged.
Ns excess_ns(const KernelRow& row) { return std::min(row.max_ns - row.median_ns, row.charged_ns); }

void find_outlier_kernels(const TakeawayFacts& facts, Findings& out) {
  const bool comm_is_named = facts.wait_ns > 0 || facts.suspected_ns > 0;
  const KernelRow* top = nullptr;
  std::int64_t more = -1;
  for (const KernelRow& row : facts.shown.accounting.kernels) {
    if (!has_outlier(row)) continue;
    if (comm_is_named && row.device_class == DeviceClass::comm) continue;
    if (top == nullptr || excess_ns(row) > excess_ns(*top)) top = &row;
    ++more;
  }
  if (top == nullptr) return;
  std::string text =
      fmt::format("One call of {} lasts {}; the median of its {} is {}", kernel_words(top->name),
                  in_ms(top->max_ns), counted(top->calls, "call"), in_ms(top->median_ns));
  if (more > 0) text += fmt::format(". {} of such a kind", counted(more, "more name"));
  add_finding(out, "outlier_kernel", excess_ns(*top), text + ".");
}

void find_outlier_layers(const TakeawayFacts& facts, Findings& out) {
  if (!facts.shown.layers) return;
  const OutlierLayer* longest = nullptr;
  Ns sum_ns = 0;
  std::int64_t count = 0;
  for (const OutlierLayer& layer : facts.shown.layers->outliers) {
    const Ns over_ns = layer.wall_ns - layer.kind_median_ns;
    if (over_ns <= 0) continue;
    sum_ns += over_ns;
    ++count;
    if (longest == nullptr || over_ns > longest->wall_ns - longest->kind_median_ns) {
      longest = &layer;
    }
  }
  if (longest == nullptr) return;
  std::string text = fmt::format("Layer {} of {} takes {}, against a median of {} of its kind",
                                 longest->layer + 1, facts.shown.layers->count,
                                 in_ms(longest->wall_ns), in_ms(longest->kind_median_ns));
  if (count > 1) {
    text += fmt::format("; {} take {} longer than their medians in all",
                        counted(count, "such layer"), in_ms(sum_ns));
  }
  add_finding(out, "outlier_layers", sum_ns, text + ".");
}

// Above 1 % of the wall.
void find_unmatched(const TakeawayFacts& facts, Findings& out) {
  const std::vector<std::string>& unmatched = facts.breakdown.diagnostics.unmatched_names;
  const std::set<std::string_view> names(unmatched.begin(), unmatched.end());
  const KernelRow* top = nullptr;
  Ns sum_ns = 0;
  std::set<std::string_view> seen;
  for (const KernelRow& row : facts.shown.accounting.kernels) {
    if (!names.contains(row.name)) continue;
    sum_ns += row.charged_ns;
    seen.insert(row.name);
    if (top == nullptr || row.charged_ns > top->charged_ns) top = &row;
  }
  if (top == nullptr || sum_ns <= facts.wall_ns / 100) return;
  const auto count = static_cast<std::int64_t>(seen.size());
  std::string text =
      fmt::format("{} ({} of the wall) are kernels that no rule of the table knows, {}",
                  in_ms(sum_ns), percent(sum_ns, facts.wall_ns), counted(count, "name"));
  if (count == 1) {
    text += fmt::format(": {}.", kernel_words(top->name));
  } else {
    text += fmt::format("; the largest is {} with {}.", kernel_words(top->name),
                        in_ms(top->charged_ns));
  }
  add_finding(out, "unmatched_names", sum_ns, std::move(text));
}

void find_suspects(const TakeawayFacts& facts, Findings& out) {
  const Suspect* largest = nullptr;
  std::int64_t count = 0;
  Ns cut_ns = 0;
  for (const Suspect& suspect : facts.breakdown.suspects) {
    if (suspect.rank != facts.shown.step.rank || suspect.device != facts.shown.step.device)
      continue;
    ++count;
    cut_ns += suspect.claimed_ns - suspect.clipped_ns;
    if (largest == nullptr || suspect.claimed_ns > largest->claimed_ns) largest = &suspect;
  }
  if (largest == nullptr) return;
  add_warning(
      out, "suspects", std::min(cut_ns, facts.wall_ns),
      fmt::format("{} of this device claimed a duration that can not be true and {} cut, by "
                  "{} in all; the largest, {}, claimed {} and keeps {}.",
                  counted(count, "event"), count == 1 ? "is" : "are", in_ms(cut_ns),
                  kernel_words(largest->name), in_ms(largest->claimed_ns),
                  in_ms(largest->clipped_ns)));
}

void find_first_step(const TakeawayFacts& facts, Findings& out) {
  if (!facts.shown.spread.only_first) return;
  // Of the head's wait no more than is charged.
  const Ns wait_ns = std::min(facts.shown.head_wait_ns.value_or(facts.wait_ns), facts.wait_ns);
  std::string text = facts.shown.spread.of > 1
                         ? fmt::format(
                               "Only one of {} is of this kind, and it is the first after "
                               "the profiler started: there is no median",
                               counted(facts.shown.spread.of, "step"))
                         : std::string(
                               "Only one step was captured, the first after the profiler "
                               "started: there is no median");
  if (wait_ns > 0) {
    text += fmt::format(", and {} of waiting may be an effect of the profiler", in_ms(wait_ns));
  }
  add_warning(out, "first_step", wait_ns, text + ".");
}

void find_cross_check(const TakeawayFacts& facts, Findings& out) {
  const CrossCheck& check = facts.shown.cross_check;
  if (!check.ratio_permille || !check.period_ns || !check.unprofiled_ns) return;
  const int off = std::abs(*check.ratio_permille - 1000);
  if (off <= kNotePermille) return;
  add_warning(out, "cross_check", std::abs(*check.period_ns - *check.unprofiled_ns),
              fmt::format("{}the profiled run takes {} a token, {}.{:03} times the {} of the "
                          "unprofiled run.",
                          off > kWarningPermille ? "Warning: " : "Note: ", in_ms(*check.period_ns),
                          *check.ratio_permille / 1000, *check.ratio_permille % 1000,
                          in_ms(*check.unprofiled_ns)));
}

// At least a tenth of the events.
void find_foreign(const TakeawayFacts& facts, Findings& out) {
  std::int64_t events = 0;
  for (const StreamRow& stream : facts.shown.accounting.streams) events += stream.calls;
  const std::int64_t foreign = facts.shown.foreign_events;
  if (foreign <= 0 || foreign < events / 10) return;
  std::string text = fmt::format("{} of the {} in the window belong to no or another step",
                                 grouped(foreign), counted(events, "event"));
  const Ns gap_ns = facts.shown.step.gap_ns.value_or(0);
  if (gap_ns < 0)
    text += fmt::format("; the next step begins {} before this one ends", in_ms(-gap_ns));
  add_warning(out, "foreign_events", std::max(-gap_ns, Ns{0}), text + ".");
}

}  // namespace

void find_outliers(const TakeawayFacts& facts, Findings& out) {
  find_outlier_kernels(facts, out);
  find_outlier_layers(facts, out);
  find_unmatched(facts, out);
}

void find_doubts(const TakeawayFacts& facts, Findings& out) {
  find_suspects(facts, out);
  find_first_step(facts, out);
  find_cross_check(facts, out);
  find_foreign(facts, out);
}

}  // namespace stepscope::analysis
