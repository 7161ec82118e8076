#include "analysis/reading/tables/event_arguments.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope::analysis;

namespace {

using Kind = JsonValue::Kind;

JsonValue list(std::string_view text) { return {Kind::container, text}; }
JsonValue number(std::string_view text) { return {Kind::scalar, text}; }
JsonValue string(std::string_view text) { return {Kind::string, text}; }

ArgumentValues launched(std::string_view grid, std::string_view block) {
  ArgumentValues values;
  values.keep("grid", list(grid));
  values.keep("block", list(block));
  return values;
}

std::string dims(const JsonValue& value) {
  ArgumentValues values;
  values.keep("Input Dims", value);
  return values.input_dims();
}

std::uint32_t external(const JsonValue& value) {
  ArgumentValues values;
  values.keep("external id", value);
  return values.external_id();
}

}  // namespace

TEST_CASE("equal arguments have one id, other ones another") {
  KernelArgsTable table;
  CHECK(table.intern({}) == 0);
  const ArgsId first = table.intern(launched("[64, 4, 1]", "[128, 1, 1]"));
  CHECK(first == 1);
  CHECK(table.intern(launched("[64, 4, 1]", "[256, 1, 1]")) == 2);
  CHECK(table.intern(launched("[64, 4, 1]", "[128, 1, 1]")) == first);
  ArgumentValues only_operator;
  only_operator.keep("External id", number("7"));
  CHECK(table.intern(only_operator) == 0);
  const std::vector<KernelArgs> args = table.take();
  REQUIRE(args.size() == 3);
  CHECK(args[0].grid.empty());
  CHECK(args[1].grid == "[64, 4, 1]");
  CHECK(args[1].block == "[128, 1, 1]");
  CHECK(args[2].block == "[256, 1, 1]");
  CHECK_FALSE(args[1].in_elements.has_value());
}

TEST_CASE("grid and block are not mixed up when one is absent") {
  ArgumentValues grid;
  grid.keep("grid", list("[1, 1, 1]"));
  ArgumentValues block;
  block.keep("block", list("[1, 1, 1]"));
  KernelArgsTable table;
  CHECK(table.intern(grid) != table.intern(block));
}

TEST_CASE("what NCCL kernels say of their collective") {
  ArgumentValues values;
  values.keep("Collective name", string("_allgather_base"));
  values.keep("Process Group Name", string("3"));
  values.keep("Process Group Ranks", string("[0,1,2, 3]"));
  values.keep("dtype", string("BFloat16"));
  values.keep("In msg nelems", number("25136"));
  values.keep("Out msg nelems", string("201088"));
  values.keep("Group size", number("8"));
  KernelArgsTable table;
  CHECK(table.intern(values) == 1);
  values.keep("Process Group Ranks", list("[0,\n 1,\n 2,\n 3]"));  // as older files write it
  CHECK(table.intern(values) == 2);
  for (const KernelArgs& args : table.take()) {
    if (args.collective.empty()) continue;
    CHECK(args.collective == "allgather_base");
    CHECK(args.group == "3");
    CHECK(args.group_ranks == "[0, 1, 2, 3]");
    CHECK(args.dtype == "BFloat16");
    CHECK(args.in_elements == 25136);
    CHECK(args.out_elements == 201088);
  }
}

TEST_CASE("arguments of another type than expected are no figures") {
  ArgumentValues values;
  values.keep("In msg nelems", list("[4]"));
  values.keep("Collective name", string("___"));
  values.keep("dtype", {Kind::null, "null"});
  KernelArgsTable table;
  table.intern(values);
  const KernelArgs args = table.take().at(1);
  CHECK_FALSE(args.in_elements.has_value());
  CHECK(args.collective.empty());
  CHECK(args.dtype.empty());
}

TEST_CASE("combinations beyond the limit have no id, known ones keep theirs") {
  KernelArgsTable table(2);
  CHECK(table.intern(launched("[1, 1, 1]", "[32, 1, 1]")) == 1);
  CHECK(table.intern(launched("[2, 1, 1]", "[32, 1, 1]")) == 2);
  CHECK_FALSE(table.left_out());
  CHECK(table.intern(launched("[3, 1, 1]", "[32, 1, 1]")) == 0);
  CHECK(table.left_out());
  CHECK(table.intern(launched("[2, 1, 1]", "[32, 1, 1]")) == 2);
  CHECK(table.take().size() == 3);

  KernelArgsTable other;
  const std::string long_list(KernelArgsTable::kKeyBytesMax + 1, '1');
  CHECK(other.intern(launched(long_list, "[1, 1, 1]")) == 0);
  CHECK(other.left_out());
}

TEST_CASE("external ids are whole numbers of 32 bits") {
  CHECK(external(number("157719")) == 157719);
  CHECK(external(string("12")) == 12);
  CHECK(external(number("4294967295")) == 4294967295U);
  CHECK(external(number("4294967296")) == 0);
  CHECK(external(number("-1")) == 0);
  CHECK(external(number("1.5")) == 0);
  CHECK(external(list("[1]")) == 0);
  CHECK(ArgumentValues().external_id() == 0);
}

TEST_CASE("sizes of inputs have one spelling") {
  CHECK(dims(list("[[4,7168],[7168, 2112],[]]")) == "[[4, 7168], [7168, 2112], []]");
  CHECK(dims(list("[\n  [4, 7168],\n  []\n]")) == "[[4, 7168], []]");
  CHECK(dims(string("[[4, 7168]]")) == "[[4, 7168]]");
  CHECK(dims(number("4")).empty());
  CHECK(dims(list("[[], []]")).empty());
  CHECK(dims(list("[" + std::string(5000, '1') + "]")).empty());
}

TEST_CASE("clear forgets the event before") {
  ArgumentValues values = launched("[1, 1, 1]", "[32, 1, 1]");
  CHECK(values.describes_kernel());
  values.clear();
  CHECK_FALSE(values.describes_kernel());
  CHECK(values.get(Argument::grid).kind == Kind::none);
}

TEST_CASE("operators whose sizes are kept") {
  for (const char* name :
       {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::matmul", "aten::linear",
        "aten::_scaled_mm", "aten::_int_mm", "aten::scaled_dot_product_attention",
        "aten::_scaled_dot_product_flash_attention", "aten::_flash_attention_forward",
        "aten::_scaled_dot_product_cudnn_attention", "aten::_efficient_attention_forward",
        "vllm::rocm_unquantized_gemm", "vllm::unified_attention_with_output", "aiter::gemm_a16w16",
        "_C::cutlass_scaled_mm", "trtllm::fp4_bmm", "sgl_kernel::dsv3_fused_a_gemm"}) {
    CAPTURE(name);
    CHECK(is_sized_operator(name));
  }
  for (const char* name :
       {"", "aten::empty", "aten::mul", "aten::_scaled_dot_product_flash_attention_backward",
        "record_param_comms", "fbgemm::bounds_check_indices", "AddmmBackward0", "ProfilerStep#4",
        "aten::add_"}) {
    CAPTURE(name);
    CHECK_FALSE(is_sized_operator(name));
  }
}
