// What reading a trace costs, beside what it costs at least; docs/benchmarks.md says how to run it
// and what the columns mean. Every measured run is a process of its own; those of our own making
// are further commands of this program.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reading/read_trace.h"
#include "tests/bench/answers.h"
#include "tests/bench/gzip_writer.h"
#include "tests/bench/measures.h"

namespace {

using namespace stepscope;
using bench::Settings;

void generate(const bench::TraceShape& shape) {
  bench::generate_trace(shape, [](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw std::runtime_error("can not write the trace");
    }
  });
}

void pack(const bench::TraceShape& shape, const std::filesystem::path& file) {
  bench::GzipWriter writer(file);
  const bench::Generated made =
      bench::generate_trace(shape, [&](std::string_view text) { writer.write(text); });
  writer.close();
  fmt::print("{}", bench::figures_text(made.truth));
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  for (const auto& [category, of] : made.shares) {
    fmt::print("# {}: {:.1f} % of the events, {:.1f} % of the bytes\n", category,
               share(of.events, made.truth.events), share(of.bytes, made.truth.bytes));
  }
}

// FNV-1a over all that tells one device event from another.
std::uint64_t digest_of(const analysis::Trace& trace) {
  std::uint64_t hash = 0xCBF29CE484222325;
  const auto add = [&](const auto& value) {
    for (const char c : fmt::format("{}\n", value)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
  };
  for (const analysis::DeviceEvent& event : trace.device_events) {
    const analysis::Timeline& timeline = trace.timelines[event.timeline];
    for (const std::int64_t number : {event.start_ns, event.dur_ns, event.correlation}) add(number);
    add(trace.names[event.name]);
    add(timeline.stream);
    add(trace.scopes[timeline.scope].rank.value_or(-1));
  }
  return hash;
}

void read(const std::vector<std::filesystem::path>& files, std::size_t threads, bool digest) {
  analysis::AnalyzeOptions options;
  options.threads_max = threads;
  const auto trace = analysis::read_trace(files, options);
  if (!trace) throw std::runtime_error(trace.error().message);
  bench::Truth found;
  found.events = static_cast<std::uint64_t>(trace->summary.events);
  found.device_events = static_cast<std::uint64_t>(trace->summary.device_events);
  found.no_dur = static_cast<std::uint64_t>(trace->summary.dropped.no_dur);
  for (const auto& event : trace->device_events) found.device_sum_ns += event.dur_ns;
  fmt::print("{}", bench::figures_text(found));
  if (digest) fmt::print("digest {:016x}\n", digest_of(*trace));
}

struct Arguments {
  Settings settings;
  bench::TraceShape shape;
  std::filesystem::path file;
  std::vector<std::filesystem::path> files;
  std::size_t threads = 0;
  bool digest = false;
};

CLI::CheckedTransformer style_words() {
  return CLI::CheckedTransformer(
      std::map<std::string, bench::Style>(bench::styles().begin(), bench::styles().end()));
}

CLI::App* add_measure(CLI::App& app, const std::string& name, const std::string& what,
                      void (*measure)(const Settings&), Settings& settings) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("megabytes", settings.megabytes, "text of each trace, in 10^6 bytes")
      ->required()
      ->check(CLI::PositiveNumber);
  command->add_option("--styles", settings.styles, "graph,eager,sorted,merged; all by default")
      ->delimiter(',')
      ->transform(style_words());
  command->add_option("--folder", settings.folder, "keep the traces here");
  command->add_option("--rounds", settings.rounds)->check(CLI::PositiveNumber);
  command->add_flag("--others", settings.others, "node, jq and Python too, one round each");
  command->add_flag("--odd", settings.odd, "traces with legal but rare events");
  command->callback([&settings, measure] {
    if (settings.styles.empty()) {
      for (const auto& [word, style] : bench::styles()) settings.styles.push_back(style);
    }
    measure(settings);
  });
  return command;
}

void add_binary(CLI::App* command, Settings& settings) {
  command->add_option("--stepscope", settings.stepscope, "the binary that is measured")
      ->required()
      ->check(CLI::ExistingFile);
}

CLI::App* add_generator(CLI::App& app, const std::string& name, const std::string& what,
                        bench::TraceShape& shape) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("style", shape.style)->required()->transform(style_words());
  command->add_option("megabytes", shape.megabytes)->required();
  command->add_option("--seed", shape.seed);
  command->add_option("--rank", shape.rank);
  command->add_option("--world-size", shape.world_size)->check(CLI::PositiveNumber);
  command->add_flag("--odd", shape.odd);
  return command;
}

void add_parts(CLI::App& app, Arguments& arguments) {
  add_generator(app, "generate", "a trace to standard output", arguments.shape)->callback([&] {
    generate(arguments.shape);
  });
  CLI::App* packing =
      add_generator(app, "pack", "a trace to a .gz file, and what it holds", arguments.shape);
  packing->add_option("file", arguments.file)->required();
  packing->callback([&] { pack(arguments.shape, arguments.file); });

  CLI::App* reading = app.add_subcommand("read", "reads files into a Trace");
  reading->add_option("files", arguments.files)->required();
  reading->add_option("--threads", arguments.threads);
  reading->add_flag("--digest", arguments.digest);
  reading->callback([&] { read(arguments.files, arguments.threads, arguments.digest); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("bench: what reading a trace costs");
  app.require_subcommand(1);
  Arguments arguments;
  Settings& settings = arguments.settings;
  add_binary(add_measure(app, "table", "CPU, wall and peak beside the floor", bench::print_table,
                         settings),
             settings);
  add_binary(add_measure(app, "memory", "peak of analyze", bench::print_memory, settings),
             settings);
  add_measure(app, "ranks", "eight files at once", bench::print_ranks, settings);
  add_measure(app, "stop", "time to stop", bench::print_stop, settings)
      ->add_option("--stops", settings.stops, "of each phase")
      ->check(CLI::PositiveNumber);
  add_parts(app, arguments);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 1;
  }
}
