// Phases and layers (R11, R12): where the window is cut, and what one layer of each kind takes.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"
#include "analysis/stable_order.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLargestParts = 3;
constexpr std::size_t kOutliersShown = 8;
constexpr std::size_t kLabelChars = 60;

// "head 16.865, 61 layers 8.076, tail 0.035 ms": rounded together, the parts of the head as one.
std::string title_of_phases(const ShownStep& shown) {
  Ns head = 0;
  Ns layers = 0;
  Ns tail = 0;
  for (const Phase& phase : shown.phases) {
    Ns& part = phase.name == "layers" ? layers : phase.name == "tail" ? tail : head;
    part += phase.wall_ns;
  }
  const Ns parts[] = {head, layers, tail};
  const std::vector<Ns> rounded = round_to_unit(parts, head + layers + tail, 1000);
  return fmt::format("Phases and layers: head {}, {} {}, tail {} ms", format_ms(rounded[0]),
                     counted(shown.layers ? shown.layers->count : 0, "layer"),
                     format_ms(rounded[1]), format_ms(rounded[2]));
}

std::string phase_label(std::string_view name) {
  if (name == "head.setup") return "head, set-up";
  if (name == "head.collective") return "head, collective";
  if (name == "head.rest") return "head, rest";
  return std::string(name);
}

// One category can stand in several components.
std::string largest_parts(const Phase& phase) {
  std::vector<std::pair<std::string_view, Ns>> parts;
  for (const ChargedCategory& charged : phase.charged) {
    const auto found =
        std::ranges::find(parts, charged.category, &std::pair<std::string_view, Ns>::first);
    if (found == parts.end()) {
      parts.emplace_back(charged.category, charged.charged_ns);
    } else {
      found->second += charged.charged_ns;
    }
  }
  stable_order(parts, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (std::size_t i = 0; i < parts.size() && i < kLargestParts && parts[i].second > 0; ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", parts[i].first, format_ms(parts[i].second));
  }
  return out.empty() ? "–" : out;
}

// Each row adds up as printed, and so does the column of ms.
Table phases_table(const ShownStep& shown) {
  std::vector<Ns> walls;
  walls.reserve(shown.phases.size());
  for (const Phase& phase : shown.phases) walls.push_back(phase.wall_ns);
  const std::vector<Ns> rounded = round_to_unit(walls, shown.accounting.window_ns, 1000);
  Table table{{{"phase"}, {"ms", true}, {"charged", true}, {"idle", true}, {"most of it"}}, {}};
  Ns charged_total = 0;
  Ns idle_total = 0;
  for (std::size_t i = 0; i < walls.size(); ++i) {
    const Phase& phase = shown.phases[i];
    const Ns idle = phase.classes.idle;
    const Ns parts[] = {phase.wall_ns - idle, idle};
    const std::vector<Ns> split = round_to_unit(parts, rounded[i], 1000);
    charged_total += split[0];
    idle_total += split[1];
    table.rows.push_back({plain(phase_label(phase.name)), plain(format_ms(rounded[i])),
                          plain(format_ms(split[0])), plain(format_ms(split[1])),
                          plain(largest_parts(phase))});
  }
  table.rows.push_back({strong(whole_label(shown.step)),
                        strong(format_ms(shown.accounting.window_ns)),
                        strong(format_ms(charged_total)), strong(format_ms(idle_total)), Line()});
  return table;
}

// Layers count from 1 for people: "4–61", or "1–35, 18 of them" when others lie between.
std::string layer_range(const LayerKind& kind) {
  if (kind.first == kind.last) return std::to_string(kind.first + 1);
  std::string out = fmt::format("{}–{}", kind.first + 1, kind.last + 1);
  if (kind.count != kind.last - kind.first + 1) out += fmt::format(", {} of them", kind.count);
  return out;
}

std::string kernel_counts(const LayerKind& kind, const std::string& layer_stream) {
  if (kind.side_events == 0) return grouped(kind.events);
  std::set<std::string_view> streams;
  for (const LayerRow& row : kind.rows) {
    if (row.stream != layer_stream) streams.insert(row.stream);
  }
  const std::string place = streams.size() == 1
                                ? fmt::format("stream {}", *streams.begin())
                                : counted(static_cast<std::int64_t>(streams.size()), "stream");
  return fmt::format("{} + {} on {}", grouped(kind.events), grouped(kind.side_events), place);
}

Table kinds_table(const Layers& layers) {
  Table table{{{"layers"},
               {"kind"},
               {"kernels", true},
               {"median µs", true},
               {"mean µs", true},
               {"min–max µs", true},
               {"idle in it µs", true},
               {"median × count ms", true},
               {"all of them ms", true}},
              {}};
  std::vector<Ns> totals;
  totals.reserve(layers.kinds.size());
  for (const LayerKind& kind : layers.kinds) totals.push_back(kind.total_wall_ns);
  const Ns total = std::accumulate(totals.begin(), totals.end(), Ns{0});
  const std::vector<Ns> rounded = round_to_unit(totals, total, 1000);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const LayerKind& kind = layers.kinds[i];
    const std::string range =
        fmt::format("{}–{}", format_us(kind.min_wall_ns), format_us(kind.max_wall_ns));
    table.rows.push_back(
        {plain(layer_range(kind)), plain(shortened(kind.label, kLabelChars)),
         plain(kernel_counts(kind, layers.stream)), plain(format_us(kind.median_wall_ns)),
         plain(format_us(kind.mean_wall_ns)), plain(kind.count == 1 ? "–" : range),
         plain(format_us(kind.idle_ns)), plain(format_ms(kind.median_wall_ns * kind.count)),
         plain(format_ms(rounded[i]))});
  }
  std::vector<Line> last(table.columns.size());
  last.front() = strong(counted(layers.count, "layer"));
  last.back() = strong(format_ms(total));
  table.rows.push_back(std::move(last));
  return table;
}

std::optional<Line> outliers_line(const Layers& layers) {
  if (layers.outliers.empty()) return std::nullopt;
  std::string out = "Layers that stand out from their kind: ";
  for (std::size_t i = 0; i < layers.outliers.size() && i < kOutliersShown; ++i) {
    const OutlierLayer& one = layers.outliers[i];
    out += fmt::format("{}layer {} with {} µs (median of its kind {} µs)", i == 0 ? "" : ", ",
                       one.layer + 1, format_us(one.wall_ns), format_us(one.kind_median_ns));
  }
  if (layers.outliers.size() > kOutliersShown) {
    out += fmt::format(", and {} more", layers.outliers.size() - kOutliersShown);
  }
  return plain(out + ".");
}

// The kind that most layers are of; ties: the first.
const LayerKind& usual_kind(const Layers& layers) {
  return *std::ranges::max_element(layers.kinds, {}, &LayerKind::count);
}

}  // namespace

std::optional<Section> layers_section(const ShownStep& shown) {
  if (!shown.layers || shown.phases.empty()) {
    if (shown.no_layers_reason.empty()) return std::nullopt;
    return Section{"Phases and layers: none",
                   25,
                   false,
                   {plain(fmt::format("No layers were found ({}), so there are no phases.",
                                      shortened(shown.no_layers_reason, 300)))}};
  }
  const Layers& layers = *shown.layers;
  Section section{title_of_phases(shown), 85, false, {phases_table(shown)}};
  if (layers.kinds.empty()) return section;
  section.blocks.emplace_back(kinds_table(layers));
  section.blocks.emplace_back(layer_picture(layers, usual_kind(layers)));
  if (auto line = outliers_line(layers)) section.blocks.emplace_back(std::move(*line));
  std::string notes = fmt::format(
      "One layer for each attention group of stream {}; a layer goes to the start of "
      "the next one, so the layers sum to their phase.",
      layers.stream);
  for (const std::string& note : layers.notes) notes += " " + sentence(shortened(note, 300));
  section.blocks.emplace_back(plain(std::move(notes)));
  return section;
}

}  // namespace stepscope::analysis
