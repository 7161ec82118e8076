#include "webhooks/resolve.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "webhooks/catalog_match.h"
#include "webhooks/words.h"

namespace stepscope::webhooks {
namespace {

using db::CatalogEntry;
using db::OperatingPoint;
using db::Scenario;

constexpr std::size_t kOptionsMax = 8;

std::map<std::string, Asked> asked_row(const JobSpec& job) {
  std::map<std::string, Asked> asked;
  if (!job.model.empty()) asked["model"] = job.model;
  if (!job.hardware.empty()) asked["hardware"] = job.hardware;
  if (!job.precision.empty()) asked["precision"] = job.precision;
  return asked;
}

Refusal refuse_row(const db::Catalog& catalog, const JobSpec& job, std::string reason) {
  return {std::move(reason), asked_row(job), nearest_key(catalog, job), {}};
}

class Resolver {
 public:
  Resolver(const db::Catalog& catalog, JobSpec job) : catalog_(catalog), job_(std::move(job)) {}

  Resolution run() {
    if (job_.model_unknown) return Refusal{"unknown_model", {{"model", job_.model}}, {}, {}};
    if (job_.hardware_unknown) {
      return Refusal{"unknown_hardware", {{"hardware", job_.hardware}}, {}, {}};
    }
    if (job_.key.empty()) {
      if (std::optional<Question> question = open_question()) return *question;
    } else {
      take_names_of_key();
    }
    const CatalogEntry* entry = choose();
    if (entry == nullptr) return why_none();
    return choose_point(*entry);
  }

 private:
  // What can not be assumed; a group of hardware with one fitting member stands for it.
  std::optional<Question> open_question() {
    Question question;
    if (job_.hardware_group) {
      const std::vector<std::string> members = group_members();
      if (members.size() > 1 || job_.model.empty()) {
        question.missing.emplace_back("hardware");
        question.options = members;
      } else if (members.size() == 1) {
        job_.hardware = members.front();
      }
    } else if (job_.hardware.empty()) {
      question.missing.emplace_back("hardware");
    }
    if (job_.model.empty()) question.missing.emplace_back("model");
    if (question.missing.empty()) return std::nullopt;
    if (question.missing.size() > 1) {
      question.options.clear();
    } else if (question.options.empty()) {
      question.options = options(question.missing.front());
    }
    if (question.options.size() > kOptionsMax) question.options.clear();
    return question;
  }

  // Values of `field` that would make the request resolvable; if none fits all of it, those that
  // fit its names.
  std::vector<std::string> options(std::string_view field) const {
    std::set<std::string> exact;
    std::set<std::string> by_name;
    for (const CatalogEntry& entry : catalog_.entries()) {
      if (!fits(entry, job_) || !profilable(entry) ||
          !has_points(entry, wanted_spec(entry, job_))) {
        continue;
      }
      const std::string& value = field == "model" ? entry.model : entry.hardware;
      by_name.insert(value);
      if (fits_point(entry, job_)) exact.insert(value);
    }
    const std::set<std::string>& chosen = exact.empty() ? by_name : exact;
    return {chosen.begin(), chosen.end()};
  }

  std::vector<std::string> group_members() const {
    JobSpec open = job_;
    open.hardware.clear();
    const std::vector<std::string> fitting = Resolver(catalog_, open).options("hardware");
    std::vector<std::string> members;
    for (const std::string& hardware : fitting) {
      if (one_of(hardware, Vocabulary::group(job_.hardware))) members.push_back(hardware);
    }
    return members;
  }

  void take_names_of_key() {
    for (const CatalogEntry& entry : catalog_.entries()) {
      if (entry.key != job_.key) continue;
      job_.model = entry.model;
      job_.hardware = entry.hardware;
      job_.precision = entry.precision;
      if (active(entry)) break;
    }
  }

  // The best profilable row: precision first, then framework, then the order of the catalog.
  const CatalogEntry* choose() const {
    const CatalogEntry* best = nullptr;
    std::array<std::size_t, 3> best_rank{};
    for (const CatalogEntry& entry : catalog_.entries()) {
      if (!fits(entry, job_) || !profilable(entry) ||
          !has_points(entry, wanted_spec(entry, job_))) {
        continue;
      }
      const bool lengths = std::ranges::any_of(
          entry.scenarios, [this](const Scenario& s) { return fits_lengths(s, job_); });
      const std::array rank = {precision_rank(entry.precision), framework_rank(entry.framework),
                               static_cast<std::size_t>(lengths ? 0 : 1)};
      if (best == nullptr || rank < best_rank) {
        best = &entry;
        best_rank = rank;
      }
    }
    return best;
  }

  Resolution why_none() const {
    bool any = false;
    bool any_active = false;
    bool active_fixed = false;
    bool active_multinode_only = true;
    for (const CatalogEntry& entry : catalog_.entries()) {
      if (!fits(entry, job_)) continue;
      any = true;
      if (!active(entry)) continue;
      any_active = true;
      active_fixed = active_fixed || has_fixed(entry);
      active_multinode_only = active_multinode_only && entry.multinode;
    }
    const bool foreign = !job_.framework.empty() && !profilable_framework(job_.framework);
    if (foreign && !(any_active && active_multinode_only)) {
      return Refusal{"framework_not_profilable",
                     {{"framework", job_.framework}},
                     nearest_key(catalog_, job_),
                     {}};
    }
    if (!any) return refuse_row(catalog_, job_, "no_config");
    if (!any_active) return refuse_row(catalog_, job_, "retired_config");
    if (!active_fixed) return refuse_row(catalog_, job_, "no_fixed_seq_config");
    if (active_multinode_only) return refuse_row(catalog_, job_, "multinode_not_supported");
    return why_no_row();
  }

  // There are active rows on one node: none of them is with this speculation, has fixed lengths and
  // a framework that can be profiled at once.
  Resolution why_no_row() const {
    std::string framework;
    bool fixed_row = false;
    for (const CatalogEntry& entry : catalog_.entries()) {
      if (!fits(entry, job_) || !active(entry) || entry.multinode || !has_fixed(entry)) {
        continue;
      }
      if (profilable_framework(entry.framework)) return refuse_row(catalog_, job_, "no_config");
      fixed_row = true;
      framework = entry.framework;
    }
    if (!fixed_row) return refuse_row(catalog_, job_, "no_fixed_seq_config");
    return Refusal{"framework_not_profilable", {{"framework", framework}}, {}, {}};
  }

  Refusal fault(const CatalogEntry& entry, std::string reason,
                std::map<std::string, Asked> asked) const {
    return {std::move(reason), std::move(asked), {entry.key}, {}};
  }

  Resolution choose_point(const CatalogEntry& entry) const {
    const std::string spec = wanted_spec(entry, job_);
    const Scenario* scenario = nullptr;
    for (const CatalogEntry& row : catalog_.entries()) {
      // A key may stand for several rows that differ in lengths.
      if (row.key != entry.key || !profilable(row)) continue;
      for (const Scenario& candidate : row.scenarios) {
        if (scenario == nullptr && fits_lengths(candidate, job_) &&
            !points_of(candidate, spec).empty()) {
          scenario = &candidate;
        }
      }
    }
    if (scenario == nullptr) return why_no_lengths(entry);
    if (job_.steps && (*job_.steps < 1 || *job_.steps > kStepsMax)) {
      return fault(entry, "steps_out_of_range", {{"steps", std::int64_t{*job_.steps}}});
    }
    const std::vector<const OperatingPoint*> points = points_of(*scenario, spec);
    if (job_.conc && std::ranges::none_of(points, [this](const OperatingPoint* point) {
          return has_conc(*point, *job_.conc);
        })) {
      return no_such_conc(entry, *job_.conc, points);
    }
    const std::optional<int> conc = job_.conc ? job_.conc : default_conc(points);
    for (const OperatingPoint* point : points) {
      if (conc && fits_parallelism(*point, job_) && has_conc(*point, *conc)) {
        return config(entry, *scenario, *point, *conc);
      }
    }
    std::map<std::string, Asked> asked;
    if (job_.tp) asked["tp"] = std::int64_t{*job_.tp};
    if (job_.ep) asked["ep"] = std::int64_t{*job_.ep};
    if (job_.dp_attn) asked["dp_attn"] = *job_.dp_attn;
    return fault(entry, "parallelism_not_available", std::move(asked));
  }

  Resolution why_no_lengths(const CatalogEntry& entry) const {
    std::map<std::string, Asked> asked;
    if (job_.isl) asked["isl"] = std::int64_t{*job_.isl};
    if (job_.osl) asked["osl"] = std::int64_t{*job_.osl};
    for (const CatalogEntry& row : catalog_.entries()) {
      if (row.key != entry.key || active(row)) continue;
      if (std::ranges::any_of(row.scenarios, [this](const Scenario& s) {
            return s.fixed_lengths && fits_lengths(s, job_);
          })) {
        return fault(entry, "retired_config", std::move(asked));
      }
    }
    return fault(entry, "no_config", std::move(asked));
  }

  Resolution no_such_conc(const CatalogEntry& entry, int conc,
                          const std::vector<const OperatingPoint*>& points) const {
    Refusal refusal = fault(entry, "conc_not_available", {{"conc", std::int64_t{conc}}});
    std::set<int> listed;
    for (const OperatingPoint* point : points) {
      listed.insert(point->conc.begin(), point->conc.end());
    }
    const auto above = listed.upper_bound(conc);
    if (above != listed.begin()) refusal.nearest_conc.push_back(*std::prev(above));
    if (above != listed.end()) refusal.nearest_conc.push_back(*above);
    return refusal;
  }

  // 64, or the largest listed one below it, or the smallest of all.
  std::optional<int> default_conc(const std::vector<const OperatingPoint*>& points) const {
    std::set<int> listed;
    for (const OperatingPoint* point : points) {
      if (fits_parallelism(*point, job_)) listed.insert(point->conc.begin(), point->conc.end());
    }
    if (listed.empty()) return std::nullopt;
    const auto above = listed.upper_bound(kConcDefault);
    return above == listed.begin() ? *above : *std::prev(above);
  }

  db::RunConfig config(const CatalogEntry& entry, const Scenario& scenario,
                       const OperatingPoint& point, int conc) const {
    db::RunConfig config;
    config.key = entry.key;
    config.model = entry.model;
    config.model_name = entry.model_name;
    config.hardware = entry.hardware;
    config.precision = entry.precision;
    config.framework = entry.framework;
    config.image = entry.image;
    config.recipe = entry.recipe;
    config.trace_source = entry.trace_source;
    config.conc = conc;
    config.isl = scenario.isl;
    config.osl = scenario.osl;
    config.tp = point.tp;
    config.ep = point.ep;
    config.dp_attn = point.dp_attn;
    config.spec = point.spec;
    config.phase = job_.phase.empty() ? "decode" : job_.phase;
    config.steps = job_.steps.value_or(1);
    const auto assume = [&config](bool open, const char* field) {
      if (open) config.assumed.emplace_back(field);
    };
    assume(!job_.conc, "conc");
    assume(job_.key.empty() && job_.framework.empty(), "framework");
    assume(!job_.tp || !job_.ep, "parallelism");
    assume(job_.phase.empty(), "phase");
    assume(job_.key.empty() && job_.precision.empty(), "precision");
    assume(!job_.isl || !job_.osl, "seq_len");
    assume(!job_.steps, "steps");
    return config;
  }

  const db::Catalog& catalog_;
  JobSpec job_;
};

}  // namespace

Resolution resolve(const db::Catalog& catalog, const JobSpec& job) {
  return Resolver(catalog, job).run();
}

}  // namespace stepscope::webhooks
