#include "analysis/passes/roles/feed_forward_roles.h"

#include <doctest/doctest.h>

#include "tests/analysis/passes/role_run.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;
using namespace stepscope::tests::kernel;

namespace {

std::string dense(RoleRun& made) {
  const std::vector<std::vector<std::uint32_t>> runs{made.run};
  assign_dense_feed_forward(made.draft, runs);
  return made.roles();
}

}  // namespace

TEST_CASE("gate and up may be two GEMMs, on either side of the activation") {
  RoleRun one({kNvjet, kSilu, kNvjet});
  CHECK(dense(one) == "gate_up | activation | down");
  RoleRun two({kNvjet, kNvjet, kSilu, kCvtFp4, kNvjet, kLamport});
  CHECK(dense(two) == "gate_up | gate_up | activation | MLP quantize | down | MLP collective");
  RoleRun around({kNvjet, kSilu, kNvjet, kElementwise, kNvjet});
  CHECK(dense(around) == "gate_up | activation | gate_up | - | down");
}

TEST_CASE("what a norm cuts off behind down is no part of the MLP") {
  // The last layer of a model that another one follows: final norm and lm_head stand behind it.
  RoleRun made({kNvjet, kSilu, kNvjet, kLamport, kRmsNorm, kNvjet, kNvjet});
  CHECK(dense(made) == "gate_up | activation | down | MLP collective | layer norm | - | -");
  CHECK(made.place(5) == "the place does not tell: 2 GEMMs behind the feed-forward part");
  // A norm inside of the MLP, before its last GEMM, cuts nothing off.
  RoleRun inner({kNvjet, kSilu, kRmsNorm, kNvjet});
  CHECK(dense(inner) == "gate_up | activation | layer norm | down");
}

TEST_CASE("without an activation exactly two GEMMs are gate_up and down") {
  RoleRun two({kNcclAllGather, kCvtFp4, kNvjet, kNvjet, kLamport});
  CHECK(dense(two) == "attention collective | MLP quantize | gate_up | down | MLP collective");
  RoleRun three({kNvjet, kNvjet, kNvjet});
  CHECK(dense(three) == "- | - | -");
  CHECK(three.place(0) == "the place does not tell: 3 GEMMs in the feed-forward part");
  RoleRun many({kNvjet, kNvjet, kNvjet, kSilu, kCvtFp4, kNvjet});
  CHECK(dense(many) == "- | - | - | - | - | -");
  CHECK(many.place(5) ==
        "the place does not tell: 4 GEMMs around the activation of the feed-forward part");
}

TEST_CASE("collectives of another stream stand before or behind the GEMMs") {
  // Starts 0, 10, 20, 30: the stream with the GEMMs begins at 10.
  RoleRun made({kNcclAllReduce, kNvjet, kNvjet, kNcclAllReduce, kRmsNorm, kNvjet});
  const std::vector<std::vector<std::uint32_t>> runs{{}, {1, 2}, {0, 3, 4, 5}};
  assign_dense_feed_forward(made.draft, runs);
  CHECK(made.roles() == "attention collective | gate_up | down | MLP collective | layer norm | -");
}
