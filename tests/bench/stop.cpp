#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/analyze.h"
#include "tests/bench/bench_trace.h"
#include "tests/bench/measures.h"

namespace stepscope::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kTriesPerStop = 5;  // one may come too late
constexpr auto kPoll = std::chrono::microseconds(200);

enum class Phase { reading, passes };

// One analysis in a thread of its own, which can be stopped.
class Analysis {
 public:
  explicit Analysis(const std::filesystem::path& file) : paths_{file} {
    options_.cancelled = &cancelled_;
    options_.progress = [this](std::uint64_t bytes_read, std::uint64_t bytes_known) {
      if (bytes_read != bytes_known || all_read_.load()) return;
      read_ = Clock::now();
      all_read_ = true;
    };
    start_ = Clock::now();
    thread_ = std::thread([this] {
      const auto result = analysis::analyze(paths_, options_);
      end_ = Clock::now();
      ended_ = true;
      if (!result && result.error().fault != analysis::AnalyzeFault::cancelled) {
        fault_ = result.error().message;
      }
    });
  }

  void join() {
    thread_.join();
    if (!fault_.empty()) throw std::runtime_error(fault_);
  }

  // Stops it so long after the phase began. How long it goes on from there, be it to its own end;
  // nothing when that phase was over already.
  std::optional<Seconds> stop_in(Phase phase, Seconds wait) {
    if (phase == Phase::passes) {
      while (!all_read_ && !ended_) std::this_thread::sleep_for(kPoll);
    }
    std::this_thread::sleep_for(wait);
    const bool missed = phase == Phase::reading && all_read_;
    const auto stopped = Clock::now();
    cancelled_ = true;
    join();
    if (missed || end_ < stopped) return std::nullopt;
    return end_ - stopped;
  }

  Seconds reading() const { return read_ - start_; }
  Seconds whole() const { return end_ - start_; }

 private:
  std::vector<std::filesystem::path> paths_;
  analysis::AnalyzeOptions options_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> all_read_ = false;
  std::atomic<bool> ended_ = false;
  std::string fault_;
  Clock::time_point start_;
  Clock::time_point read_;
  Clock::time_point end_;
  std::thread thread_;  // the last: it uses the rest
};

void print_phase(const char* name, Seconds length, std::vector<double> stops_ms) {
  fmt::print("  {:<24} {:>9.1f}", name, length.count() * 1e3);
  if (stops_ms.empty()) {
    fmt::print("   ends before it can be stopped\n");
    return;
  }
  std::ranges::sort(stops_ms);
  fmt::print(" {:>6} {:>10.2f} {:>8.2f}\n", stops_ms.size(), stops_ms[(stops_ms.size() - 1) / 2],
             stops_ms.back());
}

// Moments are drawn by time, not by block: a caller does not know of blocks.
void stop_often(const std::filesystem::path& file, Phase phase, Seconds length,
                std::size_t stops_wanted) {
  std::mt19937_64 random(1);
  std::vector<double> stops_ms;
  for (std::size_t i = 0; i < kTriesPerStop * stops_wanted && stops_ms.size() < stops_wanted; ++i) {
    const double share = static_cast<double>(random() % 1000) / 1000;
    Analysis analysis(file);
    const auto took = analysis.stop_in(phase, length * share);
    if (took) stops_ms.push_back(took->count() * 1e3);
  }
  print_phase(phase == Phase::reading ? "while reading" : "in the passes behind it", length,
              std::move(stops_ms));
}

void stop_in_each_phase(const std::filesystem::path& file, std::size_t stops_wanted) {
  Analysis calm(file);
  calm.join();
  stop_often(file, Phase::reading, calm.reading(), stops_wanted);
  stop_often(file, Phase::passes, calm.whole() - calm.reading(), stops_wanted);
}

}  // namespace

void print_stop(const Settings& settings) {
  const TraceFolder folder(settings.folder,
                           settings.styles.size() * settings.megabytes * 1'000'000);
  print_machine();
  fmt::print("from `cancelled` to the return of analyze(), at random moments\n");
  fmt::print("  {:<24} {:>9} {:>6} {:>10} {:>8}\n", "", "lasts ms", "stops", "median ms", "max ms");
  for (const Style style : settings.styles) {
    const PackedTrace trace =
        make_trace({.style = style, .megabytes = settings.megabytes}, folder.path());
    fmt::print("{}, {} MB of text\n", name_of(style), trace.truth.bytes / 1'000'000);
    stop_in_each_phase(trace.path, settings.stops);
  }
}

}  // namespace stepscope::bench
