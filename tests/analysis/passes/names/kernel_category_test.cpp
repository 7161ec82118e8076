#include "analysis/passes/names/kernel_category.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>

using namespace stepscope::analysis;

namespace {

KernelClassifier with(std::string_view rules) {
  auto classifier = KernelClassifier::create(rules);
  REQUIRE_MESSAGE(classifier.has_value(), (classifier ? "" : classifier.error()));
  return std::move(*classifier);
}

std::string fault(std::string_view rules) {
  const auto classifier = KernelClassifier::create(rules);
  REQUIRE_FALSE(classifier.has_value());
  CHECK(classifier.error().find('\n') == std::string::npos);
  return classifier.error();
}

bool starts(std::string_view text, std::string_view start) { return text.starts_with(start); }

}  // namespace

TEST_CASE("a match reports the number and the pattern of its rule") {
  const KernelCategory found = with("").classify("Memcpy HtoD (Host -> Device)");
  CHECK(found.category == "memcpy");
  CHECK(found.component == "setup");
  CHECK(found.device_class == DeviceClass::copy);
  CHECK(found.matched);
  CHECK(starts(found.rule, "1: ^(?:__amd_rocclr_copy(?:"));
}

TEST_CASE("what no rule matches is other, and says so") {
  const KernelClassifier classifier = with("");
  for (const std::string_view name : {"", "Kernel", "unknown", "k", "\t", "???"}) {
    CAPTURE(name);
    const KernelCategory found = classifier.classify(name);
    CHECK(found.category == "other");
    CHECK(found.component == "other");
    CHECK(found.device_class == DeviceClass::compute);
    CHECK(found.rule == "-");
    CHECK_FALSE(found.matched);
  }
}

TEST_CASE("a rule may say other, and is a match all the same") {
  const KernelCategory found = with("").classify("triton_red_fused_2");
  CHECK(found.category == "other");
  CHECK(found.matched);
  CHECK(found.rule != "-");
}

TEST_CASE("operator rules come first, in their order, and the table answers the rest") {
  const KernelClassifier classifier = with(
      "# our kernels\n"
      "\n"
      "^my_.*_proj$\tgemm-dense\tattention\tprojections of our model\n"
      "^my_\tcomm-alltoall\tcommunication\r\n"
      "   # indented comment\n"
      "nvjet_tst_512\tgemm-dense\tsampling");
  const KernelCategory first = classifier.classify("my_q_proj");
  CHECK(first.category == "gemm-dense");
  CHECK(first.component == "attention");
  CHECK(first.rule == "operator 1: ^my_.*_proj$");
  const KernelCategory second = classifier.classify("my_exchange");
  CHECK(second.category == "comm-alltoall");
  CHECK(second.component == "communication");
  CHECK(second.device_class == DeviceClass::comm);
  CHECK(second.rule == "operator 2: ^my_");
  CHECK(classifier.classify("nvjet_tst_512x8_64x3_2x1_v_bz_TNN").component == "sampling");
  CHECK(classifier.classify("nvjet_tst_64x8_64x16_4x1_v_bz_TNT").component == "other");
}

TEST_CASE("patterns are case-sensitive unless they say otherwise") {
  const KernelClassifier classifier = with("FooBar\tsoftmax\tother\n(?i)quux\tsoftmax\tother\n");
  CHECK(classifier.classify("FooBar").matched);
  CHECK_FALSE(classifier.classify("foobar").matched);
  CHECK(classifier.classify("QuUx").matched);
}

TEST_CASE("a wrong operator rule is refused with its line number") {
  CHECK(fault("a\tgemm-dense\tmlp\n# c\n(b\tgemm-dense\tmlp\n") ==
        "line 3: the pattern is no RE2 regular expression: \"missing ): (b\"");
  CHECK(starts(fault("(?=x)\tgemm-dense\tmlp"),
               "line 1: the pattern is no RE2 regular expression: \"invalid perl operator"));
  CHECK(starts(fault("\na\tgemm\tmlp"),
               "line 2: unknown category \"gemm\"; use one of activation, attention-fmha, "));
  CHECK(fault("a\tgemm-dense\tffn") ==
        "line 1: unknown component \"ffn\"; use one of attention, communication, elementwise, "
        "embedding, mlp, moe, norm, other, quantize, sampling, setup");
  CHECK(fault("a\tgemm-dense mlp") ==
        "line 1: expected pattern, category and component with a tab between");
  CHECK(fault("just words") ==
        "line 1: expected pattern, category and component with a tab between");
  CHECK(fault("\tgemm-dense\tmlp") == "line 1: the pattern is empty");
}

TEST_CASE("a user's odd bytes stay out of the error line") {
  CHECK(starts(fault("a\tg\x01\xff\x1b[31m\tmlp"), "line 1: unknown category \"g???[31m\"; use"));
  CHECK(starts(fault("a\t" + std::string(500, 'x') + "\tmlp"),
               "line 1: unknown category \"" + std::string(60, 'x') + "...\"; use"));
  CHECK(starts(fault("a\xff\xfe\tgemm-dense\tmlp"),
               "line 1: the pattern is no RE2 regular expression: \"invalid UTF-8"));
}

TEST_CASE("operator rules are bounded in bytes, length and number") {
  const std::string longest(1000, 'a');
  CHECK(with(longest + "\tother\tother").classify(longest).rule == "operator 1: " + longest);
  CHECK(fault(longest + "a\tother\tother") ==
        "line 1: the pattern has 1001 bytes, at most 1000 are allowed");

  std::string rules;
  for (int i = 0; i < 200; ++i) rules += fmt::format("^kernel_{}$\tother\tother\n", i);
  CHECK(with(rules).classify("kernel_199").rule == "operator 200: ^kernel_199$");
  CHECK(fault(rules + "x\tother\tother") == "line 201: more than 200 rules; merge patterns");

  CHECK(with(std::string(262'144, '\n')).table_version() == "3");
  CHECK(fault(std::string(262'145, '\n')) ==
        "the rules have 262145 bytes, at most 262144 are read");
  // A program that repeats itself a million times is refused, not compiled.
  CHECK(starts(fault("((((a{100}){100}){100}))\tother\tother"),
               "line 1: the pattern is no RE2 regular expression: "));
}

TEST_CASE("the version changes with what the operator's rules decide, and with nothing else") {
  CHECK(with("").table_version() == "3");
  CHECK(with("# nothing\n\n").table_version() == "3");
  const std::string version = with("a\tother\tother\nb\tother\tother\n").table_version();
  CHECK(version.size() == 2 + 16);
  CHECK(starts(version, "3+"));
  CHECK(with("# c\na\tother\tother\tnote\r\nb\tother\tother").table_version() == version);
  CHECK(with("b\tother\tother\na\tother\tother\n").table_version() != version);
  CHECK(with("a\tother\tmlp\nb\tother\tother\n").table_version() != version);
  CHECK(with("a\tsoftmax\tother\nb\tother\tother\n").table_version() != version);
}

TEST_CASE("a byte order mark before the first rule is no part of its pattern") {
  CHECK(with("\xEF\xBB\xBF^abc$\tsoftmax\tother").classify("abc").category == "softmax");
}

TEST_CASE("any bytes are a name") {
  const KernelClassifier classifier = with("");
  CHECK(classifier.classify("\xff\xfe nvjet_tst_64x8 \xc3").category == "gemm-dense");
  CHECK(classifier.classify(std::string_view("\0Cijk_\0", 7)).category == "gemm-dense");
  CHECK(classifier.classify("line one\nncclDevKernel_AllReduce_Sum").category ==
        "comm-allreduce-nccl");
  std::mt19937 random(7);  // NOLINT: the same bytes in every run
  for (int round = 0; round < 200; ++round) {
    std::string name(random() % 300, '\0');
    for (char& c : name) c = static_cast<char>(random() % 256);
    CAPTURE(round);
    CHECK_FALSE(classifier.classify(name).category.empty());
  }
}

TEST_CASE("names of 50 kB and of a megabyte are classified by what stands anywhere in them") {
  const KernelClassifier classifier = with("");
  for (const std::size_t bytes : {std::size_t{50'000}, std::size_t{1'000'000}}) {
    CAPTURE(bytes);
    CHECK(classifier.classify(std::string(bytes, '@') + "fmha").category == "attention-fmha");
    CHECK_FALSE(classifier.classify(std::string(bytes, 'a')).matched);
    // Every rule's automaton starts again and again here.
    std::string name = "void ";
    while (name.size() < bytes) name += "silu_norm_set_k_topk_exper";
    CHECK(classifier.classify(name).matched);
  }
}

TEST_CASE("the same name gets the same answer from every classifier and after a move") {
  const KernelClassifier one = with("");
  KernelClassifier other = with("zzz\tother\tother");
  KernelClassifier moved = std::move(other);
  for (const std::string_view name :
       {"nvjet_tst_64x8", "fused_moe_kernel", "void flash::flash_fwd_kernel<x>", "nothing"}) {
    CAPTURE(name);
    const KernelCategory first = one.classify(name);
    const KernelCategory again = one.classify(name);
    const KernelCategory third = moved.classify(name);
    CHECK(first.rule == again.rule);
    CHECK(first.rule == third.rule);
    CHECK(first.category == third.category);
  }
}

TEST_CASE("kernels that plan attention") {
  CHECK(plans_attention("kn_get_mla_metadata_v1_2"));
  CHECK(plans_attention("void (anonymous namespace)::get_mla_metadata_kernel<x>(int)"));
  CHECK(plans_attention("void flash::prepare_varlen_num_blocks_kernel<1, true>"));
  CHECK_FALSE(plans_attention("void flash_fwd_kernel<Traits>(scheduler_metadata)"));
  CHECK_FALSE(plans_attention(""));
}
