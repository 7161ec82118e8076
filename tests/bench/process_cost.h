#pragma once
// Runs a program to its end and says what the whole process took, as the kernel counted it. CPU is
// user and system time, of the children it waited for too; the peak is the largest resident set of
// any of them, with what this process shared with it before it started (print_machine tells).

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::bench {

struct Cost {
  double cpu_s = 0;
  double wall_s = 0;
  double peak_mib = 0;
};

enum class Output { kept, thrown_away };

struct FinishedRun {
  Cost cost;
  std::string output;  // "" when thrown away
};

// `words` are the program and its arguments. Throws std::runtime_error with the program's own words
// when it can not be started or ends with another code than 0.
FinishedRun run_process(const std::vector<std::string>& words, Output output);

// Where PATH has it.
std::optional<std::filesystem::path> find_command(const std::string& name);

std::string own_program();  // path of this executable

}  // namespace stepscope::bench
