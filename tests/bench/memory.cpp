#include <fmt/format.h>

#include "tests/bench/contenders.h"
#include "tests/bench/measures.h"
#include "tests/bench/process_cost.h"

namespace stepscope::bench {

namespace {

constexpr double kPeakBarGraphMib = 64;
constexpr double kPeakBarEagerMib = 128;
constexpr std::uint64_t kBarMegabytes = 2000;  // the bars are for traces of this size

}  // namespace

void print_memory(const Settings& settings) {
  const TraceFolder folder(settings.folder,
                           settings.styles.size() * settings.megabytes * 1'000'000);
  print_machine();
  for (const Style style : settings.styles) {
    const PackedTrace trace =
        make_trace({.style = style, .megabytes = settings.megabytes}, folder.path());
    const FinishedRun run = run_process(
        {settings.stepscope, "analyze", "--format", "json", trace.path.string()}, Output::kept);
    check_answer(kAnalyze, Answer::report, run.output, trace.truth);
    const double bar_mib = style == Style::eager ? kPeakBarEagerMib : kPeakBarGraphMib;
    fmt::print("{:<6} {:>6} MB of text: {} peaks at {:.1f} MiB", name_of(style),
               trace.truth.bytes / 1'000'000, kAnalyze, run.cost.peak_mib);
    if (settings.megabytes == kBarMegabytes) {
      fmt::print(", bar {:.0f} {}", bar_mib, run.cost.peak_mib <= bar_mib ? "met" : "NOT met");
    }
    fmt::print("; {:.2f} CPU-s, {:.2f} s\n", run.cost.cpu_s, run.cost.wall_s);
  }
}

}  // namespace stepscope::bench
