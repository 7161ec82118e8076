#pragma once
// A Breakdown with synthetic figures for tests of what is written from one: two ranks, a decode
// step on two streams with communication, copies, idle time, a suspect and one hostile kernel name.
// Every sum that the accounting rules promise closes exactly.

#include "analysis/breakdown.h"
#include "analysis/reports/report_context.h"

namespace stepscope::tests {

analysis::Breakdown sample_breakdown();
// The question that it answers, with provenance.
analysis::ReportContext sample_context();
// The same with five streams more than a report shows tables for, and `rows` kernels on the first.
analysis::Breakdown large_breakdown(int rows);

}  // namespace stepscope::tests
