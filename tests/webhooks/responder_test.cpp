#include "webhooks/responder.h"

#include <doctest/doctest.h>

#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>

#include "tests/webhooks/responder_world.h"

using namespace stepscope;
using namespace stepscope::webhooks;
using db::JobState;
using responder_tests::kMarker;
using responder_tests::kStartMs;
using responder_tests::World;
using tests::json_answer;

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

boost::asio::awaitable<bool> refresh(Responder& responder) {
  co_await responder.refresh_queued();
  co_return true;
}

TEST_CASE("waiting requests are looked at again, and edited only when their words change") {
  World w;
  w.ask("profile");
  w.settle();
  tests::run_coroutine(w.process->context, refresh(w.process->responder));
  w.settle();
  CHECK(w.http.comments[0].edits == 0);
  const std::vector<db::Capability> kinds{{"cpu", "toy-moe"}};
  db::Jobs(w.database).note_poll("local", kinds, w.clock.now_ms());
  w.clock.advance(13 * 60'000);
  tests::run_coroutine(w.process->context, refresh(w.process->responder));
  w.settle();
  CHECK(w.http.comments[0].edits == 1);
  CHECK(w.http.comments[0].body.contains(
      "No worker for `cpu` with the recipe `toy-moe` has been seen for more than 10 minutes"));
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
