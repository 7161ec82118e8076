#include "analysis/reading/formats/databases/rpd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr std::string_view kOps = "rocpd_op";
constexpr std::string_view kCalls = "rocpd_api";
constexpr std::string_view kLinks = "rocpd_api_ops";
constexpr std::string_view kKernelCalls = "rocpd_kernelapi";
constexpr std::string_view kTexts = "rocpd_string";
constexpr std::string_view kUserMarker = "UserMarker";
constexpr std::size_t kPairsMax = TraceBuilder::kRowsMax;  // of the tables held in memory

// A table of two numbers in memory, 16 bytes a row, looked up by the first.
class NumberPairs {
 public:
  // False: there are too many.
  bool read(SqliteRows rows) {
    while (rows.next() && pairs_.size() <= kPairsMax) {
      const Number from = rows.integer(0);
      const Number to = rows.integer(1);
      if (from && to) pairs_.emplace_back(*from, *to);
    }
    if (!std::ranges::is_sorted(pairs_)) std::ranges::sort(pairs_);
    return pairs_.size() <= kPairsMax;
  }
  // The first of several.
  Number find(std::int64_t from) const {
    const auto at =
        std::ranges::lower_bound(pairs_, from, {}, &std::pair<std::int64_t, std::int64_t>::first);
    if (at == pairs_.end() || at->first != from) return std::nullopt;
    return at->second;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

// What an operation is by its type; nothing for marks and barriers, in which nothing runs.
std::optional<DeviceKind> kind_of(std::string_view type) {
  const auto starts = [&](std::string_view word) { return type.starts_with(word); };
  const auto contains = [&](std::string_view word) {
    return type.find(word) != std::string_view::npos;
  };
  if (contains("Marker") || contains("Barrier") || contains("UserEvent")) return std::nullopt;
  if (starts("Fill") || starts("Memset") || starts("SvmMemFill")) return DeviceKind::memset;
  for (const std::string_view word : {"Copy", "Memcpy", "Read", "Write", "Migrate", "SvmMemcpy"}) {
    if (starts(word)) return DeviceKind::memcpy;
  }
  return DeviceKind::kernel;
}

class RpdReader {
 public:
  RpdReader(SqliteFile& file, TraceBuilder& builder)
      : file_(file),
        builder_(builder),
        trace_(builder.trace()),
        timelines_(builder),
        arguments_(builder),
        texts_(file, std::string(kTexts), "id", "string") {}

  std::expected<FileContent, AnalyzeError> read() {
    for (const std::string_view column : {"id", "start", "end", "gpuId"}) {
      if (file_.has(kOps, column)) continue;
      return std::unexpected(
          AnalyzeError{AnalyzeFault::unsupported_format,
                       fmt::format("{}: an RPD database whose table {} has no column \"{}\"; "
                                   "record it again with a current rocmProfileData",
                                   file_.name(), kOps, column)});
    }
    if (!calls_of_ops_.read(file_.rows(kLinks, {"op_id", "api_id"})) || !settle_processes()) {
      return std::unexpected(AnalyzeError{
          AnalyzeFault::limit,
          fmt::format("{}: more calls or processes than are allowed; record fewer steps",
                      file_.name())});
    }
    kernel_calls();
    ops();
    calls();
    notes();
    content_.facts.fractions = true;  // nanoseconds
    return std::move(content_);
  }

 private:
  struct OpType {
    std::optional<DeviceKind> kind;
    std::string name;
  };
  struct KernelCall {
    ArgsId args = 0;
    Number name;
  };
  struct CallName {
    NameId id = 0;
    bool kept = false;
    bool launches = false;
    bool user_marker = false;
  };

  // Most databases hold one process: only where they hold several must each call be asked.
  bool settle_processes() {
    SqliteRows pids = file_.rows(kCalls, {"pid"});
    Number only;
    while (pids.next() && !several_) {
      const std::int64_t pid = pids.integer(0).value_or(ProcessScopes::kUnknown);
      several_ = only && *only != pid;
      only = pid;
    }
    only_ = only.value_or(ProcessScopes::kUnknown);
    if (several_ && !processes_.read(file_.rows(kCalls, {"id", "pid"}))) return false;
    SqliteRows rows = file_.rows(kOps, {"id", "gpuId"});
    while (rows.next()) {
      const Number process = process_of(rows.integer(0));
      const Number device = rows.integer(1);
      if (!process || !device) continue;
      scopes_.count(*process, *device);
      if (!several_) break;  // one event tells as much as all
    }
    scopes_.settle(builder_);
    return !scopes_.full();
  }

  Number process_of(Number op) const {
    if (!several_) return only_;
    const Number call = op ? calls_of_ops_.find(*op) : std::nullopt;
    return call ? processes_.find(*call) : std::nullopt;
  }

  void kernel_calls() {
    SqliteRows rows =
        file_.rows(kKernelCalls, {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX",
                                  "workgroupY", "workgroupZ", "kernelName_id"});
    while (rows.next() && !limit_.passed() && kernel_calls_.size() < kPairsMax) {
      const Number call = rows.integer(0);
      if (!call) continue;
      const ArgsId args = arguments_.of({rows.integer(1), rows.integer(2), rows.integer(3)},
                                        {rows.integer(4), rows.integer(5), rows.integer(6)});
      kernel_calls_[*call] = {args, rows.integer(7)};
    }
  }

  const OpType& type_of(Number id) {
    const std::int64_t key = id.value_or(0);
    const auto known = types_.find(key);
    if (known != types_.end()) return known->second;
    const std::string name(texts_.find(key).value_or("unknown type"));
    return types_[key] = {kind_of(name), name};
  }

  // Copies have no description; a kernel without one leaves its time where it is.
  NameId name_of(Number description, const OpType& type, Number kernel_name) {
    for (const Number id : {description, kernel_name}) {
      const auto text = id ? texts_.find(*id) : std::nullopt;
      if (text && !text->empty()) return builder_.name_of(*text);
    }
    if (type.kind != DeviceKind::kernel) return builder_.name_of(type.name);
    return builder_.name_of(fmt::format("unknown kernel ({})", type.name));
  }

  void ops() {
    SqliteRows rows =
        file_.rows(kOps, {"id", "start", "end", "gpuId", "queueId", "description_id", "opType_id"});
    while (rows.next() && !limit_.passed()) {
      ++content_.facts.events;
      const OpType& type = type_of(rows.integer(6));
      if (!type.kind) continue;
      ++content_.facts.device_events;
      const auto span = device_span(rows.integer(1), rows.integer(2), trace_.summary.dropped);
      if (!span) continue;
      const Number op = rows.integer(0);
      const Number call = op ? calls_of_ops_.find(*op) : std::nullopt;
      const Number device = rows.integer(3);
      const std::int64_t process = process_of(op).value_or(scopes_.owner_of(device.value_or(-1)));
      const auto scope = scopes_.scope_of(process);
      if (!scope) {
        ++trace_.summary.dropped.malformed;
        continue;
      }
      const auto launch = call ? kernel_calls_.find(*call) : kernel_calls_.end();
      const KernelCall known = launch == kernel_calls_.end() ? KernelCall() : launch->second;
      const bool kernel = type.kind == DeviceKind::kernel;
      builder_.add(DeviceEvent{
          .start_ns = span->start_ns,
          .dur_ns = span->dur_ns,
          .correlation = call.value_or(kNoCorrelation),
          .name = name_of(rows.integer(5), type, kernel ? known.name : std::nullopt),
          .timeline =
              timelines_.of(*scope, ProcessScopes::pid_of(process), device, rows.integer(4)),
          .args = kernel ? known.args : 0,
          .kind = *type.kind});
    }
  }

  const CallName& call_name(Number id) {
    const std::int64_t key = id.value_or(0);
    const auto known = call_names_.find(key);
    if (known != call_names_.end()) return known->second;
    const std::string_view text = texts_.find(key).value_or("unknown call");
    CallName name{.user_marker = text == kUserMarker};
    name.kept = !name.user_marker && may_start_work(text);
    name.launches = text.find("Launch") != std::string_view::npos;
    if (name.kept) name.id = builder_.name_of(text);
    return call_names_[key] = name;
  }

  std::optional<ScopeId> scope_of_call(Number pid) const {
    return scopes_.scope_of(pid.value_or(ProcessScopes::kUnknown));
  }

  void calls() {
    SqliteRows rows = file_.rows(kCalls, {"id", "start", "end", "pid", "apiName_id", "args_id"});
    while (rows.next() && !limit_.passed()) {
      ++content_.facts.events;
      trace_.has_cpu_events = true;
      const CallName& name = call_name(rows.integer(4));
      const auto span = host_span(rows.integer(1), rows.integer(2));
      const auto scope = scope_of_call(rows.integer(3));
      if (name.user_marker) {
        const Number id = rows.integer(5);
        const auto text = id ? texts_.find(*id) : std::nullopt;
        if (text && is_capture_range(*text)) {
          content_.facts.capture_markers = true;
          trace_.has_capture_markers = true;
        }
        if (text && span && scope) choice_.count(range_name(*text), span->dur_ns);
        continue;
      }
      ++content_.facts.launches;
      if (name.launches) ++content_.facts.kernel_launches;
      const Number id = rows.integer(0);
      if (!name.kept || !span || !scope || !id) continue;
      builder_.add(Launch{span->start_ns, span->dur_ns, *id, name.id, *scope});
      trace_.has_launches = true;
    }
    if (!choice_.empty()) markers();
  }

  void markers() {
    choice_.choose();
    SqliteRows rows = file_.rows(kCalls, {"start", "end", "pid", "apiName_id", "args_id"});
    while (rows.next() && !limit_.passed()) {
      if (!call_name(rows.integer(3)).user_marker) continue;
      const auto span = host_span(rows.integer(0), rows.integer(1));
      const auto scope = scope_of_call(rows.integer(2));
      const Number id = rows.integer(4);
      const auto text = id ? texts_.find(*id) : std::nullopt;
      if (!span || !scope || !text) continue;
      const std::string_view name = range_name(*text);
      if (!choice_.keep(name)) continue;
      builder_.add(Marker{span->start_ns, span->dur_ns, builder_.name_of(name), *scope,
                          MarkerKind::user_annotation});
    }
  }

  void notes() {
    if (!scopes_.note().empty()) content_.notes.push_back(scopes_.note());
    choice_.note_left_out("user markers", content_.notes);
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
  NumberPairs calls_of_ops_;
  NumberPairs processes_;  // of calls; only with several
  bool several_ = false;
  std::int64_t only_ = ProcessScopes::kUnknown;
  std::unordered_map<std::int64_t, KernelCall> kernel_calls_;  // by call
  std::unordered_map<std::int64_t, OpType> types_;
  std::unordered_map<std::int64_t, CallName> call_names_;
  RowLimit limit_{builder_};
};

}  // namespace

bool is_rpd(const SqliteFile& file) { return file.has(kOps) && file.has(kTexts); }

std::expected<FileContent, AnalyzeError> read_rpd(SqliteFile& file, TraceBuilder& builder) {
  return RpdReader(file, builder).read();
}

}  // namespace stepscope::analysis
