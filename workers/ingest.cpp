#include "workers/ingest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/analyze.h"
#include "analysis/reports/breakdown_html.h"
#include "analysis/reports/breakdown_json.h"
#include "analysis/reports/breakdown_markdown.h"
#include "workers/trace_digest.h"

namespace stepscope::workers {
namespace {

// "both" leads with decode; the other phase is appended to the report.
constexpr const char* kFirstPhase = "decode";
constexpr const char* kSecondPhase = "prefill";

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Without attention parallelism every rank sees all requests; with it each sees its share (R9).
int batch_size_of(const db::RunConfig& config) {
  return config.dp_attn && config.tp > 1 ? std::max(1, config.conc / config.tp) : config.conc;
}

analysis::AnalyzeOptions options_for(const db::Job& job, const IngestSettings& settings,
                                     const std::atomic<bool>& cancel) {
  analysis::AnalyzeOptions options;
  if (job.config.conc > 0) options.concurrency = batch_size_of(job.config);
  options.extra_rules = settings.extra_rules;
  options.make_digest = make_trace_digest;
  options.cancelled = &cancel;
  return options;
}

std::vector<db::KernelTotal> totals(const analysis::Accounting& accounting) {
  std::vector<db::KernelTotal> result;
  result.reserve(accounting.kernels.size());
  for (const analysis::KernelRow& row : accounting.kernels) {
    result.push_back({row.stream, row.name, row.category, row.calls, row.sum_ns, row.charged_ns});
  }
  return result;
}

db::JobFailure analysis_failure(std::string message) {
  return {db::ErrorKind::analysis, "analysis", std::move(message)};
}

std::string first_phase(const db::RunConfig& config) {
  return config.phase == "both" ? kFirstPhase : config.phase;
}

// What is shown in their order, the first that the trace holds: of both phases one is an answer,
// and a recorded trace holds what it holds.
std::vector<std::optional<std::string>> phases_of(const db::RunConfig& config) {
  std::vector<std::optional<std::string>> phases = {first_phase(config)};
  if (config.phase == "both") phases.emplace_back(kSecondPhase);
  if (config.recipe == "replay") phases.emplace_back(std::nullopt);
  return phases;
}

std::string no_step(std::string_view phase) {
  return fmt::format("the trace holds no step of phase {}", phase);
}

// Before the others, because a report shows only the first ones.
void add_note(analysis::Breakdown& breakdown, std::string note) {
  std::vector<std::string>& notes = breakdown.shown.front().notes;
  notes.insert(notes.begin(), std::move(note));
}

// A mixed step, or one of an unknown phase, answers for decode and for prefill.
bool is_same_step(const analysis::Breakdown& a, const analysis::Breakdown& b) {
  const analysis::Step& left = a.shown.front().step;
  const analysis::Step& right = b.shown.front().step;
  return left.rank == right.rank && left.pid == right.pid && left.device == right.device &&
         left.index == right.index;
}

Ingested render(const analysis::Breakdown& breakdown, const analysis::ReportContext& context) {
  Ingested result;
  result.breakdown.json = breakdown_json(breakdown, context);
  result.breakdown.markdown = breakdown_markdown(breakdown, context);
  result.breakdown.html = breakdown_html_fragment(breakdown, context);
  result.breakdown.table_version = breakdown.table_version;
  result.breakdown.complete = breakdown.trace.complete;
  if (!breakdown.shown.empty()) {
    const analysis::Accounting& shown = breakdown.shown.front().accounting;
    result.breakdown.wall_ns = shown.window_ns;
    result.breakdown.idle_ns = shown.idle_ns;
    result.kernels = totals(shown);
  }
  return result;
}

}  // namespace

analysis::ReportContext report_context(const db::Job& job, const db::Catalog& catalog,
                                       const std::string& understood,
                                       const std::string& public_url) {
  const db::RunConfig& config = job.config;
  analysis::ReportContext context;
  context.title = fmt::format("{} {}, {}, conc {}", catalog.display_name(config.model),
                              upper(config.precision), upper(config.hardware), config.conc);
  context.replayed = config.recipe == "replay";
  if (config.hardware == "cpu") {
    context.hardware_note =
        fmt::format("The hardware is this machine's CPU ({}); no GPU was involved.",
                    job.runner_note.empty() ? "model unknown" : job.runner_note);
  } else if (!job.runner_note.empty()) {
    context.hardware_note = fmt::format("Profiled on {}.", job.runner_note);
  }
  context.provenance.push_back(fmt::format(
      "Run {}, row {}, framework {}, {}/{} TP{} EP{}{}.", job.id, config.key, config.framework,
      config.isl, config.osl, config.tp, config.ep, config.dp_attn ? ", DP attention" : ""));
  if (!config.image.empty()) context.provenance.push_back(fmt::format("Image {}.", config.image));
  if (!config.assumed.empty()) {
    context.provenance.push_back(fmt::format("Assumed, because the request left it open: {}.",
                                             fmt::join(config.assumed, ", ")));
  }
  const auto json = nlohmann::json::parse(understood, nullptr, false);
  if (json.is_object() && json.contains("ask") && json["ask"].is_array()) {
    for (const auto& ask : json["ask"]) {
      if (ask.is_string()) context.asks.push_back(ask.get<std::string>());
    }
  }
  if (!public_url.empty()) context.more_url = fmt::format("{}/runs/{}", public_url, job.id);
  return context;
}

std::expected<Ingested, db::JobFailure> ingest(const db::Job& job,
                                               std::span<const std::filesystem::path> traces,
                                               const analysis::ReportContext& context,
                                               const IngestSettings& settings,
                                               const std::atomic<bool>& cancel) {
  auto options = options_for(job, settings, cancel);
  const auto analyze_phase = [&](std::optional<std::string> phase) {
    options.phase = std::move(phase);
    return analysis::analyze(traces, options);
  };
  const std::vector<std::optional<std::string>> phases = phases_of(job.config);
  std::size_t at = 0;
  auto breakdown = analyze_phase(phases[at]);
  while (breakdown && breakdown->shown.empty() && ++at < phases.size()) {
    breakdown = analyze_phase(phases[at]);
  }
  if (!breakdown) return std::unexpected(analysis_failure(breakdown.error().message));
  const std::string missing = no_step(first_phase(job.config));
  if (breakdown->shown.empty()) return std::unexpected(analysis_failure(missing));
  if (at > 0) add_note(*breakdown, missing);
  if (job.config.phase != "both" || at > 0) return render(*breakdown, context);

  const auto other = analyze_phase(kSecondPhase);
  if (!other) return std::unexpected(analysis_failure(other.error().message));
  if (other->shown.empty()) add_note(*breakdown, no_step(kSecondPhase));
  if (other->shown.empty() || is_same_step(*breakdown, *other)) return render(*breakdown, context);
  analysis::ReportContext half = context;  // both are parts of one comment
  half.bytes_max /= 2;
  Ingested result = render(*breakdown, half);
  const Ingested second = render(*other, half);
  result.breakdown.markdown += "\n" + second.breakdown.markdown;
  result.breakdown.html += "\n" + second.breakdown.html;
  return result;
}

}  // namespace stepscope::workers
