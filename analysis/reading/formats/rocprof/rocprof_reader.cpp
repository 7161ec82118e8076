#include "analysis/reading/formats/rocprof/rocprof_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/reading/formats/rocprof/rocprof_process.h"
#include "analysis/reading/formats/rocprof/rocprof_scanner.h"
#include "analysis/reading/json/json_text.h"

namespace stepscope::analysis {

namespace {

constexpr std::string_view kTopKey = "rocprofiler-sdk-tool";

class RocprofReader : public RocprofSink {
 public:
  RocprofReader(TraceBuilder& builder, std::string damage_prefix)
      : builder_(builder), damage_prefix_(std::move(damage_prefix)) {
    content_.facts.keys = {std::string(kTopKey)};
    content_.facts.fractions = true;  // finer than microseconds
  }

  bool on_record(RocprofList list, std::string_view text) override {
    return process().take(list, text);
  }

  void on_process_end() override {
    if (!process_) return;
    process_->settle();
    for (std::string& name : process_->device_names()) {
      std::vector<std::string>& names = content_.metadata.device_names;
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    if (!process_->has_device_rows()) {
      process_->leave_out();
      process_.reset();
      return;
    }
    if (waiting_) hand_over_labelled();
    waiting_ = std::move(process_);
  }

  void on_damage(std::uint64_t byte, std::string_view reason, RocprofList lost) override {
    if (lost >= RocprofList::markers) ++content_.facts.events;
    if (lost == RocprofList::kinds) process().lost_kind();
    builder_.add_damage(byte, damage_prefix_ + std::string(reason));
  }

  std::string_view limit_passed() const {
    const std::string_view limit = process_ ? process_->limit_passed() : "";
    return limit.empty() ? builder_.limit_passed() : limit;
  }

  FileContent finish() {
    if (waiting_ && labelled_ > 0) {
      hand_over_labelled();
      content_.notes.push_back(
          fmt::format("{} processes are taken for the ranks of the run, in the order of their GPUs",
                      labelled_));
    } else if (waiting_) {
      waiting_->hand_over("", content_.notes);
    }
    waiting_.reset();
    return std::move(content_);
  }

 private:
  RocprofProcess& process() {
    if (!process_) process_ = std::make_unique<RocprofProcess>(builder_, content_.facts);
    return *process_;
  }

  void hand_over_labelled() {
    ++labelled_;
    std::vector<std::string> notes;
    std::string label = waiting_->label();
    if (!labels_.insert(label).second) label += fmt::format("-{:06}", labelled_);
    waiting_->hand_over(label, notes);
    for (std::string& note : notes) {
      if (std::ranges::find(content_.notes, note) == content_.notes.end()) {
        content_.notes.push_back(std::move(note));
      }
    }
  }

  TraceBuilder& builder_;
  std::string damage_prefix_;
  FileContent content_;
  std::unique_ptr<RocprofProcess> process_;  // being read
  std::unique_ptr<RocprofProcess> waiting_;  // until it shows whether there is another
  std::size_t labelled_ = 0;
  std::set<std::string> labels_;  // two containers may call their process and GPU the same
};

}  // namespace

bool is_rocprof(std::string_view head) {
  const std::size_t brace = head.find('{');
  const std::size_t quote = head.find('"');
  if (brace > quote || quote == std::string_view::npos) return false;
  return head.substr(quote + 1).starts_with(fmt::format("{}\"", kTopKey));
}

std::expected<FileContent, AnalyzeError> read_rocprof(TraceInput& input, TraceBuilder& builder,
                                                      std::string damage_prefix) {
  RocprofReader reader(builder, std::move(damage_prefix));
  RocprofScanner scanner(reader);
  auto limit = [&]() -> std::optional<AnalyzeError> {
    const std::string_view passed = reader.limit_passed();
    if (passed.empty()) return std::nullopt;
    return AnalyzeError{AnalyzeFault::limit,
                        fmt::format("{}: more {} than are allowed, near byte {} of the text; "
                                    "record fewer steps",
                                    input.name(), passed, input.text_bytes())};
  };
  std::vector<char> block(TraceInput::kBlockBytes);
  while (true) {
    auto size = input.read(block);
    if (!size) return std::unexpected(std::move(size.error()));
    if (*size == 0) break;
    scanner.feed({block.data(), *size});
    if (auto fault = limit()) return std::unexpected(*std::move(fault));
  }
  scanner.finish();
  FileContent content = reader.finish();
  if (auto fault = limit()) return std::unexpected(*std::move(fault));
  content.saw_events = scanner.saw_records();
  content.complete = scanner.complete();
  content.text_bytes = scanner.text_bytes();
  return content;
}

}  // namespace stepscope::analysis
