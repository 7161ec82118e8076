#include "db/schema.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace stepscope::db {
namespace {

// Version 1. Notes for readers of the tables:
// - An opened issue has no comment id (0), so its number is part of the key of a request.
// - breakdown keeps its figures before the long texts: a list reads them without the texts' pages.
// - kname holds every long word once; kern rows are then about 30 bytes each.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  action TEXT NOT NULL,
  marker TEXT NOT NULL,
  repository TEXT NOT NULL,
  repository_id INTEGER NOT NULL,
  issue_number INTEGER NOT NULL,
  comment_id INTEGER NOT NULL,
  comment_url TEXT NOT NULL,
  author TEXT NOT NULL,
  installation_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  verb TEXT NOT NULL,
  understood TEXT NOT NULL,
  received_ms INTEGER NOT NULL
);
CREATE UNIQUE INDEX request_by_comment
  ON request (repository_id, comment_id, action, issue_number) WHERE source = 'github';

CREATE TABLE job (
  id INTEGER PRIMARY KEY,
  request_id INTEGER NOT NULL REFERENCES request (id),
  key TEXT NOT NULL,
  model TEXT NOT NULL,
  model_name TEXT NOT NULL,
  hardware TEXT NOT NULL,
  precision TEXT NOT NULL,
  framework TEXT NOT NULL,
  image TEXT NOT NULL,
  recipe TEXT NOT NULL,
  trace_source TEXT NOT NULL,
  conc INTEGER NOT NULL,
  isl INTEGER NOT NULL,
  osl INTEGER NOT NULL,
  tp INTEGER NOT NULL,
  ep INTEGER NOT NULL,
  dp_attn INTEGER NOT NULL,
  spec TEXT NOT NULL,
  phase TEXT NOT NULL,
  steps INTEGER NOT NULL,
  assumed TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  restarts INTEGER NOT NULL DEFAULT 0,
  runner TEXT NOT NULL DEFAULT '',
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  queued_ms INTEGER NOT NULL,
  started_ms INTEGER,
  analysing_ms INTEGER,
  finished_ms INTEGER,
  lease_until_ms INTEGER,
  failure_kind TEXT,
  failure_layer TEXT,
  failure_message TEXT,
  trace_file TEXT NOT NULL DEFAULT '',
  trace_name TEXT NOT NULL DEFAULT '',
  trace_sha256 TEXT NOT NULL DEFAULT '',
  trace_bytes INTEGER NOT NULL DEFAULT 0,
  runner_note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX job_by_request ON job (request_id);
CREATE INDEX job_queue ON job (hardware, id) WHERE state = 'queued';
CREATE INDEX job_leases ON job (lease_until_ms) WHERE lease_until_ms IS NOT NULL;
CREATE INDEX job_traces ON job (finished_ms, id) WHERE trace_file <> '';
CREATE INDEX job_by_config ON job (model, hardware, id);

CREATE TABLE job_event (
  id INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL REFERENCES job (id),
  at_ms INTEGER NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX job_event_by_job ON job_event (job_id);

CREATE TABLE breakdown (
  job_id INTEGER PRIMARY KEY REFERENCES job (id),
  wall_ns INTEGER NOT NULL,
  idle_ns INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  table_version TEXT NOT NULL,
  json TEXT NOT NULL,
  markdown TEXT NOT NULL,
  html TEXT NOT NULL
);

CREATE TABLE kname (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE kern (
  run INTEGER NOT NULL REFERENCES job (id),
  stream TEXT NOT NULL,
  name INTEGER NOT NULL REFERENCES kname (id),
  category INTEGER NOT NULL REFERENCES kname (id),
  calls INTEGER NOT NULL,
  sum_ns INTEGER NOT NULL,
  charged_ns INTEGER NOT NULL,
  PRIMARY KEY (run, stream, name)
) WITHOUT ROWID;

CREATE TABLE outbox (
  request_id INTEGER PRIMARY KEY REFERENCES request (id),
  wanted INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  comment_id INTEGER,
  post_attempted INTEGER NOT NULL DEFAULT 0,
  last_body_sha256 TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0,
  last_sent_ms INTEGER,
  not_before_ms INTEGER NOT NULL DEFAULT 0,
  error TEXT NOT NULL DEFAULT '',
  refusal TEXT
);
CREATE INDEX outbox_due ON outbox (not_before_ms, request_id)
  WHERE wanted > sent AND refusal IS NULL;

CREATE TABLE delivery (
  guid TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX delivery_by_time ON delivery (at_ms);

CREATE TABLE runner_poll (
  runner TEXT NOT NULL,
  hardware TEXT NOT NULL,
  recipe TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (hardware, recipe, runner)
) WITHOUT ROWID;
)sql";

// Version 2. kept_bytes: what all files of a job's trace take, one a rank; trace_bytes is the first
// one's. deleted: how often somebody has deleted the reply.
constexpr std::string_view kSecond = R"sql(
ALTER TABLE job ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE job SET kept_bytes = trace_bytes;
ALTER TABLE outbox ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
)sql";

// Migration i brings a file from version i to i + 1. Only ever added to.
constexpr std::array<std::string_view, 2> kMigrations = {kFirst, kSecond};

std::int64_t single_integer(Database& database, std::string_view sql) {
  Statement statement = database.prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

}  // namespace

int schema_version() { return static_cast<int>(kMigrations.size()); }

void migrate(Database& database) {
  Transaction transaction(database);
  const std::int64_t found = single_integer(database, "PRAGMA user_version");
  if (found < 0 || found > schema_version()) {
    throw DatabaseError(
        fmt::format("the database has schema version {}, this program knows versions up to {}: "
                    "run the program that wrote it, or a newer one",
                    found, schema_version()));
  }
  if (found == 0 && single_integer(database, "SELECT count(*) FROM sqlite_schema") != 0) {
    throw DatabaseError("the database holds tables of another program: name another file");
  }
  for (std::int64_t version = found; version < schema_version(); ++version) {
    database.execute(kMigrations.at(static_cast<std::size_t>(version)));
  }
  if (found != schema_version()) {
    database.execute(fmt::format("PRAGMA user_version = {}", schema_version()));
  }
  transaction.commit();
}

}  // namespace stepscope::db
