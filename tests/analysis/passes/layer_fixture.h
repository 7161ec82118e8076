#pragma once
// Traces of whole steps written as letters, one kernel a letter, 10 ns each and back to back, and
// the layers that are found in them. Owns the trace.

#include <doctest/doctest.h>

#include <expected>
#include <string>
#include <vector>

#include "analysis/passes/accounting.h"
#include "analysis/passes/layers.h"
#include "analysis/passes/window_index.h"
#include "tests/analysis/passes/trace_fixture.h"

namespace stepscope::tests {

// n norm, g GEMM, a attention, l linear attention, m expert GEMM, r routing, c communication,
// k rotary and cache, s SiLU, e elementwise, h another elementwise kernel. Other letters: their
// own kernel, of no category.
inline std::string kernel_of_letter(char letter) {
  switch (letter) {
    case 'n':
      return "norm";
    case 'g':
      return "gemm";
    case 'a':
      return "attn";
    case 'l':
      return "linattn";
    case 'm':
      return "moe";
    case 'r':
      return "routing";
    case 'c':
      return "nccl all";
    case 'k':
      return "kv";
    case 's':
      return "act";
    case 'e':
      return "add";
    default:
      return std::string("other ") + letter;
  }
}

class LetterTrace {
 public:
  // `at_ns` is where the next letter starts; blanks stand for 10 ns of idle time.
  LetterTrace& add(const std::string& letters, const std::string& stream = "7") {
    for (const char letter : letters) {
      if (letter != ' ') kernel(kernel_of_letter(letter), 10, stream);
      if (letter == ' ') at_ns += 10;
    }
    return *this;
  }
  LetterTrace& kernel(const std::string& name, analysis::Ns dur_ns,
                      const std::string& stream = "7") {
    maker.add({.name = name, .start_ns = at_ns, .dur_ns = dur_ns, .stream = stream});
    at_ns += dur_ns;
    return *this;
  }
  // Beside the others: does not move the time on.
  LetterTrace& beside(const std::string& name, analysis::Ns start_ns, analysis::Ns dur_ns,
                      const std::string& stream) {
    maker.add({.name = name, .start_ns = start_ns, .dur_ns = dur_ns, .stream = stream});
    return *this;
  }

  TraceMaker maker;
  analysis::Ns at_ns = 0;
};

struct LayerFixture : TraceFixture {
  explicit LayerFixture(const LetterTrace& letters)
      : TraceFixture(letters.maker),
        events(device().events),
        window(analysis::extent(view, events)),
        primary(analysis::primary_stream(view, device(), events, window).value()),
        found(analysis::find_layers(view, events, window, primary)) {}

  const analysis::LayerMap& layers() const {
    REQUIRE(found.has_value());
    return *found;
  }

  std::vector<analysis::EventIndex> events;
  analysis::Interval window;
  analysis::StreamIndex primary;
  std::expected<analysis::LayerMap, std::string> found;
};

}  // namespace stepscope::tests
