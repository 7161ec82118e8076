#include "analysis/reading/formats/rocprof/rocprof_scanner.h"

#include <algorithm>
#include <array>

#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/resync.h"

namespace stepscope::analysis {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kTopKey = "rocprofiler-sdk-tool";
constexpr std::string_view kMetadataKey = "metadata";

struct NamedList {
  std::string_view key;
  RocprofList list;
};
constexpr std::array<NamedList, 10> kLists = {{
    {"agents", RocprofList::agents},
    {"kernel_symbols", RocprofList::kernel_symbols},
    {"buffer_records", RocprofList::kinds},  // an object of this name is the group of lists
    {"marker_api", RocprofList::markers},
    {"kernel_dispatch", RocprofList::dispatches},
    {"kernel_dispatches", RocprofList::dispatches},
    {"memory_copy", RocprofList::copies},
    {"memory_copies", RocprofList::copies},
    {"hip_api", RocprofList::hip_calls},
    {"hsa_api", RocprofList::hsa_calls},
}};
// First keys of a record.
constexpr std::array<std::string_view, 7> kRecordKeys = {
    "size", "kind", "key", "id", "kernel_id", "thread_id", "start_timestamp"};

RocprofList list_of(std::string_view key) {
  const auto* found = std::ranges::find(kLists, key, &NamedList::key);
  return found == kLists.end() ? RocprofList::none : found->list;
}

bool is_group(std::string_view key) { return key == "strings" || key == "buffer_records"; }

bool holds_lists(RocprofList list) {
  return list == RocprofList::agents || list == RocprofList::kinds;
}

struct Name {
  std::string_view key;  // empty: text[pos] does not begin a name with a colon behind it
  std::size_t value = 0;
};

// A name in quotes at text[pos] whose value begins inside of the text.
Name name_at(std::string_view text, std::size_t pos) {
  auto behind_blanks = [&](std::size_t at) {
    while (at < text.size() && is_json_blank(text[at])) ++at;
    return at;
  };
  const std::size_t end = text.find('"', pos + 1);
  if (end == std::string_view::npos) return {};
  const std::size_t colon = behind_blanks(end + 1);
  if (colon >= text.size() || text[colon] != ':') return {};
  const std::size_t value = behind_blanks(colon + 1);
  return value < text.size() ? Name{text.substr(pos + 1, end - pos - 1), value} : Name{};
}

char before(std::string_view text, std::size_t pos) {
  while (pos > 0 && is_json_blank(text[pos - 1])) --pos;
  return pos == 0 ? '\0' : text[pos - 1];
}

// An object that is no member's value and begins as records do.
bool record_start(std::string_view near, std::size_t pos) {
  if (before(near, pos) == ':') return false;
  std::size_t at = pos + 1;
  while (at < near.size() && is_json_blank(near[at])) ++at;
  if (at >= near.size() || near[at] != '"') return false;
  return std::ranges::find(kRecordKeys, name_at(near, at).key) != kRecordKeys.end();
}

}  // namespace

std::size_t RocprofScanner::keep() const {
  if (state_ == State::record) return begin_;
  return state_ == State::lost ? pos_ - std::min(pos_, kResyncContext) : pos_;
}

void RocprofScanner::feed(std::string_view block) {
  const std::size_t kept = keep();
  text_.erase(0, kept);
  base_ += kept;
  pos_ -= kept;
  begin_ -= std::min(begin_, kept);
  text_ += block;
  run();
}

void RocprofScanner::finish() {
  last_ = true;
  run();
  end_process();
}

void RocprofScanner::begin_process() {
  in_process_ = true;
  saw_metadata_ = false;
  level_ = Level::process;
  state_ = State::members;
}

void RocprofScanner::end_process() {
  if (in_process_) sink_.on_process_end();
  in_process_ = false;
}

void RocprofScanner::run() {
  while (step()) {
  }
}

bool RocprofScanner::complete() const {
  return state_ == State::closed || (state_ == State::lost && ends_closed(text_));
}

bool RocprofScanner::step() {
  switch (state_) {
    case State::start:
      return step_start();
    case State::members:
      return step_members();
    case State::processes:
      return step_processes();
    case State::value:
      return step_value();
    case State::list:
      return step_list();
    case State::record:
      return step_record();
    case State::lost:
      return step_lost();
    case State::closed:
      pos_ = text_.size();
      return false;
  }
  return false;
}

bool RocprofScanner::skip_blanks(std::size_t& pos) const {
  while (pos < text_.size() && is_json_blank(text_[pos])) ++pos;
  return pos < text_.size();
}

void RocprofScanner::lose(std::size_t pos, std::string_view reason, RocprofList lost) {
  sink_.on_damage(base_ + pos, reason, lost);
  state_ = State::lost;
}

bool RocprofScanner::step_start() {
  if (base_ == 0 && pos_ == 0) {
    if (!last_ && text_.size() < kByteOrderMark.size()) return false;
    if (text_.starts_with(kByteOrderMark)) pos_ = kByteOrderMark.size();
  }
  if (!skip_blanks(pos_)) return false;
  state_ = text_[pos_++] == '{' ? State::members : State::closed;
  return true;
}

void RocprofScanner::leave_object() {
  if (level_ == Level::group) {
    level_ = Level::process;
    return;
  }
  state_ = level_ == Level::top ? State::closed : one_process_ ? State::members : State::processes;
  if (level_ == Level::process) end_process();
  level_ = Level::top;
}

bool RocprofScanner::step_members() {
  while (skip_blanks(pos_) && text_[pos_] == ',') ++pos_;
  if (pos_ == text_.size()) return false;
  if (text_[pos_] == '}') {
    ++pos_;
    leave_object();
    return true;
  }
  if (text_[pos_] != '"') {
    lose(pos_, "a name in quotes was expected", RocprofList::none);
    return true;
  }
  const Name name = name_at(text_, pos_);
  if (name.value != 0) {
    enter(name.key, name.value);
    return true;
  }
  if (!last_ && text_.size() - pos_ <= kKeyBytesMax) return false;
  if (last_) return false;
  lose(pos_, "a name without a value", RocprofList::none);
  return true;
}

void RocprofScanner::begin_record(RocprofList list, State behind) {
  list_ = list;
  behind_ = behind;
  begin_ = pos_;
  walker_.reset();
  state_ = State::record;
}

// The value of `key` begins at text_[at].
void RocprofScanner::enter(std::string_view key, std::size_t at) {
  const char c = text_[at];
  const RocprofList list = level_ == Level::top ? RocprofList::none : list_of(key);
  const bool metadata = level_ == Level::process && key == kMetadataKey;
  const bool group = level_ == Level::process && c == '{' && is_group(key);
  pos_ = at;
  if (level_ == Level::top && key == kTopKey && (c == '[' || c == '{')) {
    ++pos_;
    one_process_ = c == '{';
    state_ = State::processes;
    if (one_process_) begin_process();
  } else if (group) {
    ++pos_;
    level_ = Level::group;
  } else if (list != RocprofList::none && c == '[') {
    ++pos_;
    list_ = list;
    saw_records_ = saw_records_ || list == RocprofList::dispatches || list == RocprofList::copies;
    state_ = State::list;
  } else if (metadata && c == '{') {
    saw_metadata_ = true;
    begin_record(RocprofList::metadata, State::members);
  } else {
    walker_.reset();
    state_ = State::value;
  }
}

bool RocprofScanner::step_processes() {
  while (skip_blanks(pos_) && text_[pos_] == ',') ++pos_;
  if (pos_ == text_.size()) return false;
  const char c = text_[pos_];
  if (c != '{' && c != ']') {
    lose(pos_, "a process in braces was expected", RocprofList::none);
    return true;
  }
  ++pos_;
  state_ = State::members;
  if (c == '{') begin_process();
  return true;
}

bool RocprofScanner::step_value() {
  const JsonWalker::Outcome outcome = walker_.walk(text_, pos_);
  if (outcome == JsonWalker::Outcome::more) return false;
  if (outcome == JsonWalker::Outcome::broken) {
    list_ = RocprofList::none;
    lose(pos_, walker_.fault().reason, RocprofList::none);
  } else {
    state_ = State::members;
  }
  return true;
}

bool RocprofScanner::step_list() {
  while (skip_blanks(pos_) && text_[pos_] == ',') ++pos_;
  if (pos_ == text_.size()) return false;
  if (text_[pos_] == ']') {
    ++pos_;
    state_ = State::members;
  } else {
    begin_record(list_, State::list);
  }
  return true;
}

bool RocprofScanner::step_record() {
  const JsonWalker::Outcome outcome = walker_.walk(text_, pos_);
  if (outcome == JsonWalker::Outcome::more) {
    if (pos_ - begin_ <= kRecordBytesMax) return false;
    lose(begin_, "a record longer than 16 MiB", list_);
    return true;
  }
  if (outcome == JsonWalker::Outcome::broken) {
    lose(begin_ + walker_.fault().offset, walker_.fault().reason, list_);
    pos_ = begin_ + 1;  // the broken record may have hidden the start of the next one
    return true;
  }
  if (walker_.blemish()) {
    sink_.on_damage(base_ + begin_ + walker_.blemish()->offset, walker_.blemish()->reason,
                    RocprofList::none);
  }
  const std::string_view record = std::string_view(text_).substr(begin_, pos_ - begin_);
  if (!sink_.on_record(list_, record)) {
    sink_.on_damage(base_ + begin_, "a record that can not be read", list_);
  }
  state_ = behind_;
  return true;
}

// Guesses, by design: the next text that looks like a record of the list, or like a name whose
// place in the file is known.
bool RocprofScanner::step_lost() {
  const std::string_view text = text_;
  while (true) {
    pos_ = std::min(text.find_first_of("{\"", pos_), text.size());
    if (pos_ == text.size() || (!last_ && text.size() - pos_ < kResyncContext)) return false;
    const std::string_view near = text.substr(0, pos_ + kResyncContext);
    if (text[pos_] == '{') {
      if (list_ != RocprofList::none && list_ != RocprofList::metadata && in_process_ &&
          record_start(near, pos_)) {
        state_ = State::list;
        return true;
      }
      ++pos_;
      continue;
    }
    const Name name = name_at(near, pos_);
    const char c = name.value == 0 ? '\0' : text[name.value];
    const bool list = c == '[' && list_of(name.key) != RocprofList::none;
    const bool process = c == '{' && name.key == kMetadataKey;
    if (list || process || (c == '{' && is_group(name.key))) {
      if (process && saw_metadata_) end_process();
      if (!in_process_) begin_process();
      level_ = Level::process;
      state_ = State::members;
      // Only what belongs to the process itself stands outside of a group.
      if (list && list_of(name.key) != RocprofList::agents &&
          list_of(name.key) != RocprofList::kernel_symbols) {
        level_ = Level::group;
      }
      return true;
    }
    if (c == '[' && !holds_lists(list_)) list_ = RocprofList::none;  // of records nobody wants
    ++pos_;
  }
}

}  // namespace stepscope::analysis
