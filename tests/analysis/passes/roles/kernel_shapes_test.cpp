#include "analysis/passes/roles/kernel_shapes.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/analysis/passes/trace_fixture.h"

using namespace stepscope::analysis;
using namespace stepscope::tests;

namespace {

// Rows of all (stream, name) pairs of the device, with shapes.
std::vector<KernelRow> rows_of(const TraceFixture& fixture, std::size_t device = 0) {
  const LaunchLinks links(fixture.trace);
  StepScene scene{.view = fixture.view,
                  .links = links,
                  .device = fixture.device(device),
                  .window = {0, 1'000'000},
                  .events = fixture.device(device).events};
  std::vector<KernelRow> rows;
  for (const EventIndex event : scene.events) {
    const std::string& stream = scene.device.streams[fixture.view.stream(event)];
    const std::string& name = fixture.trace.names[fixture.view.event(event).name];
    const auto same = [&](const KernelRow& row) {
      return row.stream == stream && row.name == name;
    };
    if (std::ranges::none_of(rows, same)) rows.push_back({.stream = stream, .name = name});
  }
  add_kernel_shapes(scene, rows);
  return rows;
}

void check(const KernelShape& shape, std::string_view text, std::string_view source,
           std::int64_t calls) {
  CHECK(shape.text == text);
  CHECK(shape.source == source);
  CHECK(shape.calls == calls);
}

KernelArgs grid(const std::string& grid, const std::string& block = "[384, 1, 1]") {
  return {.grid = grid, .block = block};
}

}  // namespace

TEST_CASE("sizes of matrix products from the layout of their operator") {
  const auto shape = shape_of_operator;
  CHECK(shape("aten::mm", "[[4, 7168], [7168, 2112]]") == "M 4, N 2112, K 7168");
  CHECK(shape("aten::_scaled_mm", "[[4, 7168], [7168, 2112], [], []]") == "M 4, N 2112, K 7168");
  CHECK(shape("aten::addmm", "[[1000], [32, 2048], [2048, 1000], [], []]") ==
        "M 32, N 1000, K 2048");
  CHECK(shape("aten::bmm", "[[32, 1, 64], [32, 64, 67]]") == "B 32, M 1, N 67, K 64");
  CHECK(shape("aten::baddbmm", "[[1], [8, 2, 3], [8, 3, 5]]") == "B 8, M 2, N 5, K 3");
  CHECK(shape("aten::linear", "[[32, 2048], [1000, 2048], [1000]]") == "M 32, N 1000, K 2048");
  CHECK(shape("aten::linear", "[[4, 8, 2048], [1000, 2048]]") == "M 32, N 1000, K 2048");
  CHECK(shape("aten::matmul", "[[4, 1, 256], [256, 768]]") == "M 4, N 768, K 256");
  CHECK(shape("aten::matmul", "[[2, 4, 8], [2, 8, 16]]") == "B 2, M 4, N 16, K 8");
}

TEST_CASE("other operators show their sizes as they are") {
  const auto shape = shape_of_operator;
  CHECK(shape("vllm::rocm_unquantized_gemm", "[[46, 2880], [201088, 2880], []]") ==
        "[[46, 2880], [201088, 2880]]");
  CHECK(shape("aten::mm", "[[4, 7168], [2112, 7168]]") ==
        "[[4, 7168], [2112, 7168]]");  // K differs
  CHECK(shape("aten::mm", "[[4, 7168]]") == "[[4, 7168]]");
  CHECK(shape("aten::linear", "[[], [5, 6]]") == "[[], [5, 6]]");
  CHECK(shape("aten::mm", "[[[4, 2], [2, 4]], []]") == "[[[4, 2], [2, 4]], []]");  // of lists
  CHECK(shape("aten::linear", "[[9000000000000000000, 9, 2], [4, 2]]") ==
        "[[9000000000000000000, 9, 2], [4, 2]]");
}

TEST_CASE("grids and blocks") {
  CHECK(shape_of_grid("[132, 1, 1]", "[384, 1, 1]") == "grid 132x1x1, block 384");
  CHECK(shape_of_grid("[8, 4, 2]", "[32, 4, 1]") == "grid 8x4x2, block 32x4");
  CHECK(shape_of_grid("[8, 4, 2]", "") == "grid 8x4x2");
  CHECK(shape_of_grid("", "[32, 4, 1]").empty());
  CHECK(shape_of_grid("[0, 0, 0]", "[0, 0, 0]").empty());
  CHECK(shape_of_grid("soon", "").empty());
}

TEST_CASE("tiles in names") {
  CHECK(tile_in_name("nvjet_tst_64x32_64x16_2x2_2cta_h") == "tile 64x32");
  CHECK(tile_in_name("nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT") == "tile 64x8");
  CHECK(tile_in_name("Cijk_Alik_Bljk_BBS_BH_S_SAV_UserArgs_MT64x32x256_MI16x16x1_SN") ==
        "tile 64x32x256");
  CHECK(tile_in_name("sm90_xmma_gemm_bf16bf16_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_x") ==
        "tile 128x128x64");
  CHECK(tile_in_name("bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32") ==
        "tile 128x16x256");
  CHECK(tile_in_name("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(x)") ==
        "tile 128x32");
  CHECK(tile_in_name("cutlass3x_sm90_tensorop_s64x128x16gemm_f16_f16_256x128x64_2x1x1_0_tnn") ==
        "tile 256x128x64");
  CHECK(tile_in_name("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu") == "tile 16x256x128");
  CHECK(tile_in_name("fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_ps_32x256") == "tile 32x256");
  CHECK(tile_in_name("_gemm_a16_w16_kernel_BLOCK_SIZE_M_32_BLOCK_SIZE_N_64_BLOCK_SIZE_K_256_x") ==
        "tile 32x64x256");
  CHECK(tile_in_name("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<Mma<"
                     "cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> >, "
                     "cute::tuple<cute::C<128>, cute::C<64>, cute::C<256> > > > >") ==
        "tile 128x64x256");
  for (const char* name : {"", "fused_moe_kernel", "sm90_fp8_gemm<2112x7168>",
                           "DeviceGemmFp4GemmSm100", "gemm_2x1_cta", "99999999999999999999x64_gemm",
                           "x64x", "64x", "void wvSpltK_<64, 2, 16>"}) {
    CAPTURE(name);
    CHECK(tile_in_name(name).empty());
  }
}

TEST_CASE("each call has its best source, most calls first") {
  TraceMaker maker;
  maker.op("aten::mm", 11, "[[4, 7168], [7168, 2112]]").op("aten::mm", 12, "[[8, 16], [16, 32]]");
  // Two calls of operator 11, one of 12, three without an operator.
  maker.add({.name = "gemm_64x32_x", .start_ns = 0, .dur_ns = 1, .external_id = 12});
  for (Ns at_ns : {10, 20}) {
    maker.add({.name = "gemm_64x32_x", .start_ns = at_ns, .dur_ns = 1, .external_id = 11});
  }
  for (Ns at_ns : {30, 40, 50}) {
    maker.add({.name = "gemm_64x32_x",
               .start_ns = at_ns,
               .dur_ns = 1,
               .args = grid("[132, 1, 1]"),
               .external_id = 99});
  }
  maker.add({.name = "gemm", .start_ns = 60, .dur_ns = 1, .args = grid("[132, 1, 1]")});
  maker.add({.name = "gemm", .start_ns = 70, .dur_ns = 1, .stream = "8"});
  maker.add({.name = "norm_64x32_x", .start_ns = 80, .dur_ns = 1, .args = grid("[4, 1, 1]")});
  const auto rows = rows_of(TraceFixture(maker));
  REQUIRE(rows.size() == 4);
  REQUIRE(rows[0].shapes.size() == 3);
  check(rows[0].shapes[0], "tile 64x32", "tile in the name", 3);
  check(rows[0].shapes[1], "M 4, N 2112, K 7168", "Input Dims", 2);
  check(rows[0].shapes[2], "M 8, N 32, K 16", "Input Dims", 1);
  REQUIRE(rows[1].shapes.size() == 1);
  check(rows[1].shapes[0], "grid 132x1x1, block 384", "grid", 1);
  CHECK(rows[2].shapes.empty());  // stream 8: not recorded
  CHECK(rows[3].shapes.empty());  // no GEMM
}

TEST_CASE("attention shows the sizes of its operator, else its grid, and never a tile") {
  TraceMaker maker;
  maker.op("vllm::unified_attention", 5, "[[888, 8, 64], [888, 1, 64], []]")
      .op("aten::mm", 6, "[[1]]");
  maker.add({.name = "attn_128x64_x", .start_ns = 0, .dur_ns = 1, .external_id = 5});
  maker.add({.name = "attn_128x64_x",
             .start_ns = 10,
             .dur_ns = 1,
             .args = grid("[8, 2, 1]", "[128, 1, 1]"),
             .external_id = 6});
  // A GEMM inside of an attention operator does not have that operator's sizes.
  maker.add({.name = "gemm", .start_ns = 20, .dur_ns = 1, .external_id = 5});
  const auto rows = rows_of(TraceFixture(maker));
  REQUIRE(rows.size() == 2);
  REQUIRE(rows[0].shapes.size() == 2);
  check(rows[0].shapes[0], "[[888, 8, 64], [888, 1, 64]]", "Input Dims", 1);
  check(rows[0].shapes[1], "grid 8x2x1, block 128", "grid", 1);
  CHECK(rows[1].shapes.empty());
}

TEST_CASE("an external id that is no link to an operator is not followed") {
  TraceMaker maker;
  maker.op("aten::mm", 7, "[[4, 8], [8, 2]]");
  // Old profilers: the correlation. A graph: what replayed it. Two operators of one id: which?
  maker.add({.name = "gemm a", .start_ns = 0, .dur_ns = 1, .correlation = 7, .external_id = 7});
  maker.launch("cudaGraphLaunch", 0, 1, 20);
  maker.add({.name = "gemm b", .start_ns = 10, .dur_ns = 1, .correlation = 20, .external_id = 7});
  maker.op("aten::mm", 8, "[[4, 8], [8, 2]]").op("aten::mm", 8, "[[4, 8], [8, 3]]");
  maker.add({.name = "gemm c", .start_ns = 20, .dur_ns = 1, .external_id = 8});
  for (const KernelRow& row : rows_of(TraceFixture(maker))) {
    CAPTURE(row.name);
    CHECK(row.shapes.empty());
  }
}

TEST_CASE("operators of another rank are not looked at, and four shapes are enough") {
  TraceMaker maker;
  const ScopeId other = maker.scope(1, "merged.json", "TP01");
  maker.op("aten::mm", 3, "[[4, 8], [8, 2]]", other);
  maker.add({.name = "gemm", .start_ns = 0, .dur_ns = 1, .external_id = 3});
  for (int i = 1; i <= 6; ++i) {
    for (int call = 0; call < i; ++call) {
      maker.add({.name = "gemm many",
                 .start_ns = i * 100 + call,
                 .dur_ns = 1,
                 .args = grid("[" + std::to_string(i) + ", 1, 1]", "")});
    }
  }
  const auto rows = rows_of(TraceFixture(maker));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].shapes.empty());
  REQUIRE(rows[1].shapes.size() == 4);
  check(rows[1].shapes[0], "grid 6x1x1", "grid", 6);
  check(rows[1].shapes[3], "grid 3x1x1", "grid", 3);
}
