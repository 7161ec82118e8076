// What reading a trace costs, against the floor: inflating the same file with ISA-L and throwing
// the text away.
//   ingest_bench generate graph|eager MEGABYTES > TRACE.json
//   ingest_bench floor FILE.gz        inflates, CRC checked, through one buffer of 256 KiB
//   ingest_bench read FILE            reads into a Trace
//   ingest_bench table MEGABYTES      makes both files and prints the table
// Each measured run is a process of its own, so that its peak of memory is its own.

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/reading/read_trace.h"
#include "tests/bench/trace_generator.h"

namespace {

using namespace stepscope;

constexpr std::size_t kBlockBytes = 256U << 10;
constexpr int kRounds = 5;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

int floor(const char* path) {
  File file(std::fopen(path, "rb"), std::fclose);
  if (!file) throw std::runtime_error("can not open " + std::string(path));
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  std::vector<unsigned char> in(kBlockBytes);
  std::vector<unsigned char> out(kBlockBytes);
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  std::uint64_t bytes = 0;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      state->avail_in = static_cast<std::uint32_t>(std::fread(in.data(), 1, in.size(), file.get()));
      state->next_in = in.data();
      if (state->avail_in == 0) throw std::runtime_error("the file ends early");
    }
    state->next_out = out.data();
    state->avail_out = kBlockBytes;
    if (isal_inflate(state.get()) < 0) throw std::runtime_error("damaged gzip data");
    bytes += kBlockBytes - state->avail_out;
  }
  fmt::print("{} bytes\n", bytes);
  return 0;
}

int read(const char* path) {
  std::vector<std::filesystem::path> paths = {path};
  auto trace = analysis::read_trace(paths, {});
  if (!trace) throw std::runtime_error(trace.error().message);
  fmt::print("{} events, {} on the device\n", trace->summary.events, trace->summary.device_events);
  return 0;
}

struct Cost {
  double cpu_s = 0;
  double wall_s = 0;
  double peak_mib = 0;
};

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + t.tv_usec * 1e-6; }

// Runs this program again with these arguments and says what it took.
Cost measure(const std::string& command, const std::string& path) {
  auto start = std::chrono::steady_clock::now();
  std::fflush(stdout);  // else the child prints it once more
  pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
    execl("/proc/self/exe", "ingest_bench", command.c_str(), path.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
    throw std::runtime_error(command + " failed on " + path);
  }
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), wall.count(),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

Cost median(std::vector<Cost> costs) {
  auto middle = [&](double Cost::* field) {
    std::ranges::sort(costs, {}, field);
    return costs[costs.size() / 2].*field;
  };
  return {middle(&Cost::cpu_s), middle(&Cost::wall_s), middle(&Cost::peak_mib)};
}

bench::Generated write_trace(bench::Style style, std::uint64_t megabytes, std::FILE* out) {
  return bench::generate_trace(style, megabytes, [&](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size()) {
      throw std::runtime_error("can not write the trace");
    }
  });
}

void print_row(const char* style, const char* what, const Cost& cost, std::uint64_t bytes,
               double ratio) {
  fmt::print("{:<6} {:<14} {:>8.3f} {:>8.3f} {:>10.1f} {:>8.2f} {:>10.2f}\n", style, what,
             cost.cpu_s, cost.wall_s, cost.peak_mib, static_cast<double>(bytes) / 1e9 / cost.cpu_s,
             ratio);
}

void compare(const char* name, bench::Style style, std::uint64_t megabytes,
             const std::filesystem::path& folder) {
  std::string path = folder / (std::string(name) + ".json.gz");
  File pipe(popen(("gzip -6 > '" + path + "'").c_str(), "w"), pclose);
  if (!pipe) throw std::runtime_error("can not run gzip");
  bench::Generated made = write_trace(style, megabytes, pipe.get());
  pipe.reset();
  std::vector<Cost> floors;
  std::vector<Cost> reads;
  for (int round = 0; round < kRounds; ++round) {  // in turns, so that both see the same machine
    floors.push_back(measure("floor", path));
    reads.push_back(measure("read", path));
  }
  Cost lower = median(floors);
  Cost ours = median(reads);
  print_row(name, "inflate only", lower, made.bytes, 1);
  print_row(name, "read_trace", ours, made.bytes, ours.cpu_s / lower.cpu_s);
  fmt::print("       {:.1f} MB of text, {:.1f} MB packed, {} events, {} on the device\n",
             static_cast<double>(made.bytes) / 1e6,
             static_cast<double>(std::filesystem::file_size(path)) / 1e6, made.events,
             made.device_events);
}

int table(std::uint64_t megabytes) {
  std::string folder = (std::filesystem::temp_directory_path() / "ingest-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  fmt::print("{:<6} {:<14} {:>8} {:>8} {:>10} {:>8} {:>10}\n", "trace", "median of 5", "CPU s",
             "wall s", "peak MiB", "GB/CPU-s", "x inflate");
  compare("graph", bench::Style::graph, megabytes, folder);
  compare("eager", bench::Style::eager, megabytes, folder);
  std::filesystem::remove_all(folder);
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[1] == "generate") {
    bench::Style style = words[2] == "eager" ? bench::Style::eager : bench::Style::graph;
    write_trace(style, std::stoull(words[3]), stdout);
    return 0;
  }
  if (words.size() == 3 && words[1] == "floor") return floor(words[2].c_str());
  if (words.size() == 3 && words[1] == "read") return read(words[2].c_str());
  if (words.size() == 3 && words[1] == "table") return table(std::stoull(words[2]));
  fmt::print(stderr,
             "usage: ingest_bench generate graph|eager MB | floor FILE | read FILE | table MB\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "ingest_bench: {}\n", e.what());
    return 1;
  }
}
