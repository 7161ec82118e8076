#pragma once
// Two breakdowns into deltas (R14, R7): sums of the deltas equal the delta of the walls, exactly.
// Pure; works on what the JSON contract holds, so that a stored run, a file of JSON and a fresh
// analysis compare alike. Owns its strings.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/breakdown.h"

namespace stepscope::analysis {

// One row of a side that can be compared: a category, a component, a kernel, a layer row.
struct ComparedRow {
  std::string key;    // what is matched: name, or kind and role
  std::string label;  // what is shown
  std::string stream;
  std::string device_class;
  std::int64_t calls = 0;
  Ns charged_ns = 0;
  Ns busy_ns = 0;
  Ns min_ns = 0;  // of one call
  Ns max_ns = 0;
};

struct CompareSide {
  std::string title;
  std::string file;  // first file's name
  std::string table_version;
  std::string analyzer_version;
  std::string framework;  // empty: not known
  std::string hardware;   // device name of the trace, or what the request said; empty: not known
  std::string model;      // these four from the report's provenance, empty: not known
  std::string parallelism;
  std::string image;
  std::string lengths;
  std::string phase;
  Ns wall_ns = 0;
  Ns idle_ns = 0;
  Ns min_ns = 0;  // of the steps shown
  Ns max_ns = 0;
  int steps = 0;
  std::string leading_category;  // of the primary stream, by busy time
  std::vector<ComparedRow> categories;
  std::vector<ComparedRow> components;
  std::vector<ComparedRow> kernels;
  std::vector<ComparedRow> layer_rows;
};

struct Delta {
  std::string key;
  std::string label;
  std::optional<ComparedRow> a;  // absent: appeared
  std::optional<ComparedRow> b;  // absent: vanished
  Ns charged_delta_ns = 0;       // b - a, an absent side counts as 0
  Ns busy_delta_ns = 0;
};

struct Comparison {
  CompareSide a;
  CompareSide b;
  Ns wall_delta_ns = 0;
  Ns idle_delta_ns = 0;
  bool within_noise = false;     // the ranges of the steps overlap
  bool busy_compared = false;    // the leading categories of the primary streams differ
  bool kernels_matched = false;  // same framework and hardware family
  // Each list with the idle delta sums to the delta of the walls.
  std::vector<Delta> categories;
  std::vector<Delta> components;
  std::vector<Delta> kernels;     // empty unless kernels_matched
  std::vector<Delta> layer_rows;  // figures of the median layer of each kind
  std::vector<std::string> warnings;
};

Comparison compare(CompareSide a, CompareSide b);

}  // namespace stepscope::analysis
