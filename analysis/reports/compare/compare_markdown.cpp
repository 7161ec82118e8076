#include "analysis/reports/compare/compare_markdown.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/reports/compare/compare_tables.h"
#include "analysis/reports/compare/compare_words.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kKernelRows = 15;
constexpr std::size_t kListRows = 20;
constexpr std::size_t kAllRows = 200;
constexpr std::size_t kSentenceChars = 400;

std::string first_line(const Comparison& comparison) {
  std::string out;
  for (const std::string& warning : comparison.first_warnings) {
    out += (out.empty() ? "" : " ") + sentence(shortened(warning, kSentenceChars));
  }
  return out;
}

Line wall_line(const Comparison& comparison) {
  return Line()
      .text("A ")
      .strong(format_ms(comparison.a.wall_ns) + " ms")
      .text(", B ")
      .strong(format_ms(comparison.b.wall_ns) + " ms")
      .text(": ")
      .text(verdict_words(comparison) + ".");
}

Line side_line(std::string_view name, const CompareSide& side) {
  std::string where = side.title;
  if (!side.file.empty() && side.file != side.title) where += ", " + side.file;
  Line line = Line().strong(std::string(name)).text(": " + shortened(where, kSentenceChars));
  line.text(
      fmt::format("; {}step {}", side.phase == "unknown" ? "" : side.phase + " ", side.step_index));
  if (side.steps == 1) return line.text(", the only one of its kind.");
  return line.text(fmt::format(", median of {} (wall {}–{} ms).", side.steps,
                               format_ms(side.min_ns), format_ms(side.max_ns)));
}

Ns sum_of(const std::vector<Delta>& deltas) {
  Ns sum = 0;
  for (const Delta& delta : deltas) sum += delta.charged_delta_ns;
  return sum;
}

// Proves the tables in nanoseconds.
Line check_line(const Comparison& comparison) {
  const Ns rows = sum_of(comparison.components);
  const bool closes = rows + comparison.idle_delta_ns == comparison.wall_delta_ns &&
                      sum_of(comparison.categories) == rows &&
                      (!comparison.kernels_matched || sum_of(comparison.kernels) == rows);
  if (!closes) {
    return plain("These deltas do NOT add up. This is a fault of the analysis; please report it.");
  }
  return plain(fmt::format(
      "Deltas of the components {} ns + idle {} ns = wall {} ns{}. Each column is rounded for "
      "itself, so that it adds up.",
      grouped(rows), grouped(comparison.idle_delta_ns), grouped(comparison.wall_delta_ns),
      comparison.kernels_matched ? "; those of categories and of kernels sum to the same"
                                 : "; those of categories sum to the same"));
}

void add_warnings(Document& document, const Comparison& comparison) {
  if (comparison.warnings.empty()) return;
  List list;
  for (const std::string& warning : comparison.warnings) {
    list.items.push_back(plain(sentence(shortened(warning, kSentenceChars))));
  }
  document.head.emplace_back(strong("Mind when reading"));
  document.head.emplace_back(std::move(list));
}

void add_walls_only(Document& document, const Comparison& comparison) {
  document.head.emplace_back(
      plain(fmt::format("Wall {} ms, idle {} ms, charged to work {} ms: B against A.",
                        signed_ms(comparison.wall_delta_ns), signed_ms(comparison.idle_delta_ns),
                        signed_ms(comparison.wall_delta_ns - comparison.idle_delta_ns))));
}

Section kernels_section(const Comparison& comparison) {
  Section section{"Kernels that changed most", 80, true, {}};
  section.blocks.emplace_back(wall_table(comparison, comparison.kernels, "kernel", kKernelRows));
  section.blocks.emplace_back(
      plain("Names are shortened, smaller changes folded; the JSON output has all of them whole. A "
            "name that is on other streams in B than in A is matched across them."));
  return section;
}

void add_one_sided(Document& document, const Comparison& comparison) {
  Section section{"Kernels that appeared or vanished", 70, false, {}};
  for (const bool appeared : {true, false}) {
    if (!has_one_sided(comparison.kernels, appeared)) continue;
    section.blocks.emplace_back(one_side_table(comparison.kernels, appeared, kListRows));
  }
  if (!section.blocks.empty()) document.sections.push_back(std::move(section));
}

void add_layers(Document& document, const Comparison& comparison) {
  if (comparison.layer_kinds.empty()) return;
  Section section{"Layers", 60, false, {}};
  for (const Delta& kind : comparison.layer_kinds) {
    const auto count = [](const std::optional<ComparedRow>& row) { return row ? row->calls : 0; };
    section.blocks.emplace_back(
        plain(fmt::format("{}: {} in A, {} in B.", shortened(kind.label, kSentenceChars),
                          counted(count(kind.a), "layer"), counted(count(kind.b), "layer"))));
    section.blocks.emplace_back(layer_table(comparison, kind));
  }
  document.sections.push_back(std::move(section));
}

}  // namespace

Document compare_document(const Comparison& comparison) {
  Document document;
  document.first_line = first_line(comparison);
  document.heading = plain("A against B");
  document.head.emplace_back(wall_line(comparison));
  document.head.emplace_back(List{{side_line("A", comparison.a), side_line("B", comparison.b)}});
  if (!comparison.not_compared.empty()) {
    add_walls_only(document, comparison);
    add_warnings(document, comparison);
    return document;
  }
  document.head.emplace_back(wall_table(comparison, comparison.components, "component", kAllRows));
  document.head.emplace_back(check_line(comparison));
  add_warnings(document, comparison);
  if (comparison.no_difference) return document;
  document.sections.push_back(
      {"Categories",
       90,
       !comparison.kernels_matched,
       {wall_table(comparison, comparison.categories, "category", kAllRows)}});
  if (comparison.kernels_matched) {
    document.sections.push_back(kernels_section(comparison));
    add_one_sided(document, comparison);
  }
  add_layers(document, comparison);
  return document;
}

std::string compare_markdown(const Comparison& comparison) {
  return to_markdown(compare_document(comparison));
}

}  // namespace stepscope::analysis
