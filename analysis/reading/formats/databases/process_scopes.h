#pragma once
// Which processes of a system-wide profile own device events, and what their ranks are: correlation
// ids of two processes may be equal, so each is a scope of its own. Owns the counts; says nothing
// of processes that only call.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/reading/tables/trace_builder.h"

namespace stepscope::analysis {

class ProcessScopes {
 public:
  static constexpr std::size_t kPairsMax = 65'536;  // of process and device; full() beyond
  static constexpr std::int64_t kUnknown = 0;       // the process of rows that name none

  // One device event. A process is any number that tells it from the others; the lower 24 bits are
  // shown as its id.
  void count(std::int64_t process, std::int64_t device);
  // A process may see only some of the machine's GPUs, and numbers these from 0: the machine's
  // number by process id and device. Behind the last count.
  void name_gpus(const std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>& gpus);
  bool full() const { return events_.size() > kPairsMax; }

  // Behind the last count. Rows that name no process count only where none does. One process alone
  // is the file's own scope. Of several, the one with most events of a GPU owns it: these come
  // first, by GPU, then those that own none, by id.
  void settle(TraceBuilder& builder);

  // Nothing for a process without device events.
  std::optional<ScopeId> scope_of(std::int64_t process) const;
  // The process with most events on a device, for rows that name none; kUnknown when there is none.
  std::int64_t owner_of(std::int64_t device) const;
  // The machine's GPUs that have events; whether that is more than what the processes call them.
  std::set<std::int64_t> gpus() const;
  bool gpus_named() const { return !gpus_.empty(); }
  // How ranks were given, empty for one process.
  const std::string& note() const { return note_; }

  static std::int64_t pid_of(std::int64_t process) { return process & 0xFFFFFF; }

 private:
  using Pair = std::pair<std::int64_t, std::int64_t>;  // process, device

  std::int64_t gpu_of(const Pair& pair) const;
  // By device, or by the machine's GPU.
  std::map<std::int64_t, std::int64_t> owners(bool by_gpu) const;
  bool share_one_device() const;
  std::map<std::int64_t, std::string> labels() const;
  void note_ranks(const std::map<std::int64_t, std::string>& labels);

  std::map<Pair, std::int64_t> events_;
  std::map<Pair, std::int64_t> gpus_;
  std::optional<std::pair<Pair, std::int64_t*>> last_;  // of events_
  std::map<std::int64_t, ScopeId> scopes_;
  std::map<std::int64_t, std::int64_t> owners_;  // by what the processes call the device
  std::string note_;
};

}  // namespace stepscope::analysis
