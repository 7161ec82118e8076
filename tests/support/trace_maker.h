#pragma once
// Builds a Trace in memory, as the readers would deliver it, so that passes are tested without
// files.

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "analysis/passes/names/event_classes.h"
#include "analysis/reading/event_table.h"

namespace stepscope::tests {

struct DeviceEventSpec {
  std::string name;
  analysis::Ns start_ns = 0;
  analysis::Ns dur_ns = 0;
  std::string stream = "7";
  std::optional<std::int64_t> correlation = {};
  std::string device = "0";
  analysis::DeviceKind kind = analysis::DeviceKind::kernel;
  analysis::ScopeId scope = 0;
  analysis::KernelArgs args = {};
  std::uint32_t external_id = 0;
};

class TraceMaker {
 public:
  // Scope 0 exists from the start: no rank, file "trace.json".
  TraceMaker();

  // `label`: "TP03-EP03" of a merged file. Scopes of one file name in a row are in one file when
  // they have labels.
  analysis::ScopeId scope(std::optional<int> rank, const std::string& file = "trace.json",
                          const std::string& label = "");
  TraceMaker& add(const DeviceEventSpec& spec);
  TraceMaker& launch(const std::string& name, analysis::Ns start_ns, analysis::Ns dur_ns,
                     std::int64_t correlation, analysis::ScopeId scope = 0);
  TraceMaker& mark(const std::string& name, analysis::Ns start_ns, analysis::Ns end_ns,
                   analysis::MarkerKind kind = analysis::MarkerKind::user_annotation,
                   analysis::ScopeId scope = 0);
  // A kernel with a launch of its own.
  TraceMaker& launched(const DeviceEventSpec& spec, analysis::Ns launch_ns);
  // An operator with recorded shapes: "aten::mm", "[[4, 7168], [7168, 2112]]".
  TraceMaker& op(const std::string& name, std::uint32_t external_id, const std::string& dims,
                 analysis::ScopeId scope = 0);

  // Sorted as event_table.h says, summary filled.
  analysis::Trace build() const;

 private:
  analysis::NameId name_id(const std::string& name);
  analysis::ArgsId args_id(const analysis::KernelArgs& args);

  analysis::Trace trace_;
  std::map<std::string, analysis::NameId> names_;
  std::map<std::tuple<analysis::ScopeId, std::string, std::string>, analysis::TimelineId>
      timelines_;
  std::int64_t next_correlation_ = 1'000'000;
};

// A category table for tests, by the first word of a name: "nccl..." is communication, "copy..." a
// copy; "attn", "linattn", "kv", "gemm", "moegemm" (as "moe"), "routing", "quant", "act" and "norm"
// are what they say; "other..." matches no rule, and all else is elementwise.
analysis::KernelCategory test_category(std::string_view name);

}  // namespace stepscope::tests
