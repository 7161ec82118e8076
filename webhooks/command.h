#pragma once
// What a comment asks for, as a plain value: the only thing that the rest of the daemon sees of it.
// Catalog words, numbers and a few texts that are quoted back; all else was dropped.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "db/run.h"

namespace stepscope::webhooks {

enum class Verb {
  profile,
  refuse,
  clarify,
  help,
  ignore,
  status,
  cancel,
  rerun,
  history,
  configs,
  compare,
  analyze,
};
std::string_view to_string(Verb verb);
std::optional<Verb> verb_from(std::string_view text);

using Asked = std::variant<std::int64_t, bool, std::string>;

// Why a request, or one job of it, can not be done.
struct Refusal {
  std::string reason;                  // no_config, bad_value, ... (requests of the documentation)
  std::map<std::string, Asked> asked;  // the fields at fault; texts as written, untrusted
  std::vector<std::string> nearest;    // one supported key, or none
  std::vector<int> nearest_conc;       // conc_not_available: next lower, next higher
};

struct Command {
  Verb verb = Verb::help;
  // profile
  std::vector<db::RunConfig> jobs;
  std::vector<Refusal> rejected;  // of a list of independent jobs
  std::vector<std::string> ask;   // also of analyze and compare; sorted
  std::string compare;            // "", between_jobs or with_last
  bool unsupported_ask = false;
  bool ignored_text = false;
  // refuse
  Refusal refusal;
  // ignore
  std::string reason;
  // clarify
  std::vector<std::string> missing;
  std::vector<std::string> options;
  // status, cancel, rerun; absent: the newest job of the thread
  std::optional<std::int64_t> target;
  bool avoid_runner = false;
  std::optional<int> steps;  // rerun with as many
  // history, configs
  std::map<std::string, std::string> filter;
  // compare
  std::vector<std::int64_t> runs;
  // analyze
  std::string source;  // an allowed https address
  std::optional<std::int64_t> run;
  std::string phase;
};

}  // namespace stepscope::webhooks
