#include "analysis/passes/layers/phases.h"

#include "tests/analysis/passes/layer_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// Three dense layers of 60.
LetterTrace& add_layers(LetterTrace& letters) {
  return letters.add("ngagng").add("ngagng").add("ngagng");
}

// Name, start, wall.
struct Span {
  std::string name;
  Ns start_ns;
  Ns wall_ns;
  bool operator==(const Span&) const = default;
};
std::vector<Span> spans_of(const std::vector<Phase>& phases) {
  std::vector<Span> spans;
  for (const Phase& phase : phases) spans.push_back({phase.name, phase.start_ns, phase.wall_ns});
  return spans;
}

const ChargedCategory& row(const Phase& phase, const std::string& category) {
  for (const ChargedCategory& charged : phase.charged) {
    if (charged.category == category) return charged;
  }
  FAIL("no row ", category);
  return phase.charged.front();
}

void check_sums(const std::vector<Phase>& phases, const Interval& window) {
  Ns all_ns = 0;
  for (const Phase& phase : phases) {
    CHECK(phase.start_ns == all_ns);
    all_ns += phase.wall_ns;
    Ns charged_ns = phase.classes.idle;
    for (const ChargedCategory& charged : phase.charged) charged_ns += charged.charged_ns;
    CHECK(charged_ns == phase.wall_ns);
    const ClassTimes& classes = phase.classes;
    CHECK(classes.compute + classes.comm_exposed + classes.copy_exposed + classes.idle ==
          phase.wall_ns);
  }
  CHECK(all_ns == window.length_ns());
}

}  // namespace

TEST_CASE("head, layers and tail, with idle time between the layers") {
  // 0-20 "ee", 20-30 idle, layers 30-90, 100-160, 160-220, tail 220-250: idle, norm, idle-free
  // gemm.
  LetterTrace letters = LetterTrace().add("ee ").add("ngagng ").add("ngagng").add("ngagng");
  letters.add(" ne");
  const SceneFixture fixture(letters);
  const std::vector<Phase> phases = phases_of(fixture.scene());
  CHECK(spans_of(phases) ==
        std::vector<Span>{{"head", 0, 30}, {"layers", 30, 190}, {"tail", 220, 30}});
  check_sums(phases, fixture.window);
  CHECK(phases[0].classes.idle == 10);
  CHECK(phases[1].classes.idle == 10);
  CHECK(phases[1].classes.compute == 180);
  CHECK(row(phases[1], "gemm-dense").charged_ns == 90);
  CHECK(row(phases[1], "gemm-dense").calls == 9);
  CHECK(row(phases[1], "gemm-dense").component == "mlp");
  CHECK(phases[1].charged[0].category == "gemm-dense");      // 90
  CHECK(phases[1].charged[1].category == "normalisation");   // 60
  CHECK(phases[1].charged[2].category == "attention-fmha");  // 30
  CHECK(row(phases[2], "normalisation").calls == 1);
}

TEST_CASE("collectives split the head, those of other streams too") {
  // Copies 0-30; all-reduce 40-140 on stream 7; another 60-170 on stream 8; norm 180-190; layers.
  LetterTrace letters;
  letters.kernel("copy", 30).add(" ").kernel("nccl all", 100).beside("nccl all", 60, 110, "8");
  letters.at_ns = 180;
  letters.add("e");
  add_layers(letters).add("e");
  const SceneFixture fixture(letters);
  const std::vector<Phase> phases = phases_of(fixture.scene());
  CHECK(spans_of(phases) == std::vector<Span>{{"head.setup", 0, 40},
                                              {"head.collective", 40, 130},
                                              {"head.rest", 170, 20},
                                              {"layers", 190, 180},
                                              {"tail", 370, 10}});
  check_sums(phases, fixture.window);
  CHECK(phases[0].classes.copy_exposed == 30);
  CHECK(phases[0].classes.idle == 10);
  CHECK(phases[1].classes.comm_exposed == 130);
  CHECK(row(phases[1], "comm-allreduce-nccl").calls == 2);
  CHECK(row(phases[2], "elementwise/copy").charged_ns == 10);
}

TEST_CASE(
    "a collective that runs into the layers is charged on both sides and counts in the head") {
  // On stream 8 from 10 to 100; the head ends at 20. The layers' own stream is primary, so what is
  // left for it are 10 to 20 and the gap between layer 1 and 2 (80 to 90).
  LetterTrace letters = LetterTrace().add("e ").add("ngagng ").add("ngagng").add("ngagng");
  letters.beside("nccl all", 10, 90, "8");
  const SceneFixture fixture(letters);
  const std::vector<Phase> phases = phases_of(fixture.scene());
  CHECK(spans_of(phases) == std::vector<Span>{{"head.setup", 0, 10},
                                              {"head.collective", 10, 10},
                                              {"layers", 20, 190},
                                              {"tail", 210, 0}});
  check_sums(phases, fixture.window);
  CHECK(row(phases[1], "comm-allreduce-nccl").charged_ns == 10);
  CHECK(row(phases[1], "comm-allreduce-nccl").calls == 1);
  CHECK(row(phases[2], "comm-allreduce-nccl").charged_ns == 10);
  CHECK(row(phases[2], "comm-allreduce-nccl").calls == 0);
  CHECK(phases[2].classes.comm_exposed == 10);
  CHECK(phases[2].classes.idle == 0);
}

TEST_CASE("without a head the layers come first; a tail without length stays") {
  LetterTrace letters;
  add_layers(letters);
  const SceneFixture fixture(letters);
  const std::vector<Phase> phases = phases_of(fixture.scene());
  CHECK(spans_of(phases) == std::vector<Span>{{"layers", 0, 180}, {"tail", 180, 0}});
  check_sums(phases, fixture.window);
  CHECK(phases[1].charged.empty());
}

TEST_CASE("an event that runs into the window counts to the first phase") {
  // The window begins at 5, inside the first "e", which is charged 5 there.
  LetterTrace letters = LetterTrace().add("ee");
  add_layers(letters).add("e");
  const SceneFixture fixture(letters, Interval{5, 205});
  const std::vector<Phase> phases = phases_of(fixture.scene());
  CHECK(spans_of(phases) ==
        std::vector<Span>{{"head", 0, 15}, {"layers", 15, 180}, {"tail", 195, 5}});
  check_sums(phases, fixture.window);
  CHECK(row(phases[0], "elementwise/copy").calls == 2);
  CHECK(row(phases[0], "elementwise/copy").charged_ns == 15);
  CHECK(row(phases[2], "elementwise/copy").charged_ns == 5);
}

TEST_CASE("events without duration are calls, and split no head") {
  LetterTrace letters = LetterTrace().add("e");
  letters.kernel("nccl all", 0).add("e");
  add_layers(letters).add("e").kernel("copy", 0);
  const SceneFixture fixture(letters);
  const std::vector<Phase> phases = phases_of(fixture.scene());
  CHECK(spans_of(phases) ==
        std::vector<Span>{{"head", 0, 20}, {"layers", 20, 180}, {"tail", 200, 10}});
  CHECK(row(phases[0], "comm-allreduce-nccl").calls == 1);
  CHECK(row(phases[0], "comm-allreduce-nccl").charged_ns == 0);
  CHECK(row(phases[2], "memcpy").calls == 1);
}

TEST_CASE("no layers, no phases; a part of the window can be asked for") {
  const SceneFixture fixture(LetterTrace().add("ege"));
  CHECK(phases_of(fixture.scene()).empty());
  const Phase part = phase_between(fixture.scene(), "middle", {5, 25});
  CHECK(part.name == "middle");
  CHECK(part.start_ns == 5);
  CHECK(row(part, "gemm-dense").charged_ns == 10);
  CHECK(row(part, "elementwise/copy").charged_ns == 10);
  CHECK(row(part, "elementwise/copy").calls == 1);  // the other starts before it
  CHECK(row(phase_between(fixture.scene(), "all", fixture.window), "elementwise/copy").calls == 2);
}
