#include "analysis/compare_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/compare_facts.h"
#include "analysis/reports/report_words.h"

namespace stepscope::analysis {
namespace {

using Group = std::vector<const ShownStep*>;  // in time order

Ns span_of(const ShownStep& shown) { return shown.step.span_ns; }

Ns busy_of(const Group& group) {
  Ns busy_ns = 0;
  for (const ShownStep* shown : group) busy_ns += shown->step.busy_ns;
  return busy_ns;
}

// Steps that say the same of themselves. The spread tells groups apart where no marker gives sizes.
auto group_key(const ShownStep& shown) {
  const StepSpread& spread = shown.spread;
  return std::tuple(shown.step.phase, shown.step.batch_size, shown.step.tokens, spread.min_ns,
                    spread.median_ns, spread.max_ns, spread.count);
}

// As R9 chooses among the steps of a phase.
Group chosen_group(const std::vector<ShownStep>& all) {
  const std::size_t first = all.size() > 1 && all.front().step.index == 0 ? 1 : 0;
  std::map<decltype(group_key(all.front())), Group> groups;
  for (std::size_t i = first; i < all.size(); ++i) groups[group_key(all[i])].push_back(&all[i]);
  const auto rating = [](const Group& group) {
    return std::tuple(group.size(), busy_of(group), -group.front()->step.index);
  };
  const Group* best = nullptr;
  for (const auto& [key, group] : groups) {
    if (best == nullptr || rating(group) > rating(*best)) best = &group;
  }
  return *best;
}

const ShownStep& median_of(Group group) {
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>((group.size() - 1) / 2);
  std::nth_element(group.begin(), middle, group.end(), [](const ShownStep* a, const ShownStep* b) {
    return std::tuple(span_of(*a), a->step.busy_ns, a->step.index) <
           std::tuple(span_of(*b), b->step.busy_ns, b->step.index);
  });
  return **middle;
}

// Rows of one step by key, in the order in which they were met.
class Rows {
 public:
  ComparedRow& at(const std::string& key, std::string_view stream, std::string_view label) {
    const auto [found, is_new] = index_.try_emplace({key, std::string(stream)}, rows_.size());
    if (is_new) {
      ComparedRow row;
      row.key = key;
      row.stream = stream;
      row.label = label;
      rows_.push_back(std::move(row));
    }
    return rows_[found->second];
  }
  std::vector<ComparedRow> take() { return std::move(rows_); }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::vector<ComparedRow> rows_;
};

void add_calls(ComparedRow& row, const KernelRow& kernel) {
  row.min_ns = std::min(row.min_ns.value_or(kernel.min_ns), kernel.min_ns);
  row.max_ns = std::max(row.max_ns.value_or(kernel.max_ns), kernel.max_ns);
  row.calls += kernel.calls;
  row.charged_ns += kernel.charged_ns;
  row.busy_ns += kernel.busy_ns;
}

std::vector<ComparedRow> kernel_rows(const ShownStep& shown) {
  Rows rows;
  for (const KernelRow& kernel : shown.accounting.kernels) {
    ComparedRow& row = rows.at(kernel.name, kernel.stream, kernel.name);
    row.device_class = class_name(kernel.device_class);
    add_calls(row, kernel);
  }
  return rows.take();
}

// Busy time of a category is that of its kernels, summed.
std::vector<ComparedRow> category_rows(const ShownStep& shown) {
  Rows rows;
  for (const KernelRow& kernel : shown.accounting.kernels) {
    add_calls(rows.at(kernel.category, "", kernel.category), kernel);
  }
  return rows.take();
}

std::vector<ComparedRow> component_rows_of(const ShownStep& shown) {
  Rows rows;
  for (const ComponentRow& component : shown.components) {
    ComparedRow& row = rows.at(component.component, "", component_label(component.component));
    row.calls += component.calls;
    row.charged_ns += component.charged_ns;
    row.busy_ns += component.charged_ns + component.hidden_ns;
  }
  return rows.take();
}

// Kinds are matched by their words; a second one of the same words is another kind.
std::vector<std::string> kind_names(const Layers& layers) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const LayerKind& kind : layers.kinds) {
    std::string name = !kind.label.empty() ? kind.label : kind.moe ? "MoE" : "dense";
    const int use = ++uses[name];
    if (use > 1) name += fmt::format(", kind {}", use);
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<ComparedRow> layer_kind_rows(const ShownStep& shown) {
  Rows rows;
  if (!shown.layers) return {};
  const std::vector<std::string> names = kind_names(*shown.layers);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LayerKind& kind = shown.layers->kinds[i];
    ComparedRow& row = rows.at(names[i], "", names[i]);
    row.calls = kind.count;
    row.charged_ns = kind.median_wall_ns;
    row.busy_ns = kind.median_wall_ns - kind.idle_ns;
    row.min_ns = kind.min_wall_ns;
    row.max_ns = kind.max_wall_ns;
  }
  return rows.take();
}

std::vector<ComparedRow> layer_rows_of(const ShownStep& shown) {
  Rows rows;
  if (!shown.layers) return {};
  const std::vector<std::string> names = kind_names(*shown.layers);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LayerKind& kind = shown.layers->kinds[i];
    std::map<std::string, int> places;
    for (const LayerRow& layer : kind.rows) {
      const std::string what = layer.role.empty() ? layer.category : layer.role;
      const int place = ++places[what];
      const std::string label = place == 1 ? what : fmt::format("{}, place {}", what, place);
      ComparedRow& row = rows.at(fmt::format("{} / {} / {}", names[i], what, place), "", label);
      row.stream = layer.stream;
      row.calls = layer.calls;
      row.charged_ns = layer.charged_ns;
      row.busy_ns = layer.sum_ns;
    }
    ComparedRow& idle = rows.at(names[i] + " / idle", "", "idle");
    idle.charged_ns = kind.idle_ns;
  }
  return rows.take();
}

using RowsOf = std::vector<ComparedRow> (*)(const ShownStep&);
using Key = std::pair<std::string, std::string>;

struct Range {
  Ns min_ns = 0;
  Ns max_ns = 0;
  std::size_t steps = 0;
  ComparedRow first;
};

// A layer's row is the same one when another stream has it; a kernel's is not.
Key key_of(const ComparedRow& row, RowsOf rows_of) {
  return {row.key, rows_of == &kernel_rows ? row.stream : ""};
}

std::map<Key, Range> ranges_of(const Group& group, RowsOf rows_of) {
  std::map<Key, Range> ranges;
  for (const ShownStep* step : group) {
    for (ComparedRow& row : rows_of(*step)) {
      Range& range = ranges[key_of(row, rows_of)];
      range.min_ns = range.steps == 0 ? row.charged_ns : std::min(range.min_ns, row.charged_ns);
      range.max_ns = std::max(range.max_ns, row.charged_ns);
      if (++range.steps == 1) range.first = std::move(row);
    }
  }
  return ranges;
}

// The rows of the step shown with their range over the group; what only other steps have is a row
// without time. A step without a row counts as 0.
std::vector<ComparedRow> with_ranges(const ShownStep& shown, const Group& group, RowsOf rows_of) {
  std::map<Key, Range> ranges = ranges_of(group, rows_of);
  std::vector<ComparedRow> rows = rows_of(shown);
  const auto add_range = [&](ComparedRow& row, const Range& range) {
    row.charged_min_ns = range.steps < group.size() ? 0 : range.min_ns;
    row.charged_max_ns = range.max_ns;
  };
  for (ComparedRow& row : rows) {
    const auto range = ranges.find(key_of(row, rows_of));
    add_range(row, range->second);
    ranges.erase(range);
  }
  for (const auto& [key, range] : ranges) {
    ComparedRow row;
    row.key = range.first.key;
    row.label = range.first.label;
    row.stream = range.first.stream;
    row.device_class = range.first.device_class;
    add_range(row, range);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string leading_category_of(const Accounting& accounting) {
  std::map<std::string, Ns> busy_ns;
  for (const KernelRow& kernel : accounting.kernels) {
    if (kernel.stream == accounting.primary_stream) busy_ns[kernel.category] += kernel.busy_ns;
  }
  const auto most = std::max_element(
      busy_ns.begin(), busy_ns.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });  // ties: first by name
  return most == busy_ns.end() ? "" : most->first;
}

void add_idle_range(CompareSide& side, const Group& group) {
  const auto [least, most] =
      std::minmax_element(group.begin(), group.end(), [](const ShownStep* a, const ShownStep* b) {
        return a->accounting.idle_ns < b->accounting.idle_ns;
      });
  side.idle_min_ns = (*least)->accounting.idle_ns;
  side.idle_max_ns = (*most)->accounting.idle_ns;
}

}  // namespace

std::expected<CompareSide, std::string> compare_side(const Breakdown& breakdown,
                                                     const ReportContext& context) {
  if (breakdown.shown.empty()) {
    const std::vector<std::string>& notes = breakdown.diagnostics.notes;
    return std::unexpected(notes.empty() ? "it holds no step to compare" : notes.back());
  }
  const Group group = chosen_group(breakdown.shown);
  const ShownStep& shown = median_of(group);
  CompareSide side;
  side.title = title_of(breakdown, context);
  if (!breakdown.trace.files.empty()) side.file = breakdown.trace.files.front().name;
  side.table_version = breakdown.table_version;
  side.analyzer_version = breakdown.analyzer_version;
  side.facts = side_facts(breakdown, shown, context);
  side.partial = partial_line(breakdown.trace);
  side.phase = shown.step.phase;
  side.step_index = shown.step.index;
  side.wall_ns = shown.accounting.window_ns;
  side.idle_ns = shown.accounting.idle_ns;
  side.steps = std::max(shown.spread.count, 1);
  side.min_ns = shown.spread.count > 0 ? shown.spread.min_ns : side.wall_ns;
  side.max_ns = shown.spread.count > 0 ? shown.spread.max_ns : side.wall_ns;
  side.primary_stream = shown.accounting.primary_stream;
  side.leading_category = leading_category_of(shown.accounting);
  // One step of several says nothing of the range of its rows; the only one is its own range.
  const bool has_all = std::cmp_greater_equal(group.size(), side.steps);
  const auto rows = [&](RowsOf rows_of) {
    return has_all ? with_ranges(shown, group, rows_of) : rows_of(shown);
  };
  side.categories = rows(&category_rows);
  side.components = rows(&component_rows_of);
  side.kernels = rows(&kernel_rows);
  side.layer_kinds = rows(&layer_kind_rows);
  side.layer_rows = rows(&layer_rows_of);
  if (has_all) add_idle_range(side, group);
  return side;
}

}  // namespace stepscope::analysis
