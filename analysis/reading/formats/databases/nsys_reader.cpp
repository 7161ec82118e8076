#include "analysis/reading/formats/databases/nsys_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/reading/formats/databases/database_rows.h"
#include "analysis/reading/formats/databases/process_scopes.h"
#include "analysis/reading/formats/databases/range_choice.h"

namespace stepscope::analysis {

namespace {

using Number = std::optional<std::int64_t>;

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kFills = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kRanges = "NVTX_EVENTS";
constexpr std::string_view kTexts = "StringIds";

// globalPid and globalTid hold machine, process and thread, from the top bits down.
std::int64_t process_of(Number global_id) {
  if (!global_id) return ProcessScopes::kUnknown;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*global_id) >> 24);
}

template <std::size_t kSize>
std::string_view word_of(const std::array<std::string_view, kSize>& words, Number number) {
  const bool known = number && *number >= 0 && *number < static_cast<std::int64_t>(kSize);
  return known ? words[static_cast<std::size_t>(*number)] : std::string_view();
}

// In Kineto's words, so that one table of rules does for both.
std::string copy_name(Number direction, Number from, Number to) {
  static constexpr std::array<std::string_view, 14> kDirections = {
      "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
      "DtoA",    "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
  static constexpr std::array<std::string_view, 7> kMemories = {
      "Pageable", "Pinned", "Device", "Array", "Managed", "Device", "Managed"};
  constexpr std::int64_t kFirstUnified = 11;  // pages that the driver moves
  const std::string_view way = word_of(kDirections, direction);
  if (way.empty()) return "Memcpy";
  if (direction.value_or(0) >= kFirstUnified) return fmt::format("Memcpy {} (Unified Memory)", way);
  const std::string_view source = word_of(kMemories, from);
  const std::string_view target = word_of(kMemories, to);
  if (source.empty() || target.empty()) return fmt::format("Memcpy {}", way);
  return fmt::format("Memcpy {} ({} -> {})", way, source, target);
}

class NsysReader {
 public:
  NsysReader(SqliteFile& file, TraceBuilder& builder)
      : file_(file),
        builder_(builder),
        trace_(builder.trace()),
        timelines_(builder),
        arguments_(builder),
        texts_(file, std::string(kTexts), "id", "value") {}

  std::expected<FileContent, AnalyzeError> read() {
    for (const std::string_view table : {kKernels, kCopies, kFills}) {
      if (auto refused = refuse_columns(table)) return std::unexpected(*std::move(refused));
    }
    settle_processes();
    kernels();
    copies(kCopies, DeviceKind::memcpy);
    copies(kFills, DeviceKind::memset);
    if (auto refused = graphs()) return std::unexpected(*std::move(refused));
    calls();
    ranges();
    metadata();
    notes();
    if (scopes_.full()) {
      return std::unexpected(AnalyzeError{
          AnalyzeFault::limit, fmt::format("{}: more processes than are allowed", file_.name())});
    }
    content_.facts.fractions = true;  // nanoseconds
    return std::move(content_);
  }

 private:
  struct CallName {
    NameId id = 0;
    bool kept = false;
    bool launches = false;
  };
  struct Device {
    Number id, stream, correlation, process;
  };

  std::optional<AnalyzeError> refuse_columns(std::string_view table) {
    if (!file_.has(table)) return std::nullopt;
    for (const std::string_view column : {"start", "end", "deviceId"}) {
      if (file_.has(table, column)) continue;
      return AnalyzeError{AnalyzeFault::unsupported_format,
                          fmt::format("{}: an nsys export whose table {} has no column \"{}\"; "
                                      "export it again with a newer nsys",
                                      file_.name(), table, column)};
    }
    return std::nullopt;
  }

  // True when a limit was passed: the caller of the reader finds out which.
  void settle_processes() {
    for (const std::string_view table : {kKernels, kCopies, kFills}) {
      SqliteRows rows = file_.rows(table, {"globalPid", "deviceId"});
      while (rows.next()) {
        if (const Number device = rows.integer(1)) {
          scopes_.count(process_of(rows.integer(0)), *device);
        }
      }
    }
    // Which of the machine's GPUs a process calls 0.
    SqliteRows rows = file_.rows("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"});
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpus;
    while (rows.next() && gpus.size() < ProcessScopes::kPairsMax) {
      const Number pid = rows.integer(0), device = rows.integer(1), gpu = rows.integer(2);
      if (pid && device && gpu) gpus[{*pid, *device}] = *gpu;
    }
    scopes_.name_gpus(gpus);
    scopes_.settle(builder_);
  }

  void device_event(SqliteRows& rows, const Device& device, DeviceKind kind, NameId name,
                    ArgsId args) {
    const auto span = device_span(rows.integer(0), rows.integer(1), trace_.summary.dropped);
    if (!span) return;
    const std::int64_t process =
        device.process || !device.id ? process_of(device.process) : scopes_.owner_of(*device.id);
    const auto scope = scopes_.scope_of(process);
    if (!scope || !device.id) {
      ++trace_.summary.dropped.malformed;
      return;
    }
    builder_.add(DeviceEvent{
        .start_ns = span->start_ns,
        .dur_ns = span->dur_ns,
        .correlation = device.correlation.value_or(kNoCorrelation),
        .name = name,
        .timeline = timelines_.of(*scope, ProcessScopes::pid_of(process), device.id, device.stream),
        .args = args,
        .kind = kind});
  }

  Device device_of(SqliteRows& rows) {
    ++content_.facts.events;
    ++content_.facts.device_events;
    return {rows.integer(2), rows.integer(3), rows.integer(4), rows.integer(5)};
  }

  void kernels() {
    SqliteRows rows = file_.rows(kKernels, {"start", "end", "deviceId", "streamId", "correlationId",
                                            "globalPid", "demangledName", "shortName", "gridX",
                                            "gridY", "gridZ", "blockX", "blockY", "blockZ"});
    while (rows.next() && !limit_.passed()) {
      const Device device = device_of(rows);
      const ArgsId args = arguments_.of({rows.integer(8), rows.integer(9), rows.integer(10)},
                                        {rows.integer(11), rows.integer(12), rows.integer(13)});
      device_event(rows, device, DeviceKind::kernel, kernel_name(rows.integer(6), rows.integer(7)),
                   args);
    }
  }

  // A name that the file does not hold leaves the time of its kernel where it is.
  NameId kernel_name(Number whole, Number brief) {
    const std::int64_t id = whole ? *whole : brief.value_or(0);
    const auto known = kernel_names_.find(id);
    if (known != kernel_names_.end()) return known->second;
    std::optional<std::string_view> text = texts_.find(id);
    if (!text && brief) text = texts_.find(*brief);
    if (!text) ++nameless_;
    const NameId name =
        builder_.name_of(text ? *text : fmt::format("unknown kernel (name {})", id));
    return kernel_names_[id] = name;
  }

  void copies(std::string_view table, DeviceKind kind) {
    SqliteRows rows = file_.rows(table, {"start", "end", "deviceId", "streamId", "correlationId",
                                         "globalPid", "copyKind", "srcKind", "dstKind"});
    while (rows.next() && !limit_.passed()) {
      const Device device = device_of(rows);
      const NameId name =
          builder_.name_of(kind == DeviceKind::memset
                               ? "Memset (Device)"
                               : copy_name(rows.integer(6), rows.integer(7), rows.integer(8)));
      device_event(rows, device, kind, name, 0);
    }
  }

  // With --cuda-graph-trace=graph, nsys's default, the kernels of a graph are not recorded.
  std::optional<AnalyzeError> graphs() {
    SqliteRows rows = file_.rows(kGraphs, {"start", "end"});
    std::int64_t launches = 0;
    double sum_ns = 0;
    while (rows.next()) {
      ++launches;
      if (const auto span = host_span(rows.integer(0), rows.integer(1))) {
        sum_ns += static_cast<double>(span->dur_ns);
      }
    }
    if (launches == 0) return std::nullopt;
    const std::string what = fmt::format(
        "CUDA graphs were traced as a whole (--cuda-graph-trace=graph): {} graph {} {:.3f} ms "
        "whose kernels are not in the file; record with --cuda-graph-trace=node",
        launches, launches == 1 ? "launch holds" : "launches hold", sum_ns / 1e6);
    builder_.trace().first_notes.push_back(what);
    if (content_.facts.device_events > 0) return std::nullopt;
    return AnalyzeError{AnalyzeFault::no_device_events, fmt::format("{}: {}", file_.name(), what)};
  }

  const CallName& call_name(Number id) {
    const std::int64_t key = id.value_or(0);
    const auto known = call_names_.find(key);
    if (known != call_names_.end()) return known->second;
    const std::string_view text = without_version(texts_.find(key).value_or("unknown call"));
    CallName name{.kept = may_start_work(text),
                  .launches = text.find("Launch") != std::string_view::npos};
    if (name.kept) name.id = builder_.name_of(text);
    return call_names_[key] = name;
  }

  void calls() {
    SqliteRows rows = file_.rows(kCalls, {"start", "end", "correlationId", "nameId", "globalTid"});
    while (rows.next() && !limit_.passed()) {
      ++content_.facts.events;
      const Number correlation = rows.integer(2);
      if (!correlation) continue;
      const CallName& name = call_name(rows.integer(3));
      ++content_.facts.launches;
      if (name.launches) ++content_.facts.kernel_launches;
      if (!name.kept) continue;
      const auto span = host_span(rows.integer(0), rows.integer(1));
      const auto scope = scopes_.scope_of(process_of(rows.integer(4)));
      if (!span || !scope) continue;
      builder_.add(Launch{span->start_ns, span->dur_ns, *correlation, name.id, *scope});
      trace_.has_launches = true;
    }
    trace_.has_cpu_events = trace_.has_cpu_events || content_.facts.launches > 0;
  }

  // Hands every range that has an end to `use`, with its name.
  template <typename Use>
  void each_range(const Use& use) {
    SqliteRows rows = file_.rows(kRanges, {"start", "end", "text", "textId", "globalTid"});
    while (rows.next() && !limit_.passed()) {
      const auto span = host_span(rows.integer(0), rows.integer(1));
      const auto scope = scopes_.scope_of(process_of(rows.integer(4)));
      if (!span) continue;
      std::optional<std::string_view> text = rows.text(2);
      const Number id = text ? std::nullopt : rows.integer(3);
      if (id) text = texts_.find(*id);
      if (text) use(*span, scope, range_name(*text));
    }
  }

  void ranges() {
    each_range([&](const RowSpan& span, std::optional<ScopeId> scope, std::string_view name) {
      ++content_.facts.events;
      trace_.has_cpu_events = true;
      if (is_capture_range(name)) {
        content_.facts.capture_markers = true;
        trace_.has_capture_markers = true;
      }
      if (scope) choice_.count(name, span.dur_ns);
    });
    if (choice_.empty()) return;
    choice_.choose();
    each_range([&](const RowSpan& span, std::optional<ScopeId> scope, std::string_view name) {
      if (!scope || !choice_.keep(name)) return;
      builder_.add(Marker{span.start_ns, span.dur_ns, builder_.name_of(name), *scope,
                          MarkerKind::user_annotation});
    });
  }

  void metadata() {
    SqliteRows start = file_.rows("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"});
    if (start.next()) {
      const std::int64_t base_ns = start.integer(0).value_or(0);
      if (base_ns > 0 && base_ns < TraceBuilder::kTimeMax) content_.metadata.base_ns = base_ns;
    }
    device_names();
  }

  // Of the GPUs that were used where the file tells, else of all; a machine may hold two models.
  void device_names() {
    constexpr std::size_t kNamesMax = 64;
    const std::set<std::int64_t> used = scopes_.gpus();
    const bool by_cuda = !scopes_.gpus_named() && file_.has("TARGET_INFO_GPU", "cuDevice");
    std::map<std::int64_t, std::string> by_id;
    SqliteRows rows = file_.rows("TARGET_INFO_GPU", {by_cuda ? "cuDevice" : "id", "name"});
    while (rows.next() && by_id.size() < kNamesMax) {
      const auto name = rows.text(1);
      if (name && !name->empty()) by_id[rows.integer(0).value_or(-1)] = printable(*name, 128);
    }
    const bool known =
        std::ranges::any_of(by_id, [&](const auto& entry) { return used.contains(entry.first); });
    std::vector<std::string>& names = content_.metadata.device_names;
    for (const auto& [id, name] : by_id) {
      if (known && !used.contains(id)) continue;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }

  void notes() {
    if (!scopes_.note().empty()) content_.notes.push_back(scopes_.note());
    if (nameless_ > 0) {
      content_.notes.push_back(
          fmt::format("{} kernel names are not in the file; they are shown by number", nameless_));
    }
    choice_.note_left_out("NVTX ranges", content_.notes);
  }

  SqliteFile& file_;
  TraceBuilder& builder_;
  Trace& trace_;
  FileContent content_;
  ProcessScopes scopes_;
  DatabaseTimelines timelines_;
  LaunchArguments arguments_;
  SqliteTexts texts_;
  RangeChoice choice_;
  std::unordered_map<std::int64_t, NameId> kernel_names_;
  std::unordered_map<std::int64_t, CallName> call_names_;
  RowLimit limit_{builder_};
  std::int64_t nameless_ = 0;
};

}  // namespace

bool is_nsys(const SqliteFile& file) {
  if (!file.has(kTexts)) return false;
  return std::ranges::any_of(file.tables(), [](const std::string& table) {
    return table.starts_with("CUPTI_ACTIVITY_KIND_") || table.starts_with("TARGET_INFO_") ||
           table == "META_DATA_EXPORT" || table == "EXPORT_META_DATA";
  });
}

std::expected<FileContent, AnalyzeError> read_nsys(SqliteFile& file, TraceBuilder& builder) {
  return NsysReader(file, builder).read();
}

}  // namespace stepscope::analysis
