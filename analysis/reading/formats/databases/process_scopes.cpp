#include "analysis/reading/formats/databases/process_scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stepscope::analysis {

namespace {

constexpr std::size_t kRanksNamed = 4;  // in the note

// Leading zeros, so that labels sort as the numbers do.
std::size_t width_of(std::int64_t largest) {
  return std::max<std::size_t>(2, std::to_string(largest).size());
}

}  // namespace

void ProcessScopes::count(std::int64_t process, std::int64_t device) {
  const Pair pair(process, device);
  if (!last_ || last_->first != pair) {
    if (full()) return;
    last_ = {pair, &events_[pair]};
  }
  ++*last_->second;
}

void ProcessScopes::name_gpus(const std::map<Pair, std::int64_t>& gpus) {
  for (const auto& [pair, events] : events_) {
    const auto named = gpus.find({pid_of(pair.first), pair.second});
    if (named != gpus.end()) gpus_[pair] = named->second;
  }
}

std::set<std::int64_t> ProcessScopes::gpus() const {
  std::set<std::int64_t> gpus;
  for (const auto& [pair, events] : events_) gpus.insert(gpu_of(pair));
  return gpus;
}

std::int64_t ProcessScopes::gpu_of(const Pair& pair) const {
  const auto named = gpus_.find(pair);
  return named == gpus_.end() ? pair.second : named->second;
}

std::map<std::int64_t, std::int64_t> ProcessScopes::owners(bool by_gpu) const {
  std::map<Pair, std::int64_t> events;  // by process and GPU
  for (const auto& [pair, count] : events_) {
    events[{pair.first, by_gpu ? gpu_of(pair) : pair.second}] += count;
  }
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> most;  // by GPU: events, process
  for (const auto& [pair, count] : events) {
    auto& best = most[pair.second];
    if (count > best.first) best = {count, pair.first};
  }
  std::map<std::int64_t, std::int64_t> owners;
  for (const auto& [gpu, best] : most) owners[gpu] = best.second;
  return owners;
}

// As when each process sees its own GPU only, and calls it 0.
bool ProcessScopes::share_one_device() const {
  if (!gpus_.empty()) return false;
  const std::int64_t device = events_.begin()->first.second;
  return std::ranges::all_of(events_,
                             [&](const auto& entry) { return entry.first.second == device; });
}

std::map<std::int64_t, std::string> ProcessScopes::labels() const {
  std::map<std::int64_t, std::string> labels;
  std::set<std::int64_t> pids;
  for (const auto& [pair, count] : events_) {
    labels.try_emplace(pair.first);
    pids.insert(pid_of(pair.first));
  }
  const bool distinct = pids.size() == labels.size();  // else of several machines
  const auto shown = [&](std::int64_t process) { return distinct ? pid_of(process) : process; };
  const std::size_t pid_width = width_of(distinct ? *pids.rbegin() : labels.rbegin()->first);
  for (auto& [process, label] : labels) {
    label = fmt::format("PID{:0{}}", shown(process), pid_width);
  }
  if (share_one_device()) return labels;
  const std::map<std::int64_t, std::int64_t> by_gpu = owners(true);
  const std::size_t gpu_width = width_of(by_gpu.rbegin()->first);
  std::set<std::int64_t> named;
  for (const auto& [gpu, process] : by_gpu) {
    if (!named.insert(process).second) continue;  // it owns a lower one as well
    labels[process] = fmt::format("GPU{:0{}}-{}", gpu, gpu_width, labels[process]);
  }
  return labels;
}

void ProcessScopes::note_ranks(const std::map<std::int64_t, std::string>& labels) {
  std::vector<std::string> sorted;
  sorted.reserve(labels.size());
  for (const auto& [process, label] : labels) sorted.push_back(label);
  std::ranges::sort(sorted);
  note_ =
      fmt::format("{} processes have device events; their ranks are counted by {}:", labels.size(),
                  share_one_device() ? "process id, because each calls its GPU the same"
                                     : "GPU, then process id");
  for (std::size_t i = 0; i < std::min(sorted.size(), kRanksNamed); ++i) {
    note_ += fmt::format("{} rank {} is {}", i == 0 ? "" : ",", i, sorted[i]);
  }
  if (sorted.size() > kRanksNamed) note_ += ", ...";
}

void ProcessScopes::settle(TraceBuilder& builder) {
  const auto unknown = [](const auto& entry) { return entry.first.first == kUnknown; };
  if (!std::ranges::all_of(events_, unknown)) std::erase_if(events_, unknown);
  if (events_.empty()) return;
  owners_ = owners(false);
  std::map<std::int64_t, std::string> names = labels();
  if (names.size() == 1) {
    names.begin()->second.clear();
  } else {
    note_ranks(names);
  }
  for (const auto& [process, label] : names) scopes_[process] = builder.scope_of_process(label);
}

std::optional<ScopeId> ProcessScopes::scope_of(std::int64_t process) const {
  const auto found = scopes_.find(process);
  if (found != scopes_.end()) return found->second;
  // Device events that name no process are those of the only one.
  if (scopes_.size() == 1 && scopes_.begin()->first == kUnknown) return scopes_.begin()->second;
  return std::nullopt;
}

std::int64_t ProcessScopes::owner_of(std::int64_t device) const {
  const auto owner = owners_.find(device);
  return owner == owners_.end() ? kUnknown : owner->second;
}

}  // namespace stepscope::analysis
