#include "analysis/passes/layers/layer_rows.h"

#include "tests/analysis/passes/layer_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

Layers figures_of(const StepScene& scene) {
  auto layers = layer_figures(scene);
  REQUIRE(layers.has_value());
  // Rows and idle are the wall, of the median layer and of the whole kind; kinds sum to the layers.
  Ns all_ns = 0;
  for (const LayerKind& kind : layers->kinds) {
    Ns median_ns = kind.idle_ns;
    Ns kind_ns = kind.idle_in_kind_ns;
    for (const LayerRow& row : kind.rows) {
      median_ns += row.charged_ns;
      kind_ns += row.charged_in_kind_ns;
    }
    CHECK(median_ns == kind.median_wall_ns);
    CHECK(kind_ns == kind.total_wall_ns);
    all_ns += kind.total_wall_ns;
  }
  for (const Ns wall_ns : layers->wall_ns) all_ns -= wall_ns;
  CHECK(all_ns == 0);
  return *std::move(layers);
}

Layers figures_of(const LetterTrace& letters) { return figures_of(SceneFixture(letters).scene()); }

std::vector<std::string> names_of(const LayerKind& kind) {
  std::vector<std::string> names;
  for (const LayerRow& row : kind.rows) names.push_back(row.name);
  return names;
}

using Names = std::vector<std::string>;
using Walls = std::vector<Ns>;

// A layer of "ngag" + norm and MLP GEMM of `mlp_ns`.
void layer(LetterTrace& letters, Ns mlp_ns, const std::string& mlp = "gemm") {
  letters.add("ngagn").kernel(mlp, mlp_ns);
}

}  // namespace

TEST_CASE("walls, kinds and the rows of the median layer") {
  // Walls 60, 80, 70, 100: lower median 70, layer 2; mean 77.5 goes to the even 78.
  LetterTrace letters = LetterTrace().add("e");
  for (const Ns mlp_ns : {10, 30, 20, 50}) layer(letters, mlp_ns);
  letters.add("ng");
  const Layers layers = figures_of(letters);
  CHECK(layers.count == 4);
  CHECK(layers.stream == "7");
  CHECK(layers.events_before == 1);
  CHECK(layers.events_after == 2);
  CHECK(layers.wall_ns == Walls{60, 80, 70, 100});
  CHECK(layers.kind_of == std::vector<int>{0, 0, 0, 0});
  REQUIRE(layers.kinds.size() == 1);
  const LayerKind& kind = layers.kinds[0];
  CHECK(kind.first == 0);
  CHECK(kind.last == 3);
  CHECK(kind.count == 4);
  CHECK(kind.events == 6);
  CHECK(kind.median_wall_ns == 70);
  CHECK(kind.mean_wall_ns == 78);
  CHECK(kind.min_wall_ns == 60);
  CHECK(kind.max_wall_ns == 100);
  CHECK(kind.total_wall_ns == 310);
  CHECK(kind.median_layer == 2);
  CHECK(kind.label == "dense");
  CHECK(kind.side_events == 0);
  CHECK(kind.idle_ns == 0);
  CHECK(names_of(kind) == Names{"norm", "gemm", "attn", "gemm", "norm", "gemm"});
  const LayerRow& mlp = kind.rows[5];
  CHECK(mlp.stream == "7");
  CHECK(mlp.category == "gemm-dense");
  CHECK(mlp.component == "mlp");
  CHECK(mlp.calls == 1);
  CHECK(mlp.charged_ns == 20);
  CHECK(mlp.sum_ns == 20);
  CHECK(mlp.calls_in_kind == 4);
  CHECK(mlp.charged_in_kind_ns == 110);
  CHECK(mlp.sum_in_kind_ns == 110);
  CHECK_FALSE(mlp.names_vary);
  CHECK(layers.outliers.empty());
}

TEST_CASE("of equal walls the first layer is the median one; names that vary are told") {
  LetterTrace letters;
  for (const char* tile : {"gemm 64", "gemm 128", "gemm 64"}) layer(letters, 10, tile);
  const Layers layers = figures_of(letters);
  const LayerKind& kind = layers.kinds.at(0);
  CHECK(kind.median_layer == 0);
  CHECK(kind.rows[5].name == "gemm 64");
  CHECK(kind.rows[5].names_vary);
  CHECK_FALSE(kind.rows[1].names_vary);
}

TEST_CASE("side streams have a row for each role and token, hidden or not") {
  // Four layers of 60 at 0, 60, 120, 180, of which the last three are MoE: on stream 9 two expert
  // GEMMs of 20 and 30 from 65, 125, 185 on (under the layer stream, so hidden), and in layer 1
  // (the median of the MoE layers, for the first of equal walls is taken) a routing kernel too.
  LetterTrace letters;
  for (int i = 0; i < 4; ++i) layer(letters, 10);
  for (const Ns start_ns : {65, 125, 185}) {
    letters.beside("moe up", start_ns, 20, "9").beside("moe down", start_ns + 20, 30, "9");
  }
  letters.beside("routing", 62, 3, "8");
  SceneFixture fixture(letters);
  StepScene scene = fixture.scene();
  for (std::uint32_t at = 0; at < scene.events.size(); ++at) {
    const std::string& name = scene.view.trace.names[scene.view.event(scene.events[at]).name];
    if (name == "moe up") scene.roles.role_of[at] = Role::expert_gate_up;
    if (name == "moe down") scene.roles.role_of[at] = Role::expert_down;
  }
  const Layers layers = figures_of(scene);
  REQUIRE(layers.kinds.size() == 2);
  CHECK(layers.kinds[0].label == "dense");
  CHECK(layers.kinds[0].rows.size() == 6);
  const LayerKind& moe = layers.kinds[1];
  CHECK(moe.label == "MoE");
  CHECK(moe.median_layer == 1);
  CHECK(moe.side_events == 3);
  CHECK(names_of(moe) ==
        Names{"norm", "gemm", "attn", "gemm", "norm", "gemm", "routing", "moe up", "moe down"});
  CHECK(moe.rows[6].stream == "8");
  CHECK(moe.rows[6].calls_in_kind == 1);
  CHECK(moe.rows[7].stream == "9");
  CHECK(moe.rows[7].role == role_name(Role::expert_gate_up));
  CHECK(moe.rows[7].component == "moe");
  CHECK(moe.rows[7].calls == 1);
  CHECK(moe.rows[7].sum_ns == 20);
  CHECK(moe.rows[7].charged_ns == 0);
  CHECK(moe.rows[7].calls_in_kind == 3);
  CHECK(moe.rows[7].sum_in_kind_ns == 60);
  CHECK(moe.rows[8].sum_in_kind_ns == 90);
}

TEST_CASE("a side row that the median layer does not have is named by the first that has it") {
  LetterTrace letters;
  for (int i = 0; i < 3; ++i) layer(letters, 10);
  letters.beside("add", 70, 5, "9");
  const Layers layers = figures_of(letters);
  const LayerKind& kind = layers.kinds.at(0);
  CHECK(kind.median_layer == 0);
  REQUIRE(kind.rows.size() == 7);
  CHECK(kind.rows[6].name == "add");
  CHECK(kind.rows[6].calls == 0);
  CHECK(kind.rows[6].calls_in_kind == 1);
}

TEST_CASE(
    "time belongs to the layer in which it lies: what runs over from before has its own row") {
  // The expert GEMM starts at 55 in layer 0 and ends at 75. The layer stream idles from 60 to 70,
  // so 60 to 70 of it are charged, all in layer 0, whose wall is 70; layer 1 begins at 70. The
  // second one starts at 125, before the idle 130 to 140 at the end of layer 1, and so on.
  LetterTrace letters;
  for (int i = 0; i < 3; ++i) letters.add("ngagng ");
  letters.beside("moe", 55, 20, "9").beside("moe", 125, 20, "9").beside("moe", 195, 20, "9");
  const Layers inside = figures_of(letters);
  CHECK(inside.wall_ns == Walls{70, 70, 75});  // the last one lasts as long as its side event
  CHECK(inside.kinds.at(0).rows.size() == 7);
  CHECK(inside.kinds[0].rows[6].charged_in_kind_ns == 10 + 10 + 15);

  // The same on the layer stream: each layer's last GEMM runs on for 4 under the next norm, which
  // it owns because it started first; of the first layer nothing comes from before.
  LetterTrace overlap;
  for (int i = 0; i < 3; ++i) {
    layer(overlap, 14);
    overlap.at_ns -= 4;
  }
  const Layers over = figures_of(overlap);
  CHECK(over.wall_ns == Walls{60, 60, 64});
  const LayerKind& kind = over.kinds.at(0);
  REQUIRE(kind.rows.size() == 7);
  CHECK(kind.rows[0].charged_ns == 10);  // layer 0 is the median one
  CHECK(kind.rows[0].charged_in_kind_ns == 10 + 6 + 6);
  CHECK(kind.rows[5].sum_ns == 14);
  CHECK(kind.rows[5].charged_ns == 10);
  CHECK(kind.rows[5].charged_in_kind_ns == 10 + 10 + 14);
  CHECK(kind.rows[6].role == kCarriedOverRole);
  CHECK(kind.rows[6].name == "gemm");
  CHECK(kind.rows[6].calls == 0);
  CHECK(kind.rows[6].calls_in_kind == 0);
  CHECK(kind.rows[6].charged_ns == 0);
  CHECK(kind.rows[6].charged_in_kind_ns == 8);
}

TEST_CASE("idle time of the median layer and of the kind") {
  LetterTrace letters;
  for (const char* gap : {" ", "  ", "   "}) letters.add("ngagng").add(gap);
  letters.add("e");
  const LayerKind kind = figures_of(letters).kinds.at(0);
  // The last layer ends with its last kernel; the gap after it is the tail's.
  CHECK(kind.median_wall_ns == 70);
  CHECK(kind.idle_ns == 10);
  CHECK(kind.idle_in_kind_ns == 30);
}

TEST_CASE("outliers are 1.5 x the median of their kind, and 10 us above it") {
  const auto outliers = [](Ns usual_ns, Ns odd_ns) {
    LetterTrace letters;
    for (const Ns wall_ns : {usual_ns, odd_ns, usual_ns}) layer(letters, wall_ns - 50);
    return figures_of(letters).outliers;
  };
  CHECK(outliers(30'000, 45'000).empty());
  CHECK(outliers(30'000, 45'001).size() == 1);
  CHECK(outliers(10'000, 20'000).empty());
  const std::vector<OutlierLayer> found = outliers(10'000, 20'001);
  REQUIRE(found.size() == 1);
  CHECK(found[0].layer == 1);
  CHECK(found[0].wall_ns == 20'001);
  CHECK(found[0].kind_median_ns == 10'000);
}

TEST_CASE("a window that begins in a layer clips its wall") {
  // Layers at 0, 60, 120, 180. The norm of layer 0 is cut at 5.
  LetterTrace letters;
  for (int i = 0; i < 4; ++i) layer(letters, 10);
  const SceneFixture fixture(letters, Interval{5, 235});
  const Layers layers = figures_of(fixture.scene());
  CHECK(layers.wall_ns == Walls{55, 60, 60, 55});
  CHECK(layers.kinds.at(0).rows[0].charged_in_kind_ns == 35);
}

TEST_CASE("no layers, no figures") {
  CHECK_FALSE(layer_figures(SceneFixture(LetterTrace().add("ege")).scene()).has_value());
}

TEST_CASE("of very many kinds those with most time have rows, and the check lines say so") {
  // Layer i has i elementwise kernels more than the first: 66 kinds of one layer each.
  LetterTrace letters;
  for (int i = 0; i < 66; ++i)
    letters.add("nggagg" + std::string(static_cast<std::size_t>(i), 'e'));
  const SceneFixture fixture(letters);
  const std::optional<Layers> layers = layer_figures(fixture.scene());
  REQUIRE(layers.has_value());
  REQUIRE(layers->kinds.size() > kKindsWithRowsMax);
  CHECK(layers->kinds.front().rows.empty());
  CHECK_FALSE(layers->kinds.back().rows.empty());
  std::size_t with_rows = 0;
  for (const LayerKind& kind : layers->kinds) with_rows += kind.rows.empty() ? 0 : 1;
  CHECK(with_rows == kKindsWithRowsMax);
  CHECK(layers->notes.back().contains("the kernels of 64 are listed"));
}
