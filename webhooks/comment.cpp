#include "webhooks/comment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/reports/text.h"
#include "webhooks/comment_words.h"
#include "webhooks/github_time.h"

namespace stepscope::webhooks {
namespace {

using analysis::code_span;
using db::JobState;

constexpr std::size_t kExplanationBytesMax = 15'000;
constexpr std::size_t kFailureCharsMax = 300;
constexpr std::size_t kDetailCharsMax = 120;
constexpr std::string_view kReportCut = "*The rest of the report is too long for a comment{}.*";

// A job's part of the comment: the report in the middle is what may be cut.
struct Section {
  std::string before;
  std::string report;
  std::string after;
};

// An address below our own pages, with what opens it.
std::string link(const CommentInput& input, const JobView& view, std::string_view text,
                 std::string_view path) {
  return fmt::format("[{}]({}{}{})", text, input.public_url, path, view.link_suffix);
}

std::string run_link(const CommentInput& input, const JobView& view) {
  std::string text = fmt::format("run {}", view.job.id);
  if (input.public_url.empty()) return text;
  return link(input, view, text, fmt::format("/runs/{}", view.job.id));
}

std::string again_words(const CommentInput& input, const db::Job& job) {
  return code_span(fmt::format("@{} {}", input.mention, command_words(job.config)));
}

std::string first_line(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of("\r\n \t"), text.size());
  return std::string(text.substr(start, text.find_first_of("\r\n", start) - start));
}

// "timed out" from the state's name.
std::string spaced(std::string_view state) {
  std::string words(state);
  std::ranges::replace(words, '_', ' ');
  return words;
}

// Empty unless both ends are known.
std::string lasted(std::optional<std::int64_t> from_ms, std::optional<std::int64_t> to_ms) {
  return from_ms && to_ms ? format_duration(*to_ms - *from_ms) : std::string();
}

std::string done_times(const db::Job& job) {
  std::string text;
  const std::string queued = lasted(job.queued_ms, job.started_ms);
  const std::string profiled = lasted(job.started_ms, job.analysing_ms);
  const std::string analysed = lasted(job.analysing_ms, job.finished_ms);
  // Time before the last attempt holds earlier ones too, so it is not called queueing then.
  if (!queued.empty()) text += fmt::format("{} {}", job.attempt > 1 ? "waited" : "queued", queued);
  if (!profiled.empty()) {
    text += fmt::format(", profiled on {} in {}", code_span(job.runner), profiled);
  }
  if (!analysed.empty()) text += fmt::format(", analysed in {}", analysed);
  return text;
}

std::string state_words(const JobView& view) {
  const db::Job& job = view.job;
  const std::string whole = lasted(job.queued_ms, job.finished_ms);
  const std::string after = whole.empty() ? whole : " after " + whole;
  switch (job.state) {
    case JobState::queued:
      return fmt::format("**{}**, place {}", job.attempt > 0 ? "Queued again" : "Queued",
                         view.queue_position);
    case JobState::assigned:
      return fmt::format("**Assigned** to {}", code_span(job.runner));
    case JobState::running:
      return fmt::format("**Running** on {}", code_span(job.runner));
    case JobState::uploading:
      return fmt::format("**Uploading** the trace from {}", code_span(job.runner));
    case JobState::analysing:
      return "**Analysing** the trace";
    case JobState::done:
      return fmt::format("**Finished in {}**", whole);
    case JobState::failed:
      return fmt::format("**Failed**{}", after);
    case JobState::cancelled:
      return fmt::format("**Cancelled**{}", after);
    case JobState::timed_out:
      return fmt::format("**Timed out**{}", after);
  }
  return {};
}

std::string headline(const CommentInput& input, const JobView& view) {
  const db::Job& job = view.job;
  std::string line = state_words(view) + " · " + run_link(input, view);
  if (job.attempt > 1) line += fmt::format(" · attempt {}", job.attempt);
  if (job.cancel_requested && !db::is_final(job.state)) line += " · asked to cancel";
  const std::string times = job.state == JobState::done ? done_times(job) : std::string();
  if (!times.empty()) line += " · " + times;
  return line;
}

// One row of the event log; the date is said where it is not that of the row before.
std::string checked_line(const db::JobEvent& event, std::string_view day_before) {
  const std::string at = format_iso8601(event.at_ms);
  const bool again = event.to == "queued" && !event.from.empty();
  std::string line = "- [x] " + (again ? "queued again" : spaced(event.to));
  if (!day_before.empty() && !at.starts_with(day_before)) line += " " + at.substr(0, 10);
  line += fmt::format(" {} UTC", at.substr(11, 8));
  if (!event.detail.empty()) {
    const std::string detail = first_line(event.detail);
    line += ", " + code_span(analysis::shortened(detail, kDetailCharsMax));
  }
  return line + "\n";
}

std::string checklist(const JobView& view) {
  static constexpr std::array kSteps = {JobState::queued, JobState::assigned, JobState::running,
                                        JobState::uploading, JobState::analysing};
  std::string list;
  std::string day;
  for (const db::JobEvent& event : view.events) {
    list += checked_line(event, day);
    day = format_iso8601(event.at_ms).substr(0, 10);
  }
  if (!db::is_final(view.job.state)) {
    for (const JobState step : kSteps) {
      if (step > view.job.state) list += fmt::format("- [ ] {}\n", db::to_string(step));
    }
  }
  return list;
}

std::string worker_note(const CommentInput& input, const JobView& view) {
  if (view.job.state != JobState::queued) return {};
  const std::string kind = fmt::format("{} with the recipe {}", code_span(view.job.config.hardware),
                                       code_span(view.job.config.recipe));
  if (!view.runner_seen_ms) {
    return fmt::format("No worker for {} has been seen yet; the run starts when one comes.", kind);
  }
  const auto unseen = unseen_words(input.now_ms - *view.runner_seen_ms);
  if (!unseen) return {};
  return fmt::format(
      "No worker for {} has been seen for more than {}; the run starts when one comes.", kind,
      *unseen);
}

std::string what_to_do(const CommentInput& input, const JobView& view) {
  const db::Job& job = view.job;
  const std::string again = again_words(input, job);
  if (job.state == JobState::cancelled) return "To run it after all: " + again + ".";
  if (job.state == JobState::timed_out) {
    return "It took longer than a run may. With fewer steps or a smaller concurrency it may fit; "
           "the log says how far it came. The same again: " +
           again + ".";
  }
  const db::ErrorKind kind = job.failure ? job.failure->kind : db::ErrorKind::infrastructure;
  switch (kind) {
    case db::ErrorKind::infrastructure:
      return fmt::format(
          "This came from the machines and not from the request ({} attempt{}). Once they are "
          "well, ask again: {}.",
          job.attempt, job.attempt == 1 ? "" : "s", again);
    case db::ErrorKind::configuration:
      return "A repeat would end the same way: the recipe or the catalog's row needs a change "
             "first. Then: " +
             again + ".";
    case db::ErrorKind::analysis:
      return job.trace_file.empty()
                 ? "The trace could not be read and is not kept. A new one: " + again + "."
                 : "The trace is kept, so nothing needs to be measured again to look into it. "
                   "A new one: " +
                       again + ".";
  }
  return {};
}

std::string failure_text(const CommentInput& input, const JobView& view) {
  const db::Job& job = view.job;
  std::string text;
  if (job.failure) {
    const std::string line =
        analysis::shortened(first_line(job.failure->message), kFailureCharsMax);
    text += fmt::format("In the {} layer: {}\n\n", analysis::markdown_text(job.failure->layer),
                        code_span(line));
  }
  text += what_to_do(input, view);
  if (!input.public_url.empty()) {
    text += " " + link(input, view, "Log", fmt::format("/runs/{}", job.id));
  }
  return text + "\n\n";
}

std::string footer(const CommentInput& input, const JobView& view) {
  const db::Job& job = view.job;
  std::string line;
  if (!input.public_url.empty()) {
    if (!job.trace_file.empty()) {
      line += link(input, view, "trace", fmt::format("/runs/{}/trace", job.id)) + " · ";
    }
    line += link(input, view, "JSON", fmt::format("/api/v1/runs/{}/breakdown", job.id)) + " · ";
  }
  return line + "again: " + again_words(input, job) + "\n";
}

Section job_section(const CommentInput& input, const JobView& view) {
  const db::Job& job = view.job;
  Section section;
  section.before = headline(input, view) + "\n\n";
  if (job.state == JobState::done) {
    section.report = view.report;
    section.after = footer(input, view);
    return section;
  }
  section.before += understood_line(job.config) + "\n\n";
  const bool with_failure = db::is_final(job.state);
  if (with_failure) section.before += failure_text(input, view);
  section.before += checklist(view) + "\n";
  const std::string note = worker_note(input, view);
  if (!note.empty()) section.before += note + "\n";
  if (with_failure && !view.report.empty()) {
    section.before += "What the trace tells as far as it goes:\n\n";
    section.report = view.report;
    section.after = footer(input, view);
  }
  return section;
}

// "**3 runs**: 1 finished, 1 running, 1 queued"
std::string count_line(const CommentInput& input) {
  static constexpr std::array kStates = {
      JobState::done,      JobState::failed,    JobState::timed_out,
      JobState::cancelled, JobState::analysing, JobState::uploading,
      JobState::running,   JobState::assigned,  JobState::queued};
  std::string line = fmt::format("**{} runs**:", input.jobs.size());
  std::string_view separator = " ";
  for (const JobState state : kStates) {
    const auto count = std::ranges::count_if(
        input.jobs, [&](const JobView& view) { return view.job.state == state; });
    if (count == 0) continue;
    const std::string words = state == JobState::done ? "finished" : spaced(db::to_string(state));
    line += fmt::format("{}{} {}", separator, count, words);
    separator = ", ";
  }
  return line + "\n\n";
}

// What each report may take of `left`: the short ones whole, the long ones an equal part.
std::vector<std::size_t> shares(const std::vector<Section>& sections, std::size_t left) {
  std::vector<std::pair<std::size_t, std::size_t>> order;  // (bytes, index)
  order.reserve(sections.size());
  for (std::size_t index = 0; index < sections.size(); ++index) {
    order.emplace_back(sections[index].report.size(), index);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> granted(sections.size());
  std::size_t waiting = sections.size();
  for (const auto& [bytes, index] : order) {
    granted[index] = std::min(bytes, left / waiting);
    left -= granted[index];
    --waiting;
  }
  return granted;
}

std::string fitted_report(const CommentInput& input, const JobView& view, const Section& section,
                          std::size_t bytes) {
  if (section.report.size() <= bytes) return section.report;
  const std::string where = input.public_url.empty() ? std::string() : ": " + run_link(input, view);
  const std::string note = fmt::format(fmt::runtime(kReportCut), where);
  const std::size_t room = bytes > note.size() + 3 ? bytes - note.size() - 3 : 0;
  std::string report(cut_markdown(section.report, room));
  while (report.ends_with('\n')) report.pop_back();
  return report + "\n\n" + note + "\n";
}

std::vector<Section> job_sections(const CommentInput& input) {
  std::vector<Section> sections;
  for (const JobView& view : input.jobs) {
    Section section = job_section(input, view);
    if (input.jobs.size() > 1) {
      section.before = fmt::format("## Run {}: {}, conc {}\n\n", view.job.id,
                                   code_span(view.job.config.key), view.job.config.conc) +
                       section.before;
    }
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace

std::string comment_marker(std::string_view request_marker) {
  return fmt::format("{}{} -->", kCommentMarkerStart, request_marker);
}

bool is_final(const CommentInput& input) {
  return std::ranges::all_of(input.jobs,
                             [](const JobView& view) { return db::is_final(view.job.state); });
}

std::string compose_comment(const CommentInput& given) {
  CommentInput input = given;
  while (input.public_url.ends_with('/')) input.public_url.pop_back();
  std::string body = comment_marker(input.request.marker) + "\n";
  if (input.jobs.size() > 1) body += count_line(input);
  std::string explanation(cut_markdown(input.explanation, kExplanationBytesMax));
  if (explanation.empty() && input.jobs.empty()) explanation = "This started no run.";
  if (!explanation.empty()) body += explanation + (explanation.ends_with('\n') ? "\n" : "\n\n");

  const std::vector<Section> sections = job_sections(input);
  std::size_t fixed = body.size();
  for (const Section& section : sections) {
    fixed += section.before.size() + section.after.size() + 2;
  }
  const std::size_t left = fixed < kCommentBytesMax ? kCommentBytesMax - fixed : 0;
  const std::vector<std::size_t> granted = shares(sections, left);
  for (std::size_t index = 0; index < sections.size(); ++index) {
    const Section& section = sections[index];
    body += section.before;
    body += fitted_report(input, input.jobs[index], section, granted[index]);
    if (!section.after.empty()) body += "\n" + section.after;
    if (index + 1 < sections.size()) body += "\n";
  }
  return std::string(cut_markdown(body, kCommentBytesMax));
}

}  // namespace stepscope::webhooks
