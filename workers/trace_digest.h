#pragma once
// Lends the analysis what it does not own: SHA-256 of a trace file's stored bytes, made while they
// are read.

#include <memory>

#include "analysis/analyze.h"

namespace stepscope::workers {

std::unique_ptr<analysis::FileDigest> make_trace_digest();

}  // namespace stepscope::workers
