#include "db/job_row.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stepscope::db {
namespace {

// read_job() counts them off in this order.
constexpr std::string_view kColumns =
    "j.id, j.request_id, j.key, j.model, j.model_name, j.hardware, j.precision, j.framework, "
    "j.image, j.recipe, j.trace_source, j.conc, j.isl, j.osl, j.tp, j.ep, j.dp_attn, j.spec, "
    "j.phase, j.steps, j.assumed, j.state, j.attempt, j.runner, j.cancel_requested, j.queued_ms, "
    "j.started_ms, j.analysing_ms, j.finished_ms, j.lease_until_ms, j.failure_kind, "
    "j.failure_layer, j.failure_message, j.trace_file, j.trace_name, j.trace_sha256, "
    "j.trace_bytes, j.runner_note";
constexpr int kColumnCount = 38;

constexpr char kSeparator = ',';

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text.push_back(kSeparator);
    text += word;
  }
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find(kSeparator);
    words.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return words;
}

class RowReader {
 public:
  explicit RowReader(const Statement& row) : row_(row) {}
  std::string text() { return row_.text(column_++); }
  std::int64_t integer() { return row_.integer(column_++); }
  int small() { return static_cast<int>(integer()); }
  bool flag() { return integer() != 0; }
  std::optional<std::int64_t> optional() { return row_.optional_integer(column_++); }

 private:
  const Statement& row_;
  int column_ = 0;
};

RunConfig read_config(RowReader& row) {
  RunConfig config;
  config.key = row.text();
  config.model = row.text();
  config.model_name = row.text();
  config.hardware = row.text();
  config.precision = row.text();
  config.framework = row.text();
  config.image = row.text();
  config.recipe = row.text();
  config.trace_source = row.text();
  config.conc = row.small();
  config.isl = row.small();
  config.osl = row.small();
  config.tp = row.small();
  config.ep = row.small();
  config.dp_attn = row.flag();
  config.spec = row.text();
  config.phase = row.text();
  config.steps = row.small();
  config.assumed = split(row.text());
  return config;
}

JobState read_state(const std::string& text) {
  const std::optional<JobState> state = job_state_from(text);
  if (!state) throw DatabaseError("a job has the state \"" + text + "\", which does not exist");
  return *state;
}

std::optional<JobFailure> read_failure(RowReader& row) {
  const std::optional<ErrorKind> kind = error_kind_from(row.text());
  std::string layer = row.text();
  std::string message = row.text();
  if (!kind) return std::nullopt;
  return JobFailure{*kind, std::move(layer), std::move(message)};
}

}  // namespace

std::string_view job_columns() { return kColumns; }

int job_column_count() { return kColumnCount; }

Job read_job(const Statement& statement) {
  RowReader row(statement);
  Job job;
  job.id = row.integer();
  job.request_id = row.integer();
  job.config = read_config(row);
  job.state = read_state(row.text());
  job.attempt = row.small();
  job.runner = row.text();
  job.cancel_requested = row.flag();
  job.queued_ms = row.integer();
  job.started_ms = row.optional();
  job.analysing_ms = row.optional();
  job.finished_ms = row.optional();
  job.lease_until_ms = row.optional();
  job.failure = read_failure(row);
  job.trace_file = row.text();
  job.trace_name = row.text();
  job.trace_sha256 = row.text();
  job.trace_bytes = row.integer();
  job.runner_note = row.text();
  return job;
}

JobId insert_job(Database& database, RequestId request_id, const RunConfig& config,
                 std::int64_t now_ms) {
  Statement insert = database.prepare(
      "INSERT INTO job (request_id, key, model, model_name, hardware, precision, framework, image, "
      "recipe, trace_source, conc, isl, osl, tp, ep, dp_attn, spec, phase, steps, assumed, state, "
      "queued_ms) VALUES "
      "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
      "?20, 'queued', ?21)");
  insert.bind(1, request_id)
      .bind(2, config.key)
      .bind(3, config.model)
      .bind(4, config.model_name)
      .bind(5, config.hardware)
      .bind(6, config.precision)
      .bind(7, config.framework)
      .bind(8, config.image)
      .bind(9, config.recipe)
      .bind(10, config.trace_source)
      .bind(11, config.conc)
      .bind(12, config.isl)
      .bind(13, config.osl)
      .bind(14, config.tp)
      .bind(15, config.ep)
      .bind(16, config.dp_attn)
      .bind(17, config.spec)
      .bind(18, config.phase)
      .bind(19, config.steps)
      .bind(20, join(config.assumed))
      .bind(21, now_ms)
      .run();
  return database.last_insert_id();
}

}  // namespace stepscope::db
