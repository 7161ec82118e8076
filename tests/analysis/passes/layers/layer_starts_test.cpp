#include "analysis/passes/layers/layer_starts.h"

#include <doctest/doctest.h>

#include <string>

#include "analysis/passes/steps/attention_groups.h"

using namespace stepscope::analysis;

namespace {

using Bounds = std::vector<std::size_t>;

// One letter a kernel: a attention, l linear attention, n norm, c communication, m expert GEMM; Q,
// K, O, U, D and G are GEMMs of these names; all else is a name of its own.
std::vector<LayerKernel> kernels_of(const std::string& letters) {
  std::vector<LayerKernel> kernels;
  for (const char letter : letters) {
    const auto name = static_cast<NameId>(static_cast<unsigned char>(letter));
    LayerToken token = layer_tokens::kFirstName + name;
    if (letter == 'a') token = layer_tokens::kAttention;
    if (letter == 'l') token = layer_tokens::kLinearAttention;
    if (letter == 'n') token = layer_tokens::kNorm;
    if (letter == 'c') token = layer_tokens::kComm;
    if (letter == 'm') token = layer_tokens::kGemmMoe;
    if (letter >= 'A' && letter <= 'Z') token = layer_tokens::kGemmDense;
    kernels.push_back({token, name});
  }
  return kernels;
}

// The layers as words, after what precedes the first and before what follows the last.
std::string layers_of(const std::string& letters) {
  const std::vector<LayerKernel> kernels = kernels_of(letters);
  std::vector<std::size_t> groups;
  GroupCounter counter;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (counter.begins(kernels[i].token)) groups.push_back(i);
  }
  const Bounds bounds = layer_bounds(kernels, groups);
  std::string cut = letters;
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) cut.insert(*bound, "|");
  return cut;
}

}  // namespace

TEST_CASE("a layer starts at its input norm") {
  CHECK(layers_of("enQaOnUDnQaOnUDnQaOnUDnH") == "e|nQaOnUD|nQaOnUD|nQaOnUD|nH");
}

TEST_CASE("norms between the own GEMMs of a layer are not its start") {
  // DeepSeek: q_a (Q), norm, q_b (K). Both precede attention in the same place in all layers.
  CHECK(layers_of("enQnKaOnUDnQnKaOnUDnQnKaOnUDnH") == "e|nQnKaOnUD|nQnKaOnUD|nQnKaOnUD|nH");
}

TEST_CASE("with several norms before the first own GEMM the last one is the start") {
  // A norm after the MLP, as Gemma has, belongs to the layer before.
  CHECK(layers_of("nQaOnUDnnQaOnUDnnQaOnUDnnH") == "|nQaOnUDn|nQaOnUDn|nQaOnUDn|nH");
}

TEST_CASE("norms fused into collectives: layers start after the collective they have in common") {
  // "c" does the norm. Layer 1 is preceded by "xc", the others by "c"; both end with c, which
  // belongs to the layer before, so layers start with Q, or with the quantization q after c.
  CHECK(layers_of("xcQaOcUDcQaOcUDcQaOcUDcH") == "xc|QaOcUDc|QaOcUDc|QaOcUDc|H");
  CHECK(layers_of("xcqQaOcUDcqQaOcUDcqQaOcUDcH") == "xc|qQaOcUDc|qQaOcUDc|qQaOcUDc|H");
}

TEST_CASE("without norm and collective a layer starts where the ends of two stretches agree") {
  // Before Q stand "xqt" in layer 1 and "qt" in the others: they have "qt" in common.
  CHECK(layers_of("xqtQaOUDqtQaOUDqtQaOUDz") == "x|qtQaOUD|qtQaOUD|qtQaOUD|z");
}

TEST_CASE("several attention kernels are one group") {
  CHECK(layers_of("nQaaOnUDnQaaOnUDnQaaOnUDnH") == "|nQaaOnUD|nQaaOnUD|nQaaOnUD|nH");
}

TEST_CASE("the last layer ends where it stops following an earlier one") {
  // A last layer without its down projection's quantization, then sampling.
  CHECK(layers_of("nQaOnUqDxnQaOnUqDxnQaOnUqDznH") == "|nQaOnUqDx|nQaOnUqDx|nQaOnUqD|znH");
}

TEST_CASE("hybrid: each kind of attention has its own number of GEMMs before it") {
  // Linear attention has two (Q, K), full attention one (Q); all layers go on with O, U, D.
  CHECK(layers_of("enQKlOnUDnQKlOnUDnQaOnUDnQKlOnUDnQKlOnUDnQaOnUDnH") ==
        "e|nQKlOnUD|nQKlOnUD|nQaOnUD|nQKlOnUD|nQKlOnUD|nQaOnUD|nH");
  // Strictly in turns, full attention first.
  CHECK(layers_of("nQaOnUDnQKlOnUDnQaOnUDnQKlOnUDnH") == "|nQaOnUD|nQKlOnUD|nQaOnUD|nQKlOnUD|nH");
  // With experts (G router, m) in every second layer, which have one GEMM more after attention.
  CHECK(layers_of("nQKlOnUDnQKlOnGmmnQKlOnUDnQaOnGmmnQKlOnUDnQKlOnGmmnQKlOnUDnQaOnGmmnH") ==
        "|nQKlOnUD|nQKlOnGmm|nQKlOnUD|nQaOnGmm|nQKlOnUD|nQKlOnGmm|nQKlOnUD|nQaOnGmm|nH");
}

TEST_CASE("a GEMM before the first layer is no GEMM of the layer") {
  // F projects the embedding; no later layer has it in that place.
  CHECK(layers_of("FnQaOnUDnQaOnUDnQaOnUDnH") == "F|nQaOnUD|nQaOnUD|nQaOnUD|nH");
}

TEST_CASE("attention of its own kind at the end keeps its kernel") {
  CHECK(layers_of("nQlOnUDnQlOnUDnQlOnUDnQa") == "|nQlOnUD|nQlOnUD|nQlOnUD|nQa|");
}
