#include "analysis/passes/layers/layer_notes.h"

#include "tests/analysis/passes/layer_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

using Notes = std::vector<std::string>;

Notes notes_of(const LetterTrace& letters) { return layer_notes(SceneFixture(letters).scene()); }

}  // namespace

TEST_CASE("calls that divide by the layers are said") {
  LetterTrace letters = LetterTrace().add("e");
  for (int i = 0; i < 4; ++i) letters.add("ngagngsg");
  letters.add("ng");  // lm_head is no call in the layers
  CHECK(notes_of(letters) ==
        Notes{"4 attention kernel calls = 1 x 4 layers", "16 GEMM calls = 4 x 4 layers"});
}

TEST_CASE("calls that nearly divide say by how many; experts divide by the MoE layers") {
  // Ten layers, the first two dense. All have an all-reduce after o_proj and another at their end,
  // but for the first one, which ends without: 19.
  LetterTrace letters = LetterTrace().add("ngagcng").add("ngagcngc");
  for (int i = 0; i < 8; ++i) letters.add("ngagcngrmmc");
  CHECK(notes_of(letters) == Notes{"10 attention kernel calls = 1 x 10 layers",
                                   "30 GEMM calls = 3 x 10 layers",
                                   "16 expert GEMM calls = 2 x 8 MoE layers",
                                   "19 all-reduce calls = 2 x 10 layers - 1"});
}

TEST_CASE("GEMMs of other streams are not counted with those of the layer stream") {
  LetterTrace letters;
  for (int i = 0; i < 3; ++i) letters.add("ngagng");
  letters.beside("gemm router", 70, 5, "9");
  CHECK(notes_of(letters) == Notes{"3 attention kernel calls = 1 x 3 layers",
                                   "9 GEMM calls on stream 7 = 3 x 3 layers"});
}

TEST_CASE("a repeat of names that counts otherwise is said") {
  // The first two of six layers have an attention kernel of another name: four repeats of 6.
  LetterTrace letters;
  for (int i = 0; i < 6; ++i) {
    letters.add("ng").kernel(i < 2 ? "attn 64" : "attn 128", 10).add("gng");
  }
  CHECK(notes_of(letters) ==
        Notes{"6 attention kernel calls = 1 x 6 layers", "18 GEMM calls = 3 x 6 layers",
              "strict repetition of names would count 4 x 6 kernels for 6 layers"});
}

TEST_CASE("no layers, no notes") { CHECK(notes_of(LetterTrace().add("ee")).empty()); }
