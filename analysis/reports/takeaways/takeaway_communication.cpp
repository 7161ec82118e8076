// Takeaways on communication: waiting for other ranks, what looks like it on one rank, and the rest
// that nothing runs beside.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/reports/report_words.h"
#include "analysis/reports/takeaways/takeaway_rules.h"

namespace stepscope::analysis {
namespace {

// "AllReduce", "_allgather_base" and the like in words; "collective" for a kernel's name.
std::string_view kind_words(std::string_view kind) {
  std::string plain;
  for (const char c : kind.substr(0, 64)) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') plain += c;
  }
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKinds = {{
      {"allreduce", "all-reduce"},
      {"allgather", "all-gather"},
      {"reducescatter", "reduce-scatter"},
      {"alltoall", "all-to-all"},
      {"broadcast", "broadcast"},
      {"sendrecv", "send and receive"},
  }};
  for (const auto& [word, words] : kKinds) {
    if (plain.contains(word)) return words;
  }
  return "collective";
}

// A matched call of which the shown rank's share is known.
struct ShownCall {
  const CollectiveCall* call = nullptr;
  Ns wait_ns = 0;
  Ns transfer_ns = 0;
};

std::vector<ShownCall> shown_calls(const Collectives& all) {
  std::vector<ShownCall> calls;
  for (const CollectiveCall& call : all.calls) {
    if (call.shown_wait_ns && call.shown_transfer_ns) {
      calls.push_back({&call, *call.shown_wait_ns, *call.shown_transfer_ns});
    }
  }
  return calls;
}

bool first_of_its_kind(const Collectives& all, const CollectiveCall& call) {
  return std::none_of(all.calls.data(), &call, [&](const CollectiveCall& before) {
    return kind_words(before.kind) == kind_words(call.kind);
  });
}

std::string one_call_sentence(const TakeawayFacts& facts, const Collectives& all,
                              const ShownCall& longest) {
  std::string text = fmt::format(
      "{} entered {} {} {} before the last rank; the transfer itself took {}.", facts.rank,
      first_of_its_kind(all, *longest.call) ? "the first" : "one", kind_words(longest.call->kind),
      in_ms(longest.wait_ns), in_ms(longest.transfer_ns));
  if (longest.wait_ns > longest.transfer_ns) text += " This is skew, not bandwidth.";
  const Ns rest_ns = facts.wait_ns - longest.wait_ns;
  if (all.matched > 1 && rest_ns >= facts.wall_ns / 200 && rest_ns > 0) {
    text += fmt::format(" The other {} wait {} in all.", counted(all.matched - 1, "matched call"),
                        in_ms(rest_ns));
  }
  return text;
}

std::string many_calls_sentence(const TakeawayFacts& facts, const Collectives& all) {
  std::string text = fmt::format("{} waits {} ({} of the wall) for other ranks", facts.rank,
                                 in_ms(facts.wait_ns), percent(facts.wait_ns, facts.wall_ns));
  text += fmt::format(" in {}", counted(all.matched, "matched collective"));
  const CollectiveRank* late = nullptr;
  for (const CollectiveRank& rank : all.by_rank) {
    if (rank.rank == facts.shown.step.rank) {
      text += fmt::format("; their transfer takes {}", in_ms(rank.transfer_ns));
    }
    if (rank.late_calls > 0 && (late == nullptr || rank.late_calls > late->late_calls)) {
      late = &rank;
    }
  }
  text += '.';
  if (late != nullptr) {
    text += fmt::format(" {} arrives last most often, in {} of {}.",
                        late->rank ? fmt::format("Rank {}", *late->rank) : late->label,
                        grouped(late->late_calls), counted(all.matched, "call"));
  }
  return text;
}

void find_wait(const TakeawayFacts& facts, Findings& out) {
  if (facts.wait_ns <= 0 || facts.collectives == nullptr) return;
  const Collectives& all = *facts.collectives;
  const std::vector<ShownCall> calls = shown_calls(all);
  const auto longest = std::ranges::max_element(calls, {}, &ShownCall::wait_ns);
  const bool one = longest != calls.end() && longest->wait_ns >= facts.wait_ns / 2;
  std::string text =
      one ? one_call_sentence(facts, all, *longest) : many_calls_sentence(facts, all);
  if (!all.complete && all.world_size) {
    text +=
        fmt::format(" It is a lower bound: {} of {} ranks are here.", all.ranks, *all.world_size);
  }
  add_finding(out, "wait", facts.wait_ns, std::move(text));
}

void find_suspected_wait(const TakeawayFacts& facts, Findings& out) {
  if (facts.suspected_ns <= 0) return;
  const std::vector<LongCall>& calls = facts.collectives->long_calls;
  const LongCall& longest = *std::ranges::max_element(calls, {}, &LongCall::dur_ns);
  std::string text =
      fmt::format("One call of {} lasts {}, against a median of {} of its kind",
                  kernel_words(longest.name), in_ms(longest.dur_ns), in_ms(longest.kind_median_ns));
  if (calls.size() > 1) {
    text += fmt::format("; {} in all last {} longer than their medians",
                        counted(static_cast<std::int64_t>(calls.size()), "such call"),
                        in_ms(facts.suspected_ns));
  }
  text += ". How much of it is waiting cannot be told from one rank.";
  add_finding(out, "suspected_wait", facts.suspected_ns, std::move(text));
}

// A kernel's part in what is exposed, as a figure that holds no waiting.
struct CommKernel {
  Ns ns = 0;
  std::int64_t calls = 0;
};
using CommKernels = std::map<std::string_view, CommKernel>;

// By name: of matched calls what they transfer; empty when single calls are not known.
CommKernels transfers(const Collectives& all) {
  CommKernels kernels;
  for (const ShownCall& call : shown_calls(all)) {
    CommKernel& kernel = kernels[call.call->name];
    kernel.ns += call.transfer_ns;
    ++kernel.calls;
  }
  return kernels;
}

// By name over the streams: what is charged, without the kernels that are suspected of waiting.
CommKernels charges(const TakeawayFacts& facts) {
  CommKernels kernels;
  for (const KernelRow& row : facts.shown.accounting.kernels) {
    if (row.device_class != DeviceClass::comm) continue;
    CommKernel& kernel = kernels[row.name];
    kernel.ns += row.charged_ns;
    kernel.calls += row.calls;
  }
  if (facts.suspected_ns <= 0 || facts.collectives == nullptr) return kernels;
  for (const LongCall& call : facts.collectives->long_calls) kernels.erase(call.name);
  return kernels;
}

std::string top_kernel_words(const TakeawayFacts& facts) {
  const bool waits = facts.wait_ns > 0;
  if (waits && facts.collectives == nullptr) return {};
  const CommKernels kernels = waits ? transfers(*facts.collectives) : charges(facts);
  if (kernels.empty()) return {};
  const auto top =
      std::ranges::max_element(kernels, {}, [](const auto& kernel) { return kernel.second.ns; });
  return fmt::format("; the most in {}: {} in {}, {} each", kernel_words(top->first),
                     in_ms(top->second.ns), counted(top->second.calls, "call"),
                     in_us_each(top->second.ns, top->second.calls));
}

void find_exposed(const TakeawayFacts& facts, Findings& out) {
  const Accounting& accounting = facts.shown.accounting;
  const Ns named_ns = facts.wait_ns + facts.suspected_ns;
  const Ns rest_ns = accounting.classes.comm_exposed - named_ns;
  if (rest_ns <= 0) return;
  std::int64_t calls = 0;
  for (const KernelRow& row : accounting.kernels) {
    if (row.device_class == DeviceClass::comm) calls += row.calls;
  }
  std::string text =
      fmt::format("{} with no compute beside it takes {} ({} of the wall",
                  named_ns > 0 ? "Apart from waiting, communication" : "Communication",
                  in_ms(rest_ns), percent(rest_ns, facts.wall_ns));
  if (named_ns > 0 && named_ns < facts.wall_ns) {
    text += fmt::format(", {} without the {}", percent(rest_ns, facts.wall_ns - named_ns),
                        facts.wait_ns > 0 ? "wait" : "suspected wait");
  }
  text += fmt::format(") in {}{}.", counted(calls, "call"), top_kernel_words(facts));
  if (accounting.comm_hidden_ns == 0) {
    text += " No communication has compute beside it.";
  } else if (accounting.comm_hidden_ns >= facts.wall_ns / 200) {
    text += fmt::format(" Compute runs beside {} more.", in_ms(accounting.comm_hidden_ns));
  }
  add_finding(out, "exposed_communication", rest_ns, std::move(text));
}

void find_no_communication(const TakeawayFacts& facts, Findings& out) {
  const std::optional<int> ranks = facts.breakdown.trace.world_size;
  const bool any = std::ranges::any_of(facts.shown.accounting.kernels, [](const KernelRow& row) {
    return row.device_class == DeviceClass::comm;
  });
  if (any || !ranks || *ranks < 2) return;
  add_warning(out, "no_communication", 0,
              fmt::format("The run has {} ranks, yet no kernel of this step is known as "
                          "communication.",
                          *ranks));
}

}  // namespace

void find_communication(const TakeawayFacts& facts, Findings& out) {
  find_wait(facts, out);
  find_suspected_wait(facts, out);
  find_exposed(facts, out);
  find_no_communication(facts, out);
}

}  // namespace stepscope::analysis
