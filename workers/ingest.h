#pragma once
// Trace files of a job into the breakdown that is stored: calls the analysis and renders its
// reports once. Pure but for reading the files; blocking, made for a CPU pool.

#include <atomic>
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "analysis/reports/report_context.h"
#include "db/catalog.h"
#include "db/run.h"

namespace stepscope::workers {

struct Ingested {
  db::StoredBreakdown breakdown;
  std::vector<db::KernelTotal> kernels;  // of the step shown
};

struct IngestSettings {
  std::string extra_rules;  // the operator's rule file, as text
  std::string public_url;   // without a trailing slash; empty: no links
};

// What the report says around the figures of this job. `understood` is the request's canonical
// JSON.
analysis::ReportContext report_context(const db::Job& job, const db::Catalog& catalog,
                                       const std::string& understood,
                                       const std::string& public_url);

// Error: failure of layer "ingest" or "analysis", kind analysis, one line.
std::expected<Ingested, db::JobFailure> ingest(const db::Job& job,
                                               std::span<const std::filesystem::path> traces,
                                               const analysis::ReportContext& context,
                                               const IngestSettings& settings,
                                               const std::atomic<bool>& cancel);

}  // namespace stepscope::workers
