#include "analysis/reports/html/html_strips.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/reports/html/html_svg.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLayersMax = 2000;
constexpr std::size_t kLabelChars = 80;
constexpr int kLooks = 6;

// "head.setup" is too short for people.
std::string phase_words(std::string_view name) {
  if (name == "head.setup") return "head, set-up";
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::string(name);
  return fmt::format("{}, {}", name.substr(0, dot), name.substr(dot + 1));
}

struct Stretch {
  std::string label;
  Ns start_ns = 0;
  Ns wall_ns = 0;
};

std::string strip_of(const std::vector<Stretch>& stretches, Ns window, std::string_view label) {
  std::string cells;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& one = stretches[i];
    if (one.wall_ns <= 0) continue;
    const std::string words = fmt::format("{}: {} ms", one.label, format_ms(one.wall_ns));
    cells += svg_cell(
        {.start_ns = one.start_ns,
         .dur_ns = one.wall_ns,
         .look = fmt::format("p{}", i % 2),  // the kinds of layers have colours of their own
         .title = words,
         .words = words,
         .brief = one.label,
         .zooms = true},
        0, window);
  }
  return cells.empty() ? "" : svg_picture("strip", label, cells);
}

const OutlierLayer* outlier_of(const Layers& layers, int layer) {
  const auto found = std::ranges::find(layers.outliers, layer, &OutlierLayer::layer);
  return found == layers.outliers.end() ? nullptr : &*found;
}

// The seventh kind is a deeper first one.
std::string kind_look(int kind) {
  const int depth = std::min(kind / kLooks, 2);
  return fmt::format("k{}{}", kind % kLooks, depth > 0 ? fmt::format(" v{}", depth + 1) : "");
}

std::string layer_cells(const Layers& layers, const Phase& phase) {
  std::string cells;
  Ns at = phase.start_ns;
  for (std::size_t i = 0; i < layers.wall_ns.size(); ++i) {
    const Ns wall = layers.wall_ns[i];
    const int kind = i < layers.kind_of.size() ? layers.kind_of[i] : 0;
    const OutlierLayer* outlier = outlier_of(layers, static_cast<int>(i));
    std::string title = fmt::format("layer {}: {} µs", i + 1, format_us(wall));
    if (static_cast<std::size_t>(kind) < layers.kinds.size()) {
      title += ", " + shortened(layers.kinds[static_cast<std::size_t>(kind)].label, kLabelChars);
    }
    if (outlier != nullptr) {
      title +=
          fmt::format(", outlier: its kind's median is {} µs", format_us(outlier->kind_median_ns));
    }
    cells += svg_cell({.start_ns = at,
                       .dur_ns = wall,
                       .look = kind_look(kind),
                       .title = title,
                       .words = "",
                       .brief = std::to_string(i + 1),
                       .marked = outlier != nullptr,
                       .zooms = true},
                      phase.start_ns, phase.wall_ns);
    at += wall;
  }
  return cells;
}

std::string layer_legend(const Layers& layers) {
  std::string items;
  for (std::size_t i = 0; i < layers.kinds.size(); ++i) {
    const LayerKind& kind = layers.kinds[i];
    items += legend_item(kind_look(static_cast<int>(i)),
                         fmt::format("{}: {}, median {} µs", shortened(kind.label, kLabelChars),
                                     counted(kind.count, "layer"), format_us(kind.median_wall_ns)));
  }
  if (!layers.outliers.empty()) {
    items += legend_item(
        "mark", "outlier: " + counted(static_cast<std::int64_t>(layers.outliers.size()), "layer"));
  }
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

// Two lines from the ends of the phase "layers" to the ends of the strip below it.
std::string funnel(const Phase& phase, Ns window) {
  const Ns end = phase.start_ns + phase.wall_ns;
  return fmt::format(
      "<svg class=\"funnel\" aria-hidden=\"true\"><line x1=\"{}\" x2=\"0\" y1=\"0\" y2=\"100%\"/>"
      "<line x1=\"{}\" x2=\"100%\" y1=\"0\" y2=\"100%\"/></svg>\n",
      svg_percent(phase.start_ns, window), svg_percent(end, window));
}

std::string layer_strip(const Layers& layers, const Phase& phase, Ns window) {
  if (layers.wall_ns.size() > kLayersMax) {
    return fmt::format("<p>{} layers are too many to draw.</p>\n", grouped(layers.count));
  }
  return funnel(phase, window) + "<div class=\"layers\">\n" +
         svg_picture("strip", "layers", layer_cells(layers, phase)) + "</div>\n" +
         layer_legend(layers);
}

std::string parts_strip(const ShownStep& shown) {
  std::vector<Stretch> stretches;
  stretches.reserve(shown.parts.size());
  for (const StepPart& part : shown.parts) {
    stretches.push_back({shortened(part.phase, kLabelChars), part.start_ns, part.wall_ns});
  }
  const std::string strip = strip_of(stretches, shown.accounting.window_ns, "parts of the step");
  if (strip.empty()) return "";
  return "<figure>\n<figcaption>Parts of the step, as its markers name them</figcaption>\n" +
         strip + "</figure>\n";
}

}  // namespace

std::string step_strips(const ShownStep& shown) {
  const Ns window = shown.accounting.window_ns;
  if (window <= 0) return "";
  std::vector<Stretch> stretches;
  stretches.reserve(shown.phases.size());
  for (const Phase& phase : shown.phases) {
    stretches.push_back({phase_words(phase.name), phase.start_ns, phase.wall_ns});
  }
  const std::string phases = strip_of(stretches, window, "phases");
  std::string out = parts_strip(shown);
  if (phases.empty()) return out;
  out += "<figure>\n<figcaption>Phases of the step";
  const auto layers_phase = std::ranges::find(shown.phases, "layers", &Phase::name);
  const bool has_layers = shown.layers && layers_phase != shown.phases.end();
  if (has_layers) {
    out += fmt::format(", below them its {} over the full width",
                       counted(shown.layers->count, "layer"));
  }
  out += "</figcaption>\n" + phases;
  if (has_layers) out += layer_strip(*shown.layers, *layers_phase, window);
  return out + "</figure>\n";
}

}  // namespace stepscope::analysis
