#include "server/run_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace stepscope::server {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<std::int64_t>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json config_json(const db::RunConfig& config) {
  return {{"key", config.key},
          {"model", config.model},
          {"hardware", config.hardware},
          {"precision", config.precision},
          {"framework", config.framework},
          {"image", config.image},
          {"recipe", config.recipe},
          {"conc", config.conc},
          {"isl", config.isl},
          {"osl", config.osl},
          {"tp", config.tp},
          {"ep", config.ep},
          {"dp_attn", config.dp_attn},
          {"spec", config.spec},
          {"phase", config.phase},
          {"steps", config.steps},
          {"assumed", config.assumed}};
}

ordered_json failure_json(const std::optional<db::JobFailure>& failure) {
  if (!failure) return nullptr;
  return {{"kind", db::to_string(failure->kind)},
          {"layer", failure->layer},
          {"message", failure->message}};
}

ordered_json trace_json(const db::Job& job) {
  if (job.trace_sha256.empty()) return nullptr;
  return {{"name", job.trace_name},
          {"sha256", job.trace_sha256},
          {"bytes", job.trace_bytes},
          {"kept", !job.trace_file.empty()}};
}

}  // namespace

ordered_json run_json(const db::RunSummary& run) {
  const db::Job& job = run.job;
  const bool replayed = job.config.recipe == "replay";
  return {{"id", job.id},
          {"state", db::to_string(job.state)},
          {"config", config_json(job.config)},
          {"replayed", replayed},
          {"wall_ns", or_null(run.wall_ns)},
          {"idle_ns", or_null(run.idle_ns)},
          {"source", run.source},
          {"comment_url",
           run.comment_url.empty() ? ordered_json(nullptr) : ordered_json(run.comment_url)},
          {"runner", job.runner.empty() ? ordered_json(nullptr) : ordered_json(job.runner)},
          {"attempt", job.attempt},
          {"queued_ms", job.queued_ms},
          {"started_ms", or_null(job.started_ms)},
          {"analysing_ms", or_null(job.analysing_ms)},
          {"finished_ms", or_null(job.finished_ms)},
          {"failure", failure_json(job.failure)},
          {"trace", trace_json(job)},
          {"links",
           {{"self", fmt::format("/api/v1/runs/{}", job.id)},
            {"breakdown", fmt::format("/api/v1/runs/{}/breakdown", job.id)},
            {"trace", fmt::format("/api/v1/runs/{}/trace", job.id)},
            {"page", fmt::format("/runs/{}", job.id)}}}};
}

ordered_json run_detail_json(const db::RunSummary& run, const std::vector<db::JobEvent>& events,
                             int queue_position) {
  ordered_json result = run_json(run);
  result["queue_position"] = queue_position > 0 ? ordered_json(queue_position) : nullptr;
  result["hardware_note"] =
      run.job.runner_note.empty() ? ordered_json(nullptr) : ordered_json(run.job.runner_note);
  ordered_json list = ordered_json::array();
  for (const db::JobEvent& event : events) {
    list.push_back(
        {{"at_ms", event.at_ms}, {"from", event.from}, {"to", event.to}, {"detail", event.detail}});
  }
  result["events"] = std::move(list);
  return result;
}

}  // namespace stepscope::server
