#include "analysis/passes/roles/where_labels.h"

#include <doctest/doctest.h>

using namespace stepscope::analysis;

TEST_CASE("labels say how many") {
  WhereFacts facts{.calls = 121, .layers = 61, .exchange = Exchange::all_reduce};
  CHECK(where_label(WherePlace::attention, facts) == "attention, 61 layers");
  CHECK(where_label(WherePlace::comm_layers, facts) == "all-reduce in the layers, 121 calls");
  CHECK(where_label(WherePlace::gemm_unknown, facts) == "GEMM, role not told, 121 calls");
  CHECK(where_label(WherePlace::head_collective, facts) == "first 121 all-reduces");
  facts.one_exchange = false;
  CHECK(where_label(WherePlace::comm, facts) == "collective, 121 calls");
  facts = {.calls = 1, .layers = 1, .exchange = Exchange::all_to_all, .waited = true};
  CHECK(where_label(WherePlace::mlp, facts) == "dense MLP, 1 layer");
  CHECK(where_label(WherePlace::wait, facts) == "waiting for other ranks, 1 all-to-all");
  CHECK(where_label(WherePlace::head_collective, facts) == "first all-to-all, transfer");
  CHECK(where_label(WherePlace::comm_dispatch, facts) == "MoE dispatch, all-to-all, 1 call");
}

TEST_CASE("labels say what is not covered by their name") {
  CHECK(where_label(WherePlace::head_setup, {}) == "set-up before the first layer");
  CHECK(where_label(WherePlace::head_setup, {.heavy = 2}) ==
        "before the first layer, with 2 GEMMs");
  CHECK(where_label(WherePlace::lm_head, {}) == "lm_head");
  CHECK(where_label(WherePlace::lm_head, {.final_norm = true}) == "lm_head and final norm");
  CHECK(where_label(WherePlace::sampling, {.others = true}) == "sampling and what follows lm_head");
  CHECK(where_key(WherePlace::other) == "other");
  CHECK(where_key(WherePlace::moe_shared) == "moe.shared_expert");
}
