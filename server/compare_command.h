#pragma once
// `stepscope compare A B`: two trace files, breakdowns as JSON, or runs of a daemon, in any mix.
// The comparison goes to the output stream, errors as one line to the error stream; exit codes are
// a contract (0 compared, 2 usage, 3 an input can not be analysed).

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "server/client_commands.h"

namespace stepscope::server {

struct CompareCommand {
  std::string format = "markdown";   // markdown or json
  std::optional<std::string> phase;  // this and the next two are for trace files
  std::optional<int> rank;
  std::string step = "median";  // median (of all, which gives the ranges), all, or an index
  std::filesystem::path rules_file;
  std::string a;  // a file, a folder of rank files, or a run: digits only
  std::string b;
  ClientOptions client;
};

int run_compare(const CompareCommand& command, std::ostream& out, std::ostream& err);

}  // namespace stepscope::server
