#include "webhooks/catalog_match.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <utility>

#include "webhooks/words.h"

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;
using db::CatalogEntry;
using db::OperatingPoint;
using db::Scenario;

// Preferred first; what is not listed comes after all of these, in the order of the catalog.
constexpr std::array kFrameworks = {"sglang"sv, "vllm"sv};
constexpr std::array kOwnRecipes = {"builtin"sv, "replay"sv};
constexpr std::array kPrecisions = {"fp4"sv, "fp8"sv, "bf16"sv};

std::size_t rank_in(std::span<const std::string_view> order, std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(order, word) - order.begin());
}

bool fits_names(const CatalogEntry& entry, const JobSpec& job) {
  if (!job.key.empty()) return entry.key == job.key;
  return (job.model.empty() || entry.model == job.model) &&
         (job.hardware.empty() || entry.hardware == job.hardware);
}

bool fits_precision(const CatalogEntry& entry, const JobSpec& job) {
  return job.precision.empty() || !job.key.empty() || entry.precision == job.precision;
}

bool fits_framework(const CatalogEntry& entry, const JobSpec& job) {
  return job.framework.empty() || !job.key.empty() || entry.framework == job.framework;
}

// "fp4" is 4 bits wide; 0 when the name has no digits.
int bits_of(std::string_view precision) {
  const std::size_t digits = precision.find_last_not_of("0123456789");
  const std::string_view number =
      precision.substr(digits == std::string_view::npos ? 0 : digits + 1);
  return plain_number(number).value_or(0);
}

}  // namespace

bool active(const CatalogEntry& entry) { return entry.status == "active"; }

bool profilable_framework(std::string_view framework) {
  return one_of(framework, kFrameworks) || one_of(framework, kOwnRecipes);
}

bool profilable(const CatalogEntry& entry) {
  const bool own_recipe = !entry.recipe.empty() && entry.recipe != entry.framework;
  return active(entry) && !entry.multinode && has_fixed(entry) &&
         (profilable_framework(entry.framework) || own_recipe);
}

bool fits(const CatalogEntry& entry, const JobSpec& job) {
  return fits_names(entry, job) && fits_precision(entry, job) && fits_framework(entry, job);
}

std::size_t precision_rank(std::string_view precision) { return rank_in(kPrecisions, precision); }

std::size_t framework_rank(std::string_view framework) { return rank_in(kFrameworks, framework); }

std::string wanted_spec(const CatalogEntry& entry, const JobSpec& job) {
  if (!job.spec.empty()) return job.spec;
  if (!job.key.empty()) {
    for (const Scenario& scenario : entry.scenarios) {
      if (!scenario.points.empty()) return scenario.points.front().spec;
    }
  }
  return "none";
}

std::vector<const OperatingPoint*> points_of(const Scenario& scenario, std::string_view spec) {
  std::vector<const OperatingPoint*> points;
  if (!scenario.fixed_lengths) return points;
  for (const OperatingPoint& point : scenario.points) {
    if (point.spec == spec) points.push_back(&point);
  }
  return points;
}

bool has_points(const CatalogEntry& entry, std::string_view spec) {
  return std::ranges::any_of(entry.scenarios,
                             [spec](const Scenario& s) { return !points_of(s, spec).empty(); });
}

bool has_fixed(const CatalogEntry& entry) {
  return std::ranges::any_of(entry.scenarios, [](const Scenario& s) { return s.fixed_lengths; });
}

bool fits_lengths(const Scenario& scenario, const JobSpec& job) {
  return (!job.isl || scenario.isl == *job.isl) && (!job.osl || scenario.osl == *job.osl);
}

bool fits_parallelism(const OperatingPoint& point, const JobSpec& job) {
  return (!job.tp || point.tp == *job.tp) && (!job.ep || point.ep == *job.ep) &&
         (!job.dp_attn || point.dp_attn == *job.dp_attn);
}

bool has_conc(const OperatingPoint& point, int conc) {
  return std::ranges::find(point.conc, conc) != point.conc.end();
}

bool fits_point(const CatalogEntry& entry, const JobSpec& job) {
  for (const Scenario& scenario : entry.scenarios) {
    if (!fits_lengths(scenario, job)) continue;
    for (const OperatingPoint* point : points_of(scenario, wanted_spec(entry, job))) {
      if (fits_parallelism(*point, job) && (!job.conc || has_conc(*point, *job.conc))) return true;
    }
  }
  return false;
}

std::vector<std::string> nearest_key(const db::Catalog& catalog, const JobSpec& job) {
  const CatalogEntry* best = nullptr;
  std::pair<std::size_t, std::size_t> best_rank;
  for (const CatalogEntry& entry : catalog.entries()) {
    if (entry.model != job.model || entry.hardware != job.hardware || !profilable(entry)) continue;
    if (!has_points(entry, "none")) continue;
    const int distance = job.precision.empty() || entry.precision == job.precision
                             ? 0
                             : 1 + std::abs(bits_of(entry.precision) - bits_of(job.precision));
    const std::pair rank{static_cast<std::size_t>(distance), framework_rank(entry.framework)};
    if (best == nullptr || rank < best_rank) {
      best = &entry;
      best_rank = rank;
    }
  }
  if (best == nullptr) return {};
  return {best->key};
}

}  // namespace stepscope::webhooks
