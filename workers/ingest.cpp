#include "workers/ingest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/analyze.h"
#include "analysis/reports/breakdown_html.h"
#include "analysis/reports/breakdown_json.h"
#include "analysis/reports/breakdown_markdown.h"
#include "workers/trace_digest.h"

namespace stepscope::workers {
namespace {

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
  // "both" leads with decode; the other phase is appended to the report.
  options.phase = job.config.phase == "both" ? "decode" : job.config.phase;
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
  auto breakdown = analysis::analyze(traces, options);
  const bool replayed = job.config.recipe == "replay";
  if (breakdown && breakdown->shown.empty() && replayed) {
    options.phase.reset();  // a recorded trace holds what it holds
    breakdown = analysis::analyze(traces, options);
  }
  if (!breakdown) return std::unexpected(analysis_failure(breakdown.error().message));
  if (breakdown->shown.empty()) {
    return std::unexpected(analysis_failure(
        fmt::format("the trace holds no step of phase {}", options.phase.value_or("any"))));
  }
  Ingested result = render(*breakdown, context);
  if (job.config.phase == "both") {
    options.phase = "prefill";
    const auto other = analysis::analyze(traces, options);
    if (other && !other->shown.empty()) {
      const Ingested prefill = render(*other, context);
      result.breakdown.markdown += "\n" + prefill.breakdown.markdown;
      result.breakdown.html += "\n" + prefill.breakdown.html;
    }
  }
  return result;
}

}  // namespace stepscope::workers
