// Takeaways on where the time goes besides communication: the largest component and what it
// consists of, what comes before the layers, idle.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "analysis/reports/report_words.h"
#include "analysis/reports/takeaways/takeaway_rules.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kPartsMax = 3;
constexpr std::size_t kHeadPartsMax = 2;
constexpr std::size_t kNameChars = 60;

struct Part {
  std::string name;
  Ns charged_ns = 0;
};

// What a component consists of: roles where the place tells them, else categories. Largest first.
std::vector<Part> parts_of(const ShownStep& shown, const std::string& component) {
  std::map<std::string, Ns, std::less<>> charged_ns;
  for (const KernelRow& row : shown.accounting.kernels) {
    if (row.roles.empty() && row.component == component) charged_ns[row.category] += row.charged_ns;
    for (const KernelRole& role : row.roles) {
      if (role.component != component) continue;
      charged_ns[role.role.empty() ? row.category : role.role] += role.charged_ns;
    }
  }
  std::vector<Part> parts;
  for (const auto& [name, ns] : charged_ns) {
    if (ns > 0) parts.push_back({name, ns});
  }
  stable_order(parts, [](const Part& a, const Part& b) { return a.charged_ns > b.charged_ns; });
  if (parts.size() > kPartsMax) parts.resize(kPartsMax);
  return parts;
}

Ns charged_to(const KernelRow& row, std::string_view component) {
  if (row.roles.empty()) return row.component == component ? row.charged_ns : 0;
  Ns charged_ns = 0;
  for (const KernelRole& role : row.roles) {
    if (role.component == component) charged_ns += role.charged_ns;
  }
  return charged_ns;
}

// The kernel that has the most of a component.
std::string kernel_part_words(const ShownStep& shown, std::string_view component) {
  const KernelRow* top = nullptr;
  Ns top_ns = 0;
  for (const KernelRow& row : shown.accounting.kernels) {
    const Ns charged_ns = charged_to(row, component);
    if (charged_ns <= top_ns) continue;
    top = &row;
    top_ns = charged_ns;
  }
  if (top == nullptr) return {};
  return fmt::format(", the most in {}: {}", short_kernel_name(top->name, kNameChars),
                     in_ms(top_ns));
}

std::string parts_words(const ShownStep& shown, const ComponentRow& row,
                        const std::vector<Part>& parts) {
  const auto name = [&](const Part& part) {
    return part.name == component_label(row.component) ? part.name + " kernels" : part.name;
  };
  if (parts.size() == 1 && parts[0].charged_ns == row.charged_ns) {
    return kernel_part_words(shown, row.component);  // the name of the only part says no more
  }
  std::string text;
  for (const Part& part : parts) {
    text += fmt::format("{}{} {}", text.empty() ? ", of which " : ", ", name(part),
                        in_ms(part.charged_ns));
  }
  return text;
}

void find_largest(const TakeawayFacts& facts, Findings& out) {
  const auto row =
      std::ranges::find(facts.shown.components, facts.largest, &ComponentRow::component);
  if (row == facts.shown.components.end()) return;
  const bool unknown = row->component == "other";
  std::string text = fmt::format(
      "{} {} ({} of the wall)",
      unknown ? std::string("The largest part is kernels whose role is not told:")
              : fmt::format("The largest component is {}:", component_label(row->component)),
      in_ms(row->charged_ns), percent(row->charged_ns, facts.wall_ns));
  text += parts_words(facts.shown, *row, parts_of(facts.shown, row->component));
  add_finding(out, "largest_component", row->charged_ns, text + ".");
}

// Set-up in front of the layers: at least 5 % of the wall.
void find_head(const TakeawayFacts& facts, Findings& out) {
  if (facts.largest == "setup") return;
  for (const Phase& phase : facts.shown.phases) {
    if (phase.name != "head" && phase.name != "head.setup") continue;
    Ns charged_ns = 0;
    std::int64_t calls = 0;
    for (const ChargedCategory& row : phase.charged) {
      charged_ns += row.charged_ns;
      calls += row.calls;
    }
    if (charged_ns <= 0 || charged_ns < facts.wall_ns / 20) return;
    std::string text =
        fmt::format("Before the first {}, {} take {} ({} of the wall)",
                    phase.name == "head" ? "layer" : "collective", counted(calls, "call"),
                    in_ms(charged_ns), percent(charged_ns, facts.wall_ns));
    for (std::size_t i = 0; i < phase.charged.size() && i < kHeadPartsMax; ++i) {
      text += fmt::format("{} {} {}", i == 0 ? ":" : ",", phase.charged[i].category,
                          in_ms(phase.charged[i].charged_ns));
    }
    add_finding(out, "head", charged_ns, text + ".");
    return;
  }
}

struct Cause {
  Ns ns = 0;
  std::string_view words;
};

Cause largest_cause(const IdleCauses& idle) {
  const std::array<Cause, 4> causes = {{
      {idle.between_graph_nodes, "between nodes of graph launches"},
      {idle.host, "waiting for the host to launch"},
      {idle.latency_or_dependency, "after the launch, by latency or dependency"},
      {idle.unknown, "of unknown cause"},
  }};
  return *std::ranges::max_element(causes, {}, &Cause::ns);
}

void find_idle(const TakeawayFacts& facts, Findings& out) {
  const Accounting& accounting = facts.shown.accounting;
  if (accounting.idle_ns <= 0) return;
  const Cause cause = largest_cause(facts.shown.idle_causes);
  std::string text = fmt::format("The device idles {} ({} of the wall)", in_ms(accounting.idle_ns),
                                 percent(accounting.idle_ns, facts.wall_ns));
  if (cause.ns == accounting.idle_ns) {
    text += fmt::format(", all of it {}.", cause.words);
  } else {
    text += fmt::format(", {} of it {}.", in_ms(cause.ns), cause.words);
  }
  const auto layers = std::ranges::find(facts.shown.phases, "layers", &Phase::name);
  if (facts.shown.layers && facts.shown.layers->count > 0 && layers != facts.shown.phases.end() &&
      layers->classes.idle > accounting.idle_ns / 2) {
    text += fmt::format(" {} of it are in the {}, {} each.", in_ms(layers->classes.idle),
                        counted(facts.shown.layers->count, "layer"),
                        in_us_each(layers->classes.idle, facts.shown.layers->count));
  }
  const LaunchStats& launches = facts.shown.launch_stats;
  if (cause.ns == facts.shown.idle_causes.host && launches.launches > 0) {
    text += fmt::format(
        " The step has {}, {} of graphs.", counted(launches.launches, "launch", "launches"),
        launches.graph_launches > 0 ? grouped(launches.graph_launches) : std::string("none"));
    if (facts.breakdown.diagnostics.python_stacks) {
      text += " Python stacks were recorded: they inflate host gaps.";
    }
  }
  add_finding(out, "idle", accounting.idle_ns, std::move(text));
}

}  // namespace

void find_work(const TakeawayFacts& facts, Findings& out) {
  find_largest(facts, out);
  find_head(facts, out);
  find_idle(facts, out);
}

}  // namespace stepscope::analysis
