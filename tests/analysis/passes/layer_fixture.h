#pragma once
// Traces of whole steps written as letters, one kernel a letter, 10 ns each and back to back, and
// the layers that are found in them. Owns the trace.

#include <doctest/doctest.h>

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "analysis/passes/accounting/accounting.h"
#include "analysis/passes/accounting/window_index.h"
#include "analysis/passes/layers/layers.h"
#include "analysis/passes/step_scene.h"
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
  // Over all events, or over a window.
  explicit LayerFixture(const LetterTrace& letters,
                        const std::optional<analysis::Interval>& part = {})
      : TraceFixture(letters.maker),
        window(part.value_or(analysis::extent(view, device().events))),
        events(analysis::WindowIndex(view, device()).events_in(window)),
        primary(analysis::primary_stream(view, device(), events, window).value()),
        found(analysis::find_layers(view, events, window, primary)) {}

  const analysis::LayerMap& layers() const {
    REQUIRE(found.has_value());
    return *found;
  }

  analysis::Interval window;
  std::vector<analysis::EventIndex> events;
  analysis::StreamIndex primary;
  std::expected<analysis::LayerMap, std::string> found;
};

// The scene of a step; nothing has a role unless a test gives it one.
struct SceneFixture : LayerFixture {
  explicit SceneFixture(const LetterTrace& letters,
                        const std::optional<analysis::Interval>& part = {})
      : LayerFixture(letters, part) {}

  analysis::StepScene scene() const {
    const auto order = analysis::charge_order_of(view, device(), events, window).value();
    analysis::StepScene made{.view = view,
                             .links = links,
                             .device = device(),
                             .window = window,
                             .events = events,
                             .primary = primary,
                             .parts = analysis::charged_parts(view, events, order, window)};
    if (found) made.layers = *found;
    made.roles.role_of.resize(events.size());
    return made;
  }

  analysis::LaunchLinks links{trace};
};

}  // namespace stepscope::tests
