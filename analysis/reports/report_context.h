#pragma once
// What a report says around the figures: the question, how it was resolved and where it ran. The
// analysis knows none of it; whoever ordered the run fills it in. All strings are plain text, the
// reports escape them.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::analysis {

struct ReportContext {
  std::string title;          // "DeepSeek-R1 FP4, B200, conc 4"; empty: the first file's name
  std::string hardware_note;  // one sentence where the hardware needs one ("Ran on this CPU ...")
  bool replayed = false;      // the trace was recorded earlier: said in every output
  std::vector<std::string> provenance;  // sentences for the last section: understood as, row, image
  std::vector<std::string> asks;        // kernels, moe, ... : what the report leads with
  std::size_t bytes_max = 60'000;       // Markdown only: the least important sections go first
  std::string more_url;                 // where the sections that were left out stand; may be empty
};

}  // namespace stepscope::analysis
