#include "analysis/reading/bytes/trace_input.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace stepscope::analysis {

namespace {

constexpr unsigned char kMagic0 = 0x1F;
constexpr unsigned char kMagic1 = 0x8B;

// ISA-L returns with the upper halves of the vector registers in use, and SSE code that runs behind
// it (ours) is then slowed to half its speed.
#if defined(__x86_64__)
__attribute__((target("avx"), noinline)) void clear_upper_halves() { __builtin_ia32_vzeroupper(); }

int inflate_some(inflate_state& state) {
  int result = isal_inflate(&state);
  if (__builtin_cpu_supports("avx")) clear_upper_halves();
  return result;
}
#else
int inflate_some(inflate_state& state) { return isal_inflate(&state); }
#endif

}  // namespace

struct TraceInput::Inflate {
  inflate_state state;
};

std::string display_name(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return name.empty() ? path.string() : name;
}

TraceInput::TraceInput(std::unique_ptr<ByteSource> source, std::string name,
                       const AnalyzeOptions& options, ReadProgress* progress)
    : source_(std::move(source)),
      name_(std::move(name)),
      options_(options),
      progress_(progress),
      block_(std::make_unique_for_overwrite<unsigned char[]>(kHeaderBytes + kBlockBytes)) {
  if (options.make_digest) digest_ = options.make_digest();
}

TraceInput::~TraceInput() = default;

AnalyzeError TraceInput::error(AnalyzeFault fault, std::string_view what) const {
  return {fault, fmt::format("{}: {}", name_, what)};
}

std::expected<std::unique_ptr<TraceInput>, AnalyzeError> TraceInput::open(
    std::unique_ptr<ByteSource> source, std::string name, const AnalyzeOptions& options,
    ReadProgress* progress) {
  std::unique_ptr<TraceInput> input(
      new TraceInput(std::move(source), std::move(name), options, progress));
  input->refill();
  if (!input->read_error_.empty()) {
    return std::unexpected(
        input->error(AnalyzeFault::unreadable, input->read_error_ + "; copy the file again"));
  }
  if (input->block_size_ >= 2 && input->data()[0] == kMagic0 && input->data()[1] == kMagic1) {
    input->inflate_ = std::make_unique<Inflate>();
    inflate_state& state = input->inflate_->state;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.next_in = input->data();
    state.avail_in = static_cast<std::uint32_t>(input->block_size_);
  }
  return input;
}

std::expected<std::unique_ptr<TraceInput>, AnalyzeError> TraceInput::open(
    const std::filesystem::path& path, const AnalyzeOptions& options) {
  auto source = open_file(path);
  if (source) return open(*std::move(source), display_name(path), options, nullptr);
  return std::unexpected(AnalyzeError{AnalyzeFault::unreadable,
                                      fmt::format("{}: can not be read ({}); check path and rights",
                                                  display_name(path), source.error())});
}

bool TraceInput::refill() {
  block_used_ = 0;
  auto size = source_->read({data(), kBlockBytes});
  if (!size) read_error_ = std::move(size.error());
  block_size_ = size.value_or(0);
  stored_bytes_ += block_size_;
  if (digest_) digest_->update(std::as_bytes(std::span(data(), block_size_)));
  if (progress_ != nullptr && block_size_ > 0) progress_->advance(block_size_);
  return block_size_ > 0;
}

std::expected<std::string_view, AnalyzeError> TraceInput::peek(std::size_t bytes) {
  head_.resize(bytes);
  auto size = fill(head_);
  if (!size) return std::unexpected(std::move(size.error()));
  head_.resize(*size);
  return std::string_view(head_.data(), head_.size());
}

std::expected<std::size_t, AnalyzeError> TraceInput::read(std::span<char> out) {
  if (head_used_ == head_.size()) return fill(out);
  const std::size_t kept = std::min(out.size(), head_.size() - head_used_);
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(head_used_), kept, out.begin());
  head_used_ += kept;
  auto size = fill(out.subspan(kept));
  if (size) *size += kept;
  return size;
}

std::expected<std::size_t, AnalyzeError> TraceInput::fill(std::span<char> out) {
  if (options_.cancelled != nullptr && *options_.cancelled) {
    return std::unexpected(error(AnalyzeFault::cancelled, "the analysis was cancelled"));
  }
  if (out.empty()) return 0;
  std::size_t size = inflate_ ? read_gzip(out) : read_plain(out);
  if (!read_error_.empty()) {
    return std::unexpected(
        error(AnalyzeFault::unreadable,
              fmt::format("{}, behind byte {}; copy the file again", read_error_, stored_bytes_)));
  }
  text_bytes_ += size;
  if (text_bytes_ > options_.text_bytes_max) {
    return std::unexpected(error(
        AnalyzeFault::limit,
        fmt::format("the uncompressed text is longer than {} bytes (text_bytes_max); record fewer "
                    "steps",
                    options_.text_bytes_max)));
  }
  return size;
}

std::size_t TraceInput::read_plain(std::span<char> out) {
  std::size_t size = 0;
  while (size < out.size() && read_error_.empty()) {
    if (block_used_ == block_size_ && !refill()) break;
    std::size_t part = std::min(out.size() - size, block_size_ - block_used_);
    std::memcpy(out.data() + size, data() + block_used_, part);
    block_used_ += part;
    size += part;
  }
  return size;
}

// Behind the end of a member: true when another one begins. What else follows is no trace.
bool TraceInput::next_member() {
  inflate_state& state = inflate_->state;
  // ISA-L forgets the flags of a header when its input ends within it, so the beginning of one is
  // kept in front of the next block.
  if (state.avail_in < kHeaderBytes) {
    const std::uint32_t left = state.avail_in;
    std::memmove(data() - left, state.next_in, left);
    refill();
    state.next_in = data() - left;
    state.avail_in = left + static_cast<std::uint32_t>(block_size_);
  }
  if (state.avail_in < 2 || state.next_in[0] != kMagic0 || state.next_in[1] != kMagic1) {
    return false;
  }
  isal_inflate_reset(&state);
  state.crc_flag = ISAL_GZIP;
  return true;
}

void TraceInput::skip_rest() {
  ignored_bytes_ = inflate_->state.avail_in;
  while (refill()) ignored_bytes_ += block_size_;
}

std::size_t TraceInput::read_gzip(std::span<char> out) {
  inflate_state& state = inflate_->state;
  state.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  state.avail_out = static_cast<std::uint32_t>(out.size());
  while (!ended_ && state.avail_out > 0) {
    if (state.block_state == ISAL_BLOCK_FINISH) {
      if (next_member()) continue;
      ended_ = true;
      skip_rest();
      break;
    }
    if (state.avail_in == 0 && refill()) {
      state.next_in = data();
      state.avail_in = static_cast<std::uint32_t>(block_size_);
    }
    std::uint32_t room = state.avail_out;
    bool starved = state.avail_in == 0;
    int result = inflate_some(state);
    if (result < 0) {
      ended_ = true;
      doubtful_ = result == ISAL_INCORRECT_CHECKSUM;
      fault_ = doubtful_ ? "the gzip checksum does not match its text"
                         : fmt::format("damaged gzip data near stored byte {}",
                                       stored_bytes_ - state.avail_in);
    } else if (starved && state.block_state != ISAL_BLOCK_FINISH && state.avail_out == room) {
      ended_ = true;
      fault_ = "the gzip data end early";
    }
  }
  return out.size() - state.avail_out;
}

std::expected<std::string, AnalyzeError> TraceInput::digest() {
  while (refill()) {
  }
  if (!read_error_.empty()) {
    return std::unexpected(error(AnalyzeFault::unreadable, read_error_ + "; copy the file again"));
  }
  return digest_ ? digest_->finish() : std::string();
}

}  // namespace stepscope::analysis
