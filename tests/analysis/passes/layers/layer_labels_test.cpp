#include "analysis/passes/layers/layer_labels.h"

#include "tests/analysis/passes/layer_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

std::vector<std::string> labels_of(const LetterTrace& letters) {
  const LayerFixture fixture(letters);
  return kind_labels(fixture.view, fixture.events, fixture.layers());
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("one kind needs no more than MoE or dense") {
  CHECK(labels_of(LetterTrace().add("ngagngngagngngagng")) == Labels{"dense"});
  CHECK(labels_of(LetterTrace().add("ngagngrmmngagngrmmngagngrmm")) == Labels{"MoE"});
}

TEST_CASE("kinds of one description say what sets them apart from the most frequent") {
  // DeepSeek-R1 with two all-reduces a layer, of which the first layer has one.
  LetterTrace letters = LetterTrace().add("ngagng").add("cngagcng").add("cngagcng");
  letters.add("cngagcngrmm").add("cngagcngrmm").add("c");
  CHECK(labels_of(letters) == Labels{"dense, one all-reduce less", "dense", "MoE"});
  CHECK(labels_of(LetterTrace().add("ngagngee").add("ngagng").add("ngagng")) ==
        Labels{"dense, 2 elementwise kernels more", "dense"});
  CHECK(labels_of(LetterTrace().add("ngagnge").add("ngagngk").add("ngagng").add("ngagng")) ==
        Labels{"dense, one elementwise kernel more", "dense, one rotary or cache kernel more",
               "dense"});
}

TEST_CASE("two differences are named, more are counted") {
  CHECK(labels_of(LetterTrace().add("ngagnge").add("ngagngk").add("ngagngk")) ==
        Labels{"dense, one elementwise kernel more and one rotary or cache kernel less", "dense"});
  CHECK(labels_of(LetterTrace().add("ngagngekx").add("ngagng").add("ngagng")) ==
        Labels{"dense, 3 kernels more", "dense"});
  CHECK(labels_of(LetterTrace().add("ngagngx").add("ngagngy").add("ngagngy")) ==
        Labels{"dense, other kernels", "dense"});
  CHECK(labels_of(LetterTrace().add("ngagngxy").add("ngagngyx").add("ngagngyx")) ==
        Labels{"dense, in another order", "dense"});
}

TEST_CASE("labels are all different") {
  CHECK(labels_of(LetterTrace().add("ngagngx").add("ngagngz").add("ngagngy").add("ngagngy")) ==
        Labels{"dense, other kernels", "dense, other kernels (first in layer 2)", "dense"});
}

TEST_CASE("a hybrid model names the kind of attention") {
  LetterTrace letters;
  for (int i = 0; i < 2; ++i) letters.add("nglgngrmm").add("nglgngrmm").add("ngagngrmm");
  CHECK(labels_of(letters) == Labels{"linear attention, MoE", "attention, MoE"});
}
