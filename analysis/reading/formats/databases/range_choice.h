#pragma once
// Which of a profile's host ranges can be step markers (R8): profiles hold millions of ranges, and
// few names are of use. Ranges are shown to it twice, first to count and then to choose. Owns the
// names it counts.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

class RangeChoice {
 public:
  static constexpr std::size_t kNamesMax = 200'000;      // counted at a time
  static constexpr std::size_t kNamesKept = 64;          // that are no step's own marker
  static constexpr std::int64_t kRangesMax = 4'000'000;  // kept of all names
  static constexpr std::size_t kNameBytesMax = 1U << 20;

  void count(std::string_view name, Ns dur_ns);
  // Behind the last count. Markers of engines are kept whatever they are; of other names those that
  // repeat, the longest in total first.
  void choose();
  // Of a range in the second round, in which each kept one uses up room.
  bool keep(std::string_view name);

  bool empty() const { return totals_.empty() && own_ == 0; }
  // Repeated names that were not kept though no engine marked a step, and whether ranges were left
  // out for want of room.
  std::size_t names_left_out() const { return names_left_out_; }
  bool ranges_left_out() const { return ranges_left_out_; }
  // The same in words; `what` is their plural: "NVTX ranges".
  void note_left_out(std::string_view what, std::vector<std::string>& notes) const;

 private:
  struct Total {
    Ns sum_ns = 0;
    std::int64_t ranges = 0;
    bool kept = false;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::unordered_map<std::string, Total, Hash, std::equal_to<>> totals_;
  std::int64_t own_ = 0;  // ranges of engines' markers
  std::int64_t kept_ = 0;
  std::size_t names_left_out_ = 0;
  bool ranges_left_out_ = false;
};

// The name of a range without what PyTorch appends to it: ", seq = 7", ", op_id = 9".
std::string_view range_name(std::string_view text);

bool is_capture_range(std::string_view name);

}  // namespace stepscope::analysis
