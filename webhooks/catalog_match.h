#pragma once
// Which rows of a catalog fit what was asked, one question a function. Pure; decides nothing.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "db/catalog.h"
#include "webhooks/job_list.h"

namespace stepscope::webhooks {

bool active(const db::CatalogEntry& entry);
bool has_fixed(const db::CatalogEntry& entry);  // a scenario of fixed lengths
// sglang, vllm, or one that brings a recipe of its own.
bool profilable_framework(std::string_view framework);
// Single node, active, fixed lengths, and a framework that can be profiled.
bool profilable(const db::CatalogEntry& entry);

// Model, hardware, precision, framework or key, as far as they were named.
bool fits(const db::CatalogEntry& entry, const JobSpec& job);
bool fits_lengths(const db::Scenario& scenario, const JobSpec& job);
bool fits_parallelism(const db::OperatingPoint& point, const JobSpec& job);
bool has_conc(const db::OperatingPoint& point, int conc);
// Lengths, parallelism and concurrency at once.
bool fits_point(const db::CatalogEntry& entry, const JobSpec& job);

// A key says whether it speculates; without one, nothing said means none.
std::string wanted_spec(const db::CatalogEntry& entry, const JobSpec& job);
// The scenario's rows with this speculation; none when its lengths are not fixed.
std::vector<const db::OperatingPoint*> points_of(const db::Scenario& scenario,
                                                 std::string_view spec);
bool has_points(const db::CatalogEntry& entry, std::string_view spec);

// Preferred ones are lower; all that are not listed rank alike.
std::size_t precision_rank(std::string_view precision);
std::size_t framework_rank(std::string_view framework);

// A supported key for the same model and hardware: first the asked precision (in another
// framework), else the precision whose width is nearest. At most one.
std::vector<std::string> nearest_key(const db::Catalog& catalog, const JobSpec& job);

}  // namespace stepscope::webhooks
