#include "db/job_row.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/db/fixtures.h"

using namespace stepscope::db;
using stepscope::tests::enqueue_job;
using stepscope::tests::TestDatabase;

TEST_CASE("a configuration comes back as it was stored") {
  TestDatabase database;
  RunConfig config;
  config.key = "k";
  config.model = "m";
  config.model_name = "org/M";
  config.hardware = "b200";
  config.precision = "fp4";
  config.framework = "sglang";
  config.image = "repo/image:tag";
  config.recipe = "replay";
  config.trace_source = "https://example.org/trace.json.gz";
  config.conc = 4;
  config.isl = 8192;
  config.osl = 1024;
  config.tp = 8;
  config.ep = 2;
  config.dp_attn = true;
  config.spec = "mtp";
  config.phase = "both";
  config.steps = 5;
  config.assumed = {"conc", "framework", "seq_len"};
  const JobId id = enqueue_job(*database, 1, config, 777);
  Statement row = (*database).prepare(
      fmt::format("SELECT {}, 'own' FROM job j WHERE id = {}", job_columns(), id));
  REQUIRE(row.step());
  CHECK(row.text(job_column_count()) == "own");
  const Job job = read_job(row);
  CHECK(job.id == id);
  CHECK(job.config.key == "k");
  CHECK(job.config.model == "m");
  CHECK(job.config.model_name == "org/M");
  CHECK(job.config.hardware == "b200");
  CHECK(job.config.precision == "fp4");
  CHECK(job.config.framework == "sglang");
  CHECK(job.config.image == "repo/image:tag");
  CHECK(job.config.recipe == "replay");
  CHECK(job.config.trace_source == "https://example.org/trace.json.gz");
  CHECK(job.config.conc == 4);
  CHECK(job.config.isl == 8192);
  CHECK(job.config.osl == 1024);
  CHECK(job.config.tp == 8);
  CHECK(job.config.ep == 2);
  CHECK(job.config.dp_attn);
  CHECK(job.config.spec == "mtp");
  CHECK(job.config.phase == "both");
  CHECK(job.config.steps == 5);
  CHECK(job.config.assumed == config.assumed);
  CHECK(job.state == JobState::queued);
  CHECK(job.attempt == 0);
  CHECK(job.queued_ms == 777);
  CHECK_FALSE(job.started_ms.has_value());
  CHECK_FALSE(job.failure.has_value());
  CHECK(job.trace_file.empty());
}

TEST_CASE("nothing assumed is an empty list") {
  TestDatabase database;
  RunConfig config = stepscope::tests::some_config();
  config.assumed.clear();
  enqueue_job(*database, 1, config);
  Statement row = (*database).prepare(fmt::format("SELECT {} FROM job j", job_columns()));
  REQUIRE(row.step());
  CHECK(read_job(row).config.assumed.empty());
}

TEST_CASE("a state that does not exist is an error, not a guess") {
  TestDatabase database;
  enqueue_job(*database, 1);
  (*database).execute("UPDATE job SET state = 'paused'");
  Statement row = (*database).prepare(fmt::format("SELECT {} FROM job j", job_columns()));
  REQUIRE(row.step());
  CHECK_THROWS_WITH_AS(read_job(row), "a job has the state \"paused\", which does not exist",
                       DatabaseError);
}
