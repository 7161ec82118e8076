#include "webhooks/responder.h"

#include <doctest/doctest.h>

#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <memory>

#include "db/jobs.h"
#include "db/schema.h"
#include "tests/support/fake_github.h"
#include "tests/support/manual_clock.h"
#include "tests/support/rsa_key.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temp_folder.h"
#include "webhooks/comment.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using db::JobState;
using tests::FakeGitHub;
using tests::json_answer;
using Fault = FakeGitHub::Fault;

namespace {

constexpr std::int64_t kStartMs = 1'796'040'224'000;  // 2026-11-30T12:03:44Z
constexpr std::string_view kMarker = "<!-- stepscope:request=8f3a -->\n";

const tests::RsaKey& key() {
  static const tests::RsaKey made;
  return made;
}

// Everything in memory that dies with a process: made anew after each "crash".
struct Process {
  Process(FakeGitHub& http, tests::ManualClock& clock, db::Database& database,
          ResponderLimits limits)
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
    const std::array<std::string, 1> hardware{"cpu"};
    const std::array<std::string, 1> recipes{"toy-moe"};
    REQUIRE(db::Jobs(database).claim("local", hardware, recipes, clock.now_ms(),
                                     clock.now_ms() + 60'000));
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

  bool step() { return tests::run_coroutine(process->context, process->responder.step()); }
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

  tests::TempFolder folder;
  db::Database database{folder.path() / "test.db", db::Database::Mode::read_write};
  tests::ManualClock clock{kStartMs};
  FakeGitHub http;
  ResponderLimits limits;
  std::unique_ptr<Process> process;
  db::RequestId request_id = 0;
  int asked = 0;
};

}  // namespace

TEST_CASE("a request is answered once and its comment edited until the report stands there") {
  World w;
  const db::JobId job = w.ask("profile").at(0);
  w.settle();
  REQUIRE(w.http.comments.size() == 1);
  CHECK(
      w.http.comments[0].body.starts_with(std::string(kMarker) + "**Queued**, place 1 · run 1\n"));
  w.claim();
  w.settle();
  CHECK(w.http.comments[0].body.contains("**Assigned** to `local`"));
  w.finish(job);
  w.settle();
  REQUIRE(w.http.comments.size() == 1);
  CHECK(w.http.comments[0].body.contains("**Finished in 0.0 s** · run 1"));
  CHECK(w.http.comments[0].body.contains("### The report\n"));
  CHECK(w.http.comments[0].edits == 2);
  CHECK_FALSE(w.step());
  CHECK(w.outbox().comment_id(w.request_id) == w.http.comments[0].id);
}

TEST_CASE("an answer without jobs is one post") {
  World w;
  w.ask("help", 0);
  w.settle();
  REQUIRE(w.http.comments.size() == 1);
  CHECK(w.http.comments[0].body == std::string(kMarker) + "Ask me.\n\n");
  CHECK(w.http.comments[0].edits == 0);
}

boost::asio::awaitable<bool> refresh(Responder& responder) {
  co_await responder.refresh_queued();
  co_return true;
}

// Post, one edit, the final edit, with a settled state after each; a new process after every crash.
void live(World& w) {
  const auto settle = [&w] {
    for (;;) {
      try {
        w.settle();
        return;
      } catch (const FakeGitHub::Crash&) {
        w.restart();
      }
    }
  };
  const db::JobId job = w.ask("profile").at(0);
  settle();
  w.claim();
  settle();
  w.finish(job);
  settle();
}

void check_one_final_comment(const World& w) {
  REQUIRE(w.http.comments.size() == 1);
  CHECK(w.http.comments[0].body.starts_with(std::string(kMarker) + "**Finished in "));
  CHECK(w.http.comments[0].body.contains("### The report\n"));
}

TEST_CASE("killed at any request, before or after GitHub acted: one comment with the final text") {
  World undisturbed;
  live(undisturbed);
  const std::size_t requests = undisturbed.http.kinds.size();
  REQUIRE(requests == 6);  // account, token, list, post, edit (assigned), edit (done)
  for (const Fault fault :
       {Fault::crash_before, Fault::crash_after, Fault::lost_before, Fault::lost_after}) {
    for (std::size_t index = 0; index < requests; ++index) {
      CAPTURE(static_cast<int>(fault));
      CAPTURE(index);
      World w;
      w.http.faults[index] = fault;
      live(w);
      CHECK(w.http.kinds.size() > requests);
      check_one_final_comment(w);
    }
  }
}

TEST_CASE("killed twice") {
  for (const Fault fault : {Fault::crash_after, Fault::lost_after}) {
    for (std::size_t first = 0; first < 8; ++first) {
      for (std::size_t second = first + 1; second < 9; ++second) {
        CAPTURE(first);
        CAPTURE(second);
        World w;
        w.http.faults[first] = fault;
        w.http.faults[second] = fault;
        live(w);
        check_one_final_comment(w);
      }
    }
  }
}

TEST_CASE("a new process after every single step goes on where the last one was") {
  World w;
  const db::JobId job = w.ask("profile").at(0);
  const auto settle_with_restarts = [&] {
    while (w.step()) w.restart();
  };
  settle_with_restarts();
  w.claim();
  settle_with_restarts();
  w.finish(job);
  settle_with_restarts();
  REQUIRE(w.http.comments.size() == 1);
  CHECK(w.http.comments[0].body.contains("**Finished in"));
  CHECK(w.http.count("POST comments") == 1);
}

TEST_CASE(
    "a crash between the noted attempt and the post leads to a search, not to a second comment") {
  World w;
  w.ask("profile");
  w.http.faults[3] = Fault::crash_after;  // account, token, list, POST
  CHECK_THROWS_AS(w.step(), FakeGitHub::Crash);
  CHECK(w.http.comments.size() == 1);
  CHECK(w.outbox().next(w.clock.now_ms())->post_attempted);
  CHECK_FALSE(w.outbox().comment_id(w.request_id));
  w.restart();
  w.settle();
  CHECK(w.http.comments.size() == 1);
  CHECK(w.http.count("POST comments") == 1);
  CHECK(w.outbox().comment_id(w.request_id) == w.http.comments[0].id);
}

TEST_CASE("a marker in somebody else's comment is not ours") {
  World w;
  w.http.comments.push_back({9, "mallory", std::string(kMarker) + "look at me", 0});
  w.http.comments.push_back({10, "stepscope[bot]", "> " + std::string(kMarker) + "a quote", 0});
  w.ask("profile");
  w.settle();
  REQUIRE(w.http.comments.size() == 3);
  CHECK(w.http.comments[0].edits == 0);
  CHECK(w.http.comments[1].edits == 0);
  CHECK(w.http.comments[2].body.contains("**Queued**"));
}

TEST_CASE("a text that has not changed is not sent again") {
  World w;
  w.ask("profile");
  w.settle();
  const std::size_t requests = w.http.kinds.size();
  w.outbox().touch(w.request_id);
  CHECK(w.step());
  CHECK_FALSE(w.step());
  CHECK(w.http.kinds.size() == requests);
}

TEST_CASE("edits wait for each other, the final one does not") {
  ResponderLimits limits = World::no_waits();
  limits.edit_interval_ms = 30'000;
  World w(limits);
  const db::JobId job = w.ask("profile").at(0);
  w.settle();
  w.clock.advance(5'000);
  w.claim();
  CHECK(w.step());  // too early: put off
  CHECK(w.http.comments[0].edits == 0);
  CHECK_FALSE(w.step());
  w.clock.advance(24'999);
  w.step();
  CHECK(w.http.comments[0].edits == 0);
  w.clock.advance(2'000);
  CHECK(w.step());
  CHECK(w.http.comments[0].edits == 1);
  CHECK(w.http.comments[0].body.contains("**Assigned**"));

  w.advance(job, JobState::running);
  CHECK(w.step());  // put off again
  for (const JobState to : {JobState::uploading, JobState::analysing}) w.advance(job, to);
  REQUIRE(db::Jobs(w.database).finish(job, "local", 1, {}, {}, w.clock.now_ms()));
  w.clock.advance(2'000);  // as soon as the reply is looked at again
  CHECK(w.step());
  CHECK(w.http.comments[0].edits == 2);
  CHECK(w.http.comments[0].body.contains("**Finished in"));
}

TEST_CASE("writes of an installation are apart, reads are free") {
  ResponderLimits limits = World::no_waits();
  limits.write_interval_ms = 1'000;
  World w(limits);
  w.ask("help", 0);
  w.ask("help", 0);
  CHECK(w.step());
  CHECK(w.step());  // put off
  CHECK(w.http.count("POST comments") == 1);
  w.clock.advance(999);
  CHECK_FALSE(w.step());
  w.clock.advance(1);
  CHECK(w.step());
}

TEST_CASE("a deleted comment is written once more") {
  World w;
  const db::JobId job = w.ask("profile").at(0);
  w.settle();
  w.http.comments.clear();
  w.claim();
  w.settle();
  REQUIRE(w.http.comments.size() == 1);
  CHECK(w.http.comments[0].body.contains("**Assigned**"));
  w.finish(job);
  w.settle();
  CHECK(w.http.count("POST comments") == 2);
  CHECK(w.http.comments[0].body.contains("**Finished in"));
}

TEST_CASE("a locked issue gets a reaction and no second try") {
  World w;
  w.http.refusals["POST comments"] =
      json_answer(403, R"({"message":"Unable to create comment because issue is locked."})");
  w.ask("profile");
  w.settle();
  CHECK(w.outbox().refusal(w.request_id) == "the issue is locked");
  CHECK(w.http.reactions == std::vector<std::string>{"eyes"});
  w.claim();
  CHECK_FALSE(w.step());
  CHECK(w.http.count("POST comments") == 1);
}

TEST_CASE("a deleted issue, an archived repository, a removed app: stop") {
  const std::array<std::pair<const char*, runtime::HttpResponse>, 3> cases{{
      {"GET comments", json_answer(410, R"({"message":"This issue was deleted"})")},
      {"POST comments",
       json_answer(403, R"({"message":"Repository was archived so is read-only."})")},
      {"POST token", json_answer(404, R"({"message":"Not Found"})")},
  }};
  for (const auto& [kind, answer] : cases) {
    CAPTURE(kind);
    World w;
    w.http.refusals[kind] = answer;
    w.ask("profile");
    w.settle();
    CHECK(w.outbox().refusal(w.request_id));
    CHECK(w.http.count(kind) == 1);
    CHECK(w.http.reactions.empty());
  }
}

TEST_CASE("a rate limit holds back the whole installation for as long as GitHub says") {
  World w;
  w.http.refusals["POST comments"] =
      json_answer(429, R"({"message":"slow down"})", {{"Retry-After", "90"}});
  w.ask("help", 0);
  w.ask("help", 0);
  CHECK(w.step());
  CHECK(w.step());  // the other one is put off without being tried
  CHECK(w.http.count("POST comments") == 1);
  CHECK(w.outbox().next_due_ms() == kStartMs + 2'000);  // looked at again, still held
  w.clock.advance(89'999);
  w.step();
  CHECK(w.http.count("POST comments") == 1);
  w.http.refusals.clear();
  w.settle();
  CHECK(w.http.count("POST comments") == 3);
  CHECK(w.http.comments.size() == 2);
}

TEST_CASE("a limit without a time doubles") {
  World w;
  w.http.refusals["GET comments"] = json_answer(403, R"({"message":"secondary rate limit"})");
  w.ask("profile");
  for (const std::int64_t wait_ms : {60'000, 120'000, 240'000}) {
    CHECK(w.step());
    CHECK(w.outbox().next_due_ms() == w.clock.now_ms() + wait_ms);
    w.clock.advance(wait_ms);
  }
}

TEST_CASE("an outage is waited out, a refusal is not") {
  World w;
  w.http.refusals["GET comments"] = json_answer(502, "");
  w.ask("profile");
  std::int64_t waited_ms = 0;
  for (int tries = 0; tries < 20; ++tries) {
    CHECK(w.step());
    REQUIRE_FALSE(w.outbox().refusal(w.request_id));
    waited_ms += w.outbox().next_due_ms().value() - w.clock.now_ms();
    w.clock.set(w.outbox().next_due_ms().value());
  }
  // 5, 10, 20, 40, 80, 160, 320 s, then 600 s each: 635 + 13 * 600.
  CHECK(waited_ms == 8'435'000);
  w.http.refusals.clear();
  w.settle();
  CHECK(w.http.comments.size() == 1);

  World refused;
  refused.http.refusals["GET comments"] = json_answer(404, R"({"message":"Not Found"})");
  refused.ask("profile");
  refused.settle();
  CHECK(refused.outbox().refusal(refused.request_id) ==
        "given up after 5 attempts: GitHub answered 404 to GET /repos/octo/repo/issues/7/comments: "
        "Not Found");
  CHECK(refused.http.count("GET comments") == 5);
}

TEST_CASE("waiting requests are looked at again, and edited only when their words change") {
  World w;
  w.ask("profile");
  w.settle();
  tests::run_coroutine(w.process->context, refresh(w.process->responder));
  w.settle();
  CHECK(w.http.comments[0].edits == 0);
  const std::array<std::string, 1> hardware{"cpu"};
  const std::array<std::string, 1> recipes{"toy-moe"};
  db::Jobs(w.database).note_poll("local", hardware, recipes, w.clock.now_ms());
  w.clock.advance(13 * 60'000);
  tests::run_coroutine(w.process->context, refresh(w.process->responder));
  w.settle();
  CHECK(w.http.comments[0].edits == 1);
  CHECK(w.http.comments[0].body.contains(
      "No worker for `cpu` has been seen for more than 10 minutes"));
}

TEST_CASE("the loop works until it is cancelled") {
  World w;
  w.ask("help", 0);
  boost::asio::cancellation_signal stop;
  std::exception_ptr end;
  auto done = [&end](std::exception_ptr how) { end = how; };
  boost::asio::co_spawn(w.process->context, w.process->responder.run(),
                        boost::asio::bind_cancellation_slot(stop.slot(), done));
  while (w.http.comments.empty()) w.process->context.run_one();
  stop.emit(boost::asio::cancellation_type::terminal);
  w.process->responder.poke();
  w.process->context.run();
  REQUIRE(end);
  CHECK_THROWS_AS(std::rethrow_exception(end), boost::system::system_error);
  CHECK(w.http.comments.size() == 1);
}
