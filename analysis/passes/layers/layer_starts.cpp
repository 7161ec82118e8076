#include "analysis/passes/layers/layer_starts.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "analysis/lower_median.h"

namespace stepscope::analysis {
namespace {

using Sequence = std::span<const LayerKernel>;
using Positions = std::span<const std::size_t>;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// What lies before the first own GEMM of a layer: the stretch without GEMM and attention.
struct Seam {
  std::size_t begin = 0;        // after the last GEMM or attention kernel of the layer before
  std::size_t end = 0;          // the layer's own first GEMM
  std::size_t norm = kNowhere;  // the last one in between
};

class Starts {
 public:
  Starts(Sequence sequence, Positions groups) : sequence_(sequence), groups_(groups) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      while (gemms_before_.size() < groups.size() && groups[gemms_before_.size()] == i) {
        gemms_before_.push_back(gemms_.size());
      }
      if (is_gemm_token(sequence[i].token)) gemms_.push_back(i);
    }
  }

  std::vector<std::size_t> find() const {
    const std::vector<std::size_t> own = own_gemms();
    std::vector<Seam> seams;
    seams.reserve(groups_.size());
    for (std::size_t k = 0; k < groups_.size(); ++k) seams.push_back(seam(k, own[k]));
    std::vector<std::size_t> starts;
    for (std::size_t k = 0; k < seams.size(); ++k) {
      const Seam& neighbour = seams[k == 0 ? 1 : 0];
      starts.push_back(seams[k].norm != kNowhere ? seams[k].norm : common_end(seams[k], neighbour));
    }
    return starts;
  }

 private:
  // The GEMM that is `back` GEMMs before group k, 0 being the last one.
  NameId gemm_name(std::size_t k, std::size_t back) const {
    return sequence_[gemms_[gemms_before_[k] - 1 - back]].name;
  }

  // GEMMs between the groups k - 1 and k; of the first group all before it.
  std::size_t gemms_between(std::size_t k) const {
    return gemms_before_[k] - (k == 0 ? 0 : gemms_before_[k - 1]);
  }

  bool some_later_has(std::size_t back) const {
    for (std::size_t k = 1; k < groups_.size(); ++k) {
      if (gemms_before_[k] > back && gemm_name(k, back) == gemm_name(0, back)) return true;
    }
    return false;
  }

  // GEMMs before attention that belong to its layer: those that precede the first attention and,
  // in the same place and by the same name, some later one.
  std::size_t own_of_first() const {
    const std::size_t most = std::min(gemms_before_[0], kOwnGemmsMax);
    std::size_t own = 0;
    while (own < most && some_later_has(own)) ++own;
    return std::max<std::size_t>(own, 1);
  }

  LayerToken type(std::size_t k) const { return sequence_[groups_[k]].token; }

  // By group. In a hybrid model the other kind of attention has a number of its own.
  std::vector<std::size_t> own_gemms() const {
    const std::size_t own_first = own_of_first();
    const std::size_t own_other = own_of_other_type(own_first).value_or(own_first);
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const std::size_t wanted = type(k) == type(0) ? own_first : own_other;
      // Never back into the layer before: between two groups are two GEMMs or more.
      own.push_back(k == 0 ? wanted : std::min(wanted, gemms_between(k)));
    }
    return own;
  }

  bool has_moe_before(std::size_t k) const {
    return std::any_of(sequence_.begin() + static_cast<std::ptrdiff_t>(groups_[k - 1]),
                       sequence_.begin() + static_cast<std::ptrdiff_t>(groups_[k]),
                       [](const LayerKernel& kernel) { return is_moe_token(kernel.token); });
  }

  // What three of four values say; absent when there is no such value.
  static std::optional<std::size_t> agreed(const std::vector<std::size_t>& values) {
    if (values.empty()) return {};
    const std::size_t median = lower_median(values);
    const auto same = static_cast<std::size_t>(std::count(values.begin(), values.end(), median));
    if (4 * same < 3 * values.size()) return {};
    return median;
  }

  // Layers do the same after attention whichever kind it is, so what is left of the GEMMs between
  // two groups after the known number of the one kind tells the number of the other. Only counts
  // that agree are used, and only where layers start at norms as often as with `own_first`.
  std::optional<std::size_t> own_of_other_type(std::size_t own_first) const {
    std::vector<std::size_t> after[2];  // GEMMs from attention to the next layer: dense, MoE
    std::vector<std::size_t> before_other[2];
    for (std::size_t k = 1; k < groups_.size(); ++k) {
      const std::size_t between = gemms_between(k);
      const bool moe = has_moe_before(k);
      if (type(k) != type(0)) {
        before_other[moe ? 1 : 0].push_back(between);
      } else if (between > own_first) {
        after[moe ? 1 : 0].push_back(between - own_first);
      }
    }
    std::vector<std::size_t> own;
    for (const std::size_t moe : {std::size_t{0}, std::size_t{1}}) {
      const std::optional<std::size_t> rest = agreed(after[moe]);
      for (const std::size_t between : before_other[moe]) {
        if (rest && between > *rest) own.push_back(between - *rest);
      }
    }
    const std::optional<std::size_t> found = agreed(own);
    if (!found || norms_of_other_type(*found) < norms_of_other_type(own_first)) return {};
    return found;
  }

  // Layers of the other kind that start at a norm with that many own GEMMs.
  std::size_t norms_of_other_type(std::size_t own) const {
    std::size_t norms = 0;
    for (std::size_t k = 1; k < groups_.size(); ++k) {
      if (type(k) == type(0)) continue;
      norms += seam(k, std::min(own, gemms_between(k))).norm != kNowhere ? 1 : 0;
    }
    return norms;
  }

  Seam seam(std::size_t k, std::size_t own) const {
    const std::size_t before = gemms_before_[k];
    Seam found;
    found.end = before >= own ? gemms_[before - own] : 0;
    found.begin = found.end;
    for (; found.begin > 0; --found.begin) {
      const LayerToken token = sequence_[found.begin - 1].token;
      if (is_gemm_token(token) || is_attention_token(token)) break;
      if (token == layer_tokens::kNorm && found.norm == kNowhere) found.norm = found.begin - 1;
    }
    return found;
  }

  // Without a norm kernel (fused into a collective): where that begins which both stretches end
  // with, after collectives and copies.
  std::size_t common_end(const Seam& seam, const Seam& other) const {
    const auto token = [&](std::size_t at) { return sequence_[at].token; };
    const std::size_t most = std::min(seam.end - seam.begin, other.end - other.begin);
    std::size_t common = 0;
    while (common < most && token(seam.end - 1 - common) == token(other.end - 1 - common)) {
      ++common;
    }
    while (common > 0 && (token(seam.end - common) == layer_tokens::kComm ||
                          token(seam.end - common) == layer_tokens::kCopy)) {
      --common;
    }
    return seam.end - common;
  }

  Sequence sequence_;
  Positions groups_;
  std::vector<std::size_t> gemms_;         // positions
  std::vector<std::size_t> gemms_before_;  // by group, how many
};

// The last layer ends where it stops following an earlier one, at the latest where that ended.
std::size_t end_of_last(Sequence sequence, Positions groups, Positions starts) {
  const std::size_t last = groups.back();
  std::size_t best = 1;
  for (std::size_t k = 0; k + 1 < groups.size(); ++k) {
    const std::size_t most = std::min(starts[k + 1] - groups[k], sequence.size() - last);
    std::size_t same = 0;
    while (same < most && sequence[last + same].token == sequence[groups[k] + same].token) ++same;
    best = std::max(best, same);
  }
  return last + best;
}

}  // namespace

std::vector<std::size_t> layer_bounds(std::span<const LayerKernel> sequence,
                                      std::span<const std::size_t> groups) {
  assert(groups.size() >= 2);
  std::vector<std::size_t> bounds = Starts(sequence, groups).find();
  bounds.push_back(end_of_last(sequence, groups, bounds));
  return bounds;
}

}  // namespace stepscope::analysis
