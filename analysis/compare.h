#pragma once
// Two breakdowns into deltas (R14, R7): sums of the deltas equal the delta of the walls, exactly.
// Pure; works on what the JSON contract holds, so that a stored run, a file of JSON and a fresh
// analysis compare alike (compare_side.h makes the sides). Owns its strings.

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
  // Of one call; of a kind of layers: of one layer. Absent: the side does not tell.
  std::optional<Ns> min_ns;
  std::optional<Ns> max_ns;
  std::optional<Ns> charged_min_ns;  // over the steps of the side; absent: not recorded
  std::optional<Ns> charged_max_ns;

  bool operator==(const ComparedRow&) const = default;
};

// What was measured; an empty word or an absent number is not known.
struct SideFacts {
  std::string framework;
  std::string family;    // NVIDIA, AMD, CPU, ...: whose kernel names these are
  std::string hardware;  // device name of the trace, or what the request said
  std::string model;
  std::string parallelism;
  std::string image;
  std::string lengths;
  std::string concurrency;
  std::optional<std::int64_t> batch_size;  // of the step shown
  std::optional<int> world_size;

  bool operator==(const SideFacts&) const = default;
};

struct CompareSide {
  std::string title;
  std::string file;  // first file's name
  std::string table_version;
  std::string analyzer_version;
  SideFacts facts;
  std::string partial;  // "PARTIAL: ..." of a cut or damaged trace, else empty
  std::string phase;
  int step_index = 0;
  Ns wall_ns = 0;
  Ns idle_ns = 0;
  Ns min_ns = 0;  // wall of the steps that the one shown is the median of
  Ns max_ns = 0;
  int steps = 0;
  std::optional<Ns> idle_min_ns;  // absent: the rows' ranges over the steps are not recorded
  std::optional<Ns> idle_max_ns;
  std::string primary_stream;
  std::string leading_category;  // of the primary stream, by busy time
  std::vector<ComparedRow> categories;
  std::vector<ComparedRow> components;
  std::vector<ComparedRow> kernels;
  std::vector<ComparedRow> layer_kinds;  // wall of the median layer; calls: layers of the kind
  std::vector<ComparedRow> layer_rows;   // of the median layer, idle as a row: they sum to its wall

  bool operator==(const CompareSide&) const = default;
};

struct Delta {
  std::string key;
  std::string label;
  std::optional<ComparedRow> a;  // absent: appeared
  std::optional<ComparedRow> b;  // absent: vanished
  Ns charged_delta_ns = 0;       // b - a, an absent side counts as 0
  Ns busy_delta_ns = 0;
  std::optional<bool> within_noise;  // the ranges overlap; absent: a range is not recorded
};

struct Comparison {
  CompareSide a;
  CompareSide b;
  Ns wall_delta_ns = 0;
  Ns idle_delta_ns = 0;
  bool no_difference = false;    // in no figure
  bool within_noise = false;     // the ranges of the steps overlap
  bool noise_known = false;      // both sides have several steps
  bool busy_compared = false;    // the leading categories of the primary streams differ
  bool kernels_matched = false;  // same framework and hardware family
  std::optional<bool> idle_within_noise;
  std::string not_compared;  // why there is nothing but wall and idle; empty: there is more
  // The first three with the idle delta sum to the delta of the walls, unless they are empty for
  // `not_compared`. By the delta that leads (charged, or busy when busy_compared), largest first.
  std::vector<Delta> categories;
  std::vector<Delta> components;
  std::vector<Delta> kernels;               // empty unless kernels_matched
  std::vector<Delta> layer_kinds;           // in the order of the layers
  std::vector<Delta> layer_rows;            // in the order of the layer
  std::vector<std::string> first_warnings;  // what makes the figures answer another question
  std::vector<std::string> warnings;
};

Comparison compare(CompareSide a, CompareSide b);

}  // namespace stepscope::analysis
