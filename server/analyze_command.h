#pragma once
// `stepscope analyze` and `stepscope classify`: the analysis on files and names from the command
// line. Reports go to the output stream, errors as one line to the error stream; exit codes are a
// contract (0 analysed, 2 usage, 3 the input can not be analysed).

#include <expected>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyze.h"

namespace stepscope::server {

inline constexpr int kExitUsage = 2;
inline constexpr int kExitInput = 3;

struct AnalyzeCommand {
  std::string format = "markdown";  // markdown, json, html or csv
  std::string table;                // csv only: one of breakdown_csv.h
  std::optional<std::string> phase;
  std::optional<int> rank;
  std::string step = "median";     // median, all, or an index
  std::optional<int> concurrency;  // the batch size whose steps are shown
  std::string unprofiled_ms;       // decimal text: time per output token without the profiler (R15)
  std::optional<double> accepted_tokens;  // per step, with speculative decoding
  std::filesystem::path rules_file;
  std::vector<std::filesystem::path> files;
  bool progress = false;  // bytes read, on the error stream
};

// `--step` into the options: median, all, or an index. Error: one line.
std::expected<void, std::string> choose_step(const std::string& text,
                                             analysis::AnalyzeOptions& options);

// The text of an operator's rule file; "" without a file. Error: one line that names the file.
std::expected<std::string, std::string> read_rules(const std::filesystem::path& file);

int run_analyze(const AnalyzeCommand& command, std::ostream& out, std::ostream& err);
// Names on `in`, one a line; prints category, component, rule and name with tabs between.
int run_classify(const std::filesystem::path& rules_file, std::istream& in, std::ostream& out,
                 std::ostream& err);

}  // namespace stepscope::server
