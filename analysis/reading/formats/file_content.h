#pragma once
// What the reader of any format says of one file beside the rows it gave to the TraceBuilder.

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reading/tables/trace_metadata.h"

namespace stepscope::analysis {

// What one file held, for the choice of words when it has no device event.
struct FileFacts {
  std::int64_t events = 0;
  std::int64_t objects = 0;          // elements that are objects, as events are
  std::int64_t device_events = 0;    // refused ones included
  std::int64_t launches = 0;         // runtime and driver calls with a correlation
  std::int64_t kernel_launches = 0;  // those that start work
  bool capture_markers = false;
  bool profiler_ranges = false;   // CUPTI range profiler: it writes no kernels
  bool nanoseconds = false;       // RPD's JSON: the unit is a guess
  bool fractions = false;         // times are finer than whole microseconds
  bool list_elements = false;     // elements that are no objects
  std::vector<std::string> keys;  // the first top-level names
};

struct FileContent {
  FileFacts facts;
  TraceMetadata metadata;
  bool saw_events = true;          // there was a place for events, even if it is empty
  bool complete = true;            // the file ended where its form allows
  bool damaged = false;            // some of it could not be read, though it is not cut
  bool left_open = false;          // complete, but a bare array without its bracket
  std::uint64_t text_bytes = 0;    // read, uncompressed
  std::vector<std::string> notes;  // sentences for the reader of a report, without the file's name
};

}  // namespace stepscope::analysis
