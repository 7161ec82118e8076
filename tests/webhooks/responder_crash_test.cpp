#include <doctest/doctest.h>

#include "tests/webhooks/responder_world.h"

// The process dies, or an answer is lost, at every possible place: GitHub must end up with one
// comment and the right text in it.

using namespace stepscope;
using namespace stepscope::webhooks;
using db::JobState;
using responder_tests::World;
using tests::FakeGitHub;
using Fault = FakeGitHub::Fault;

namespace {

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
  CHECK(w.http.comments[0].body.starts_with(std::string(responder_tests::kMarker) +
                                            "**Finished in "));
  CHECK(w.http.comments[0].body.contains("### The report\n"));
}

}  // namespace

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
