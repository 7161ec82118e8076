#include "tests/bench/contenders.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "tests/bench/process_cost.h"

namespace stepscope::bench {

namespace {

constexpr std::uint64_t kNodeTextMax = (1ULL << 29) - 24;  // characters in a string of V8
constexpr std::uint64_t kObjectsTextMax = 400'000'000;     // jq and Python need ten times as much

// Latin-1 is the quickest that Node can do, and wrong only for names that are not ASCII.
constexpr const char* kNodeScript =
    "const text = require('zlib').gunzipSync(require('fs').readFileSync(process.argv[1]));"
    "console.log(JSON.parse(text.toString('latin1')).traceEvents.length)";
constexpr const char* kPythonScript =
    "import gzip, json, sys\n"
    "print(len(json.load(gzip.open(sys.argv[1]))['traceEvents']))";
constexpr const char* kJqScript = "gzip -dc \"$0\" | jq -c '.traceEvents | length'";

class Lists {
 public:
  explicit Lists(std::uint64_t text_bytes) : text_bytes_(text_bytes) {}

  void add(Contender contender) { all_.list.push_back(std::move(contender)); }

  // Leaves it out when the machine has no such command.
  bool add_if_there(const std::string& command, Contender contender) {
    if (!find_command(command)) {
      all_.left_out.push_back(fmt::format("{}: no command {} here", contender.name, command));
      return false;
    }
    add(std::move(contender));
    return true;
  }

  void add_other(const std::string& command, std::uint64_t text_max, Contender contender) {
    if (text_bytes_ > text_max) {
      all_.left_out.push_back(
          fmt::format("{}: takes at most {} MB of text", contender.name, text_max / 1'000'000));
      return;
    }
    contender.answer = Answer::event_count;
    contender.slow = true;
    add_if_there(command, std::move(contender));
  }

  Contenders take() { return std::move(all_); }

 private:
  std::uint64_t text_bytes_;
  Contenders all_;
};

}  // namespace

Contenders contenders_for(const PackedTrace& trace, const std::string& stepscope, bool others) {
  const std::string file = trace.path.string();
  const std::string self = own_program();
  Lists lists(trace.truth.bytes);
  // A program of its own beside this one: it must not pay for loading our libraries.
  const std::string floor = std::filesystem::path(self).replace_filename("inflate_only").string();
  lists.add({kFloor, {floor, "isal", file}, Answer::text_bytes});
  lists.add({kZlib, {floor, "zlib", file}, Answer::text_bytes});
  lists.add_if_there("igzip", {"igzip -dc", {"igzip", "-dc", file}});
  lists.add_if_there("gzip", {kGzip, {"gzip", "-dc", file}});
  lists.add({kStart, {stepscope, "--version"}, Answer::none});
  lists.add({"read_trace only", {self, "read", file}, Answer::figures});
  lists.add({kAnalyze, {stepscope, "analyze", "--format", "json", file}, Answer::report});
  if (others) {
    lists.add_other("node", kNodeTextMax,
                    {"node JSON.parse", {"node", "-e", kNodeScript, file}, Answer::none});
    lists.add_other("jq", kObjectsTextMax,
                    {"gzip -dc | jq", {"sh", "-c", kJqScript, file}, Answer::none});
    lists.add_other("python3", kObjectsTextMax,
                    {"python3 json.load", {"python3", "-c", kPythonScript, file}, Answer::none});
  }
  return lists.take();
}

}  // namespace stepscope::bench
