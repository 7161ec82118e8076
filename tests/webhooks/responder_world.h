#pragma once
// A responder over a database and a FakeGitHub, for its tests: the world stays when the process is
// made anew.

#include <doctest/doctest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/jobs.h"
#include "db/schema.h"
#include "tests/support/fake_github.h"
#include "tests/support/rsa_key.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"
#include "webhooks/responder.h"

namespace stepscope::responder_tests {

using db::JobState;
using tests::FakeClock;
using tests::FakeGitHub;
using tests::RsaKey;
using tests::run_coroutine;
using tests::TempFolder;
using webhooks::GitHubAuth;
using webhooks::GitHubClient;
using webhooks::GitHubHttp;
using webhooks::Responder;
using webhooks::ResponderLimits;

inline constexpr std::int64_t kStartMs = 1'796'040'224'000;  // 2026-11-30T12:03:44Z
inline constexpr std::string_view kMarker = "<!-- stepscope:request=8f3a -->\n";

inline const RsaKey& key() {
  static const RsaKey made;
  return made;
}

// Everything in memory that dies with a process: made anew after each "crash".
struct Process {
  Process(FakeGitHub& http, FakeClock& clock, db::Database& database, ResponderLimits limits)
      : github(http, clock, {}),
        auth(github, clock,
             {.issuer = "1", .private_key = key().private_pem, .personal_token = ""}),
        client(github, auth),
        responder({.executor = context.get_executor(),
                   .clock = clock,
                   .db_pool = pool,
                   .database = database,
                   .client = client},
                  {.public_url = "",
                   .mention = "stepscope",
                   .limits = limits,
                   .explain = [](const db::Request& request) {
                     return request.verb == "help" ? std::string("Ask me.") : std::string();
                   }}) {}

  boost::asio::io_context context;  // outlives the pool, whose threads resume on it
  runtime::BlockingPool pool{"db", 1};
  GitHubHttp github;
  GitHubAuth auth;
  GitHubClient client;
  Responder responder;
};

struct World {
  explicit World(ResponderLimits own_limits = no_waits()) : limits(own_limits) {
    db::migrate(database);
    restart();
  }

  static ResponderLimits no_waits() {
    ResponderLimits limits;
    limits.edit_interval_ms = 0;
    limits.write_interval_ms = 0;
    return limits;
  }

  void restart() { process = std::make_unique<Process>(http, clock, database, limits); }

  // One comment that asks; its jobs.
  std::vector<db::JobId> ask(const std::string& verb, std::size_t jobs = 1) {
    db::Request request;
    request.source = "github";
    request.marker = asked == 0 ? "8f3a" : "8f3a" + std::to_string(asked);
    request.repository = "octo/repo";
    request.issue_number = 7;
    request.comment_id = 31 + asked++;
    request.installation_id = 5;
    request.verb = verb;
    request.received_ms = clock.now_ms();
    db::RunConfig config;
    config.key = "toy";
    config.hardware = "cpu";
    config.recipe = "toy-moe";
    const std::vector<db::RunConfig> configs(jobs, config);
    const db::Enqueued enqueued =
        db::Jobs(database).enqueue(request, "created", configs, clock.now_ms());
    request_id = enqueued.request_id;
    return enqueued.job_ids;
  }

  void claim() {
    const std::vector<db::Capability> kinds{{"cpu", "toy-moe"}};
    REQUIRE(db::Jobs(database).claim("local", kinds, clock.now_ms(), clock.now_ms() + 60'000));
  }
  void advance(db::JobId job, JobState to) {
    REQUIRE(db::Jobs(database).advance(job, "local", 1, to, clock.now_ms()));
  }
  void finish(db::JobId job) {
    for (const JobState to : {JobState::running, JobState::uploading, JobState::analysing}) {
      advance(job, to);
    }
    db::StoredBreakdown breakdown;
    breakdown.markdown = "### The report\n";
    REQUIRE(db::Jobs(database).finish(job, "local", 1, breakdown, {}, clock.now_ms()));
  }

  bool step() { return run_coroutine(process->context, process->responder.step()); }
  // Steps until nothing is due, whatever has to be waited for.
  void settle() {
    for (int count = 0; count < 100; ++count) {
      if (step()) continue;
      const auto due_ms = db::Outbox(database).next_due_ms();
      if (!due_ms) return;
      clock.set(*due_ms);
    }
    FAIL("the responder does not come to rest");
  }
  db::Outbox outbox() { return db::Outbox(database); }

  TempFolder folder;
  db::Database database{folder.path() / "test.db", db::Database::Mode::read_write};
  FakeClock clock{kStartMs};
  FakeGitHub http;
  ResponderLimits limits;
  std::unique_ptr<Process> process;
  db::RequestId request_id = 0;
  int asked = 0;
};

}  // namespace stepscope::responder_tests
