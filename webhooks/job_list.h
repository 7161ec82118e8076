#pragma once
// From recognised fields to the jobs that they ask for: lists ("conc 4, 16 and 64", "b200 vs
// mi355x") multiply, a second mention of a model begins another job, and what one job leaves open
// it takes from its neighbours. Says nothing of whether a job can be run.

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "webhooks/fields.h"

namespace stepscope::webhooks {

// Empty or absent: left open.
struct JobSpec {
  std::string key;
  std::string model;
  std::string hardware;  // or a group's name
  std::string precision;
  std::string framework;
  std::string spec;
  std::string phase;
  std::optional<int> conc;
  std::optional<int> isl;
  std::optional<int> osl;
  std::optional<int> tp;
  std::optional<int> ep;
  std::optional<bool> dp_attn;
  std::optional<int> steps;
  bool model_unknown = false;
  bool hardware_unknown = false;
  bool hardware_group = false;

  bool operator==(const JobSpec&) const = default;
};

inline constexpr std::size_t kJobsMax = 4;

// In the order of the text. Error: how many jobs it would be, above kJobsMax (at least).
// `comparing` lets "from", "to" and "than" join two sides.
std::expected<std::vector<JobSpec>, std::size_t> list_jobs(std::span<const Item> items,
                                                           std::span<const Token> tokens,
                                                           bool comparing);

}  // namespace stepscope::webhooks
