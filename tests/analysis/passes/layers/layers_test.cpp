#include "analysis/passes/layers/layers.h"

#include "tests/analysis/passes/layer_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

using Bounds = std::vector<std::size_t>;
using Members = std::vector<std::vector<std::size_t>>;

Members kinds_of(const LayerMap& layers) {
  Members members;
  for (const LayerMap::Kind& kind : layers.kinds) members.push_back(kind.members);
  return members;
}

}  // namespace

TEST_CASE("dense layers: from norm to norm, the last one ends before lm_head") {
  // "e" is the embedding; a layer is norm, qkv, rope, attention, o_proj, norm, gate_up, SiLU, down.
  // The last layer follows the others through "aagngsg" (a to down), then comes "n" in all of them,
  // but the sequence "ng" after it (final norm, lm_head) is the start of the next layer elsewhere,
  // where that layer ended.
  const LayerFixture fixture(
      LetterTrace().add("e").add("ngkagngsg").add("ngkagngsg").add("ngkagngsg").add("nge"));
  const LayerMap& layers = fixture.layers();
  CHECK(layers.bounds == Bounds{1, 10, 19, 28});
  CHECK(layers.attention == Bounds{4, 13, 22});
  CHECK(layers.start_ns == std::vector<Ns>{10, 100, 190});
  CHECK(layers.end_ns == 280);
  CHECK(kinds_of(layers) == Members{{0, 1, 2}});
  CHECK_FALSE(layers.kinds[0].moe);
  CHECK(layers.layer_of.front() == LayerMap::kBefore);
  CHECK(layers.layer_of[1] == 0);
  CHECK(layers.layer_of[27] == 2);
  CHECK(layers.layer_of[28] == LayerMap::kAfter);
  // Clipped to the window.
  CHECK(layers.interval(0, fixture.window) == Interval{10, 100});
  CHECK(layers.interval(2, Interval{200, 250}) == Interval{200, 250});
}

TEST_CASE("MoE and dense layers that look alike on the layer stream are told by the side stream") {
  // The expert GEMM of layer 2 starts in it and ends in layer 3, to which it does not belong.
  LetterTrace letters = LetterTrace().add("ngagng").add("ngagng").add("ngagng").add("ngagng");
  letters.beside("moe", 65, 5, "9").beside("moe", 130, 60, "9").beside("add", 180, 5, "9");
  const LayerFixture fixture(letters);
  const LayerMap& layers = fixture.layers();
  CHECK(layers.count() == 4);
  CHECK(kinds_of(layers) == Members{{0, 3}, {1, 2}});
  CHECK_FALSE(layers.kinds[0].moe);
  CHECK(layers.kinds[1].moe);
  CHECK(layers.side[0].empty());
  CHECK(layers.side[2].size() == 1);
  CHECK(layers.side[3].size() == 1);
  CHECK(layers.kind_of == Bounds{0, 1, 1, 0});
}

TEST_CASE("side events before the first and after the last layer belong to none") {
  LetterTrace letters = LetterTrace().add("ee").add("ngagng").add("ngagng").add("ngagng").add("he");
  // The layers lie from 20 to 200; 195 to 230 starts in the last one but the next event of the
  // layer stream ends it.
  letters.beside("add", 10, 5, "9").beside("add", 195, 35, "9").beside("add", 205, 5, "9");
  const LayerFixture fixture(letters);
  const LayerMap& layers = fixture.layers();
  CHECK(layers.end_ns == 200);
  std::vector<int> side;
  for (std::size_t at = 0; at < fixture.events.size(); ++at) {
    if (fixture.view.stream(fixture.events[at]) != layers.stream) {
      side.push_back(layers.layer_of[at]);
    }
  }
  CHECK(side == std::vector<int>{LayerMap::kBefore, 2, LayerMap::kAfter});
}

TEST_CASE("without an event after it the last layer lasts to the end of its side events") {
  LetterTrace letters = LetterTrace().add("ngagng").add("ngagng").add("ngagng");
  letters.beside("moe", 170, 50, "9");
  const LayerFixture fixture(letters);
  CHECK(fixture.layers().end_ns == 220);
}

TEST_CASE("the stream with most attention groups is the layer stream, though experts are heavier") {
  // Experts of 100 on stream 9 make it the primary one.
  LetterTrace letters = LetterTrace().add("ngagng").add("ngagng").add("ngagng");
  for (const Ns start_ns : {40, 140, 240}) letters.beside("moe", start_ns, 100, "9");
  const LayerFixture fixture(letters);
  CHECK(fixture.device().streams[fixture.primary] == "9");
  CHECK(fixture.device().streams[fixture.layers().stream] == "7");
}

TEST_CASE("of streams with equally many groups the primary one is the layer stream") {
  LetterTrace letters = LetterTrace().add("gagag", "6").add("gagag", "7").add("gagag", "8");
  letters.add("gagag", "6").add("gagag", "7").kernel("add", 10, "7").add("gagag", "8");
  // "gagagg" has the groups a(1), then with one GEMM between the others none: two for two runs.
  CHECK_FALSE(LayerFixture(letters).found.has_value());
  LetterTrace more;
  for (int i = 0; i < 3; ++i) more.add("gga", "6").add("ggae", "7").add("gga", "8");
  const LayerFixture fixture(more);
  CHECK(fixture.device().streams[fixture.layers().stream] == "7");
}

TEST_CASE("autotuned kernels do not make kinds, other kernels do") {
  LetterTrace letters;
  for (const char* tile : {"64", "128", "64", "256"}) {
    letters.kernel("norm", 10).kernel("gemm qkv", 10).kernel(std::string("attn ") + tile, 10);
    letters.kernel(std::string("gemm o ") + tile, 10).kernel("norm", 10);
    letters.kernel(std::string("gemm up ") + tile, 10).kernel("act", 10);
    letters.kernel(std::string("gemm down ") + tile, 10);
  }
  CHECK(kinds_of(LayerFixture(letters).layers()) == Members{{0, 1, 2, 3}});
  // The second layer quantizes with another kernel.
  const LayerFixture other(LetterTrace().add("ngxagng").add("ngyagng").add("ngxagng"));
  CHECK(kinds_of(other.layers()) == Members{{0, 2}, {1}});
}

TEST_CASE("the token of a kernel") {
  LetterTrace letters;
  letters.add("nglakmrcse").beside("copy", 200, 5, "9");
  const LayerFixture fixture(letters);
  std::vector<std::string_view> tokens;
  for (const EventIndex event : fixture.events) tokens.push_back(layer_token(fixture.view, event));
  CHECK(tokens == std::vector<std::string_view>{"normalisation", "gemm-dense", "linear-attention",
                                                "attention", "rope/kv-cache", "gemm-moe",
                                                "moe-routing", "comm", "act", "add", "copy"});
}

TEST_CASE("no layers, and why") {
  const auto why = [](const LetterTrace& letters) {
    const LayerFixture fixture(letters);
    REQUIRE_FALSE(fixture.found.has_value());
    return fixture.found.error();
  };
  CHECK(why(LetterTrace().add("e")) == "fewer than 3 attention groups on every stream");
  CHECK(why(LetterTrace().add("ngagngngagng")) == "fewer than 3 attention groups on every stream");
  LetterTrace training = LetterTrace().add("ngagng").add("ngagng").add("ngagng");
  training.kernel("flash_BWD_dq", 10);
  CHECK(why(training) == "backward kernels: a training step");
  // Three layers of 6 = 18 of 37 kernels: "e" x 19 follow.
  const std::string tail(19, 'e');
  CHECK(why(LetterTrace().add("ngagng").add("ngagng").add("ngagng").add(tail)) ==
        "what repeats with attention is irregular: less than half of the stream's kernels");
  CHECK(LayerFixture(
            LetterTrace().add("ngagng").add("ngagng").add("ngagng").add(std::string(18, 'e')))
            .found.has_value());
}

TEST_CASE("kernels without duration count as kernels") {
  LetterTrace letters;
  for (int i = 0; i < 3; ++i) {
    for (const char* name : {"norm", "gemm", "attn", "gemm", "norm", "gemm"}) {
      letters.kernel(name, 0);
      letters.at_ns += 10;
    }
  }
  const LayerFixture fixture(letters);
  CHECK(fixture.layers().bounds == Bounds{0, 6, 12, 18});
  CHECK(fixture.layers().end_ns == 170);  // where the last kernel is
  // All at one instant they have no order that means anything.
  LetterTrace together;
  for (int i = 0; i < 9; ++i) together.kernel(i % 3 == 1 ? "attn" : "gemm", 0);
  CHECK_FALSE(LayerFixture(together).found.has_value());
}
