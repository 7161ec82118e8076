#include <fmt/format.h>

#include "db/job_row.h"
#include "db/jobs.h"

// The functions of Jobs that only read: a read-only Database serves them.
namespace stepscope::db {

std::optional<Job> Jobs::find(JobId id) {
  Statement row =
      database_.prepare(fmt::format("SELECT {} FROM job j WHERE j.id = ?1", job_columns()));
  if (!row.bind(1, id).step()) return std::nullopt;
  return read_job(row);
}

bool Jobs::cancel_requested(JobId id) {
  return database_.prepare("SELECT 1 FROM job WHERE id = ?1 AND cancel_requested = 1")
      .bind(1, id)
      .step();
}

std::vector<Job> Jobs::of_request(RequestId id) {
  Statement rows = database_.prepare(
      fmt::format("SELECT {} FROM job j WHERE j.request_id = ?1 ORDER BY j.id", job_columns()));
  rows.bind(1, id);
  std::vector<Job> jobs;
  while (rows.step()) jobs.push_back(read_job(rows));
  return jobs;
}

std::optional<Request> Jobs::request(RequestId id) {
  Statement row = database_.prepare(
      "SELECT id, source, marker, repository, repository_id, issue_number, comment_id, "
      "comment_url, author, installation_id, text, verb, understood, received_ms FROM request "
      "WHERE id = ?1");
  if (!row.bind(1, id).step()) return std::nullopt;
  Request request;
  request.id = row.integer(0);
  request.source = row.text(1);
  request.marker = row.text(2);
  request.repository = row.text(3);
  request.repository_id = row.integer(4);
  request.issue_number = row.integer(5);
  request.comment_id = row.integer(6);
  request.comment_url = row.text(7);
  request.author = row.text(8);
  request.installation_id = row.integer(9);
  request.text = row.text(10);
  request.verb = row.text(11);
  request.understood = row.text(12);
  request.received_ms = row.integer(13);
  return request;
}

std::vector<JobEvent> Jobs::events(JobId id) {
  Statement rows = database_.prepare(
      "SELECT job_id, at_ms, from_state, to_state, detail FROM job_event WHERE job_id = ?1 "
      "ORDER BY id");
  rows.bind(1, id);
  std::vector<JobEvent> events;
  while (rows.step()) {
    events.push_back({.job_id = rows.integer(0),
                      .at_ms = rows.integer(1),
                      .from = rows.text(2),
                      .to = rows.text(3),
                      .detail = rows.text(4)});
  }
  return events;
}

int Jobs::queue_position(JobId id) {
  Statement row = database_.prepare(
      "SELECT count(*) FROM job j, job own WHERE own.id = ?1 AND own.state = 'queued' "
      "AND j.state = 'queued' AND j.hardware = own.hardware AND j.id <= own.id");
  row.bind(1, id).step();
  return static_cast<int>(row.integer(0));
}

std::int64_t Jobs::queued_count() {
  Statement row = database_.prepare("SELECT count(*) FROM job WHERE state = 'queued'");
  row.step();
  return row.integer(0);
}

std::optional<std::int64_t> Jobs::runner_seen_ms(std::string_view hardware,
                                                 std::string_view recipe) {
  Statement row =
      database_.prepare("SELECT max(seen_ms) FROM runner_poll WHERE hardware = ?1 AND recipe = ?2");
  row.bind(1, hardware).bind(2, recipe).step();
  return row.optional_integer(0);
}

}  // namespace stepscope::db
