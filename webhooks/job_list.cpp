#include "webhooks/job_list.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope::webhooks {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kFieldsInOrder = {
    Field::key,     Field::model, Field::hardware, Field::precision, Field::framework,
    Field::spec,    Field::conc,  Field::lengths,  Field::tp,        Field::ep,
    Field::dp_attn, Field::phase, Field::steps};
constexpr std::size_t kFields = kFieldsInOrder.size();
constexpr std::size_t kCountedMax = 1000;  // more is not told apart: all of it is refused

std::size_t index_of(Field field) { return static_cast<std::size_t>(field); }

bool same_value(const Item& a, const Item& b) {
  return a.word == b.word && a.number == b.number && a.second == b.second;
}

// What one side of a comparison or one job of a list names.
struct Segment {
  std::array<std::vector<Item>, kFields> values;

  std::vector<Item>& of(Field field) { return values[index_of(field)]; }
  const std::vector<Item>& of(Field field) const { return values[index_of(field)]; }
};

class Lister {
 public:
  Lister(std::span<const Item> items, std::span<const Token> tokens, bool comparing)
      : items_(items), tokens_(tokens), comparing_(comparing) {}

  std::vector<Segment> run() {
    segments_.emplace_back();
    for (const Item& item : items_) take(item);
    return std::move(segments_);
  }

 private:
  bool joins(const Token& token) const {
    constexpr std::array kJoining = {"and"sv,  "vs"sv,   "versus"sv, "against"sv, "or"sv,
                                     "then"sv, "also"sv, "plus"sv,   ","sv,       "&"sv,
                                     "/"sv,    "+"sv,    "|"sv,      ";"sv,       "\n"sv};
    constexpr std::array kSides = {"from"sv, "to"sv, "than"sv, "with"sv};
    return one_of(token.text, kJoining) || (comparing_ && one_of(token.text, kSides)) ||
           (token.is_mark("-") && !token.glued);
  }

  bool joined_between(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      if (joins(tokens_[i])) return true;
    }
    return false;
  }

  // Only joining words and small ones stand between the two.
  bool adjacent(const Item& before, const Item& item) const {
    constexpr std::array kSmall = {"on"sv,  "at"sv,    "in"sv,   "the"sv, "with"sv,
                                   "for"sv, "using"sv, "a"sv,    "("sv,   ")"sv,
                                   "*"sv,   "."sv,     "both"sv, "as"sv,  "well"sv};
    for (std::size_t i = before.last; i < item.first; ++i) {
      if (!joins(tokens_[i]) && !one_of(tokens_[i].text, kSmall)) return false;
    }
    return true;
  }

  void take(const Item& item) {
    if (segments_.size() < kCountedMax && place(item)) last_ = &item;
  }

  bool append(std::vector<Item>& values, const Item& item) {
    values.push_back(item);
    added_.push_back(&item);
    return true;
  }

  // False: said in passing ("instead of h200").
  bool place(const Item& item) {
    Segment& segment = segments_.back();
    std::vector<Item>& values = segment.of(item.field);
    if (values.empty()) return append(values, item);
    if (values.size() >= kCountedMax) return false;
    if (item.field == Field::phase || item.field == Field::steps) {
      take_shared(item, values);
      return true;
    }
    if (settles(values, item)) return true;
    const bool follows = last_ != nullptr && last_->field == item.field && adjacent(*last_, item);
    if (std::ranges::any_of(values, [&](const Item& v) { return same_value(v, item); })) {
      const bool head = item.field == Field::model || item.field == Field::key;
      const bool complete = item.field == Field::key || !segment.of(Field::hardware).empty();
      if (head && complete && !follows) begin_segment(item);
      return true;
    }
    if (follows) return append(values, item);
    if (joined_since_last(item) && !weak(item)) {
      begin_segment(item);
      return true;
    }
    const bool stronger =
        item.field == Field::hardware && values.size() == 1 && weak(values.front()) && !weak(item);
    if (stronger) values.front() = item;
    return stronger;
  }

  // "blackwell b200" is one accelerator, "isl 8192 osl 1024" one pair of lengths.
  static bool settles(std::vector<Item>& values, const Item& item) {
    if (item.field == Field::hardware) return settles_group(values, item);
    return item.field == Field::lengths && completes_lengths(values.back(), item);
  }

  // Of several phases both are meant; of several step counts the first.
  void take_shared(const Item& item, std::vector<Item>& values) {
    const bool other_job = segments_.size() > 1 && joined_since_last(item);
    if (item.field == Field::phase && !same_value(values.front(), item) && !other_job) {
      values.front().word = "both";
    }
  }

  static bool settles_group(std::vector<Item>& values, const Item& item) {
    Item& value = values.back();
    if (value.group == item.group) return false;
    const auto members = Vocabulary::group(value.group ? value.word : item.word);
    if (!one_of(value.group ? item.word : value.word, members)) return false;
    if (value.group) value = item;
    return true;
  }

  static bool completes_lengths(Item& value, const Item& item) {
    if (value.number == 0 && item.second == 0) {
      value.number = item.number;
      return true;
    }
    if (value.second == 0 && item.number == 0) {
      value.second = item.second;
      return true;
    }
    return false;
  }

  // "GPU waiting for the CPU" names no second accelerator.
  static bool weak(const Item& item) { return item.field == Field::hardware && item.word == "cpu"; }

  bool joined_since_last(const Item& item) const {
    return last_ != nullptr && joined_between(last_->last, item.first);
  }

  // What stands between the last joining word and `item` belongs to the new job: "and with mtp
  // dsr1".
  void begin_segment(const Item& item) {
    std::vector<const Item*> moved;
    std::size_t next = item.first;
    while (!added_.empty() && !joined_between(added_.back()->last, next)) {
      next = added_.back()->first;
      moved.push_back(added_.back());
      added_.pop_back();
    }
    if (added_.empty()) moved.clear();  // no joining word at all
    Segment begun;
    for (const Item* earlier : moved) {
      segments_.back().of(earlier->field).pop_back();
      begun.of(earlier->field).assign(1, *earlier);
    }
    begun.of(item.field).assign(1, item);
    segments_.push_back(std::move(begun));
    added_.assign(1, &item);
  }

  std::span<const Item> items_;
  std::span<const Token> tokens_;
  bool comparing_;
  std::vector<Segment> segments_;
  const Item* last_ = nullptr;
  std::vector<const Item*> added_;  // to the open segment, in the order of the text
};

// What a segment leaves open it takes from the one before, else from the next that names it.
void inherit(std::vector<Segment>& segments) {
  const auto fill = [](Segment& to, const Segment& from) {
    const bool own_row = !to.of(Field::key).empty();
    for (const Field field : kFieldsInOrder) {
      const bool of_row = field == Field::key || field == Field::model ||
                          field == Field::hardware || field == Field::precision ||
                          field == Field::framework || field == Field::spec;
      if (of_row && own_row) continue;
      // A key names all of these: it is taken over only by a segment that names none of them.
      if (field == Field::key && (!to.of(Field::model).empty() || !to.of(Field::hardware).empty() ||
                                  !to.of(Field::precision).empty())) {
        continue;
      }
      if (to.of(field).empty()) to.of(field) = from.of(field);
    }
  };
  for (std::size_t i = 1; i < segments.size(); ++i) fill(segments[i], segments[i - 1]);
  for (std::size_t i = segments.size() - 1; i > 0; --i) fill(segments[i - 1], segments[i]);
}

void set(JobSpec& job, const Item& item) {
  switch (item.field) {
    case Field::key:
      job.key = item.word;
      break;
    case Field::model:
      job.model = item.word;
      job.model_unknown = !item.known;
      break;
    case Field::hardware:
      job.hardware = item.word;
      job.hardware_unknown = !item.known;
      job.hardware_group = item.group;
      break;
    case Field::precision:
      job.precision = item.word;
      break;
    case Field::framework:
      job.framework = item.word;
      break;
    case Field::spec:
      job.spec = item.word;
      break;
    case Field::conc:
      job.conc = item.number;
      break;
    case Field::lengths:
      if (item.number != 0) job.isl = item.number;
      if (item.second != 0) job.osl = item.second;
      break;
    case Field::tp:
      job.tp = item.number;
      break;
    case Field::ep:
      job.ep = item.number;
      break;
    case Field::dp_attn:
      job.dp_attn = item.number != 0;
      break;
    case Field::phase:
      job.phase = item.word;
      break;
    case Field::steps:
      job.steps = item.number;
      break;
  }
}

std::vector<JobSpec> multiply(const Segment& segment) {
  std::vector<JobSpec> jobs(1);
  for (const Field field : kFieldsInOrder) {
    if (segment.of(field).empty()) continue;
    std::vector<JobSpec> multiplied;
    for (const JobSpec& job : jobs) {
      for (const Item& item : segment.of(field)) {
        multiplied.push_back(job);
        set(multiplied.back(), item);
      }
    }
    jobs = std::move(multiplied);
  }
  return jobs;
}

}  // namespace

std::expected<std::vector<JobSpec>, std::size_t> list_jobs(std::span<const Item> items,
                                                           std::span<const Token> tokens,
                                                           bool comparing) {
  std::vector<Segment> segments = Lister(items, tokens, comparing).run();
  inherit(segments);
  std::vector<JobSpec> jobs;
  std::size_t skipped = 0;
  for (const Segment& segment : segments) {
    std::size_t product = 1;
    for (const std::vector<Item>& values : segment.values) {
      product = std::min(product * std::max<std::size_t>(values.size(), 1), kCountedMax);
    }
    if (product > kJobsMax) {
      skipped += product;
      continue;
    }
    for (JobSpec& job : multiply(segment)) {
      // The same job named twice is one job.
      if (std::ranges::find(jobs, job) == jobs.end()) jobs.push_back(std::move(job));
    }
    if (jobs.size() > kCountedMax) break;
  }
  const std::size_t count = std::min(jobs.size() + skipped, kCountedMax);
  if (count > kJobsMax) return std::unexpected(count);
  return jobs;
}

}  // namespace stepscope::webhooks
