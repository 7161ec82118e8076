// How long MoE took: the answer in one sentence, and its parts (R14).

#include <fmt/format.h>

#include <utility>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kSentenceChars = 600;

std::string part_label(const std::string& part) {
  if (part == "routed_experts") return "routed experts";
  if (part == "shared_expert") return "shared expert";
  if (part == "collectives") return "its collectives";
  return part;
}

std::vector<Line> figures_of(const MoePart& part, Ns charged_ms, Ns sum_ms) {
  return {plain(grouped(part.calls)),       plain(format_ms(charged_ms)),
          plain(format_ms(part.hidden_ns)), plain(format_ms(part.exposed_ns)),
          plain(format_ms(part.busy_ns)),   plain(format_ms(sum_ms))};
}

}  // namespace

std::optional<Quote> moe_answer(const ShownStep& shown) {
  if (!shown.moe || shown.moe->sentence.empty()) return std::nullopt;
  Line line = strong("How long did MoE take?");
  line.text(" ");
  Line answer = with_strong_figures(shortened(shown.moe->sentence, kSentenceChars));
  for (Span& span : answer.spans) line.spans.push_back(std::move(span));
  return Quote{std::move(line)};
}

std::optional<Section> moe_section(const ShownStep& shown) {
  if (!shown.moe || shown.moe->parts.empty()) return std::nullopt;
  const Moe& moe = *shown.moe;
  Table table{{{"part of MoE"},
               {"calls", true},
               {"charged ms", true},
               {"hidden ms", true},
               {"exposed ms", true},
               {"busy ms", true},
               {"sum ms", true}},
              {}};
  std::vector<Ns> charged;
  std::vector<Ns> sums;
  for (const MoePart& part : moe.parts) {
    charged.push_back(part.charged_ns);
    sums.push_back(part.sum_ns);
  }
  const std::vector<Ns> rounded = round_to_unit(charged, moe.total.charged_ns, 1000);
  const std::vector<Ns> sum_ms = round_to_unit(sums, moe.total.sum_ns, 1000);
  for (std::size_t i = 0; i < moe.parts.size(); ++i) {
    std::vector<Line> row = figures_of(moe.parts[i], rounded[i], sum_ms[i]);
    row.insert(row.begin(), plain(part_label(moe.parts[i].part)));
    table.rows.push_back(std::move(row));
  }
  std::vector<Line> total = figures_of(moe.total, moe.total.charged_ns, moe.total.sum_ns);
  total.insert(total.begin(), plain("all of MoE"));
  for (Line& cell : total) cell.spans.front().kind = Span::Kind::strong;
  table.rows.push_back(std::move(total));

  const std::string layers =
      moe.layers > 0 ? fmt::format(", {}", counted(moe.layers, "layer")) : std::string();
  return Section{
      fmt::format("MoE{}: {} ms charged, {} ms hidden", layers, format_ms(moe.total.charged_ns),
                  format_ms(moe.total.hidden_ns)),
      65,
      false,
      {std::move(table),
       plain(
           "Charged: instants of the wall that the part owns. Hidden: it ran, but another kernel "
           "owns the instant. Exposed: nothing but this part ran. Parts can run at the same time, "
           "so only charged and sum add up to the last row; there the others count each "
           "instant once.")}};
}

}  // namespace stepscope::analysis
