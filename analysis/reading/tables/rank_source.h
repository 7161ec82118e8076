#pragma once
// Ranks that a trace does not state as a number: labels in the process ids of a merged trace, and
// names of files. Pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::analysis {

// "TP03-EP03" of the process id "[TP03-EP03] 1234"; empty when the id has no such label.
std::string_view rank_label(std::string_view pid);

// Ranks for the labels of one merged trace, in the same order: the TP numbers when all labels have
// one and no two agree, else each label's place among the sorted ones.
std::vector<int> ranks_of_labels(std::span<const std::string> labels);

// From a file's base name: rank3, rank_3, rank-3, TP-3, tp3, worker3, in any case. A name that says
// rank and TP means the rank (vLLM writes dp1_pp0_tp0_..._rank4).
std::optional<int> rank_of_file_name(std::string_view name);

// A file of a run that holds device events.
struct FileClaim {
  std::string name;
  std::optional<int> stated;  // by the file's own metadata; goes before its name
  std::vector<int> labelled;  // of a merged file, which has no rank of its own
};

struct FileRanks {
  std::vector<std::optional<int>> ranks;  // by file; absent: unknown, or a merged file
  std::string note;  // how files were told apart that claim one rank or none, or empty
};

// Two files that claim one rank are told apart by their names, else all files by their order. The
// stages of one rank (-DECODE, -EXTEND) may share it. Of several files that claim none, each gets
// the lowest free rank, in their order.
FileRanks ranks_of_files(std::span<const FileClaim> files);

}  // namespace stepscope::analysis
