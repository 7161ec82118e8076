#include "analysis/reading/formats/databases/range_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace stepscope::analysis {

namespace {

// What the engines and torch.profiler call their steps, and the capture of a graph, whose ranges
// say that nothing ran.
bool is_step_name(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kStarts = {
      "step[",    "decode[",      "prefill[", "mixed[",
      "execute_", "ProfilerStep", "capture_", "[Executor] _forward_step"};
  return std::ranges::any_of(kStarts, [&](auto start) { return name.starts_with(start); });
}

Ns sum_of(Ns a, Ns b) { return b > std::numeric_limits<Ns>::max() - a ? a : a + b; }

}  // namespace

void RangeChoice::count(std::string_view name, Ns dur_ns) {
  if (name.empty() || name.size() > kNameBytesMax) return;
  if (is_step_name(name)) {
    ++own_;
    return;
  }
  auto known = totals_.find(name);
  if (known == totals_.end()) {
    if (totals_.size() >= kNamesMax) {
      if (ranges_left_out_) return;
      // A name that repeats comes again.
      std::erase_if(totals_, [](const auto& entry) { return entry.second.ranges == 1; });
      ranges_left_out_ = totals_.size() > kNamesMax / 2;
      if (totals_.size() >= kNamesMax) return;
    }
    known = totals_.try_emplace(std::string(name)).first;
  }
  known->second.sum_ns = sum_of(known->second.sum_ns, dur_ns);
  ++known->second.ranges;
}

void RangeChoice::choose() {
  std::erase_if(totals_, [](const auto& entry) { return entry.second.ranges < 2; });
  std::vector<std::pair<std::string_view, Total*>> names;
  names.reserve(totals_.size());
  for (auto& [name, total] : totals_) names.emplace_back(name, &total);
  std::ranges::sort(names, [](const auto& a, const auto& b) {
    return std::pair(-a.second->sum_ns, a.first) < std::pair(-b.second->sum_ns, b.first);
  });
  std::int64_t room = kRangesMax - std::min(own_, kRangesMax);
  std::size_t kept = 0;
  for (auto& [name, total] : names) {
    if (kept == kNamesKept) break;
    if (total->ranges > room) continue;
    total->kept = true;
    room -= total->ranges;
    ++kept;
  }
  if (own_ == 0) names_left_out_ = names.size() - kept;
}

bool RangeChoice::keep(std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax) return false;
  if (!is_step_name(name)) {
    const auto known = totals_.find(name);
    if (known == totals_.end() || !known->second.kept) return false;
  }
  if (kept_ >= kRangesMax) {
    ranges_left_out_ = true;
    return false;
  }
  ++kept_;
  return true;
}

void RangeChoice::note_left_out(std::string_view what, std::vector<std::string>& notes) const {
  if (names_left_out_ > 0) {
    notes.push_back(
        fmt::format("{} further names of {} repeat; only the {} with the longest total "
                    "are looked at for steps",
                    names_left_out_, what, kNamesKept));
  }
  if (ranges_left_out_) {
    notes.push_back(fmt::format("more {} than can be kept; some are left out", what));
  }
}

std::string_view range_name(std::string_view text) {
  return text.substr(0, std::min(text.find(", seq = "), text.find(", op_id = ")));
}

bool is_capture_range(std::string_view name) { return name.starts_with("capture_"); }

}  // namespace stepscope::analysis
