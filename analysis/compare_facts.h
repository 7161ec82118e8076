#pragma once
// What a side of a comparison was made of: model, hardware, engine, lengths. Read from what the
// trace and the report around it say; nothing is guessed from a figure, and what is not said stays
// empty. Pure.

#include <string>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/compare.h"
#include "analysis/reports/report_context.h"

namespace stepscope::analysis {

// `shown` is the step that is compared.
SideFacts side_facts(const Breakdown& breakdown, const ShownStep& shown,
                     const ReportContext& context);

// "NVIDIA", "AMD", "CPU", "Intel" or "" from a device name or a word of a request ("b200").
std::string family_of_hardware(std::string_view hardware);
// The same from the names of kernels, as far as they tell.
std::string family_of_kernels(const std::vector<KernelRow>& kernels);

// Both known and not the same. An engine inside another one ("dynamo-sglang") counts as the engine.
bool frameworks_differ(const SideFacts& a, const SideFacts& b);
bool families_differ(const SideFacts& a, const SideFacts& b);

// One sentence for each fact that both sides tell and tell differently.
std::vector<std::string> fact_differences(const SideFacts& a, const SideFacts& b);

}  // namespace stepscope::analysis
