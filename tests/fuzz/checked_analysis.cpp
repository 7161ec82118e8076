#include "tests/fuzz/checked_analysis.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "analysis/analyze.h"
#include "analysis/passes/names/kernel_category.h"
#include "analysis/reading/read_trace.h"
#include "analysis/reports/breakdown_csv.h"
#include "analysis/reports/breakdown_html.h"
#include "analysis/reports/breakdown_json.h"
#include "analysis/reports/breakdown_markdown.h"
#include "analysis/reports/breakdown_reader.h"
#include "tests/fuzz/require.h"

namespace stepscope::fuzz {

namespace {

using namespace analysis;

constexpr std::uint64_t kTextBytesMax = 8U << 20;  // of what an input may unpack to

// A file in memory where there is such a folder. One for each process.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes) : path_(folder() / fmt::format("fuzz-{}", getpid())) {
    std::ofstream file(path_, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    require(static_cast<bool>(file), "the input can be written", path_.string());
  }
  ~InputFile() { std::filesystem::remove(path_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static std::filesystem::path folder() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code ignored;
    return std::filesystem::is_directory(memory, ignored) ? memory
                                                          : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

const KernelClassifier& classifier() {
  static const auto classifier = KernelClassifier::create("");
  return *classifier;
}

AnalyzeOptions options_from(std::uint64_t choices) {
  AnalyzeOptions options;
  options.threads_max = 1;
  options.text_bytes_max = kTextBytesMax;
  if (choices % 4 == 0) options.step = StepChoice::all;
  if (choices % 16 == 1) options.phase = "decode";
  if (choices % 16 == 2) options.concurrency = 4;
  if (choices % 16 == 3) {
    options.step = StepChoice::index;
    options.step_index = static_cast<int>(choices / 16 % 3);
  }
  if (choices % 16 == 5) options.unprofiled_ns = 1 + static_cast<Ns>(choices / 16 % 10'000'000);
  return options;
}

void check_error(const AnalyzeError& error) {
  require(!error.message.empty(), "an error says something");
  const bool one_line = std::ranges::all_of(
      error.message, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7F; });
  require(one_line, "an error is one line without control characters", error.message);
}

void check_accounting(const Accounting& a) {
  Ns charged = 0;
  Ns sum = 0;
  for (const KernelRow& row : a.kernels) {
    charged += row.charged_ns;
    sum += row.sum_ns;
    require(row.calls > 0 && row.charged_ns >= 0 && row.busy_ns <= row.sum_ns, "a kernel's row");
    require(row.charged_ns <= row.busy_ns, "no more is charged than was busy", row.name);
    require(row.min_ns <= row.median_ns && row.median_ns <= row.max_ns, "min, median, max");
  }
  require(charged + a.idle_ns == a.window_ns, "charged + idle = window");
  require(sum == a.kernel_sum_ns, "the sum of the rows");
  require(a.busy_ns + a.idle_ns == a.window_ns, "busy + idle = window");
  const ClassTimes& c = a.classes;
  require(c.compute + c.comm_exposed + c.copy_exposed + c.idle == a.window_ns, "the classes");
  require(a.partition.primary + a.partition.exposed_other + a.partition.idle == a.window_ns,
          "the partition");
}

void check_step(const ShownStep& shown) {
  const Ns window = shown.accounting.window_ns;
  const Ns idle = shown.accounting.idle_ns;
  check_accounting(shown.accounting);
  Ns components = idle;
  for (const ComponentRow& row : shown.components) components += row.charged_ns;
  require(components == window, "components + idle = window");
  Ns where = 0;
  for (const WhereRow& row : shown.where) where += row.charged_ns;
  require(where == window, "the rows of where = window");
  const IdleCauses& causes = shown.idle_causes;
  require(
      causes.host + causes.latency_or_dependency + causes.between_graph_nodes + causes.unknown ==
          idle,
      "the causes of idle");
  Ns phases = 0;
  for (const Phase& phase : shown.phases) phases += phase.wall_ns;
  require(shown.phases.empty() || phases == window, "phases = window");
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Blanks out code spans, in which markup is text.
std::string without_code_spans(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\\' && at + 1 < line.size()) {
      out += line.substr(at, 2);
      at += 2;
      continue;
    }
    if (line[at] != '`') {
      out += line[at++];
      continue;
    }
    const std::size_t fence = std::min(line.find_first_not_of('`', at), line.size()) - at;
    std::size_t close = at + fence;
    std::size_t run = 0;
    for (; close < line.size(); close += std::max<std::size_t>(run, 1)) {
      run = std::min(line.find_first_not_of('`', close), line.size()) - close;
      if (run == fence) break;
    }
    const bool closed = close < line.size();
    out += closed ? "code" : line.substr(at, fence);
    at = closed ? close + fence : at + fence;
  }
  return out;
}

void check_markdown(std::string_view markdown) {
  bool block = false;
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', at), markdown.size());
    const std::string_view line = markdown.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("```")) {
      block = !block;
    } else if (!block) {
      const std::string text = lowered(without_code_spans(line));
      require(count_of(text, "<script") == count_of(text, "\\<script"), "no tag in Markdown", line);
    }
  }
}

void check_html(const std::string& html, const Breakdown& breakdown) {
  const std::string text = lowered(html);
  const std::size_t blocks = count_of(html, "<script type=\"application/json\">");
  require(blocks <= breakdown.shown.size(), "a block of JSON for each step");
  // The page has one script of its own, which names no tag.
  require(count_of(text, "<script") == blocks + 1, "no script of others in HTML");
  require(count_of(text, "</script") == blocks + 1, "no script ends early in HTML");
}

// The JSON and one of the other forms. Of every fourth result only: reports take ten times as long
// as all passes.
void check_reports(const Breakdown& breakdown, std::uint64_t choices) {
  if (choices % 4 != 0) return;
  ReportContext context;
  const std::string json = breakdown_json(breakdown, context);
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  require(parsed.is_object(), "the JSON parses", json);
  const auto stored = read_breakdown_json(json);
  require(stored.has_value(), "the JSON can be read back",
          stored ? std::string_view() : std::string_view(stored.error()));
  switch (choices / 4 % 4) {
    case 0:
      check_html(breakdown_html(breakdown, context), breakdown);
      break;
    case 1:
      context.bytes_max = 2000;
      [[fallthrough]];
    case 2:
      check_markdown(breakdown_markdown(breakdown, context));
      break;
    default:
      for (const std::string& table : csv_table_names()) {
        const auto csv = breakdown_csv(breakdown, context, table);
        require(!csv || csv->ends_with('\n'), "a CSV table ends its last line", table);
      }
  }
}

}  // namespace

void analyze_events(Trace trace, std::uint64_t choices) {
  const auto breakdown = analyze_trace(std::move(trace), classifier(), options_from(choices));
  if (!breakdown) return check_error(breakdown.error());
  require(!breakdown->devices.empty(), "a trace with device events has a device");
  for (const DeviceBreakdown& device : breakdown->devices) check_accounting(device.accounting);
  for (const ShownStep& shown : breakdown->shown) check_step(shown);
  check_reports(*breakdown, choices / 16);
}

void analyze_file(std::string_view bytes, std::uint64_t choices) {
  const InputFile file(bytes);
  const std::array paths = {file.path()};
  auto trace = read_trace(paths, options_from(choices));
  if (!trace) return check_error(trace.error());
  require(!trace->device_events.empty(), "a trace that was read has device events");
  analyze_events(*std::move(trace), choices);
}

}  // namespace stepscope::fuzz
