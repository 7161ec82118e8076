#pragma once
// A list that only grows and is turned into one vector at the end. It grows by chunks that never
// move, so that the peak of memory is the rows themselves and not twice or three times as much.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace stepscope::analysis {

template <typename Row>
class ChunkedRows {
  static_assert(std::is_trivially_copyable_v<Row>);
  static constexpr std::size_t kChunkRows = (1U << 20) / sizeof(Row);

 public:
  void push_back(const Row& row) {
    if (size_ == chunks_.size() * kChunkRows) {
      chunks_.push_back(std::make_unique_for_overwrite<Row[]>(kChunkRows));
    }
    chunks_.back()[size_ % kChunkRows] = row;
    ++size_;
  }
  std::size_t size() const { return size_; }

  // Hands each row to `use`, in order, and gives each chunk back as soon as it is used up.
  template <typename Use>
  void drain(Use use) {
    for (std::size_t i = 0; i < size_; ++i) {
      use(chunks_[i / kChunkRows][i % kChunkRows]);
      if ((i + 1) % kChunkRows == 0) chunks_[i / kChunkRows].reset();
    }
    chunks_.clear();
    size_ = 0;
  }

  // Moves the rows for which `change` (which may alter them) is true into one vector.
  template <typename Change>
  std::vector<Row> take(Change change) {
    std::vector<Row> rows;
    rows.reserve(size_);
    drain([&](Row row) {
      if (change(row)) rows.push_back(row);
    });
    return rows;
  }

 private:
  std::vector<std::unique_ptr<Row[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace stepscope::analysis
