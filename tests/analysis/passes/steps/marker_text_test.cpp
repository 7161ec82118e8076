#include "analysis/passes/steps/marker_text.h"

#include <doctest/doctest.h>

using namespace stepscope::analysis;

namespace {

void check(std::string_view name, MarkerForm form, std::string_view phase,
           std::optional<std::int64_t> batch_size, std::optional<std::int64_t> tokens) {
  CAPTURE(std::string(name));
  const MarkerText text = read_marker(name);
  CHECK(text.form == form);
  CHECK(text.phase == phase);
  CHECK(text.batch_size == batch_size);
  CHECK(text.tokens == tokens);
}

constexpr auto kBracket = MarkerForm::bracket;
constexpr auto kContext = MarkerForm::context;

}  // namespace

TEST_CASE("SGLang's step spans") {
  check("step[DECODE bs=32]", kBracket, "decode", 32, {});
  check("step[EXTEND bs=15 toks=15360]", kBracket, "prefill", 15, 15360);
  check("step[MIXED bs=2]", kBracket, "mixed", 2, {});
  check("step[TARGET_VERIFY bs=8 toks=32]", kBracket, "verify", 8, 32);
  check("step[DRAFT_EXTEND bs=8]", kBracket, "draft", 8, {});
  check("step[IDLE]", kBracket, "idle", {}, {});
  check("step[PREBUILT bs=1]", kBracket, "prebuilt", 1, {});
  check("step[TARGET_VERIFY bs=8]", kBracket, "verify", 8, {});
  check("step[DRAFT bs=8]", kBracket, "draft", 8, {});
  check("step[DRAFT_EXTEND_V2 bs=8 c_sq=32]", kBracket, "draft", 8, {});
  check("step[SPLIT_PREFILL bs=1]", kBracket, "prefill", 1, {});
  check("step[]", MarkerForm::plain, "", {}, {});
}

TEST_CASE("a field begins a word") {
  check("step[DECODE xbs=9 bs=4 g_sq=7]", kBracket, "decode", 4, {});
  check("step[DECODE bs=none]", kBracket, "decode", {}, {});
  check("step[DECODE bs=99999999999999999999]", kBracket, "decode", {}, {});
}

TEST_CASE("ATOM's markers") {
  check("decode[bs=117/128 tok=117 d=117]", kBracket, "decode", 117, 117);
  check("prefill[bs=2 tok=14721 ctx=[7803, 6918]]", kBracket, "prefill", 2, 14721);
}

TEST_CASE("vLLM's markers: requests and tokens of both kinds") {
  check("execute_context_0(0)_generation_64(64)", kContext, "decode", 64, 64);
  check("execute_context_1(888_788544)_generation_0(0)", kContext, "prefill", 1, 888);
  check("execute_context_2(100)_generation_3(3)", kContext, "mixed", 5, 103);
  check("execute_context_0(0)_generation_0(0)", kContext, "idle", 0, 0);
  check("execute_8192_context_9(sq8155sk8430sqsq7475785)_generation_37(sq37sk34489)", kContext,
        "mixed", 46, 8192);
  check("execute_context_1(sq12sk40)_generation_2(sq2sk90)", kContext, "mixed", 3, 14);
  check("execute_context_x_generation_1(1)", MarkerForm::plain, "", {}, {});
}

TEST_CASE("the KV length over all requests, where a marker tells it") {
  const auto kv = [](std::string_view name) { return read_marker(name).kv_tokens; };
  CHECK(kv("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk32785sqsq32sqsk32785)") ==
        32785);
  CHECK(kv("execute_8192_context_9(sq8155sk8430sqsq7475785)_generation_37(sq37sk34489)") ==
        42919);  // 8430 + 34489
  CHECK(kv("step[DECODE bs=2 g_sq=2 g_sqsq=2 g_sqsk=30 g_sk=30]") == 30);
  CHECK(kv("step[EXTEND bs=2 toks=12 c_sq=12 c_sqsq=80 c_sqsk=120 c_sk=20]") == 20);
  CHECK(kv("step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 g_sq=1 g_sk=12]") == 20);  // 8 + 12
  CHECK(kv("decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]") == 65536);
  CHECK(kv("prefill[bs=2 tok=14721 ctx=[7803, 6918]]") == 14721);  // 7803 + 6918
  CHECK(kv("prefill[bs=2 tok=14721 ctx=[7803, 6918] sk=14721]") == 14721);

  for (const char* name :
       {"execute_context_0(0)_generation_64(64)", "execute_context_1(888_788544)_generation_0(0)",
        "step[DECODE bs=32]", "decode[bs=117/128 tok=117 d=117]",
        "prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3]", "prefill[bs=1 tok=1 ctx=[]]",
        "prefill[bs=1 tok=1 ctx=[12", "execute_1_context_1(sq1)_generation_0(sq0sk0)",
        "step[DECODE bs=1 g_sk=99999999999999999999]", "ProfilerStep#1"}) {
    CAPTURE(name);
    CHECK_FALSE(kv(name).has_value());
  }
}

TEST_CASE("TensorRT-LLM's forward steps") {
  const std::string_view step = "[Executor] _forward_step";
  const auto marker = [&](std::string_view rest) { return std::string(step) + std::string(rest); };
  check(marker(" 812: 0 ctx reqs, 32 gen reqs"), kContext, "decode", 32, {});
  check(marker(" 813: 2 ctx reqs, 30 gen reqs"), kContext, "mixed", 32, {});
  check(marker(": 3 ctx reqs, 0 gen reqs"), kContext, "prefill", 3, {});
  check(marker(" 9: 1 ctx reqs, 900 ctx tokens, 0 gen reqs"), kContext, "prefill", 1, 900);
  check(marker(" 9: 0 ctx reqs, 0 ctx tokens, 4 gen reqs"), kContext, "decode", 4, {});
  check(marker(" 9: 0 ctx reqs, 0 gen reqs"), kContext, "idle", 0, {});
  check(marker(" 9"), MarkerForm::plain, "", {}, {});
  check(marker(" 9: some ctx reqs, 1 gen reqs"), MarkerForm::plain, "", {}, {});
  check(marker(" 9: 99999999999999999999 ctx reqs, 1 gen reqs"), MarkerForm::plain, "", {}, {});
}

TEST_CASE("other names say nothing of the phase") {
  check("ProfilerStep#5", MarkerForm::plain, "", {}, {});
  check("execute_diffusion_1_256x256", MarkerForm::plain, "", {}, {});
  check("", MarkerForm::plain, "", {}, {});
}

TEST_CASE("engine markers") {
  for (const char* name :
       {"step[DECODE bs=1]", "execute_context_0(0)_generation_64(64)", "decode[bs=1/1]",
        "execute_32_context_0(sq0)_generation_32(sq32)", "mixed[bs=3]",
        "execute_diffusion_1_256x256", "[Executor] _forward_step 3: 0 ctx reqs, 1 gen reqs"}) {
    CAPTURE(name);
    CHECK(is_engine_marker(name));
  }
  for (const char* name : {"a step[DECODE]", "execute_model", "capture_32_DECODE", "decode",
                           "execute_generation_1(1)_context_2(2)", ""}) {
    CAPTURE(name);
    CHECK_FALSE(is_engine_marker(name));
  }
}

TEST_CASE("a capture is told from what only sounds like one") {
  CHECK(is_capture_marker("capture_8192_PIECEWISE"));
  CHECK_FALSE(is_capture_marker("recapture_1"));
}

TEST_CASE("the phase in SGLang's file names") {
  CHECK(phase_of_file_name("1776848313.618158-TP-0-DECODE.trace.json.gz") == "decode");
  CHECK(phase_of_file_name("1776848313.618158-TP-0-EXTEND.trace.json.gz") == "prefill");
  CHECK(phase_of_file_name("merged-1776848313.trace.json.gz").empty());
}
