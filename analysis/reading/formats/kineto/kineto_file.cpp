#include "analysis/reading/formats/kineto/kineto_file.h"

#include <utility>

#include "analysis/reading/formats/kineto/kineto_reader.h"
#include "analysis/reading/json/trace_scanner.h"

namespace stepscope::analysis {

std::expected<FileContent, AnalyzeError> read_kineto(TraceInput& input, TraceBuilder& builder,
                                                     std::string damage_prefix) {
  KinetoReader reader(builder, std::move(damage_prefix));
  TraceScanner scanner(reader);
  while (builder.limit_passed().empty()) {
    auto size = input.read(scanner.room(TraceInput::kBlockBytes));
    if (!size) return std::unexpected(std::move(size.error()));
    if (*size == 0) break;
    scanner.commit(*size);
  }
  if (builder.limit_passed().empty()) scanner.finish();  // hands on what stood in the last bytes
  if (auto fault = builder.limit_fault(input.name(), input.text_bytes())) {
    return std::unexpected(*std::move(fault));
  }
  return FileContent{.facts = reader.facts(),
                     .metadata = reader.metadata(),
                     .saw_events = scanner.saw_events(),
                     .complete = scanner.complete(),
                     .left_open = scanner.left_open(),
                     .text_bytes = scanner.text_bytes()};
}

}  // namespace stepscope::analysis
