#pragma once
// `stepscope submit`, `runs`, `show` and `health`: clients of a daemon's REST API. The address
// comes from
// --server or STEPSCOPE_URL, the token from a file named by --token-file or STEPSCOPE_TOKEN_FILE.

#include <chrono>
#include <expected>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "db/run.h"

namespace stepscope::server {

struct ClientOptions {
  std::string server;                // empty: STEPSCOPE_URL, else http://127.0.0.1:8080
  std::filesystem::path token_file;  // empty: STEPSCOPE_TOKEN_FILE, else no token
};

struct SubmitCommand {
  std::string text;
  bool wait = false;  // until the runs are final, then print their reports
  std::chrono::seconds time_limit{3600};
};

struct ShowCommand {
  db::JobId id = 0;
  std::string format = "markdown";  // markdown, json or html; "run" prints the run itself
};

struct FetchFault {
  bool usage = false;  // the token file can not be read: nothing was asked
  std::string message;
};

// The body of GET `path` on the daemon's REST API; a trace may take minutes. Error: one line.
std::expected<std::string, FetchFault> fetch(const ClientOptions& options, const std::string& path);

// Exit codes: 0; 1 the server or the run said no; 2 usage.
int run_submit(const ClientOptions& options, const SubmitCommand& command, std::ostream& out,
               std::ostream& err);
// `query` as in GET /api/v1/runs, without the question mark.
int run_runs(const ClientOptions& options, const std::string& query, std::ostream& out,
             std::ostream& err);
// Whether the daemon is ready: what the image's HEALTHCHECK asks.
int run_health(const ClientOptions& options, std::ostream& out, std::ostream& err);
int run_show(const ClientOptions& options, const ShowCommand& command, std::ostream& out,
             std::ostream& err);

}  // namespace stepscope::server
