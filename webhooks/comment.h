#pragma once
// The whole text of our one comment on an issue, from what is true right now. Pure: the same input
// gives the same bytes. Every box that is ticked stands for a row of the job's event log; a job
// that has ended has no open box. Foreign text is escaped, nothing in it can mention or link.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/run.h"

namespace stepscope::webhooks {

// GitHub refuses more than 65,536 characters; below 60,000 bytes it does not matter how it counts.
inline constexpr std::size_t kCommentBytesMax = 59'999;

struct JobView {
  db::Job job;
  std::vector<db::JobEvent> events;
  std::string report;  // breakdown_markdown() of a done job, or of a failed one's partial trace
  int queue_position = 0;
  std::optional<std::int64_t> runner_seen_ms;  // of a worker that could take it
  std::string link_suffix;  // "?sig=..." where a link must carry its own right to read
};

struct CommentInput {
  db::Request request;
  std::vector<JobView> jobs;
  // Markdown that is safe to show: the whole answer when there is no job, else what is to be said
  // beside the jobs (parts of the request that were refused). May be empty.
  std::string explanation;
  std::string public_url;  // of our own pages; empty: no links
  std::string mention;     // our name, without the @
  std::int64_t now_ms = 0;
};

inline constexpr std::string_view kCommentMarkerStart = "<!-- stepscope:request=";
// The hidden first line by which our comment is found again: "<!-- stepscope:request=8f3a... -->".
std::string comment_marker(std::string_view request_marker);

// No job of it will change any more (true without jobs).
bool is_final(const CommentInput& input);

// At most kCommentBytesMax bytes; reports too long for that are cut between two sections and say
// so.
std::string compose_comment(const CommentInput& input);

}  // namespace stepscope::webhooks
