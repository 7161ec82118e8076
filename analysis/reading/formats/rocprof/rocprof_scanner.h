#pragma once
// Blocks of rocprofv3's JSON in, one record at a time out, with its byte offset in the text. Knows
// where in the file the lists lie that an analysis needs, and how to go on behind damage; not what
// a record means. Holds one record at a time; blocks may be of any size.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/reading/json/json_walker.h"

namespace stepscope::analysis {

// Where a record stood.
enum class RocprofList : std::uint8_t {
  none,
  metadata,  // one object a process, not a list
  agents,
  kernel_symbols,
  kinds,    // strings.buffer_records: names of kinds and their operations, by index
  markers,  // marker_api: of buffer_records, and the texts of strings
  dispatches,
  copies,
  hip_calls,
  hsa_calls,
};

// Texts that are handed on are valid for the length of the call.
class RocprofSink {
 public:
  virtual ~RocprofSink() = default;
  // The answer false says that the record can not be read.
  virtual bool on_record(RocprofList list, std::string_view text) = 0;
  virtual void on_process_end() = 0;
  // `lost`: the list that a record was lost of; none when only something around it is damaged.
  virtual void on_damage(std::uint64_t byte, std::string_view reason, RocprofList lost) = 0;
};

class RocprofScanner {
 public:
  static constexpr std::size_t kRecordBytesMax = 16U << 20;  // longer ones are damage
  static constexpr std::size_t kKeyBytesMax = 4096;

  explicit RocprofScanner(RocprofSink& sink) : sink_(sink) {}

  void feed(std::string_view block);
  void finish();  // no more text follows

  bool saw_records() const { return saw_records_; }  // a list of dispatches or copies began
  bool complete() const;                             // after finish()
  std::uint64_t text_bytes() const { return base_ + text_.size(); }

 private:
  enum class State : std::uint8_t {
    start,
    members,    // among the members of an object
    processes,  // between the elements of the outermost array
    value,      // in a value that nobody wants
    list,       // between the records of a list
    record,
    lost,  // behind damage, looking for a name or a record that is known
    closed,
  };
  enum class Level : std::uint8_t { top, process, group };

  // Each goes as far as the text allows; false: more text is needed.
  bool step();
  bool step_start();
  bool step_members();
  bool step_processes();
  bool step_value();
  bool step_list();
  bool step_record();
  bool step_lost();
  void run();
  void enter(std::string_view key, std::size_t at);
  void leave_object();
  void begin_process();
  void end_process();
  void begin_record(RocprofList list, State behind);
  void lose(std::size_t pos, std::string_view reason, RocprofList lost);
  bool skip_blanks(std::size_t& pos) const;  // false: nothing but blanks is left
  std::size_t keep() const;                  // first byte that must stay in memory

  RocprofSink& sink_;
  State state_ = State::start;
  State behind_ = State::list;  // the state behind the record at hand
  Level level_ = Level::top;
  RocprofList list_ = RocprofList::none;
  std::string text_;
  std::uint64_t base_ = 0;  // offset of text_[0]
  std::size_t pos_ = 0;
  std::size_t begin_ = 0;  // of the record at hand
  JsonWalker walker_;
  bool one_process_ = false;  // there is no outermost array
  bool in_process_ = false;
  bool saw_metadata_ = false;  // of the process at hand
  bool saw_records_ = false;
  bool last_ = false;
};

}  // namespace stepscope::analysis
