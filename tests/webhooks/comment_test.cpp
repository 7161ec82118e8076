#include "webhooks/comment.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace stepscope;
using namespace stepscope::webhooks;
using db::JobState;

namespace {

constexpr std::int64_t kQueuedMs = 1'796'040'224'000;  // 2026-11-30T12:03:44Z

JobView job_view(JobState state) {
  JobView view;
  view.job.id = 57;
  view.job.state = state;
  view.job.config.key = "dsr1-fp4-b200-sglang";
  view.job.config.hardware = "b200";
  view.job.config.recipe = "sglang";
  view.job.config.conc = 4;
  view.job.config.tp = 4;
  view.job.config.assumed = {"framework", "seq_len"};
  view.job.queued_ms = kQueuedMs;
  view.events = {{57, kQueuedMs, "", "queued", ""}};
  if (state == JobState::queued) {
    view.queue_position = 2;
    view.runner_seen_ms = kQueuedMs;
    return view;
  }
  view.job.attempt = 1;
  view.job.runner = "b200-0";
  view.job.started_ms = kQueuedMs + 160'000;
  view.events.push_back({57, kQueuedMs + 160'000, "queued", "assigned", "attempt 1 on b200-0"});
  if (state == JobState::assigned) return view;
  view.events.push_back({57, kQueuedMs + 165'000, "assigned", "running", ""});
  if (db::is_final(state)) {
    view.job.analysing_ms = kQueuedMs + 722'200;
    view.job.finished_ms = kQueuedMs + 723'000;
  }
  return view;
}

CommentInput input_of(std::vector<JobView> jobs) {
  CommentInput input;
  input.request.marker = "8f3a";
  input.jobs = std::move(jobs);
  input.public_url = "https://stepscope.example";
  input.mention = "stepscope";
  input.now_ms = kQueuedMs;
  return input;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                                             : 4;
    if (length == 0 || at + length > text.size()) return false;
    for (std::size_t next = 1; next < length; ++next) {
      if ((static_cast<unsigned char>(text[at + next]) & 0xC0U) != 0x80U) return false;
    }
    at += length;
  }
  return true;
}

// The text without its code spans: where a mention would work.
std::string outside_code(const std::string& text) {
  std::string outside;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '`') {
      outside += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of('`', at), text.size());
    const std::string fence = text.substr(at, end - at);
    const std::size_t close = text.find(fence, end);
    at = close == std::string::npos ? end : close + fence.size();
  }
  return outside;
}

}  // namespace

TEST_CASE("queued") {
  CHECK(compose_comment(input_of({job_view(JobState::queued)})) ==
        "<!-- stepscope:request=8f3a -->\n"
        "**Queued**, place 2 · [run 57](https://stepscope.example/runs/57)\n\n"
        "Understood as `profile dsr1-fp4-b200-sglang conc 4 tp 4 1 decode step` (assumed: "
        "framework, lengths).\n\n"
        "- [x] queued 12:03:44 UTC\n- [ ] assigned\n- [ ] running\n- [ ] uploading\n- [ ] "
        "analysing\n\n");
}

TEST_CASE("a queue that nobody serves says so") {
  CommentInput input = input_of({job_view(JobState::queued)});
  input.now_ms = kQueuedMs + 12 * 60'000;
  CHECK(
      compose_comment(input).ends_with("No worker for `b200` with the recipe `sglang` has been "
                                       "seen for more than 10 minutes; the run starts when one "
                                       "comes.\n"));
  input.jobs[0].runner_seen_ms = std::nullopt;
  CHECK(compose_comment(input).ends_with(
      "No worker for `b200` with the recipe `sglang` has been seen yet; the run starts when one "
      "comes.\n"));
}

TEST_CASE("under way: ticks are the event log, open boxes what is to come") {
  const std::string body = compose_comment(input_of({job_view(JobState::running)}));
  CHECK(body.contains("**Running** on `b200-0` · [run 57](https://stepscope.example/runs/57)\n"));
  CHECK(
      body.contains("- [x] queued 12:03:44 UTC\n"
                    "- [x] assigned 12:06:24 UTC, `attempt 1 on b200-0`\n"
                    "- [x] running 12:06:29 UTC\n"
                    "- [ ] uploading\n- [ ] analysing\n"));
  JobView view = job_view(JobState::uploading);
  view.job.cancel_requested = true;
  CHECK(compose_comment(input_of({view}))
            .contains("**Uploading** the trace from `b200-0` · [run "
                      "57](https://stepscope.example/runs/57) · asked to cancel\n"));
  CHECK(compose_comment(input_of({job_view(JobState::analysing)}))
            .contains("**Analysing** the trace · "));
  CHECK(compose_comment(input_of({job_view(JobState::assigned)}))
            .contains("**Assigned** to `b200-0` · "));
}

TEST_CASE("queued again after a lost worker, on the next day") {
  JobView view = job_view(JobState::running);
  view.job.state = JobState::queued;
  view.queue_position = 1;
  view.runner_seen_ms = kQueuedMs;
  view.events.push_back({57, kQueuedMs + 12 * 3'600'000, "running", "queued",
                         "runner: b200-0 was not heard of any more"});
  const std::string body = compose_comment(input_of({view}));
  CHECK(body.contains("**Queued again**, place 1 · "));
  CHECK(
      body.contains("- [x] queued again 2026-12-01 00:03:44 UTC, `runner: b200-0 was not heard of "
                    "any more`\n- [ ] assigned\n"));
}

TEST_CASE("done: headline with its times, the report, the links, no box") {
  JobView view = job_view(JobState::done);
  view.report = "### DeepSeek-R1\n\n| where | ms |\n| --- | ---: |\n";
  view.job.trace_file = "57.json.gz";
  const std::string body = compose_comment(input_of({view}));
  CHECK(body ==
        "<!-- stepscope:request=8f3a -->\n"
        "**Finished in 12 m 3 s** · [run 57](https://stepscope.example/runs/57) · queued 2 m 40 s, "
        "profiled on `b200-0` in 9 m 22 s, analysed in 0.8 s\n\n"
        "### DeepSeek-R1\n\n| where | ms |\n| --- | ---: |\n\n"
        "[trace](https://stepscope.example/runs/57/trace) · "
        "[JSON](https://stepscope.example/api/v1/runs/57/breakdown) · "
        "again: `@stepscope profile dsr1-fp4-b200-sglang conc 4 tp 4 1 decode step`\n");
}

TEST_CASE("without pages of our own there are no links") {
  JobView view = job_view(JobState::done);
  view.job.trace_file = "57.json.gz";
  CommentInput input = input_of({view, job_view(JobState::failed)});
  input.public_url = "";
  const std::string body = compose_comment(input);
  CHECK_FALSE(body.contains("]("));
  CHECK(body.contains("**Finished in 12 m 3 s** · run 57 · "));
  CHECK(body.contains("\n\nagain: `@stepscope profile "));
}

TEST_CASE("failed: layer, first line, what to do, no open box") {
  JobView view = job_view(JobState::failed);
  view.job.failure = db::JobFailure{db::ErrorKind::configuration, "server",
                                    "OOM ` @everyone #12 <b> | x\nsecond line"};
  view.events.push_back({57, kQueuedMs + 723'000, "running", "failed", "server: OOM"});
  const std::string body = compose_comment(input_of({view}));
  CHECK(body.contains("**Failed** after 12 m 3 s · [run 57](https://stepscope.example/runs/57)\n"));
  CHECK(body.contains(
      "In the server layer: ``OOM ` @everyone #12 <b> | x``\n\n"
      "A repeat would end the same way: the recipe or the catalog's row needs a change first. "));
  CHECK(body.contains(" [Log](https://stepscope.example/runs/57)\n"));
  CHECK(body.contains("- [x] failed 12:15:47 UTC, `server: OOM`\n"));
  CHECK_FALSE(body.contains("[ ]"));
  CHECK_FALSE(body.contains("second line"));
  CHECK_FALSE(body.contains("inished"));
  CHECK_FALSE(outside_code(body).contains('@'));
  CHECK_FALSE(outside_code(body).contains("#12"));
}

TEST_CASE("failed in the analysis: the trace is kept and the partial report shown") {
  JobView view = job_view(JobState::failed);
  view.job.failure = db::JobFailure{db::ErrorKind::analysis, "capture", "cut at byte 7"};
  view.job.trace_file = "57.json.gz";
  view.report = "PARTIAL: cut at byte 7\n";
  const std::string body = compose_comment(input_of({view}));
  CHECK(body.contains("The trace is kept, so nothing needs to be measured again"));
  CHECK(body.contains(
      "What the trace tells as far as it goes:\n\nPARTIAL: cut at byte 7\n\n[trace]("));
}

TEST_CASE("other ends") {
  JobView lost = job_view(JobState::failed);
  lost.job.attempt = 3;
  lost.job.failure = db::JobFailure{db::ErrorKind::infrastructure, "runner", "gone"};
  CHECK(compose_comment(input_of({lost}))
            .contains("not from the request (3 attempts). Once they are well, ask again: "
                      "`@stepscope profile "));
  CHECK(compose_comment(input_of({lost})).contains(" · attempt 3\n"));

  JobView cancelled = job_view(JobState::cancelled);
  cancelled.events.push_back(
      {57, kQueuedMs + 723'000, "running", "cancelled", "stopped by b200-0"});
  const std::string body = compose_comment(input_of({cancelled}));
  CHECK(body.contains("**Cancelled** after 12 m 3 s · "));
  CHECK(body.contains("To run it after all: `@stepscope profile "));
  CHECK_FALSE(body.contains("[ ]"));

  JobView late = job_view(JobState::timed_out);
  late.events.push_back({57, kQueuedMs + 723'000, "running", "timed_out", ""});
  CHECK(compose_comment(input_of({late})).contains("**Timed out** after 12 m 3 s"));
  CHECK(compose_comment(input_of({late})).contains("- [x] timed out 12:15:47 UTC\n"));
}

TEST_CASE("an answer without jobs is the explanation") {
  CommentInput input = input_of({});
  input.explanation = "Which hardware?";
  CHECK(compose_comment(input) == "<!-- stepscope:request=8f3a -->\nWhich hardware?\n\n");
  CHECK(is_final(input));
  input.explanation = "";
  CHECK(compose_comment(input) == "<!-- stepscope:request=8f3a -->\nThis started no run.\n\n");
}

TEST_CASE("several jobs: a count, what was refused, a section each") {
  JobView done = job_view(JobState::done);
  done.report = "### A report\n";
  JobView waiting = job_view(JobState::queued);
  waiting.job.id = 58;
  CommentInput input = input_of({done, waiting});
  input.explanation = "`mi999` is no hardware that I know.";
  const std::string body = compose_comment(input);
  CHECK(
      body.starts_with("<!-- stepscope:request=8f3a -->\n**2 runs**: 1 finished, 1 queued\n\n"
                       "`mi999` is no hardware that I know.\n\n"
                       "## Run 57: `dsr1-fp4-b200-sglang`, conc 4\n\n**Finished in 12 m 3 s**"));
  CHECK(body.contains("\n\n## Run 58: `dsr1-fp4-b200-sglang`, conc 4\n\n**Queued**, place 2"));
  CHECK_FALSE(is_final(input));
}

TEST_CASE("long reports share the room and say that they are cut") {
  std::string section =
      "<details><summary>s</summary>\n\n" + std::string(970, 'z') + "\n</details>\n\n";
  JobView big = job_view(JobState::done);
  for (int count = 0; count < 80; ++count) big.report += section;
  JobView small = job_view(JobState::done);
  small.report = "### short\n";
  const std::string body = compose_comment(input_of({big, small, big}));
  CHECK(body.size() <= kCommentBytesMax);
  CHECK(body.size() > kCommentBytesMax - 3'000);  // less than a section of each long one is lost
  CHECK(body.contains("### short\n"));
  const std::string note =
      "*The rest of the report is too long for a comment: [run "
      "57](https://stepscope.example/runs/57).*\n";
  CHECK(body.contains("</details>\n\n" + note));
  CHECK(std::ranges::count(body, 'z') % 970 == 0);  // no section is cut in two
  CHECK(body.ends_with("1 decode step`\n"));
}

TEST_CASE("whatever comes in, the body is bounded UTF-8 and mentions nobody") {
  std::vector<JobView> jobs;
  for (int count = 0; count < 40; ++count) {
    JobView view = job_view(count % 2 == 0 ? JobState::failed : JobState::running);
    view.job.runner = "@all \xFF\xE2\x80\xAE #1\n\n```";
    view.job.failure =
        db::JobFailure{db::ErrorKind::analysis, "@team\n", std::string(5'000, '`') + "\xC3 @x"};
    for (int row = 0; row < 20; ++row) {
      view.events.push_back(
          {57, kQueuedMs, "running", "queued", "<!-- @you\xC3\xA4" + std::string(1'000, '|')});
    }
    view.report = std::string(3'000, 'r');
    jobs.push_back(view);
  }
  CommentInput input = input_of(jobs);
  input.explanation = std::string(100'000, 'e');
  const std::string body = compose_comment(input);
  CHECK(body.size() <= kCommentBytesMax);
  CHECK(is_utf8(body));
  CHECK_FALSE(outside_code(body).contains('@'));
}
