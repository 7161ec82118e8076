#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/contenders.h"
#include "tests/bench/measures.h"
#include "tests/bench/process_cost.h"

namespace stepscope::bench {

namespace {

constexpr double kCpuBarGraph = 2.5;  // x the floor
constexpr double kCpuBarEager = 3.5;
constexpr double kCpuBarZlib = 1;  // x zlib's inflate

struct Row {
  Contender contender;
  std::vector<Cost> costs;  // by round; a slow one has only the first
};

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values[(values.size() - 1) / 2], values.front(), values.back()};
}

Spread spread_of(const Row& row, double Cost::* field) {
  std::vector<double> values;
  values.reserve(row.costs.size());
  for (const Cost& cost : row.costs) values.push_back(cost.*field);
  return spread_of(std::move(values));
}

// Of rounds, not of medians: both programs saw the same machine in one round.
Spread cpu_ratio(const Row& row, const Row& base) {
  std::vector<double> values;
  values.reserve(row.costs.size());
  for (std::size_t round = 0; round < row.costs.size(); ++round) {
    values.push_back(row.costs[round].cpu_s / base.costs[round].cpu_s);
  }
  return spread_of(std::move(values));
}

std::vector<Row> measure(std::vector<Contender> contenders, int rounds, const Truth& truth) {
  std::vector<Row> rows;
  rows.reserve(contenders.size());
  for (Contender& contender : contenders) rows.push_back({std::move(contender), {}});
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) {  // in turns, so that all of them see the same machine
      const Contender& contender = row.contender;
      if (contender.slow && round > 0) continue;
      const FinishedRun run = run_process(
          contender.words, contender.answer == Answer::none ? Output::thrown_away : Output::kept);
      check_answer(contender.name, contender.answer, run.output, truth);
      row.costs.push_back(run.cost);
    }
  }
  return rows;
}

std::string with_range(const Spread& spread, int decimals) {
  return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", spread.median, decimals, spread.min, decimals,
                     spread.max, decimals);
}

std::string bar_text(double ratio, double bar) {
  return fmt::format("bar {:.1f} {}", bar, ratio <= bar ? "met" : "NOT met");
}

std::string remark(const Row& row, double ratio, double bar) {
  if (row.contender.name == kAnalyze) return bar_text(ratio, bar);
  return row.contender.slow ? "one round" : "";
}

void print_row(const Row& row, const Row& floor, const Truth& truth, double bar) {
  const Spread cpu_s = spread_of(row, &Cost::cpu_s);
  const Spread ratio = cpu_ratio(row, floor);
  const double gigabytes = static_cast<double>(truth.bytes) / 1e9;
  fmt::print("  {:<19} {:>21} {:>21} {:>8.1f} {:>8}  {:>20} {}\n", row.contender.name,
             with_range(cpu_s, 3), with_range(spread_of(row, &Cost::wall_s), 3),
             spread_of(row, &Cost::peak_mib).median,
             row.contender.name == kStart ? "-" : fmt::format("{:.2f}", gigabytes / cpu_s.median),
             with_range(ratio, 2), remark(row, ratio.median, bar));
}

const Row* find_row(const std::vector<Row>& rows, std::string_view name) {
  const auto row =
      std::ranges::find_if(rows, [&](const Row& r) { return r.contender.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

void print_inflaters(const std::vector<Row>& rows) {
  const Row* ours = find_row(rows, kAnalyze);
  const Row* zlib = find_row(rows, kZlib);
  const Row* gzip = find_row(rows, kGzip);
  if (ours == nullptr || zlib == nullptr) return;
  const double ratio = cpu_ratio(*ours, *zlib).median;
  fmt::print("  {} takes {:.2f} x the CPU of {}, {}", kAnalyze, ratio, kZlib,
             bar_text(ratio, kCpuBarZlib));
  if (gzip != nullptr) fmt::print("; {:.2f} x that of {}", cpu_ratio(*ours, *gzip).median, kGzip);
  fmt::print("\n");
}

void print_style(const Settings& settings, const PackedTrace& trace, Style style) {
  const Truth& truth = trace.truth;
  fmt::print("{}{}: {:.1f} MB of text, {:.1f} MB packed ({:.1f}:1), {} events, {} on the device\n",
             name_of(style), settings.odd ? ", with odd events" : "",
             static_cast<double>(truth.bytes) / 1e6, static_cast<double>(trace.packed_bytes) / 1e6,
             static_cast<double>(truth.bytes) / static_cast<double>(trace.packed_bytes),
             truth.events, truth.device_events);
  Contenders contenders = contenders_for(trace, settings.stepscope, settings.others);
  const std::vector<Row> rows = measure(std::move(contenders.list), settings.rounds, truth);
  for (const Row& row : rows) {
    print_row(row, rows.front(), truth, style == Style::eager ? kCpuBarEager : kCpuBarGraph);
  }
  for (const std::string& line : contenders.left_out) fmt::print("  left out: {}\n", line);
  print_inflaters(rows);
}

}  // namespace

void print_table(const Settings& settings) {
  const TraceFolder folder(settings.folder,
                           settings.styles.size() * settings.megabytes * 1'000'000);
  print_machine();
  fmt::print(
      "medians of {} rounds (min-max) of whole processes, in turns; the ratio is that of "
      "CPU in each round\n",
      settings.rounds);
  fmt::print("  {:<19} {:>21} {:>21} {:>8} {:>8}  {:>20}\n", "", "CPU s", "wall s", "peak MiB",
             "GB/CPU-s", "x inflate, ISA-L");
  for (const Style style : settings.styles) {
    const PackedTrace trace = make_trace(
        {.style = style, .megabytes = settings.megabytes, .odd = settings.odd}, folder.path());
    print_style(settings, trace, style);
  }
}

}  // namespace stepscope::bench
