#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/compare_facts.h"
#include "analysis/reports/report_words.h"

namespace stepscope::analysis {
namespace {

using RowsOf = std::vector<ComparedRow> CompareSide::*;

std::optional<bool> overlap(std::optional<Ns> a_min, std::optional<Ns> a_max,
                            std::optional<Ns> b_min, std::optional<Ns> b_max) {
  if (!a_min || !a_max || !b_min || !b_max) return {};
  return std::max(*a_min, *b_min) <= std::min(*a_max, *b_max);
}

// Builds the deltas of one list. Where the ranges of a side are recorded, a row that it lacks is 0
// in all of its steps.
class Matcher {
 public:
  Matcher(const CompareSide& a, const CompareSide& b)
      : a_ranges_(a.idle_min_ns.has_value()), b_ranges_(b.idle_min_ns.has_value()) {}

  void add(const ComparedRow* a, const ComparedRow* b) {
    const ComparedRow& shown = a != nullptr ? *a : *b;
    Delta delta;
    delta.key = shown.key;
    delta.label = shown.label;
    if (a != nullptr) delta.a = *a;
    if (b != nullptr) delta.b = *b;
    const ComparedRow none = {};
    const ComparedRow& from = a != nullptr ? *a : none;
    const ComparedRow& to = b != nullptr ? *b : none;
    delta.charged_delta_ns = to.charged_ns - from.charged_ns;
    delta.busy_delta_ns = to.busy_ns - from.busy_ns;
    const auto end = [](const ComparedRow* row, bool ranges,
                        std::optional<Ns> ComparedRow::* which) -> std::optional<Ns> {
      if (row != nullptr) return row->*which;
      return ranges ? std::optional<Ns>(0) : std::nullopt;
    };
    delta.within_noise = overlap(end(a, a_ranges_, &ComparedRow::charged_min_ns),
                                 end(a, a_ranges_, &ComparedRow::charged_max_ns),
                                 end(b, b_ranges_, &ComparedRow::charged_min_ns),
                                 end(b, b_ranges_, &ComparedRow::charged_max_ns));
    deltas_.push_back(std::move(delta));
  }
  std::vector<Delta> take() { return std::move(deltas_); }

 private:
  bool a_ranges_;
  bool b_ranges_;
  std::vector<Delta> deltas_;
};

// Keys are unique within a side. In A's order, then what appeared in B's.
std::vector<Delta> by_key(const CompareSide& a, const CompareSide& b, RowsOf rows) {
  std::map<std::string_view, const ComparedRow*> of_b;
  for (const ComparedRow& row : b.*rows) of_b[row.key] = &row;
  Matcher matcher(a, b);
  for (const ComparedRow& row : a.*rows) {
    const auto found = of_b.find(row.key);
    matcher.add(&row, found == of_b.end() ? nullptr : found->second);
    if (found != of_b.end()) of_b.erase(found);
  }
  for (const ComparedRow& row : b.*rows) {
    if (of_b.contains(row.key)) matcher.add(nullptr, &row);
  }
  return matcher.take();
}

struct SameName {
  std::vector<const ComparedRow*> a;
  std::vector<const ComparedRow*> b;
};

// Stream ids change from run to run: the critical streams answer each other, others by their id.
bool same_place(const ComparedRow& in_a, const CompareSide& a, const ComparedRow& in_b,
                const CompareSide& b) {
  const bool a_critical = in_a.stream == a.primary_stream;
  const bool b_critical = in_b.stream == b.primary_stream;
  return a_critical || b_critical ? a_critical && b_critical : in_a.stream == in_b.stream;
}

// A name's rows of the same place first; then a name that is left on both sides has moved to
// another stream. What is then left of a name appeared or vanished.
void match_name(SameName rows, const CompareSide& a, const CompareSide& b, Matcher& matcher) {
  const auto take = [&](auto fits) {
    std::erase_if(rows.a, [&](const ComparedRow* in_a) {
      const auto found =
          std::ranges::find_if(rows.b, [&](const ComparedRow* in_b) { return fits(*in_a, *in_b); });
      if (found == rows.b.end()) return false;
      matcher.add(in_a, *found);
      rows.b.erase(found);
      return true;
    });
  };
  take([&](const ComparedRow& in_a, const ComparedRow& in_b) {
    return same_place(in_a, a, in_b, b);
  });
  take([](const ComparedRow&, const ComparedRow&) { return true; });
  for (const ComparedRow* row : rows.a) matcher.add(row, nullptr);
  for (const ComparedRow* row : rows.b) matcher.add(nullptr, row);
}

std::vector<Delta> kernel_deltas(const CompareSide& a, const CompareSide& b) {
  std::map<std::string_view, SameName> names;
  for (const ComparedRow& row : a.kernels) names[row.key].a.push_back(&row);
  for (const ComparedRow& row : b.kernels) names[row.key].b.push_back(&row);
  Matcher matcher(a, b);
  for (auto& [name, rows] : names) match_name(std::move(rows), a, b, matcher);
  return matcher.take();
}

const std::string& stream_of(const std::optional<ComparedRow>& row) {
  static const std::string kNone;
  return row ? row->stream : kNone;
}

void order(std::vector<Delta>& deltas, bool by_busy) {
  const auto key = [&](const Delta& delta) {
    const Ns first = by_busy ? delta.busy_delta_ns : delta.charged_delta_ns;
    const Ns second = by_busy ? delta.charged_delta_ns : delta.busy_delta_ns;
    const Ns size = std::max(delta.a ? delta.a->charged_ns : 0, delta.b ? delta.b->charged_ns : 0);
    return std::tuple(-std::abs(first), -std::abs(second), -size, std::string_view(delta.key),
                      std::string_view(stream_of(delta.a)), std::string_view(stream_of(delta.b)));
  };
  std::ranges::sort(deltas,
                    [&](const Delta& one, const Delta& other) { return key(one) < key(other); });
}

bool all_equal(const std::vector<Delta>& deltas) {
  return std::ranges::all_of(deltas, [](const Delta& delta) {
    return delta.charged_delta_ns == 0 && delta.busy_delta_ns == 0 && delta.a && delta.b &&
           delta.a->calls == delta.b->calls;
  });
}

// Both phases known; "unknown" answers for any.
bool phases_differ(const CompareSide& a, const CompareSide& b) {
  return a.phase != b.phase && a.phase != "unknown" && b.phase != "unknown";
}

void add_first_warnings(Comparison& out) {
  const CompareSide& a = out.a;
  const CompareSide& b = out.b;
  if (phases_differ(a, b)) {
    out.first_warnings.push_back(
        fmt::format("different phases: A shows a {} step, B a {} step", a.phase, b.phase));
  }
  for (const auto& [name, side] : {std::pair("A", &a), std::pair("B", &b)}) {
    if (!side->partial.empty()) out.first_warnings.push_back(name + (": " + side->partial));
  }
}

void add_noise_warnings(Comparison& out) {
  for (const auto& [name, side] : {std::pair("A", &out.a), std::pair("B", &out.b)}) {
    if (side->steps == 1) {
      out.warnings.push_back(fmt::format("{} has one step only: noise cannot be told", name));
    } else if (!side->idle_min_ns) {
      out.warnings.push_back(
          fmt::format("{}: range not recorded for its rows, because it holds one of its {} steps; "
                      "a breakdown of all steps has the ranges",
                      name, side->steps));
    }
  }
}

void add_matching_warnings(Comparison& out) {
  const CompareSide& a = out.a;
  const CompareSide& b = out.b;
  if (!out.not_compared.empty()) return;
  if (!out.kernels_matched) {
    const bool engine = frameworks_differ(a.facts, b.facts);
    out.warnings.push_back(fmt::format(
        "kernels are not matched by name, because the {} differs ({} and {}): categories, "
        "components and layers are compared",
        engine ? "framework" : "hardware family", engine ? a.facts.framework : a.facts.family,
        engine ? b.facts.framework : b.facts.family));
  }
  if (out.busy_compared) {
    out.warnings.push_back(fmt::format(
        "busy figures lead here: most of the critical stream's busy time is {} in A and {} in B, "
        "so charged time goes to different work",
        a.leading_category, b.leading_category));
  }
}

void add_warnings(Comparison& out) {
  add_first_warnings(out);
  if (!out.not_compared.empty()) out.warnings.push_back(out.not_compared);
  add_noise_warnings(out);
  for (std::string& difference : fact_differences(out.a.facts, out.b.facts)) {
    out.warnings.push_back(std::move(difference));
  }
  if (out.a.analyzer_version != out.b.analyzer_version) {
    out.warnings.push_back(fmt::format("the analyser differs: version {} in A, {} in B",
                                       out.a.analyzer_version, out.b.analyzer_version));
  }
  add_matching_warnings(out);
}

void compare_rows(Comparison& out) {
  const CompareSide& a = out.a;
  const CompareSide& b = out.b;
  out.busy_compared = !a.leading_category.empty() && !b.leading_category.empty() &&
                      a.leading_category != b.leading_category;
  out.kernels_matched = !frameworks_differ(a.facts, b.facts) && !families_differ(a.facts, b.facts);
  out.categories = by_key(a, b, &CompareSide::categories);
  out.components = by_key(a, b, &CompareSide::components);
  out.layer_kinds = by_key(a, b, &CompareSide::layer_kinds);
  out.layer_rows = by_key(a, b, &CompareSide::layer_rows);
  if (out.kernels_matched) out.kernels = kernel_deltas(a, b);
  for (auto* list : {&out.categories, &out.components, &out.kernels}) {
    order(*list, out.busy_compared);
  }
}

}  // namespace

Comparison compare(CompareSide a, CompareSide b) {
  Comparison out;
  out.a = std::move(a);
  out.b = std::move(b);
  out.wall_delta_ns = out.b.wall_ns - out.a.wall_ns;
  out.idle_delta_ns = out.b.idle_ns - out.a.idle_ns;
  out.within_noise =
      overlap(out.a.min_ns, out.a.max_ns, out.b.min_ns, out.b.max_ns).value_or(false);
  out.noise_known = out.a.steps > 1 && out.b.steps > 1;
  out.idle_within_noise =
      overlap(out.a.idle_min_ns, out.a.idle_max_ns, out.b.idle_min_ns, out.b.idle_max_ns);
  if (out.a.table_version != out.b.table_version) {
    out.not_compared = fmt::format(
        "only wall and idle are compared: the versions of the category table differ ({} in A, {} "
        "in B), and a trace to analyse again is not at hand",
        out.a.table_version, out.b.table_version);
  } else {
    compare_rows(out);
  }
  out.no_difference = out.not_compared.empty() && out.wall_delta_ns == 0 &&
                      out.idle_delta_ns == 0 && out.kernels_matched && all_equal(out.categories) &&
                      all_equal(out.components) && all_equal(out.kernels) &&
                      all_equal(out.layer_kinds) && all_equal(out.layer_rows);
  add_warnings(out);
  return out;
}

}  // namespace stepscope::analysis
