#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/answers.h"
#include "tests/bench/bench_trace.h"
#include "tests/bench/measures.h"
#include "tests/bench/process_cost.h"

namespace stepscope::bench {

namespace {

constexpr int kFiles = 8;

void add(const Truth& truth, Truth& sum) {
  sum.bytes += truth.bytes;
  sum.events += truth.events;
  sum.device_events += truth.device_events;
  sum.no_dur += truth.no_dur;
  sum.device_sum_ns += truth.device_sum_ns;
}

double median(std::vector<Cost> costs, double Cost::* field) {
  std::ranges::sort(costs, {}, field);
  return costs[(costs.size() - 1) / 2].*field;
}

}  // namespace

void print_ranks(const Settings& settings) {
  const Style style = settings.styles.front();
  const TraceFolder folder(settings.folder, kFiles * settings.megabytes * 1'000'000);
  std::vector<std::string> words = {own_program(), "read", "--digest", "--threads", ""};
  Truth truth;
  for (int rank = 0; rank < kFiles; ++rank) {
    const PackedTrace trace = make_trace({.style = style,
                                          .megabytes = settings.megabytes,
                                          .rank = rank,
                                          .world_size = kFiles,
                                          .odd = settings.odd},
                                         folder.path());
    add(trace.truth, truth);
    words.push_back(trace.path.string());
  }
  std::vector<std::vector<Cost>> costs(2);  // by threads
  std::string result;
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      words[4] = fmt::to_string(i + 1);
      const FinishedRun run = run_process(words, Output::kept);
      check_answer(fmt::format("{} threads", i + 1), Answer::figures, run.output, truth);
      if (result.empty()) result = run.output;
      if (run.output != result) {
        throw std::runtime_error("the number of threads changes what is read");
      }
      costs[i].push_back(run.cost);
    }
  }
  print_machine();
  fmt::print("{} files ({}) of {} MB of text, medians of {} rounds in turns\n", kFiles,
             name_of(style), truth.bytes / kFiles / 1'000'000, settings.rounds);
  fmt::print("  {:<9} {:>8} {:>8} {:>9}\n", "", "wall s", "CPU s", "peak MiB");
  for (std::size_t i = 0; i < costs.size(); ++i) {
    fmt::print("  {:<9} {:>8.3f} {:>8.3f} {:>9.1f}\n", fmt::format("threads {}", i + 1),
               median(costs[i], &Cost::wall_s), median(costs[i], &Cost::cpu_s),
               median(costs[i], &Cost::peak_mib));
  }
  fmt::print("  the same events, names and streams with either number\n");
}

}  // namespace stepscope::bench
