// The first words of a report: the wall and what of it is waiting, tokens per second, where the
// step comes from.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLabelChars = 80;
// R15: how far a profiled step may be from the unprofiled one before it is said, and warned of.
constexpr int kNotePermille = 50;
constexpr int kWarnPermille = 200;

// "step 3 (decode), rank 0 of 2, device 0"
std::string step_words(const Step& step, std::optional<int> world_size) {
  std::string place = place_of(step.rank, step.pid, step.device);
  if (step.rank && world_size) {
    place = fmt::format("rank {} of {}, device {}", *step.rank, *world_size, step.device);
  }
  if (step.source == "file") return "the whole file, " + place;
  const bool has_phase = !step.phase.empty() && step.phase != "unknown";
  return fmt::format("step {}{}, {}", step.index,
                     has_phase ? " (" + step.phase + ")" : std::string(), place);
}

// R9: what the profiler's own start may have done to the figures.
std::string only_first_words(const StepSpread& spread) {
  return fmt::format(
      " It is {}, and the first after the profiler started: set-up and waiting in it may be the "
      "profiler's doing. Ask for more steps to get a median.",
      spread.of == 1
          ? std::string("the only step found (n = 1)")
          : fmt::format("the only one of its kind among {}", counted(spread.of, "step")));
}

std::string spread_words(const ShownStep& shown) {
  const StepSpread& spread = shown.spread;
  if (spread.only_first) return only_first_words(spread);
  if (spread.of == 1) return " It is the only step found (n = 1).";
  std::string out = fmt::format(
      " Spread over n = {} of {}: min {}, median {}, max {} ms{}.", grouped(spread.count),
      counted(spread.of, "step"), format_ms(spread.min_ns), format_ms(spread.median_ns),
      format_ms(spread.max_ns), spread.first_left_out ? "; step 0 was left out" : "");
  if (spread.median_period_ns && !shown.cross_check.period_ns) {
    out += fmt::format(" Median from start to next start: {} ms.",
                       format_ms(*spread.median_period_ns));
  }
  return out;
}

std::string period_words(const Step& step) {
  if (!step.period_ns || !step.gap_ns) return "";
  if (*step.gap_ns < 0) {
    return fmt::format(" The next step starts {} ms after this one: the steps overlap by {} ms.",
                       format_ms(*step.period_ns), format_ms(-*step.gap_ns));
  }
  return fmt::format(" The next step starts {} ms after this one, {} ms after its end.",
                     format_ms(*step.period_ns), format_ms(*step.gap_ns));
}

std::int64_t wait_calls(const ShownStep& shown) {
  std::int64_t calls = 0;
  for (const WhereRow& row : shown.where) {
    if (row.wait) calls += row.calls;
  }
  return calls;
}

// R9: of the only step the profiler's own start may be a part.
Ns head_wait_of_only_step(const ShownStep& shown) {
  const bool one_step = shown.spread.only_first || shown.spread.of == 1;
  return one_step && shown.layers ? shown.head_wait_ns.value_or(0) : 0;
}

bool is_all_head_wait(const ShownStep& shown) {
  const Ns head = head_wait_of_only_step(shown);
  return head > 0 && head >= wait_ns(shown);
}

// With ranks missing the last one to arrive may be one of them.
void add_wait(Line& line, const Breakdown& breakdown, const ShownStep& shown) {
  const Ns wait = wait_ns(shown);
  if (wait == 0) return;
  const bool lower_bound = breakdown.collectives && !breakdown.collectives->complete;
  const std::string who =
      shown.step.rank ? fmt::format("rank {}", *shown.step.rank) : std::string("this rank");
  line.text(lower_bound ? " At least " : " ")
      .strong(fmt::format("{} ms of it is {} waiting", format_ms(wait), who))
      .text(fmt::format(" for other ranks in {}", counted(wait_calls(shown), "collective")));
  if (lower_bound) {
    line.text(
        fmt::format(" (files of {} are here)", counted(breakdown.collectives->ranks, "rank")));
  }
  if (is_all_head_wait(shown)) line.text(", all of it before the first layer");
  line.text("; the rest is ")
      .strong(format_ms(shown.accounting.window_ns - wait) + " ms")
      .text(".");
}

void add_head_wait(Line& line, const ShownStep& shown) {
  const Ns head = head_wait_of_only_step(shown);
  if (head <= 0 || is_all_head_wait(shown)) return;
  line.text(fmt::format(" Without the {} ms of waiting before the first layer it is ",
                        format_ms(head)))
      .strong(format_ms(shown.accounting.window_ns - head) + " ms")
      .text(".");
}

std::string ratio_words(int permille) {
  return fmt::format("{}.{:03}", permille / 1000, permille % 1000);
}

std::optional<Line> cross_check_line(const CrossCheck& check) {
  if (!check.period_ns) return std::nullopt;
  Line line = plain(
      fmt::format("From one start to the next: {} ms in the median", format_ms(*check.period_ns)));
  if (check.millitokens_per_s_per_user) {
    // A thousandth is to a token as a nanosecond to a microsecond.
    line.text(", which is ")
        .strong(format_us(*check.millitokens_per_s_per_user) + " tokens per second per user");
  }
  line.text(".");
  if (!check.unprofiled_ns || !check.ratio_permille) return line;
  line.text(fmt::format(" Unprofiled, this configuration takes {} ms per output token: ratio {}.",
                        format_ms(*check.unprofiled_ns), ratio_words(*check.ratio_permille)));
  const int off = std::abs(*check.ratio_permille - 1000);
  if (off > kWarnPermille) {
    line.text(" ")
        .strong("Profiled and unprofiled times differ by more than 20 %")
        .text(": read shares, not absolute times.");
  } else if (off > kNotePermille) {
    line.text(" They differ by more than 5 %.");
  }
  return line;
}

}  // namespace

Line wall_line(const Breakdown& breakdown, const ShownStep& shown) {
  Line line = strong(format_ms(shown.accounting.window_ns) + " ms");
  line.text(", " + step_words(shown.step, breakdown.trace.world_size) + ".");
  add_wait(line, breakdown, shown);
  add_head_wait(line, shown);
  return line;
}

Line source_line(const ShownStep& shown) {
  Line line = plain(source_words(shown.step.source));
  const bool whole_file = shown.step.source == "file";
  if (!shown.step.label.empty() && !whole_file) {
    line.text(", label ").code(shortened(shown.step.label, kLabelChars));
  }
  line.text(".");
  if (!whole_file) line.text(spread_words(shown));
  return line.text(period_words(shown.step));
}

std::vector<Block> first_lines(const Breakdown& breakdown, const ShownStep& shown) {
  std::vector<Block> blocks = {wall_line(breakdown, shown)};
  if (auto answer = moe_answer(shown)) blocks.emplace_back(std::move(*answer));
  if (auto check = cross_check_line(shown.cross_check)) blocks.emplace_back(std::move(*check));
  blocks.emplace_back(source_line(shown));
  return blocks;
}

}  // namespace stepscope::analysis
