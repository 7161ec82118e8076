#pragma once
// What `stepscope compare` can be given, read into sides: trace files, a folder of rank files, a
// breakdown as JSON, a run of a daemon. Blocking. A run whose figures were made with another
// category table can be analysed again from its trace.

#include <expected>
#include <filesystem>
#include <optional>
#include <string>

#include "analysis/analyze.h"
#include "analysis/compare.h"
#include "server/client_commands.h"

namespace stepscope::server {

struct InputFault {
  bool usage = false;
  std::string message;
};

// As a run's configuration says it; better than words of its report, but only against another run.
struct RunFacts {
  analysis::SideFacts facts;
  std::string trace_name;  // empty: no trace is kept
};

struct CompareInput {
  analysis::CompareSide side;
  bool is_trace = false;
  std::string id;  // of a run, else empty
  std::optional<RunFacts> run;
};

// Digits are a run; a file of such a name is given as ./57. `options` are for traces.
std::expected<CompareInput, InputFault> read_input(const std::string& what,
                                                   const analysis::AnalyzeOptions& options,
                                                   const ClientOptions& client);

// A run's trace, fetched and analysed here with the step choice of its stored breakdown. Leaves no
// file behind. Error: why there is none.
std::expected<void, std::string> analyze_run_again(CompareInput& run,
                                                   analysis::AnalyzeOptions options,
                                                   const ClientOptions& client);

}  // namespace stepscope::server
