#include "analysis/passes/steps/repetition.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// Kernels of 10 ns, one every 10 ns, on one stream and without launches.
class Names {
 public:
  Names& add(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      maker_.add({name, next_ns_, 10});
      next_ns_ += 10;
    }
    return *this;
  }
  // A step of `layers` layers of three kernels between "embed" and "head".
  Names& step(int layers) {
    add({"embed"});
    for (int i = 0; i < layers; ++i) add({"gemm qkv", "attn", "gemm out"});
    return add({"head"});
  }
  Names& elsewhere(Ns dur_ns) {
    maker_.add({.name = "other", .start_ns = next_ns_, .dur_ns = dur_ns, .stream = "8"});
    return *this;
  }

  std::vector<OwnedStep> steps() const {
    const TraceFixture fixture(maker_);
    const Device& device = fixture.device();
    return repeated_steps(fixture.view, device, work_ns_of(fixture.view, device.events));
  }
  StepSource source() const {
    const TraceFixture fixture(maker_);
    return find_steps(fixture.view, LaunchLinks(fixture.trace), fixture.device()).source;
  }

 private:
  TraceMaker maker_;
  Ns next_ns_ = 0;
};

}  // namespace

TEST_CASE("steps that repeat name by name are found without any marker") {
  const Names names = Names().step(3).step(3).step(3);
  CHECK(names.source() == StepSource::repetition);
  const std::vector<OwnedStep> steps = names.steps();
  REQUIRE(steps.size() == 3);
  for (const OwnedStep& step : steps) {
    CHECK(step.events.size() == 11);  // embed, 3 x 3, head
    CHECK(step.label == "repeat of 11 events");
    CHECK(step.phase == "unknown");
  }
  CHECK(steps[1].events.front() == 11);
}

TEST_CASE("a repeat begins where the stretch begins, not with the stream") {
  // Two events of a warm-up before 2 x 11: 22 of 24 events are covered.
  const std::vector<OwnedStep> steps = Names().add({"warm", "up"}).step(3).step(3).steps();
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].events.front() == 2);
}

TEST_CASE("what repeats must be a whole step") {
  // Six layers and nothing else: any period holds layers only, no name occurs once in it.
  Names layers;
  for (int i = 0; i < 6; ++i) layers.add({"gemm qkv", "attn", "gemm out"});
  CHECK(layers.steps().empty());
  CHECK(layers.source() == StepSource::file);
  CHECK(Names().step(2).step(2).step(2).steps().empty());  // two attention groups a period
  CHECK(Names().step(3).steps().empty());
}

TEST_CASE("a repeat covers 80 % of the stream and half of the busy time") {
  const char* const odd[] = {"o1", "o2", "o3", "o4", "o5", "o6"};
  Names five = Names().step(3).step(3);
  for (int i = 0; i < 5; ++i) five.add({odd[i]});
  CHECK(five.steps().size() == 2);            // 22 of 27
  CHECK(five.add({odd[5]}).steps().empty());  // 22 of 28 are 78.6 %
  // 220 ns of repeats beside 220 ns on another stream, where fewer calls make it not the primary.
  CHECK(Names().step(3).step(3).elsewhere(220).steps().size() == 2);
  CHECK(Names().step(3).step(3).elsewhere(221).steps().empty());
}

TEST_CASE("groups of layers that repeat within one step are no steps") {
  // A hybrid model: every third layer attends in another way, so "attn full" occurs once in each
  // period of 9, and 45 of 47 events are covered. The copies lie outside of all periods.
  Names hybrid;
  hybrid.add({"copy in"});
  for (int i = 0; i < 5; ++i) {
    hybrid.add({"gemm qkv", "attn", "gemm out", "gemm qkv", "attn", "gemm out"});
    hybrid.add({"gemm qkv", "attn full", "gemm out"});
  }
  CHECK(hybrid.add({"copy out"}).steps().empty());
  CHECK(hybrid.source() == StepSource::file);
  // Steps that begin with a copy of their own, after the one that begins the file.
  Names steps = Names().add({"copy weights"});
  for (int i = 0; i < 3; ++i) steps.add({"copy in"}).step(3);
  CHECK(steps.steps().size() == 3);
}
