#pragma once
// From what was asked to one operating point of one catalog row, or to the reason why there is
// none. Pure functions of the catalog; nothing is ever substituted: what was left open is listed as
// assumed.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "db/catalog.h"
#include "db/run.h"
#include "webhooks/command.h"
#include "webhooks/job_list.h"

namespace stepscope::webhooks {

// What must be said before anything can be looked up, and what it could be.
struct Question {
  std::vector<std::string> missing;  // sorted
  std::vector<std::string> options;  // of the one missing field; empty when they are many
};

using Resolution = std::variant<db::RunConfig, Refusal, Question>;

inline constexpr int kStepsMax = 64;
inline constexpr int kConcDefault = 64;

Resolution resolve(const db::Catalog& catalog, const JobSpec& job);

}  // namespace stepscope::webhooks
