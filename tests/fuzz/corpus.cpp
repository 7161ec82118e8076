// Writes the first inputs of the fuzzers: small traces of our own making, in the forms that files
// have. `fuzz_corpus FOLDER` makes FOLDER/FUZZER/seed-NAME; what a fuzzer found there stays.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/rocprof_text.h"
#include "tests/support/trace_builder.h"
#include "tests/support/trace_text.h"
#include "tests/support/zip_maker.h"

namespace {

namespace fs = std::filesystem;
using stepscope::tests::TraceBuilder;
using stepscope::tests::TraceText;

struct Seed {
  std::string name;
  std::string bytes;
};

// Steps of a few layers under markers, kernel by kernel or as one graph. Small: a fuzzer runs it
// many times.
std::string layered(bool graph, bool markers, int steps, int layers) {
  TraceBuilder trace(0, 2);
  stepscope::analysis::Ns at = 1'000'000;
  for (int step = 0; step < steps; ++step) {
    if (markers) trace.annotation("step[DECODE bs=4]", at - 3000, 90'000);
    const int shared = graph ? trace.launch("cudaGraphLaunch", at - 2000) : 0;
    for (int layer = 0; layer < layers; ++layer) {
      for (const char* name : {"rms_norm_kernel", "nvjet_tst_64x8", "fmhaSm100aKernel_decode",
                               "nvjet_tst_64x16", "ncclDevKernel_AllReduce_Sum_bf16"}) {
        const int own = graph ? shared : trace.launch("cudaLaunchKernel", at - 1500);
        trace.kernel(name, 7, at, 2500, own);
        at += 2600;
      }
    }
    trace.copy("Memcpy DtoH (Device -> Pinned)", 20, at - 4000, 3000, shared);
    at += 40'000;
  }
  return trace.json();
}

std::string odd() {
  TraceText text;
  text.member("schemaVersion", "1")
      .member("distributedInfo", R"({"backend": "nccl", "rank": 1, "world_size": 4})")
      .member_behind("traceName", R"("host-TP-1-DECODE.trace.json")")
      .kernel(R"(void f<{lambda(int)#1}>(\"\u00e9\", \\))", "1.5e3", "\"2.25\"", 3)
      .kernel("<script>alert(1)</script>", "1502.5", "0.0005", 4)
      .launch("cudaLaunchKernel", "1490", "3", 3)
      .annotation("ProfilerStep#1", "1480", "100")
      .raw("null")
      .raw(R"({"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "GPU0"}})")
      .raw(R"({"ph": "X", "name": "Copy", "pid": 2, "tid": 0, "ts": 5, "dur": 3})");
  return text.object();
}

std::vector<Seed> json_seeds() {
  TraceText bare;
  bare.kernel("gemm", "10", "5").kernel("gemm", "20.001", "5", 7);
  return {
      {"graph", layered(true, true, 2, 3)},
      {"eager", layered(false, false, 1, 3)},
      {"step", layered(true, true, 1, 1)},
      {"odd", odd()},
      {"bare", bare.array()},
      {"empty", R"({"traceEvents": []})"},
      {"sorted-keys", R"({"traceEvents":[{"args":{"correlation":1,"device":0,"stream":7},)"
                      R"("cat":"kernel","dur":2,"name":"k","ph":"X","pid":0,"tid":7,"ts":1}]})"}};
}

std::string rocprof() {
  stepscope::tests::RocprofText text;
  text.symbol(1, "gemm", "void gemm<64>()", "gemm.kd").symbol(2, "norm");
  text.call(1, 1000, 1010, 5).dispatch(1, 1020, 1100, 5).dispatch(2, 1100, 1150, 6, 12);
  text.copy(2, 10, 11, 900, 950).marker("step[DECODE bs=4]", 890, 1200, 4);
  return text.file();
}

std::vector<Seed> trace_seeds() {
  std::vector<Seed> seeds = json_seeds();
  seeds.push_back({"rocprof", rocprof()});
  return seeds;
}

std::vector<Seed> file_seeds() {
  std::vector<Seed> seeds = trace_seeds();
  const std::string trace = layered(true, true, 2, 3);
  seeds.push_back({"gzip", stepscope::tests::gzip(trace)});
  seeds.push_back({"two-members", stepscope::tests::gzip(trace.substr(0, 900)) +
                                      stepscope::tests::gzip(trace.substr(900))});
  seeds.push_back({"zip", stepscope::tests::ZipText()
                              .add("TP-0.trace.json", trace)
                              .add("TP-1.trace.json.gz", stepscope::tests::gzip(trace))
                              .archive()});
  return seeds;
}

std::vector<Seed> number_seeds() {
  return {{"whole", "1759300668123456"},
          {"fraction", " -4909914216204.635 "},
          {"half", "0.0025"},
          {"exponent", "6.19304128344e12"},
          {"small", "1.1920928955e-07"},
          {"largest", "9223372036854775.807"},
          {"words", "Infinity"}};
}

std::vector<Seed> name_seeds() {
  return {{"cutlass", "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int>>()"},
          {"nccl", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
          {"triton", "triton_poi_fused_add_mul_silu_0"},
          {"tensile", "Cijk_Alik_Bljk_BBS_BH_MT128x128x64_MI16x16x1"},
          {"escapes", R"(a\u00e9\uD83D\uDE00\ud800\n\"\\ \x)"},
          {"bytes", "\xC3\xA9\xF0\x9F\x98\x80\xED\xA0\x80\xFF"}};
}

std::vector<Seed> rule_seeds() {
  return {{"two", "^my_gemm\tgemm-dense\tmlp\tours\n# comment\n(?i)moe.*\tgemm-moe\tmoe\n"},
          {"broken", "(\tgemm-dense\tmlp\n"},
          {"unknown", "x\tno-such\tmlp\r\n"}};
}

// Fewer columns than the tools write: what is read, and keys.
std::vector<Seed> sql_seeds() {
  const std::string nsys =
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);\n"
      "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'step');\n"
      "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);\n"
      "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.17.2');\n"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);\n"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);\n"
      "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, cuDevice INTEGER);\n"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'GPU', 0);\n"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
      "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
      "INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ "
      "INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, graphNodeId INTEGER);\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 0, 1, 7, 4, 281476654268416, 1, 1, "
      "4, 2, 1, 128, 1, 1, NULL), (200, 260, 0, 1, 7, 5, 281476654268416, 1, 1, 4, 2, 1, 128, 1, "
      "1, "
      "9);\n"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
      "correlationId INTEGER, nameId INTEGER);\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (90, 95, 281476654268516, 4, 2);\n"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
      "globalTid INTEGER, textId INTEGER);\n"
      "INSERT INTO NVTX_EVENTS VALUES (80, 300, 59, NULL, 281476654268516, 3);\n";
  const std::string copies =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind "
      "INTEGER, "
      "srcKind INTEGER, dstKind INTEGER);\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 20, 0, 7, 1, 281476654268416, 64, 1, 0, "
      "2);\n";
  const std::string rpd =
      "CREATE TABLE rocpd_string (id INTEGER NOT NULL PRIMARY KEY, string TEXT);\n"
      "INSERT INTO rocpd_string VALUES (1, 'KernelExecution'), (2, 'gemm'), (3, "
      "'hipLaunchKernel'), "
      "(4, '');\n"
      "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId "
      "INTEGER, start INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER);\n"
      "INSERT INTO rocpd_op VALUES (1, 2, 0, 0, 100, 150, 2, 1), (2, 2, 0, 0, 160, 180, 2, 1);\n"
      "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, "
      "end "
      "INTEGER, apiName_id INTEGER, args_id INTEGER);\n"
      "INSERT INTO rocpd_api VALUES (1, 50, 50, 90, 95, 3, 4);\n"
      "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);\n"
      "INSERT INTO rocpd_api_ops VALUES (1, 1, 1);\n"
      "CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, gridX INTEGER, gridY INTEGER, "
      "gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER, kernelName_id "
      "INTEGER);\n"
      "INSERT INTO rocpd_kernelapi VALUES (1, 4, 1, 1, 64, 1, 1, 2);\n"
      "CREATE VIEW top AS SELECT string FROM rocpd_string;\n";
  return {{"nsys", nsys},
          {"copies", nsys + copies},
          {"rpd", rpd},
          {"other", "CREATE TABLE a (b); INSERT INTO a VALUES (1);"}};
}

std::vector<Seed> noise() {
  std::mt19937 random(1);
  std::vector<Seed> seeds;
  for (const std::size_t bytes : {16U, 64U, 128U, 256U, 512U}) {
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(random());
    seeds.push_back({fmt::format("noise-{}", bytes), std::move(text)});
  }
  return seeds;
}

void write_all(const fs::path& folder, std::string_view fuzzer, const std::vector<Seed>& seeds) {
  fs::create_directories(folder / fuzzer);
  for (const Seed& seed : seeds) {
    stepscope::tests::write_file(folder / fuzzer, "seed-" + seed.name, seed.bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_corpus FOLDER\n", stderr);
    return 2;
  }
  const fs::path folder = argv[1];
  for (const char* fuzzer : {"scanner_against_json", "scanner_alone", "event_shapes"}) {
    write_all(folder, fuzzer, json_seeds());
  }
  write_all(folder, "analyze_trace", trace_seeds());
  write_all(folder, "any_file", file_seeds());
  write_all(folder, "decimal_time", number_seeds());
  write_all(folder, "names", name_seeds());
  write_all(folder, "operator_rules", rule_seeds());
  write_all(folder, "sqlite_file", sql_seeds());
  // These read bytes as choices.
  for (const char* fuzzer : {"scanner_damage", "zip_archive", "passes"})
    write_all(folder, fuzzer, noise());
  return 0;
}
