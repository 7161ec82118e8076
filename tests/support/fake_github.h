#pragma once
// Stand-ins for GitHub, and a clock to go with them, inside a test's process: ScriptedHttp hands
// out prepared answers, FakeGitHub remembers comments and can fail, or "kill" the process, at any
// request.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "runtime/http_client.h"

namespace stepscope::tests {

class FakeClock final : public runtime::Clock {
 public:
  explicit FakeClock(std::int64_t now_ms) : now_ms_(now_ms) {}
  std::int64_t now_ms() const override { return now_ms_; }
  void set(std::int64_t now_ms) { now_ms_ = now_ms; }
  void advance(std::int64_t by_ms) { now_ms_ += by_ms; }

 private:
  std::int64_t now_ms_;
};

// Answers in order; a request beyond them is answered with 500. Keeps what it was asked.
class ScriptedHttp final : public runtime::HttpClient {
 public:
  boost::asio::awaitable<runtime::Result<runtime::HttpResponse>> send(
      runtime::OutgoingRequest request) override;

  std::vector<runtime::HttpResponse> answers;
  std::vector<runtime::OutgoingRequest> requests;
};

runtime::HttpResponse json_answer(int status, std::string body, runtime::Headers headers = {});

// One issue, "octo/repo" number 7, of an App whose account is "stepscope[bot]".
class FakeGitHub final : public runtime::HttpClient {
 public:
  struct Crash {};  // thrown where the process would have died; nothing catches it on the way
  enum class Fault { crash_before, crash_after, lost_before, lost_after };
  struct Comment {
    std::int64_t id = 0;
    std::string login;
    std::string body;
    int edits = 0;
  };

  boost::asio::awaitable<runtime::Result<runtime::HttpResponse>> send(
      runtime::OutgoingRequest request) override;
  // Requests of one kind, "POST comments" for instance, in order of arrival.
  int count(const std::string& kind) const;

  std::vector<Comment> comments;
  std::vector<std::string> kinds;  // of every request
  std::vector<std::string> reactions;
  std::map<std::size_t, Fault> faults;                    // by index of the request
  std::map<std::string, runtime::HttpResponse> refusals;  // by kind, until taken away

 private:
  runtime::HttpResponse act(const runtime::OutgoingRequest& request, const std::string& kind);

  std::int64_t last_id_ = 100;
};

}  // namespace stepscope::tests
