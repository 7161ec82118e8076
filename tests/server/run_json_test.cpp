#include "server/run_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace stepscope;
using namespace stepscope::server;
using nlohmann::ordered_json;

namespace {

db::RunSummary queued_run() {
  db::RunSummary run;
  run.source = "api";
  run.job.id = 57;
  run.job.config.key = "toy-moe-fp32-cpu-builtin";
  run.job.config.model = "toy-moe";
  run.job.config.hardware = "cpu";
  run.job.config.precision = "fp32";
  run.job.config.framework = "builtin";
  run.job.config.recipe = "toy-moe";
  run.job.config.conc = 4;
  run.job.config.isl = 64;
  run.job.config.osl = 32;
  run.job.config.assumed = {"framework", "seq_len"};
  run.job.queued_ms = 1000;
  return run;
}

}  // namespace

TEST_CASE("a queued run: what is not known yet is null, never 0 or missing") {
  const ordered_json expected = ordered_json::parse(R"({
    "id": 57,
    "state": "queued",
    "config": {
      "key": "toy-moe-fp32-cpu-builtin", "model": "toy-moe", "hardware": "cpu",
      "precision": "fp32", "framework": "builtin", "image": "", "recipe": "toy-moe", "conc": 4,
      "isl": 64, "osl": 32, "tp": 1, "ep": 1, "dp_attn": false, "spec": "none", "phase": "decode",
      "steps": 1, "assumed": ["framework", "seq_len"]
    },
    "replayed": false,
    "wall_ns": null,
    "idle_ns": null,
    "source": "api",
    "comment_url": null,
    "runner": null,
    "attempt": 0,
    "queued_ms": 1000,
    "started_ms": null,
    "analysing_ms": null,
    "finished_ms": null,
    "failure": null,
    "trace": null,
    "links": {
      "self": "/api/v1/runs/57", "breakdown": "/api/v1/runs/57/breakdown",
      "trace": "/api/v1/runs/57/trace", "page": "/runs/57"
    }
  })");
  CHECK(run_json(queued_run()).dump(1) == expected.dump(1));
}

TEST_CASE("a finished run has its figures, times and trace") {
  db::RunSummary run = queued_run();
  run.source = "github";
  run.comment_url = "https://github.com/o/r/issues/1#issuecomment-2";
  run.wall_ns = 0;
  run.idle_ns = 9'007'199'254'740'993;  // 2^53 + 1: integers stay integers
  run.job.state = db::JobState::done;
  run.job.runner = "local";
  run.job.attempt = 2;
  run.job.started_ms = 2000;
  run.job.analysing_ms = 3000;
  run.job.finished_ms = 4000;
  run.job.trace_file = "57/t.json";
  run.job.trace_name = "t.json";
  run.job.trace_sha256 = "ab";
  run.job.trace_bytes = 99;
  const ordered_json json = run_json(run);
  CHECK(json["state"] == "done");
  CHECK(json["comment_url"] == run.comment_url);
  CHECK(json["wall_ns"] == 0);
  CHECK(json["idle_ns"].dump() == "9007199254740993");
  CHECK(json["runner"] == "local");
  CHECK(json["attempt"] == 2);
  CHECK(json["started_ms"] == 2000);
  CHECK(json["analysing_ms"] == 3000);
  CHECK(json["finished_ms"] == 4000);
  CHECK(json["trace"].dump() == R"({"name":"t.json","sha256":"ab","bytes":99,"kept":true})");
}

TEST_CASE("a trace whose time is over is still named, as not kept") {
  db::RunSummary run = queued_run();
  run.job.trace_name = "t.json";
  run.job.trace_sha256 = "ab";
  run.job.trace_bytes = 99;
  CHECK(run_json(run)["trace"].dump() ==
        R"({"name":"t.json","sha256":"ab","bytes":99,"kept":false})");
}

TEST_CASE("a failure has kind, layer and message; replays are marked") {
  db::RunSummary run = queued_run();
  run.job.config.recipe = "replay";
  run.job.state = db::JobState::timed_out;
  run.job.failure = db::JobFailure{db::ErrorKind::configuration, "runner", "no \"luck\"\n"};
  const ordered_json json = run_json(run);
  CHECK(json["replayed"] == true);
  CHECK(json["state"] == "timed_out");
  CHECK(json["failure"].dump() ==
        R"({"kind":"configuration","layer":"runner","message":"no \"luck\"\n"})");
}

TEST_CASE("the detail adds the place in the queue, the hardware and the events in order") {
  db::RunSummary run = queued_run();
  ordered_json json = run_detail_json(run, {}, 0);
  CHECK(json["queue_position"].is_null());
  CHECK(json["hardware_note"].is_null());
  CHECK(json["events"] == ordered_json::array());

  run.job.runner_note = "a CPU, 2 threads";
  json = run_detail_json(run, {{57, 1000, "", "queued", ""}, {57, 2000, "queued", "assigned", "x"}},
                         3);
  CHECK(json["queue_position"] == 3);
  CHECK(json["hardware_note"] == "a CPU, 2 threads");
  CHECK(json["events"].dump() == R"([{"at_ms":1000,"from":"","to":"queued","detail":""},)"
                                 R"({"at_ms":2000,"from":"queued","to":"assigned","detail":"x"}])");
  // All of the short form is there as well, first and in the same order.
  CHECK(json.dump().starts_with(run_json(run).dump().substr(0, 200)));
}
