#pragma once
// The nouns of the history: what a request asked for, the job that runs it, what came of it. Plain
// values; times are Unix milliseconds. A run and its job share one id, the one that people see.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::db {

using RequestId = std::int64_t;
using JobId = std::int64_t;

enum class JobState {
  queued,
  assigned,
  running,
  uploading,
  analysing,
  done,
  failed,
  cancelled,
  timed_out,
};
std::string_view to_string(JobState state);
std::optional<JobState> job_state_from(std::string_view text);
bool is_final(JobState state);

// infrastructure: tried again elsewhere; configuration: fails at once; analysis: fails, trace kept.
enum class ErrorKind { infrastructure, configuration, analysis };
std::string_view to_string(ErrorKind kind);
std::optional<ErrorKind> error_kind_from(std::string_view text);

// One operating point of one catalog row: all that a recipe needs. Words from the catalog only.
struct RunConfig {
  std::string key;         // "dsr1-fp4-b200-sglang"
  std::string model;       // prefix word, "dsr1"
  std::string model_name;  // "deepseek-ai/DeepSeek-R1-0528"
  std::string hardware;
  std::string precision;
  std::string framework;
  std::string image;         // may be empty
  std::string recipe;        // which recipe runs it: "toy-moe", "replay", "sglang", ...
  std::string trace_source;  // replay only: the file or URL of the operator's catalog
  int conc = 0;
  int isl = 0;
  int osl = 0;
  int tp = 1;
  int ep = 1;
  bool dp_attn = false;
  std::string spec = "none";
  std::string phase = "decode";  // decode, prefill or both
  int steps = 1;
  std::vector<std::string> assumed;  // fields that the request left open, sorted
};

// Where a request came from and what it was understood as.
struct Request {
  RequestId id = 0;
  std::string source;  // "github", "api" or "cli"
  std::string marker;  // random hex: the hidden marker of its comment
  // GitHub only:
  std::string repository;  // "owner/name"
  std::int64_t repository_id = 0;
  std::int64_t issue_number = 0;
  std::int64_t comment_id = 0;
  std::string comment_url;
  std::string author;
  std::int64_t installation_id = 0;
  std::string text;        // as written, untrusted
  std::string verb;        // profile, refuse, clarify, help
  std::string understood;  // canonical JSON of the command (webhooks/command.h)
  std::int64_t received_ms = 0;
};

struct JobFailure {
  ErrorKind kind = ErrorKind::infrastructure;
  std::string layer;    // runner, server, capture, ingest or analysis
  std::string message;  // one line, untrusted text allowed
};

struct Job {
  JobId id = 0;
  RequestId request_id = 0;
  RunConfig config;
  JobState state = JobState::queued;
  int attempt = 0;     // of 3
  std::string runner;  // who has or had it
  bool cancel_requested = false;
  std::int64_t queued_ms = 0;
  std::optional<std::int64_t> started_ms;  // of the last attempt
  std::optional<std::int64_t> analysing_ms;
  std::optional<std::int64_t> finished_ms;
  std::optional<std::int64_t> lease_until_ms;
  std::optional<JobFailure> failure;
  // The trace, once it has arrived:
  std::string trace_file;  // name inside the artifact folder, empty when there is none (any more)
  std::string trace_name;  // file name to offer on download
  std::string trace_sha256;
  std::int64_t trace_bytes = 0;
  std::string runner_note;  // "AMD EPYC ..., 2 threads": what the recipe said of the hardware
};

struct JobEvent {
  JobId job_id = 0;
  std::int64_t at_ms = 0;
  std::string from;
  std::string to;
  std::string detail;
};

// What a finished analysis leaves behind; rendered once, at ingest.
struct StoredBreakdown {
  std::string json;  // stepscope.breakdown/1
  std::string markdown;
  std::string html;
  std::string table_version;
  std::int64_t wall_ns = 0;  // of the step shown
  std::int64_t idle_ns = 0;
  bool complete = true;
};

struct KernelTotal {
  std::string stream;
  std::string name;
  std::string category;
  std::int64_t calls = 0;
  std::int64_t sum_ns = 0;
  std::int64_t charged_ns = 0;
};

}  // namespace stepscope::db
